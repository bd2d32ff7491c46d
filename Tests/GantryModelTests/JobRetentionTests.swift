//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@Suite("What is said of each kind of ended job")
struct JobRetentionTests {
    @Test("each kind has a value of its own: what is set of one is said of no other", arguments: EndedKind.allCases)
    func apart(_ kind: EndedKind) {
        var values = ByEndedKind { $0.rawValue }
        #expect(EndedKind.allCases.allSatisfy { values[$0] == $0.rawValue })
        values[kind] += 100
        #expect(EndedKind.allCases.allSatisfy { values[$0] == $0.rawValue + ($0 == kind ? 100 : 0) })
        var rules = JobRetention()
        rules[kind].count = 1
        #expect(EndedKind.allCases.allSatisfy { rules[$0].count == ($0 == kind ? 1 : 100_000) && rules[$0].age == JobRetention()[$0].age })
    }
}
