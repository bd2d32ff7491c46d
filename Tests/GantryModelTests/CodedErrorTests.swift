//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@Suite("Errors")
struct CodedErrorTests {
    private struct Sample: CodedError {
        var code = FailureCode.storageFailed
        var context = "the token of /data cannot be used"
        var nextStep = ""
        var cause: ErrorCause?
    }

    private struct Foreign: Error, CustomStringConvertible {
        let description = "opening /data/run/token: Permission denied (13)"
    }

    @Test("say in one sentence what was being done, what came in the way and what to do now")
    func sentence() {
        var error = Sample()
        #expect(error.description == "the token of /data cannot be used" && error.summary == error.sentence)
        error.cause = ErrorCause(Foreign(), code: "13")
        #expect(error.summary == "the token of /data cannot be used: opening /data/run/token: Permission denied (13)")
        error.nextStep = "remove it"
        #expect(error.description == error.summary + "; remove it")
    }

    @Test("keep what lies beneath them, with its code and what lies beneath that")
    func causes() {
        let middle = Sample(cause: ErrorCause(Foreign(), code: "13"))
        let top = Sample(code: .busy, context: "the front cannot begin", cause: ErrorCause(middle))
        #expect(top.cause?.code == "storageFailed" && top.cause?.text == middle.description)
        #expect(top.cause?.cause == ErrorCause(code: "13", text: Foreign().description) && top.cause?.cause?.cause == nil)
        #expect(top.sentence == "the front cannot begin: the token of /data cannot be used: \(Foreign().description)")
        #expect(top != Sample(code: .busy, context: top.context), "two errors with other causes are not equal")
        #expect(ErrorCause(Foreign()).code.isEmpty)
    }

    @Test("of bytes that cannot be read name what and why")
    func codec() {
        let error = CodecError(what: "a hello", reason: "it has no version", code: .tooLarge)
        #expect(error.sentence == "a hello cannot be read: it has no version" && "\(error)" == error.context)
        #expect(ErrorCause(error) == ErrorCause(code: "tooLarge", text: error.context))
    }
}
