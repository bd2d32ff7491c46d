//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

extension Workforce {
    /// A worker ends and holds nothing: what it had not finished runs elsewhere, and no crash counts.
    ///
    /// It takes nothing more, so the grants that it has not taken come to nothing. Of a worker that is lost its last renewal does not say that: it may
    /// have read more since, and begun it.
    mutating func closeRegistration(_ index: Int, _ takenBelow: LeaseID, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard let worker = turn.state.workers[index] else { return }
        turn.state.workers.close(index, takenBelow)
        goOn(JournalEntry.LostWorker(worker.id, .workerClosed), queue: &queue, in: &turn)
    }

    /// A worker's lease may be over.
    mutating func lookAtLease(_ index: Int, _ reading: TurnReading, queue: inout JobQueue, in turn: inout FrontTurn) {
        if turn.state.workers.isLost(index, reading, in: &turn.context) { loseWorker(index, queue: &queue, in: &turn) }
    }

    /// The worker's process is dead, because its lease is over or as the kernel says: its jobs run elsewhere or are failed.
    ///
    /// A death counts against its jobs only if they can have caused it: not where the worker was draining, because it was being stopped,
    /// nor where it was last heard in an earlier epoch, because then the front had ended too: a stop, a power cut; nor where the front
    /// stood still for a whole lease, because then no worker can have kept its own. What has never left the front was never begun.
    private mutating func loseWorker(_ index: Int, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard let worker = turn.state.workers[index], !worker.isLeaving else { return }
        var lost = JournalEntry.LostWorker(worker.id, .workerLost)
        let stoodStill = turn.state.workers.frontStoodStill(for: worker, lease: turn.settings.lease)
        // Noted now, since the worker has left that state when the last of its jobs are taken from it.
        if worker.isDraining { drainedWhenLost.insert(index) }
        if !worker.isRegistered || worker.isDraining || stoodStill {
            lost.cause = stoodStill ? .loopPause : .workerLost
        } else if worker.isOverdue {
            // One that runs elsewhere by now shows there what it is worth.
            // Sorted, because the order of a set must not reach an entry; taken from the end, so the smallest is first.
            culprits[index] = worker.dropped.sorted(by: >)
        } else {
            lost.isCounted = holdsOne(index, in: &turn)
            lost.isSuspected = !lost.isCounted
        }
        goOn(lost, queue: &queue, in: &turn)
    }

    /// Whether a worker holds exactly one job whose grant may have been seen.
    private func holdsOne(_ index: Int, in turn: inout FrontTurn) -> Bool {
        var count = 0
        for id in turn.state.jobs.heldBackwards(by: index) where !isUnbegun(id, in: turn) {
            count += 1
            if count > 1 { break }
        }
        return count == 1
    }

    /// Takes from a lost worker what it held, the newest grants first, as many as this turn may look at; an entry says with which job the
    /// next one goes on. Grants that were not sent are sent last, so those are looked at first.
    mutating func goOn(_ lost: JournalEntry.LostWorker, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard let index = turn.state.workers.index(of: lost.worker) else { return turn.finish(.loss(lost)) }
        var held: [UInt64] = []
        for id in turn.state.jobs.heldBackwards(by: index) {
            guard lossLooks < turn.settings.bounds.lostJobs else { break }
            held.append(id)
            lossLooks += 1
        }
        held.reverse()
        // Before the others are counted: what nobody can have begun has caused no death.
        let begun = takeBackUnbegun(held, queue: &queue, in: &turn)
        loseJobs(begun, lost.cause, suspected: lost.isSuspected, isCounted: lost.isCounted, queue: &queue, in: &turn)
        let newest = turn.state.jobs.held(by: index).last
        // Its own jobs first: one of them may be named, too, and counts once it waits.
        guard newest == 0, loseCulprits(index, queue: &queue, in: &turn) else {
            if turn.state.workers[index]?.isLeaving == false { turn.state.workers.beginLeaving(index, in: &turn.context) }
            let next = newest != 0 ? newest : culprits[index]?.last ?? 0
            return turn.leave(.loss(lost), since: turn.state.left[.loss(lost)]?.since ?? turn.now.wall, at: .job(JobID(next)))
        }
        turn.finish(.loss(lost))
        forgetWorker(index, lost.cause, in: &turn)
    }

    /// A death counts against the jobs that the worker had named as what it could not stop, if they wait.
    /// - Returns: whether none is left for a later turn.
    private mutating func loseCulprits(_ index: Int, queue: inout JobQueue, in turn: inout FrontTurn) -> Bool {
        guard culprits[index] != nil else { return true }
        var named: [UInt64] = []
        while lossLooks < turn.settings.bounds.lostJobs, let id = culprits[index]?.popLast() {
            lossLooks += 1
            if isWaitingInLine(id, in: turn) { named.append(id) }
        }
        loseJobs(named, .culprit, isCounted: true, queue: &queue, in: &turn)
        return culprits[index]?.isEmpty ?? true
    }

