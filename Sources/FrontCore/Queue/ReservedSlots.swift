//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Why slots stay free, by the loader whose jobs could have them: for which suspected jobs, or since no worker takes any; each is looked up once for an
/// answer.
struct ReservedSlots {
    private var suspects: [UInt32: UInt64] = [:]
    private var ready: [UInt32: Bool] = [:]

    /// Whether a worker that offers a loader takes jobs at the moment.
    mutating func isReady(_ loader: UInt32, in turn: FrontTurn) -> Bool {
        let known = ready[loader] ?? turn.state.jobs.isReady(Int(loader), workers: turn.state.workers.indices)
        ready[loader] = known
        return known
    }

    /// The suspected job for which slots of workers that offer a loader are reserved; nil: none are.
    mutating func suspect(before loader: UInt32, in turn: FrontTurn) -> JobID? {
        let known = suspects[loader] ?? turn.state.jobs.suspect(before: Int(loader), workers: turn.state.workers.indices)
        suspects[loader] = known
        return known == 0 ? nil : JobID(known)
    }
}

extension JobQueue {
    /// A job in memory as the answer to a question shows it: also for which job slots are reserved that it could have, and whether any worker takes jobs.
    ///
    /// Its topic does not tell that: it changes with each job that begins or ends to be alone, and with each worker that gives work back, and each
    /// time it had to be sent to whoever observes a job.
    func askedSummary(of record: JobRecord, _ reserved: inout ReservedSlots, in turn: FrontTurn) -> JobSummary {
        var summary = summary(of: record, in: turn)
        guard summary.waitReason == .slotsTaken else { return summary }
        if let suspect = reserved.suspect(before: record.loader, in: turn) {
            summary.waitReason = .slotsReserved(for: suspect)
        } else if !reserved.isReady(record.loader, in: turn) {
            summary.waitReason = .workersNotReady
        }
        return summary
    }
}

extension JobLifecycle {
    /// Whether one of the workers that offer a loader takes jobs at the moment.
    fileprivate func isReady(_ loader: Int, workers: Range<Int>) -> Bool {
        workers.contains { worker in
            guard let holding = holding(of: worker), holding.serves(loader) else { return false }
            return holding.room(in: slab).isTaking
        }
    }

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
