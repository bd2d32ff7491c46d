//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import gantry

@Suite("Accepted jobs that nobody could be told of")
struct AcceptedJobsTests {
    @Test("ids that could not be printed are named in runs")
    func unprinted() {
        let failure = CommandFailure(.cannotWrite, code: .cannotWrite, message: "the output cannot be written")
        let named = failure.naming(accepted: [9, 10, 11, 4, 7].map { JobID($0) })
        #expect(named.message == "the output cannot be written; 5 jobs were accepted: 4, 7, 9 to 11")
        #expect(named.context == ["jobs": "4, 7, 9 to 11"] && named.nextStep == "gantry job list" && named.status == .cannotWrite)
        #expect(failure.naming(accepted: [JobID(7)]).message.hasSuffix("; 1 job was accepted: 7"))
        #expect(failure.naming(accepted: []) == failure)
    }
}
