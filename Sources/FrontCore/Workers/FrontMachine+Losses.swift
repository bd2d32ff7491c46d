//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// A job that ends without a report of its worker, how, and why.
    struct UnreportedEnd {
        let job: UInt64
        let state: JobState
        var failure: Failure?
    }

    /// A worker ends and holds nothing: what it had not finished runs elsewhere, uncounted.
    mutating func sayGoodbye(_ index: Int) {
        loseJobs(state.jobs.heldJobs(by: index), suspected: false, isCounted: false)
        forgetWorker(index)
    }

    /// The worker's process is dead, because its lease is over or as the kernel says: its jobs run elsewhere or are failed.
    ///
    /// A death speaks against its jobs only if they can have caused it: not where the worker was draining, because it was being stopped, nor
    /// where it was last heard by an earlier life of the front, because then both were gone: a stop, a power cut; nor where the front stood
    /// still for a whole lease, because then no worker can have kept its own. What has never left the front was never begun.
    mutating func loseWorker(_ index: Int) {
        guard let worker = state.workers[index] else { return }
        let held = takeBackUnsent(state.jobs.heldJobs(by: index))
        let stoodStill = state.workers.frontStoodStill(for: worker, lease: turn.settings.leaseMilliseconds)
        if !worker.isAttached || worker.isDraining || stoodStill {
            loseJobs(held, suspected: false, isCounted: false)
        } else if !worker.isOverdue {
            let isCounted = held.count == 1
            loseJobs(held, suspected: !isCounted, isCounted: isCounted)
        } else {
            loseJobs(held, suspected: false, isCounted: false)
            // One that runs elsewhere by now shows there what it is worth.
            loseJobs(worker.dropped.sorted().filter { isWaitingInLine($0) }, suspected: false, isCounted: true)
        }
        forgetWorker(index)
    }

    /// Takes back held jobs whose grants cannot have been seen, because they have not left: those grants do not count.
    /// - Returns: the others.
    mutating func takeBackUnsent(_ held: [UInt64]) -> [UInt64] {
        let unsent = held.filter { isUnsent($0) }
        guard !unsent.isEmpty else { return held }
        let cancelled = unsent.filter { state.jobs[$0].state == .cancelling }
        let others = unsent.filter { state.jobs[$0].state != .cancelling }
        let left = held.filter { !isUnsent($0) }
        end(cancelled.map { UnreportedEnd(job: $0, state: .cancelled) })
        if !others.isEmpty { giveBack(others) }
        return left
    }

    private func isUnsent(_ id: UInt64) -> Bool {
        state.jobs[id].lease >= sent.lease && !state.jobs[id].flags.contains(.isSeen)
    }

    private func isWaitingInLine(_ id: UInt64) -> Bool {
        guard state.jobs.contains(id), state.jobs[id].state == .waiting else { return false }
        return state.jobs[id].place == .lane || state.jobs[id].place == .suspects
    }

    private mutating func forgetWorker(_ index: Int) {
        guard let id = state.workers[index]?.id else { return }
        state.workers.leave(index, in: &turn)
        record(.workerLost(Fact.WorkerLost(id)))
        turn.emit(.changed(.workers, key: "worker/\(id)"))
    }

    /// Jobs whose worker does not run them any more: cancelled, failed, quarantined or waiting again.
    mutating func loseJobs(_ jobs: [UInt64], suspected: Bool, isCounted: Bool) {
        guard !jobs.isEmpty else { return }
        turn.step(jobs.count)
        var requeued: [Fact.RequeuedJob] = []
        var ends: [UnreportedEnd] = []
        for id in jobs {
            let record = state.jobs[id]
            let deaths = record.deaths &+ (isCounted ? 1 : 0)
            if let end = endOfLost(id, deaths: deaths, isCounted: isCounted) {
                ends.append(end)
            } else {
                requeued.append(Fact.RequeuedJob(job: JobID(id), deaths: deaths, isSuspected: suspected || (isCounted && deaths > 0)))
            }
        }
        end(ends)
        guard !requeued.isEmpty else { return }
        record(.requeued(Fact.RequeuedJobs(jobs: requeued)))
        for job in requeued {
            jobViews.unlist(job.job.rawValue, in: &turn)
            noteJob(job.job.rawValue, "job")
            feedJobWaits(job.job.rawValue)
        }
    }

    /// How a job ends whose worker was lost; nil: it waits again.
    private func endOfLost(_ id: UInt64, deaths: UInt8, isCounted: Bool) -> UnreportedEnd? {
        let record = state.jobs[id]
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
        let repeatable = state.jobs.hand(of: Int(record.worker))?.offer(Int(record.loader))?.repeatable ?? .no
        // One that waits was found repeatable when its worker was lost.
        guard record.state != .waiting, !mayRepeat(repeatable) else { return nil }
        let text = "the worker of job \(id) was lost and the work may or may not have been done: look, then submit it again if needed"
        return UnreportedEnd(
            job: id, state: .failed, failure: Failure(id: FailureID(id), code: .outcomeUnknown, text: text, attempts: record.attempts))
    }

    /// Ends jobs that no worker reports on.
    mutating func end(_ ends: [UnreportedEnd]) {
        guard !ends.isEmpty else { return }
        var ended = Fact.EndedJobs(at: turn.now.wall)
        for end in ends { ended.append(end.job, end.state, failure: end.failure) }
        record(.ended(ended))
        for end in ends { jobEnded(end.job, end.state, failure: end.failure, feedResult: nil) }
    }

    private func mayRepeat(_ repeatable: Repeatable) -> Bool {
        switch repeatable {
        case .yes, .keyed: true
        case .no: false
        }
    }
}