    /// An epoch begins: workers that were lost in an earlier one are not waited for.
    func resumeLosses(in turn: inout FrontTurn) {
        for case .loss(let lost) in turn.state.left.all.map(\.work) {
            if let index = turn.state.workers.index(of: lost.worker) { turn.state.workers.beginLeaving(index, in: &turn.context) }
        }
    }

    /// A lost worker registers: its registration decides what happens to the jobs that it still held.
    mutating func endLeaving(_ id: WorkerID, in turn: inout FrontTurn) {
        guard let index = turn.state.workers.index(of: id), turn.state.workers[index]?.isLeaving == true else { return }
        (culprits[index], _) = (nil, drainedWhenLost.remove(index))
        turn.finish(.loss(JournalEntry.LostWorker(id, .workerLost)))
    }

    /// A worker has registered without these jobs.
    mutating func loseDropped(_ jobs: [UInt64], queue: inout JobQueue, in turn: inout FrontTurn) {
        loseJobs(jobs, .dropped, queue: &queue, in: &turn)
    }

    /// The grants of these jobs stayed unseen, each sent alone too: what makes one unreadable counts against its job.
    mutating func loseUnseen(_ jobs: [UInt64], queue: inout JobQueue, in turn: inout FrontTurn) {
        loseJobs(jobs, .grantUnseen, isCounted: true, queue: &queue, in: &turn)
    }

    /// A loader has returned these jobs as cancelled, which nobody had asked for.
    mutating func loseUnasked(_ jobs: [UInt64], queue: inout JobQueue, in turn: inout FrontTurn) {
        loseJobs(jobs, .cancelUnasked, queue: &queue, in: &turn)
    }

    /// Takes back held jobs that nobody can have begun, because their grants have not left, or because their worker has closed without having taken
    /// them: those grants do not count.
    /// - Returns: the others.
    mutating func takeBackUnbegun(_ held: [UInt64], queue: inout JobQueue, in turn: inout FrontTurn) -> [UInt64] {
        let unbegun = held.filter { isUnbegun($0, in: turn) }
        guard !unbegun.isEmpty else { return held }
        let cancelled = unbegun.filter { turn.state.jobs[$0].state == .cancelling }
        let others = unbegun.filter { turn.state.jobs[$0].state != .cancelling }
        let left = held.filter { !isUnbegun($0, in: turn) }
        queue.end(cancelled.map { UnreportedEnd(job: $0, state: .cancelled) }, in: &turn)
        if !others.isEmpty { giveBack(others, .unsent, queue: &queue, in: &turn) }
        return left
    }

    private func isUnbegun(_ id: UInt64, in turn: FrontTurn) -> Bool {
        let record = turn.state.jobs[id]
        guard !record.flags.contains(.isSeen) else { return false }
        return record.lease >= sent.lease || turn.state.workers.hasLeft(untaken: record.lease, Int(record.worker))
    }

    private func isWaitingInLine(_ id: UInt64, in turn: FrontTurn) -> Bool {
        turn.state.jobs.contains(id) && turn.state.jobs[id].standing.isInLine
    }

    /// A worker holds nothing any more. One that was asked to drain and may come back is remembered.
    private mutating func forgetWorker(_ index: Int, _ cause: AttemptEndCause, in turn: inout FrontTurn) {
        guard let worker = turn.state.workers[index] else { return }
        (culprits[index], _) = (nil, drainedWhenLost.remove(index))
        turn.state.workers.leave(index, in: &turn.context)
        turn.noteOffered(by: index)
        let mayComeBack = cause != .workerClosed && !worker.hasEnded
        turn.record(.workerLost(JournalEntry.WorkerLost(worker.id, drains: worker.isDrainAsked && mayComeBack)))
        for forgotten in turn.state.workers.drained.excess(over: turn.settings.bounds.drainedWorkers) {
            turn.record(.workerLost(JournalEntry.WorkerLost(forgotten)))
        }
        turn.emit(.changed(.workers, key: ItemKey.worker(worker.id)))
    }

    /// Jobs whose worker does not run them any more: cancelled, failed, quarantined or waiting again.
    private mutating func loseJobs(
        _ jobs: [UInt64], _ cause: AttemptEndCause, suspected: Bool = false, isCounted: Bool = false, queue: inout JobQueue,
        in turn: inout FrontTurn
    ) {
        guard !jobs.isEmpty else { return }
        turn.step(jobs.count)
        var waiting: [JournalEntry.EndedAttempt] = []
        var ends: [UnreportedEnd] = []
        var failed = JournalEntry.AttemptsEnded(cause: .failed)
        for id in jobs {
            let record = turn.state.jobs[id]
            let repeatable = repeatable(of: id, in: turn)
            if let failure = queue.endOfStopped(id, repeatable, in: turn) {
                if let next = queue.nextAttempt(of: id, after: failure, repeatable, in: turn) {
                    failed.append(next)
                } else {
                    ends.append(UnreportedEnd(job: id, state: .failed, failure: failure))
                }
                continue
            }
            let crashCount = record.crashCount &+ (isCounted ? 1 : 0)
            if let end = endOfLost(id, cause, crashCount: crashCount, isCounted: isCounted, in: turn) {
                ends.append(end)
            } else {
                let isSuspected = suspected || (isCounted && crashCount > 0)
                waiting.append(
                    JournalEntry.EndedAttempt(job: JobID(id), attempts: record.attempts, crashCount: crashCount, isSuspected: isSuspected))
            }
        }
        queue.end(ends, in: &turn)
        queue.retry(failed, in: &turn)
        endAttempts(waiting, cause, queue: &queue, in: &turn)
    }

