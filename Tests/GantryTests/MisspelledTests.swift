//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import gantry

@Suite("Words of a command line that are nearly others")
struct MisspelledTests {
    @Test("a letter more than a command has is a slip, whatever other group has a command of that name")
    func plural() throws {
        let answer = try ProgramRun(["jobs", "list"])
        #expect(answer.errors.contains("gantry has no command \"jobs\"; did you mean \"job\"?"), "\(answer.errors)")
    }

    @Test("an option that is half another one is no slip of the hand, and suggests none")
    func farOption() {
        #expect(UnknownOption.hint(for: "--parent", among: ["--client", "--priority", "--argument"]).isEmpty)
        #expect(UnknownOption.hint(for: "--claent", among: ["--client"]) == "; did you mean \"--client\"?")
    }

    @Test("a word behind the loader is what --argument takes, unless there is one")
    func unexpectedArgument() throws {
        let message = "Unexpected argument '2 50'"
        let submit = ["job", "submit", "--wait", "sleep", "2 50"]
        #expect(UnexpectedArgument.hint(for: message, in: submit) == "; did you mean --argument '2 50'?")
        for words in [["job", "list", "2 50"], submit + ["--argument", "1"], submit + ["--arguments-from", "x"]] {
            #expect(UnexpectedArgument.hint(for: message, in: words) == nil)
        }
        #expect(UnexpectedArgument.hint(for: message + "\nUsage: gantry", in: submit) == "; did you mean --argument '2 50'?")
        #expect(UnexpectedArgument.hint(for: "2 unexpected arguments: 'a', 'b'", in: submit) == nil)
        let typed = try ProgramRun(["job", "submit", "--wait", "sleep", "250"])
        #expect(typed.errors.contains("unexpected argument '250'; did you mean --argument 250?"), "\(typed.errors)")
    }
}
