//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryModel
import GantryPlatform
import StateFormatting
import Testing

@testable import gantry

@Suite("What job reprioritize takes and prints")
struct ReprioritizeTests {
    @Test("it tells the job with its priority, for people and for programs")
    func output() throws {
        #expect(JobReprioritize.text(JobID(42), 9) == "job 42: priority 9")
        #expect(JobReprioritize.json(JobID(42), 9).text == #"{"id":"42","priority":9}"#)
        let command = try JobReprioritize.parse(["42", "--priority", "0", "--output", "json"])
        guard case .named([JobID(42)]) = try command.targets.value() else { return #expect(Bool(false)) }
        #expect(command.priority == 0)
    }

    @Test(
        "what is missing or cannot be is said before a front is asked",
        arguments: [
            (["42"], "--priority"), (["--priority", "3"], "job"), (["42", "--priority", "10"], "--priority is 0 to 9, not 10"),
            (["42", "--priority", "-1"], "--priority"), (["x", "--priority", "3"], "job"),
        ] as [([String], String)])
    func mistakes(words: [String], text: String) throws {
        let answer = try ProgramRun(["job", "reprioritize"] + words)
        #expect(answer.exit == .exited(code: 64) && answer.errors.contains(text), "\(answer.errors)")
    }
}