    /// Jobs whose grant came to nothing wait again; the grant does not count, and what it took of limits with a rate is back.
    /// - Parameter reasons: What their worker says of why it did not begin them.
    mutating func giveBack(
        _ jobs: [UInt64], _ cause: AttemptEndCause, _ reasons: [Indexed<Failure>] = [], queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        // Under a lease of its last registration a job may have been granted before its limit had a rate: that took no token.
        let hasRates = turn.state.jobs.limits.hasRates
        let granted = jobs.filter { id in
            hasRates && turn.state.jobs[id].lease >= turn.state.workers[Int(turn.state.jobs[id].worker)]?.renewedBelow ?? 0
        }
        // Before the attempts end, because afterwards nobody holds the jobs, and their leases tell which tokens are missing.
        let levels = turn.state.jobs.levels(givenBackBy: granted, at: queue.lengthTime(in: turn))
        let waiting = jobs.map { id in
            let record = turn.state.jobs[id]
            return JournalEntry.EndedAttempt(
                job: JobID(id), attempts: record.attempts - min(record.attempts, 1), crashCount: record.crashCount,
                isSuspected: record.flags.contains(.suspected))
        }
        endAttempts(waiting, cause, reasons, queue: &queue, in: &turn)
        if !levels.isEmpty { turn.record(.tokensChanged(JournalEntry.TokensChanged(levels))) }
    }

    private mutating func endAttempts(
        _ waiting: [JournalEntry.EndedAttempt], _ cause: AttemptEndCause, _ reasons: [Indexed<Failure>] = [], queue: inout JobQueue,
        in turn: inout FrontTurn
    ) {
        guard !waiting.isEmpty else { return }
        let ended = JournalEntry.AttemptsEnded(jobs: waiting, cause: cause, failures: reasons)
        turn.record(.attemptsEnded(queue.withRuns(ended, in: turn)))
        queue.noteWaiting(waiting.map(\.job.rawValue), in: &turn)
    }

    /// How a job ends whose worker was lost; nil: it waits again.
    private func endOfLost(
        _ id: UInt64, _ cause: AttemptEndCause, crashCount: UInt8, isCounted: Bool, in turn: FrontTurn
    ) -> UnreportedEnd? {
        let record = turn.state.jobs[id]
        // Before everything else, since an accepted cancel has only this end, however its worker went.
        if record.state == .cancelling { return UnreportedEnd(job: id, state: .cancelled) }
        // Only by a death that counts: the end in quarantine states it.
        if isCounted, crashCount >= turn.settings.crashLimit {
            let died = crashCount == 1 ? "1 worker" : "\(crashCount) workers"
            let text =
                "\(died) died on job \(id) or could not take it, so it is not run again: read gantry job explain \(id), then retry it"
            return UnreportedEnd(
                job: id, state: .quarantined, crashCount: crashCount,
                failure: Failure(id: FailureID(id), code: .quarantined, text: text, attempts: record.attempts))
        }
        // One that waits was found repeatable when its worker was lost.
        guard record.state != .waiting, !mayRepeat(repeatable(of: id, in: turn)) else { return nil }
        let what = hasStopped(Int(record.worker), cause, in: turn) ? "ended before its run had," : "was lost"
        let text = "the worker of job \(id) \(what) and the work may or may not have been done: check it, then submit it again if needed"
        return UnreportedEnd(
            job: id, state: .failed, failure: Failure(id: FailureID(id), code: .outcomeUnknown, text: text, attempts: record.attempts))
    }

    /// Whether a job's worker was being stopped: who stops one reads of an end that they asked for, not of a loss. One that has dropped the job is there.
    private func hasStopped(_ index: Int, _ cause: AttemptEndCause, in turn: FrontTurn) -> Bool {
        guard cause != .dropped, let worker = turn.state.workers[index] else { return false }
        return cause == .workerClosed || drainedWhenLost.contains(index) || worker.isDraining || worker.isDrainAsked
    }

    /// What its worker says of the loader of a job that it holds. Where that is not known any more, work that may have been done is not repeated.
    func repeatable(of id: UInt64, in turn: FrontTurn) -> Repeatable {
        let record = turn.state.jobs[id]
        return turn.state.jobs.holding(of: Int(record.worker))?.offer(Int(record.loader))?.repeatable ?? .no
    }

    private func mayRepeat(_ repeatable: Repeatable) -> Bool {
        switch repeatable {
        case .yes: true
        case .no: false
        }
    }
}
