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
        case .logged(let token, let log):
            guard let index = slotIndex(of: token), let slot = slots[index] else { return actions.append(.ignored(.unknownWork)) }
            // Without its lease it may report nothing, not even lines.
            if case .abandoned = slot.state { return actions.append(.ignored(.alreadyEnded)) }
            slots[index]?.log.append(log)
            if let state = log.resumeState { slots[index]?.saved = state }
        case .ended(let token, let end):
            guard let index = slotIndex(of: token), let slot = slots[index] else { return actions.append(.ignored(.unknownWork)) }
            slots[index] = nil
            if case .abandoned = slot.state {
                // The registration has waited for the end of just this work.
                if connection == .registering { nextRenewalAt = now } else { send(.overdue(jobs: overdueJobs), into: &actions) }
            }
            workEnded(slot, end, into: &actions)
        case .drain: drain(.stop, at: now, into: &actions)
        case .stop: stop(at: now, into: &actions)
        }
    }

    /// The work of a slot has really ended; what is reported depends on what was to become of it.
    private mutating func workEnded(_ slot: Slot, _ end: WorkEnd, into actions: inout [WorkerAction]) {
        let (job, lease) = (slot.job.rawValue, slot.lease.rawValue)
        switch (slot.state, end) {
        case (.abandoned, _):
            actions.append(.ignored(.unknownWork))
        // Whatever it came to: the front has promised that no result of a cancelled job counts.
        case (.cancelled, _):
            retained.gather(job: job, lease: lease, log: slot.lastLog, outcome: .cancelled)
        case (.running, .unstarted(let failure)), (.interrupted, .unstarted(let failure)), (.timedOut, .unstarted(let failure)):
            retained.gather(job: job, lease: lease, log: slot.lastLog, outcome: .returned, failure: named(failure, of: slot))
        case (.running, .succeeded(let result, let feed)), (.interrupted, .succeeded(let result, let feed)),
            (.timedOut, .succeeded(let result, let feed)):
            if let excess = settings.excess(of: result, feed) { return fail(slot, Failure(code: .tooLarge, text: excess)) }
            // A job that has succeeded has no next attempt, so what it saved for one is left out.
            retained.gather(job: job, lease: lease, log: slot.log.withoutState, outcome: .succeeded, result: result, feed: feed)
        case (.running, .failed(let failure)), (.timedOut, .failed(let failure)):
            fail(slot, failure)
        case (.running, .snoozed(let length)):
            retained.gather(job: job, lease: lease, log: slot.lastLog, outcome: .snoozed, snooze: max(.milliseconds(1), length))
        case (.timedOut, .cancelled), (.timedOut, .snoozed):
            fail(slot, slot.timeoutFailure)
        case (.running, .cancelled):
            fail(slot, Failure(code: .cancelled, text: "the loader ended itself as cancelled: retry the job", retryable: true))
        case (.interrupted, .failed), (.interrupted, .cancelled), (.interrupted, .snoozed):
            // Stopped by us, though nobody had cancelled it: the front decides by the operation's `repeatable` whether it may run again.
            retained.gather(job: job, lease: lease, log: slot.lastLog, outcome: .cancelled)
        }
    }

    private mutating func fail(_ slot: Slot, _ failure: Failure) {
        retained.gather(
            job: slot.job.rawValue, lease: slot.lease.rawValue, log: slot.lastLog, outcome: .failed, failure: named(failure, of: slot))
    }

    private func named(_ failure: Failure, of slot: Slot) -> Failure {
        var failure = failure
        (failure.id, failure.attempts) = (FailureID(slot.job.rawValue), slot.attempt)
        return failure
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
        sendLogs(at: now, into: &actions)
        endSoon(at: now)
        // After everything that begins or ends work in the turn, so that it is armed exactly while something runs.
        moveKillTimer(into: &actions)
        finishIfDrained(at: now, into: &actions)
    }

    private mutating func sendProgress(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard connection.isRegistered else { return }
        var reports: [WorkerMessage.ProgressReport] = []
        for index in slots.indices {
            guard let slot = slots[index], let progress = slot.progress, now >= slot.progressDue else { continue }
            reports.append(WorkerMessage.ProgressReport(job: slot.job, lease: slot.lease, progress: progress))
            slots[index]?.progress = nil
            slots[index]?.progressDue = now.advanced(by: settings.progressPause)
        }
        if !reports.isEmpty { send(.progress(reports), into: &actions) }
    }

    /// Sends lines of jobs that go on, of each in a message of its own: those of all slots may be more than a frame holds.
    private mutating func sendLogs(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard connection.isRegistered else { return }
        for index in slots.indices {
            guard let slot = slots[index], !slot.log.isEmpty, now >= slot.logDue else { continue }
            send(.log([WorkerMessage.LogReport(job: slot.job, lease: slot.lease, log: slot.log)]), into: &actions)
            slots[index]?.log = JobLog()
            slots[index]?.logDue = now.advanced(by: settings.logPause)
        }
    }
}

