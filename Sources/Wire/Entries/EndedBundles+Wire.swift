//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

extension WireFailureCount: Mapped {
    init(_ value: FailureCount) {
        self.init()
        (code, count) = (value.code.rawValue, value.count)
    }

    func value(within bounds: Bounds) throws(CodecError) -> FailureCount {
        FailureCount(FailureCode(rawValue: try bounds.label(code, "a failure's code")), count)
    }
}

extension WireEndedBundled: Mapped {
    init(_ value: JournalEntry.EndedBundled) {
        self.init()
        (number, areFailed) = (value.number.rawValue, value.kind == .failed)
        jobs = value.jobs
        states = Data(value.states.map(\.rawValue))
        (endedAt, byteCount) = (value.endedAt.milliseconds, value.byteCount)
        failures = value.failures.map { WireFailureCount($0) }
    }

    /// No bundle takes more: 512 jobs with the largest argument and result each.
    private static var greatestByteCount: UInt64 { 1 << 36 }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.EndedBundled {
        guard byteCount <= Self.greatestByteCount else {
            throw CodecError(what: "a bundle", reason: "\(byteCount) bytes are more than one can take")
        }
        try bounds.columns(jobs.count, states.count, what: "the jobs of a bundle")
        var bundled = JournalEntry.EndedBundled(BundleNumber(number), areFailed ? .failed : .other)
        bundled.jobs = jobs
        bundled.states = try bounds.finalStates(states)
        (bundled.endedAt, bundled.byteCount) = (WallTime(milliseconds: endedAt), byteCount)
        // No job fails twice: what is counted of all bundles together is no more than their jobs.
        var uncounted = UInt64(jobs.count)
        for failure in failures {
            guard failure.count <= uncounted else {
                throw CodecError(what: "a bundle", reason: "more failures are counted in it than it has jobs, which are \(jobs.count)")
            }
            uncounted -= failure.count
            bundled.failures.append(try failure.value(within: bounds))
        }
        return bundled
    }
}

extension WireBundlesForgotten: Mapped {
    init(_ value: JournalEntry.BundlesForgotten) {
        self.init()
        bundles = value.bundles.map(\.rawValue)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.BundlesForgotten {
        JournalEntry.BundlesForgotten(bundles.map { BundleNumber($0) })
    }
}
