//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPackedColumns
import GantryWireMessages

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