extension WorkerMachine {
    /// Cancels are repeated by the front until it reads `stopping`; one that overtakes its grant is remembered.
    ///
    /// - Complexity: one pass over the line, however many are cancelled: thousands of bulk jobs are cancelled at once.
    mutating func cancel(_ leases: [UInt64], at now: MonotonicTime, into actions: inout [WorkerAction]) {
        var taken = leases.isEmpty ? [:] : takeFromLine(Set(leases))
        for lease in leases { cancel(lease, inLine: taken.removeValue(forKey: lease), at: now, into: &actions) }
    }

    private mutating func cancel(
        _ lease: UInt64, inLine job: UInt64?, at now: MonotonicTime, into actions: inout [WorkerAction]
    ) {
        if let index = slots.firstIndex(where: { $0?.lease.rawValue == lease }) {
            cancelSlot(index, at: now, into: &actions)
        } else if let job {
            send(.cancelStep(LeaseID(lease), .delivered), into: &actions)
            send(.cancelStep(LeaseID(lease), .stopping), into: &actions)
            retained.gather(job: job, lease: lease, outcome: .cancelled)
        } else if retained.contains(lease: lease) || received.contains(lease) {
            actions.append(.ignored(.alreadyEnded))
        } else if !cancels.contains(lease) {
            cancels.remember(lease, until: now.advanced(by: leaseLength * 2))
            send(.cancelStep(LeaseID(lease), .delivered), into: &actions)
        }
    }

    mutating func cancelSlot(_ index: Int, at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard let slot = slots[index] else { return }
        switch slot.state {
        case .running:
            send(.cancelStep(slot.lease, .delivered), into: &actions)
            actions.append(.cancelWork(slot.token, .requested))
            send(.cancelStep(slot.lease, .stopping), into: &actions)
            slots[index]?.stopBy = now.advanced(by: slot.stopTime)
        case .interrupted, .timedOut:
            send(.cancelStep(slot.lease, .delivered), into: &actions)
            send(.cancelStep(slot.lease, .stopping), into: &actions)
            // Work that the worker stops by itself has its time already.
            if slot.state == .interrupted, slot.stopStep == .asked, slot.stopBy == .distantFuture {
                slots[index]?.stopBy = now.advanced(by: slot.stopTime)
            }
        case .cancelled:
            send(.cancelStep(slot.lease, .stopping), into: &actions)
        case .abandoned:
            return
        }
        if slot.stopStep != .asked { resendSteps(of: slot, into: &actions) }
        slots[index]?.state = .cancelled
        slots[index]?.progress = nil
    }

    /// Runs over the jobs that wait in the line; `body` returns the lease to keep each one under, or nil to take it out.
    mutating func replaceLine(_ body: (_ job: UInt64, _ lease: UInt64, _ retained: inout RetainedReports) -> UInt64?) {
        lineCount = 0
        for index in line.indices {
            let work = line[index]
            line[index] = work.compactMapLeases { body($0, $1, &retained) }
            lineCount += line[index].remainingCount
        }
        line.removeAll { $0.remainingCount == 0 }
    }

    /// Takes jobs out of the line; answers those that were there, by their leases.
    private mutating func takeFromLine(_ wanted: Set<UInt64>) -> [UInt64: UInt64] {
        guard lineCount > 0, line.contains(where: { $0.leases[$0.nextRow...].contains(where: wanted.contains) }) else { return [:] }
        var found: [UInt64: UInt64] = [:]
        replaceLine { job, lease, _ in
            guard wanted.contains(lease) else { return lease }
            found[lease] = job
            return nil
        }
        return found
    }
}
