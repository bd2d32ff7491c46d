//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

extension WorkerMachine {
    mutating func workReported(_ report: WorkReport, at now: MonotonicTime, into actions: inout [WorkerAction]) {
        switch report {
        case .progress(let token, let progress):
            guard let index = slotIndex(of: token) else { return actions.append(.ignored(.unknownWork)) }
            guard slots[index]?.state == .running else { return actions.append(.ignored(.alreadyEnded)) }
            slots[index]?.progress = progress
        case .ended(let token, let end):
            guard let index = slotIndex(of: token), let slot = slots[index] else { return actions.append(.ignored(.unknownWork)) }
            slots[index] = nil
            if case .abandoned = slot.state {
                if connection == .registering { nextRenewalAt = now } else { send(.overdue(jobs: overdueJobs), into: &actions) }
            }
            workEnded(slot, end, into: &actions)
        case .drain: drain(into: &actions)
        case .stop: stop(into: &actions)
        }
    }

    /// The work of a slot has really ended; what is reported depends on what was to become of it.
    private mutating func workEnded(_ slot: Slot, _ end: WorkEnd, into actions: inout [WorkerAction]) {
        let (job, lease) = (slot.job.rawValue, slot.lease.rawValue)
        switch (slot.state, end) {
        case (.abandoned, _):
            actions.append(.ignored(.unknownWork))
        case (.cancelled, _):
            retained.gather(job: job, lease: lease, outcome: .cancelled)
        case (.running, .succeeded(let result, let feed)), (.leaseLost, .succeeded(let result, let feed)):
            if let excess = settings.excess(of: result, feed) { return fail(slot, Failure(code: .tooLarge, text: excess)) }
            retained.gather(job: job, lease: lease, outcome: .succeeded, result: result, feed: feed)
        case (.running, .failed(let failure)):
            fail(slot, failure)
        case (.running, .cancelled):
            fail(slot, Failure(code: .cancelled, text: "the loader ended itself as cancelled: retry the job", retryable: true))
        case (.leaseLost, .failed), (.leaseLost, .cancelled):
            // Stopped by us, though nobody had cancelled it: the front decides by the operation's `repeatable` whether it may run again.
            retained.gather(job: job, lease: lease, outcome: .cancelled)
        }
    }

    private mutating func fail(_ slot: Slot, _ failure: Failure) {
        var failure = failure
        failure.id = FailureID(slot.job.rawValue)
        failure.attempts = slot.attempt
        retained.gather(job: slot.job.rawValue, lease: slot.lease.rawValue, outcome: .failed, failure: failure)
    }

    /// Sends the reports of what was gathered.
    mutating func closeReports(into actions: inout [WorkerAction]) {
        for report in retained.close() { send(.ended(report), into: &actions) }
    }

    mutating func bulkEnded(_ ended: WorkerMessage.Ended, rows: Int, into actions: inout [WorkerAction]) {
        guard var work = line.popFirst() else { return }
        let before = work.remainingCount
        work.consume(rows)
        lineCount -= before - work.remainingCount
        if work.remainingCount > 0 { line.prepend(work) }
        guard !ended.jobs.isEmpty else { return }
        retained.gather(ended)
        closeReports(into: &actions)
    }

    /// Sends what the turn has gathered, lets the kernel go if nothing runs, and ends a worker that drained.
    mutating func endTurn(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        sendProgress(at: now, into: &actions)
        closeReports(into: &actions)
        moveKillTimer(into: &actions)
        finishIfDrained(at: now, into: &actions)
    }

    private mutating func sendProgress(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard connection == .registered else { return }
        var reports: [WorkerMessage.ProgressReport] = []
        for index in slots.indices {
            guard let slot = slots[index], let progress = slot.progress, now >= slot.progressDue else { continue }
            reports.append(WorkerMessage.ProgressReport(job: slot.job, lease: slot.lease, progress: progress))
            slots[index]?.progress = nil
            slots[index]?.progressDue = now.advanced(by: settings.progressPause)
        }
        if !reports.isEmpty { send(.progress(reports), into: &actions) }
    }
}
