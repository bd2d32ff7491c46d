//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Workforce {
    /// A worker ends and holds nothing: what it had not finished runs elsewhere, uncounted.
    mutating func sayGoodbye(_ index: Int, queue: inout JobQueue, in turn: inout FrontTurn) {
        loseJobs(turn.state.jobs.heldJobs(by: index), .workerClosed, queue: &queue, in: &turn)
        forgetWorker(index, in: &turn)
    }

    /// The worker's process is dead, because its lease is over or as the kernel says: its jobs run elsewhere or are failed.
    ///
    /// A death speaks against its jobs only if they can have caused it: not where the worker was draining, because it was being stopped, nor
    /// where it was last heard by an earlier life of the front, because then both were gone: a stop, a power cut; nor where the front stood
    /// still for a whole lease, because then no worker can have kept its own. What has never left the front was never begun.
    mutating func loseWorker(_ index: Int, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard let worker = turn.state.workers[index] else { return }
        let held = takeBackUnsent(turn.state.jobs.heldJobs(by: index), queue: &queue, in: &turn)
        let stoodStill = turn.state.workers.frontStoodStill(for: worker, lease: turn.settings.leaseMilliseconds)
        if !worker.isAttached || worker.isDraining || stoodStill {
            loseJobs(held, stoodStill ? .loopPause : .workerLost, queue: &queue, in: &turn)
        } else if !worker.isOverdue {
            let isCounted = held.count == 1
            loseJobs(held, .workerLost, suspected: !isCounted, isCounted: isCounted, queue: &queue, in: &turn)
        } else {
            loseJobs(held, .workerLost, queue: &queue, in: &turn)
            // One that runs elsewhere by now shows there what it is worth.
            loseJobs(worker.dropped.sorted().filter { isWaitingInLine($0, in: turn) }, .culprit, isCounted: true, queue: &queue, in: &turn)
        }
        forgetWorker(index, in: &turn)
    }

    /// A worker has registered without these jobs.
    mutating func loseDropped(_ jobs: [UInt64], queue: inout JobQueue, in turn: inout FrontTurn) {
        loseJobs(jobs, .dropped, queue: &queue, in: &turn)
    }

    /// The grants of these jobs stayed unseen, each sent alone too: what makes one unreadable speaks against its job.
    mutating func loseUnseen(_ jobs: [UInt64], queue: inout JobQueue, in turn: inout FrontTurn) {
        loseJobs(jobs, .grantUnseen, isCounted: true, queue: &queue, in: &turn)
    }

    /// A loader has returned these jobs as cancelled, which nobody had asked for.
    mutating func loseUnasked(_ jobs: [UInt64], queue: inout JobQueue, in turn: inout FrontTurn) {
        loseJobs(jobs, .cancelUnasked, queue: &queue, in: &turn)
    }

    /// Takes back held jobs whose grants cannot have been seen, because they have not left: those grants do not count.
    /// - Returns: the others.
    mutating func takeBackUnsent(_ held: [UInt64], queue: inout JobQueue, in turn: inout FrontTurn) -> [UInt64] {
        let unsent = held.filter { isUnsent($0, in: turn) }
        guard !unsent.isEmpty else { return held }
        let cancelled = unsent.filter { turn.state.jobs[$0].state == .cancelling }
        let others = unsent.filter { turn.state.jobs[$0].state != .cancelling }
        let left = held.filter { !isUnsent($0, in: turn) }
        queue.end(cancelled.map { UnreportedEnd(job: $0, state: .cancelled) }, in: &turn)
        if !others.isEmpty { giveBack(others, queue: &queue, in: &turn) }
        return left
    }

    private func isUnsent(_ id: UInt64, in turn: FrontTurn) -> Bool {
        turn.state.jobs[id].lease >= sent.lease && !turn.state.jobs[id].flags.contains(.isSeen)
    }

    private func isWaitingInLine(_ id: UInt64, in turn: FrontTurn) -> Bool {
        guard turn.state.jobs.contains(id), turn.state.jobs[id].state == .waiting else { return false }
        return turn.state.jobs[id].place == .lane || turn.state.jobs[id].place == .suspects
    }

    private mutating func forgetWorker(_ index: Int, in turn: inout FrontTurn) {
        guard let id = turn.state.workers[index]?.id else { return }
        turn.state.workers.leave(index, in: &turn.context)
        turn.record(.workerLost(Fact.WorkerLost(id)))
        turn.emit(.changed(.workers, key: "worker/\(id)"))
    }

    /// Jobs whose worker does not run them any more: cancelled, failed, quarantined or waiting again.
    private mutating func loseJobs(
        _ jobs: [UInt64], _ cause: RequeueCause, suspected: Bool = false, isCounted: Bool = false, queue: inout JobQueue,
        in turn: inout FrontTurn
    ) {
        guard !jobs.isEmpty else { return }
        turn.step(jobs.count)
        var requeued: [Fact.RequeuedJob] = []
        var ends: [UnreportedEnd] = []
        for id in jobs {
            let record = turn.state.jobs[id]
            let deaths = record.deaths &+ (isCounted ? 1 : 0)
            if let end = endOfLost(id, deaths: deaths, isCounted: isCounted, in: turn) {
                ends.append(end)
            } else {
                requeued.append(Fact.RequeuedJob(job: JobID(id), deaths: deaths, isSuspected: suspected || (isCounted && deaths > 0)))
            }
        }
        queue.end(ends, in: &turn)
        guard !requeued.isEmpty else { return }
        turn.record(.requeued(Fact.RequeuedJobs(jobs: requeued, cause: cause)))
        queue.noteWaiting(requeued.map(\.job.rawValue), in: &turn)
    }

    /// How a job ends whose worker was lost; nil: it waits again.
    private func endOfLost(_ id: UInt64, deaths: UInt8, isCounted: Bool, in turn: FrontTurn) -> UnreportedEnd? {
        let record = turn.state.jobs[id]
        if record.state == .cancelling { return UnreportedEnd(job: id, state: .cancelled) }
        // Only by a death that counts: the end in quarantine counts it.
        if isCounted, deaths >= turn.settings.deathLimit {
            let text =
                "\(deaths) deaths count against job \(id) (limit \(turn.settings.deathLimit)): workers died while they were at it, or could not "
                + "take it; look at it before submitting it again"
            return UnreportedEnd(
                job: id, state: .quarantined,
                failure: Failure(id: FailureID(id), code: .quarantined, text: text, attempts: record.attempts))
        }
        let repeatable = turn.state.jobs.hand(of: Int(record.worker))?.offer(Int(record.loader))?.repeatable ?? .no
        // One that waits was found repeatable when its worker was lost.
        guard record.state != .waiting, !mayRepeat(repeatable) else { return nil }
        let text = "the worker of job \(id) was lost and the work may or may not have been done: look, then submit it again if needed"
        return UnreportedEnd(
            job: id, state: .failed, failure: Failure(id: FailureID(id), code: .outcomeUnknown, text: text, attempts: record.attempts))
    }

    private func mayRepeat(_ repeatable: Repeatable) -> Bool {
        switch repeatable {
        case .yes: true
        case .no: false
        }
    }
}
