//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontService
import GantryModel
import Testing

@testable import gantry

@Suite("What a command says of an error")
struct ErrorShapeTests {
    @Test("has the error's code and, in one message, what lies beneath it")
    func front() {
        let cause = ErrorCause(code: "13", text: "opening /data/front.lock: Permission denied (13)")
        let failure = CommandFailure(FrontServiceError(.cannotWrite, "the data folder cannot be used", cause: cause))
        #expect(failure.code == .cannotWrite && failure.status == .cannotWrite)
        #expect(failure.message == "the data folder cannot be used: opening /data/front.lock: Permission denied (13)")
        #expect(failure.nextStep == "gantry doctor")
    }

    @Test("keeps the error's own next step apart from the message")
    func nextStep() {
        let failure = CommandFailure(FrontServiceError(.conflict, "another front has taken over", nextStep: "stop one of the two"))
        #expect(failure.message == "another front has taken over" && failure.nextStep == "stop one of the two")
    }

    @Test("ends every kind of trouble of a front with the code that it always had", arguments: Self.table)
    func statuses(_ code: FrontServiceError.Code, _ status: gantry.ExitStatus) {
        #expect(CommandFailure(FrontServiceError(code, "x")).status == status)
    }

    private static let table: [(FrontServiceError.Code, gantry.ExitStatus)] = [
        (.conflict, .conflict), (.address, .conflict), (.addressInUse, .conflict), (.durability, .conflict),
        (.cannotWrite, .cannotWrite), (.storage, .cannotWrite), (.token, .cannotWrite), (.journalFailed, .failed), (.unavailable, .failed),
    ]
}
