//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWireMessages

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
