//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// What a checkpoint begins with: all that this durability journals, save jobs.
    ///
    /// Where jobs are not journalled, a checkpoint must not hold them either: their ends would be missing behind it, and the next life would
    /// run again what had ended.
    func checkpointBase() -> [Fact] {
        let facts = state.baseFacts()
        guard settings.durability == .memory else { return facts }
        return facts.compactMap { fact in
            if case .countsStored(var stored) = fact {
                stored.counts = JobCounts()
                return .countsStored(stored)
            }
            return fact.traits.survivesMemoryMode ? fact : nil
        }
    }

    /// The next slice of jobs, and where to go on; nil: it was the last.
    func checkpointSlice(from id: UInt64, chunkLimit: Int, byteLimit: Int = .max) -> (facts: [Fact], next: UInt64?) {
        settings.durability == .memory ? ([], nil) : state.slice(from: id, chunkLimit: chunkLimit, byteLimit: byteLimit)
    }
}
