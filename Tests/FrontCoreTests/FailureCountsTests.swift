//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Failures by code")
struct FailureCountsTests {
    @Test("failures by code are in order whatever comes and goes, and what observers are told sums up the rest")
    func order() {
        var failureCounts = FailureCounts()
        for code in 0..<100 { failureCounts.add(FailureCode(rawValue: "code-\(code)"), UInt64(code % 10 + 1)) }
        for code in 0..<50 { failureCounts.remove(FailureCode(rawValue: "code-\(code)"), 3) }
        failureCounts.remove(FailureCode(rawValue: "unheard of"))
        let all = failureCounts.all
        #expect(all == all.sorted { ($1.count, $0.code.rawValue) < ($0.count, $1.code.rawValue) })
        #expect(all.count == 85 && failureCounts.listed.count == 32)
        #expect(failureCounts.listed.reduce(0) { $0 + $1.count } == all.reduce(0) { $0 + $1.count })
        #expect(failureCounts.listed.dropLast() == all.prefix(31))
        #expect(failureCounts.listed.last?.code == FailureCode(rawValue: "other"))
    }

    @Test("as many codes as observers are told of are listed, and of one more the two rarest are summed up")
    func bound() {
        var failureCounts = FailureCounts()
        for code in 0..<32 { failureCounts.add(FailureCode(rawValue: "code-\(code)"), UInt64(code + 1)) }
        #expect(failureCounts.listed.count == 32 && failureCounts.listed == failureCounts.all)
        failureCounts.add(FailureCode(rawValue: "code-32"), 1)
        #expect(failureCounts.listed == failureCounts.all.prefix(31) + [FailureCount(FailureCode(rawValue: "other"), 2)])
    }

    @Test("a code that a worker has called other is counted with the rest, whether it is common or rare", arguments: [UInt64(99), 1])
    func other(_ own: UInt64) {
        var failureCounts = FailureCounts()
        for code in 0..<32 { failureCounts.add(FailureCode(rawValue: "code-\(code)"), UInt64(code + 2)) }
        failureCounts.add(FailureCode(rawValue: "other"), own)
        let listed = failureCounts.listed
        #expect(Set(listed.map(\.code)).count == listed.count)
        #expect(listed.reduce(0) { $0 + $1.count } == failureCounts.all.reduce(0) { $0 + $1.count })
        // A common one takes the place of one code more, which is summed up then.
        #expect(listed.last == FailureCount(FailureCode(rawValue: "other"), own == 99 ? 99 + 2 + 3 : 1 + 2))
    }
}
