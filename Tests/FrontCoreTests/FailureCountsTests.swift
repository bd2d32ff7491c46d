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
}
