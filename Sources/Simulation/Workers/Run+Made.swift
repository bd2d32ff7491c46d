//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Run {
    /// What a feed's job has made; nil for a submitted job.
    func made(_ random: inout Random) -> FeedResult? {
        guard let work else { return nil }
        let isFound = worker.world.variation.selectionsHold
        var result = FeedResult()
        let count = random.below(100)
        switch work.operation {
        case .load, .merge:
            result.content = object(1, itemCount: UInt64(count))
        case .create:
            result.content = object(1, itemCount: UInt64(count))
            result.itemID = Self.itemID(of: job)
            result.source = .manual
        case .update:
            result.content = object(1, itemCount: UInt64(count))
            result.source = .manual
        case .sort: break
        case .detail:
            if random.chance(0.5) { result.detail = self.result } else { result.detailObject = object(3, itemCount: 0) }
        }
        if work.operation != .detail, work.sort != nil || !work.filter.isEmpty {
            result.order = object(2, itemCount: UInt64(count))
        }
        result.selectionFound = work.itemID == nil || random.chance(0.7) || isFound
        if let list = result.content { keep(work, as: list.digest) }
        return result
    }

    /// The id of the item that a create makes.
    static func itemID(of job: JobID) -> String { "local-\(job)" }

    /// What was saved before is in the new list too, save where a list is fetched.
    private func keep(_ work: FeedWork, as list: ObjectDigest) {
        let base = work.operation == .load ? nil : work.content?.digest
        let isSave = work.operation == .create || work.operation == .update
        worker.world.ledger.saves.make(list, from: base, adding: isSave ? (job.rawValue, marker) : nil)
    }
}
