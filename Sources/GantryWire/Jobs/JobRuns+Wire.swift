//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWireMessages

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

    func value(within bounds: Bounds) throws(CodecError) -> JobRuns { JobRuns(try bounds.values(runs, "runs of a job"), omitted: omitted) }
}

extension WireIndexedRun: Mapped {
    init(_ value: Indexed<JobRun>) {
        self.init()
        (index, run) = (value.index, WireJobRun(value.value))
    }

    func value(within bounds: Bounds) throws(CodecError) -> Indexed<JobRun> { Indexed(index: index, value: try run.value(within: bounds)) }
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
        (endedMilliseconds, endedCount) = (Self.milliseconds(value.ended), UInt64(clamping: value.ended.count))
        (failedMilliseconds, failedCount) = (Self.milliseconds(value.failed), UInt64(clamping: value.failed.count))
    }

    /// Whatever a front says: it is shown to people, and nothing follows from it.
    func value(within bounds: Bounds) throws(CodecError) -> JobRetention {
        JobRetention(ended: Self.rule(endedMilliseconds, endedCount), failed: Self.rule(failedMilliseconds, failedCount))
    }

    private static func milliseconds(_ rule: JobRetention.Rule) -> UInt64 { UInt64(clamping: rule.age.wholeMilliseconds) }

    private static func rule(_ milliseconds: UInt64, _ count: UInt64) -> JobRetention.Rule {
        JobRetention.Rule(age: .milliseconds(Int64(clamping: milliseconds)), count: Int(clamping: count))
    }
}
