//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// For which suspected jobs slots stay free, by the loader whose jobs could have them; each is looked up once for an answer.
struct ReservedSlots {
    private var suspects: [UInt32: UInt64] = [:]

    /// The suspected job for which slots of workers that offer a loader are reserved; nil: none are.
    mutating func suspect(before loader: UInt32, in turn: FrontTurn) -> JobID? {
        let known = suspects[loader] ?? turn.state.jobs.suspect(before: Int(loader), workers: turn.state.workers.indices)
        suspects[loader] = known
        return known == 0 ? nil : JobID(known)
    }
}

extension JobQueue {
    /// A job in memory as the answer to a question shows it: also for which job slots are reserved that it could have.
    ///
    /// Its topic does not tell that: it changes with each job that begins or ends to be alone, and whoever observes a job had to be told each time.
    func askedSummary(of record: JobRecord, _ reserved: inout ReservedSlots, in turn: FrontTurn) -> JobSummary {
        var summary = summary(of: record, in: turn)
        guard summary.waitReason == .slotsTaken, let suspect = reserved.suspect(before: record.loader, in: turn) else { return summary }
        summary.waitReason = .slotsReserved(for: suspect)
        return summary
    }
}

extension JobLifecycle {
    /// The suspected job that runs alone at a worker which offers a loader and has room for more, or is to once that worker is empty; 0: none.
    fileprivate func suspect(before loader: Int, workers: Range<Int>) -> UInt64 {
        guard scheduler.keptForSuspects(loader) > 0 else { return 0 }
        for worker in workers {
            guard let holding = holding(of: worker), holding.serves(loader) else { continue }
            let room = holding.room(in: slab)
            guard room.free(.slot) > 0 || room.free(.ahead) > 0 else { continue }
            if room.isAlone { return holding.held.first }
            if let suspect = scheduler.suspect(keeping: worker) { return suspect }
        }
        return 0
    }
}
