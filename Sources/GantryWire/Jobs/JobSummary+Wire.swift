//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPackedColumns
import GantryWireMessages

extension WireJobSummary: Mapped {
    init(_ value: JobSummary) {
        self.init()
        id = value.id.rawValue
        loader = value.loader
        state = WireJobState(value.state)
        if let key = value.feed { feed = key.text }
        if let known = value.operation { operation = WireFeedOperation(known) }
        askedBy = value.askedBy
        if let some = WireJobOptions(unusual: value.options) { options = some }
        if let time = value.acceptedAt { acceptedAt = time.milliseconds }
        if let time = value.startedAt { startedAt = time.milliseconds }
        if let time = value.endedAt { endedAt = time.milliseconds }
        attempts = value.attempts
        snoozeCount = value.snoozeCount
        repeatedBy = value.repeatedBy?.rawValue ?? 0
        crashCount = value.crashCount
        if let time = value.dueAt { dueAt = time.milliseconds }
        if let time = value.endsBy { endsBy = time.milliseconds }
        if let reason = value.waitReason { waitReason = WireWaitReason(reason) }
        worker = value.worker
        if let receipt = value.cancel { cancel = WireCancelReceipt(receipt) }
        if let failure = value.failure { self.failure = WireFailure(failure) }
        result = Data(value.result)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobSummary {
        var job = JobSummary(
            id: JobID(id), loader: try bounds.label(loader, "a loader's name"), state: try bounds.known(state, "a job's state"),
            acceptedAt: hasAcceptedAt ? WallTime(milliseconds: acceptedAt) : nil)
        job.feed = hasFeed ? try bounds.feed(feed) : nil
        job.operation = hasOperation ? try bounds.known(operation, "a feed's operation") : nil
        job.askedBy = try bounds.label(askedBy, "a client's label")
        if hasOptions { job.options = try options.value(within: bounds) }
        job.startedAt = hasStartedAt ? WallTime(milliseconds: startedAt) : nil
        job.endedAt = hasEndedAt ? WallTime(milliseconds: endedAt) : nil
        job.attempts = attempts
        job.snoozeCount = snoozeCount
        job.repeatedBy = repeatedBy == 0 ? nil : JobID(repeatedBy)
        job.crashCount = crashCount
        job.dueAt = hasDueAt ? WallTime(milliseconds: dueAt) : nil
        job.endsBy = hasEndsBy ? WallTime(milliseconds: endsBy) : nil
        job.waitReason = hasWaitReason ? try waitReason.value(within: bounds) : nil
        job.worker = try bounds.label(worker, "a worker's name")
        job.cancel = hasCancel ? try cancel.value(within: bounds) : nil
        job.failure = hasFailure ? try failure.value(within: bounds) : nil
        job.result = try bounds.payload(result, "a result")
        return job
    }
}

extension WireCancelReceipt: Mapped {
    init(_ value: CancelReceipt) {
        self.init()
        requestedBy = value.requestedBy
        requestedAt = value.requestedAt.milliseconds
        if let time = value.deliveredAt { deliveredAt = time.milliseconds }
        if let time = value.stoppingAt { stoppingAt = time.milliseconds }
        if let time = value.killedAt { killedAt = time.milliseconds }
        if let time = value.endingAt { endingAt = time.milliseconds }
        if let time = value.stoppedAt { stoppedAt = time.milliseconds }
    }

    func value(within bounds: Bounds) throws(CodecError) -> CancelReceipt {
        var receipt = CancelReceipt(
            requestedBy: try bounds.label(requestedBy, "a client's label"), requestedAt: WallTime(milliseconds: requestedAt))
        receipt.deliveredAt = hasDeliveredAt ? WallTime(milliseconds: deliveredAt) : nil
        receipt.stoppingAt = hasStoppingAt ? WallTime(milliseconds: stoppingAt) : nil
        receipt.killedAt = hasKilledAt ? WallTime(milliseconds: killedAt) : nil
        receipt.endingAt = hasEndingAt ? WallTime(milliseconds: endingAt) : nil
        receipt.stoppedAt = hasStoppedAt ? WallTime(milliseconds: stoppedAt) : nil
        return receipt
    }
}

extension WireProgress: Mapped {
    init(_ value: JobProgress) {
        self.init()
        if let percent = value.percent { self.percent = UInt32(percent) }
        completed = value.completed
        if let total = value.total { self.total = total }
        unit = value.unit.cut(to: Bounds.messages.labelByteCount)
        message = value.message.cut(to: Bounds.messages.progressByteCount)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobProgress {
        JobProgress(
            percent: hasPercent ? try bounds.number(percent, upTo: 100, "a percentage") : nil, completed: completed,
            total: hasTotal ? total : nil, unit: try bounds.label(unit, "a unit"), message: try bounds.progressText(message))
    }
}

extension WireJobRun: Mapped {
    init(_ value: JobRun) {
        self.init()
        (attempt, worker, end) = (value.attempt, value.worker, WireRunEnd(value.end))
        (startedAt, endedAt) = (value.startedAt.milliseconds, value.endedAt.milliseconds)
        (code, text) = (value.code?.rawValue ?? "", value.text)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobRun {
        var run = JobRun(
            attempt: attempt, worker: try bounds.label(worker, "the worker of a run"), startedAt: WallTime(milliseconds: startedAt),
            endedAt: WallTime(milliseconds: endedAt), end: try bounds.known(end, "how a run ended"))
        if !code.isEmpty { run.code = bounds.failureCode(code) }
        run.text = try bounds.text(text, "why a run failed").cut(to: JobRun.textByteCount)
        return run
    }
}

extension WireJobRuns: Mapped {
    init(_ value: JobRuns) {
        self.init()
        (runs, omitted) = (value.newest.map(WireJobRun.init), value.omitted)
    }

    /// A run with an end of a newer version counts as omitted: it must not hide the job.
    func value(within bounds: Bounds) throws(CodecError) -> JobRuns {
        let known = runs.filter(\.isKnown)
        var value = JobRuns(try bounds.values(known, "runs of a job"), omitted: omitted)
        for _ in known.count..<runs.count { value.noteOmitted() }
        return value
    }
}

extension WireJobRun {
    /// Whether this version knows how it ended.
    fileprivate var isKnown: Bool { UInt8(exactly: end.rawValue).flatMap { RunEnd(rawValue: $0) } != nil }
}

extension WireIndexedRun: Mapped {
    init(_ value: Indexed<JobRun>) {
        self.init()
        (index, run) = (value.index, WireJobRun(value.value))
    }

    func value(within bounds: Bounds) throws(CodecError) -> Indexed<JobRun> { Indexed(index: index, value: try run.value(within: bounds)) }
}

extension [WireIndexedRun] {
    /// Those with ends that this version knows: a row of the journal is read without the others, which only people look at.
    var known: Self { allSatisfy(\.run.isKnown) ? self : filter(\.run.isKnown) }
}

extension WireIndexedRuns: Mapped {
    init(_ value: Indexed<JobRuns>) {
        self.init()
        (index, runs) = (value.index, WireJobRuns(value.value))
    }

    func value(within bounds: Bounds) throws(CodecError) -> Indexed<JobRuns> {
        Indexed(index: index, value: try runs.value(within: bounds))
    }
}

extension WireJobRetention: Mapped {
    init(_ value: JobRetention) {
        self.init()
        (endedMilliseconds, endedCount) = Self.numbers(of: value[.succeeded])
        (cancelledMilliseconds, cancelledCount) = Self.numbers(of: value[.cancelled])
        (failedMilliseconds, failedCount) = Self.numbers(of: value[.failed])
    }

    /// Whatever a front says: it is shown to people, and nothing follows from it.
    func value(within bounds: Bounds) throws(CodecError) -> JobRetention {
        JobRetention { kind in
            switch kind {
            // An old front has no rule of their own for cancelled jobs.
            case .cancelled where cancelledCount > 0: Self.rule(cancelledMilliseconds, cancelledCount)
            case .succeeded, .cancelled: Self.rule(endedMilliseconds, endedCount)
            case .failed: Self.rule(failedMilliseconds, failedCount)
            }
        }
    }

    private static func numbers(of rule: JobRetention.Rule) -> (UInt64, UInt64) {
        (UInt64(clamping: rule.age.wholeMilliseconds), UInt64(clamping: rule.count))
    }

    private static func rule(_ milliseconds: UInt64, _ count: UInt64) -> JobRetention.Rule {
        JobRetention.Rule(age: .milliseconds(Int64(clamping: milliseconds)), count: Int(clamping: count))
    }
}

extension WireLogLine: Mapped {
    init(_ value: LogLine) {
        self.init()
        (attempt, at, text) = (value.attempt, value.at.milliseconds, value.text)
    }

    func value(within bounds: Bounds) throws(CodecError) -> LogLine {
        LogLine(attempt: attempt, at: WallTime(milliseconds: at), text: try bounds.text(text, "a line of a log"))
    }
}

extension WireJobLog: Mapped {
    init(_ value: JobLog) {
        self.init()
        (lines, omitted) = (value.lines.map(WireLogLine.init), value.omitted)
        if let state = value.resumeState { resumeState = Data(state) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobLog {
        var log = JobLog(try bounds.values(lines, "a job's log"), omitted: omitted)
        // What is too much is left out: a report of outcomes with it would come again for ever.
        guard hasResumeState else { return log }
        if resumeState.count <= JobLog.resumeByteCount { log.save([UInt8](resumeState)) } else { log.leaveOut(resumeState.count) }
        return log
    }
}

extension WireIndexedState: Mapped {
    init(_ value: Indexed<[UInt8]>) {
        self.init()
        (index, state) = (value.index, Data(value.value))
    }

    func value(within bounds: Bounds) throws(CodecError) -> Indexed<[UInt8]> {
        guard state.count <= JobLog.resumeByteCount else {
            let reason = "\(state.count) bytes are more than \(JobLog.resumeByteCount)"
            throw CodecError(what: "what a loader has saved", reason: reason, code: .tooLarge)
        }
        return Indexed(index: index, value: [UInt8](state))
    }
}

extension WireIndexedLog: Mapped {
    init(_ value: Indexed<JobLog>) {
        self.init()
        (index, log) = (value.index, WireJobLog(value.value))
    }

    func value(within bounds: Bounds) throws(CodecError) -> Indexed<JobLog> { Indexed(index: index, value: try log.value(within: bounds)) }
}

extension WireLogReport: Mapped {
    init(_ value: WorkerMessage.LogReport) {
        self.init()
        (job, lease, log) = (value.job.rawValue, value.lease.rawValue, WireJobLog(value.log))
    }

    func value(within bounds: Bounds) throws(CodecError) -> WorkerMessage.LogReport {
        WorkerMessage.LogReport(job: JobID(job), lease: LeaseID(lease), log: try log.value(within: bounds))
    }
}

extension WireJobsLogged: Mapped {
    init(_ value: JournalEntry.JobsLogged) {
        self.init()
        (jobs, logs) = (value.jobs, value.logs.map(WireJobLog.init))
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.JobsLogged {
        try bounds.columns(jobs.count, logs.count, what: "logs of jobs")
        var logged = JournalEntry.JobsLogged()
        (logged.jobs, logged.logs) = (jobs, try bounds.values(logs, "logs of jobs"))
        return logged
    }
}
