//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import Platform
import Testing

@testable import gantry

@Suite struct ExitTests {
    @Test("the table of exit codes is the documented one")
    func table() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 64, 73, 78, 130])
        let words = GantryCommand.helpMessage().split(whereSeparator: \.isWhitespace)
        for status in ExitStatus.allCases { #expect(words.contains("\(status.rawValue)")) }
    }

    @Test(
        "mistakes end the program with their code",
        arguments: [
            (["doctor"], 0), (["--help"], 0), (["doctor", "--nonsense"], 64), (["nonsense"], 64),
            (["doctor", "--config", "/nowhere.yaml"], 78), (["doctor", "--data", "/dev/null/data"], 73),
        ] as [([String], Int32)])
    func codes(arguments: [String], code: Int32) throws {
        let answer = try ProgramRun(arguments)
        #expect(answer.exit == .exited(code: code), "\(answer.errors)")
        #expect(code == 0 || !answer.errors.isEmpty)
    }

    @Test("a failure is JSON when the output is")
    func json() throws {
        let answer = try ProgramRun(["doctor", "--config", "/nowhere.yaml", "--output", "json"])
        let object = try JSONSerialization.jsonObject(with: Data(answer.errors.utf8)) as? [String: [String: Any]]
        #expect(object?["error"]?["code"] as? String == "configuration")
        #expect((object?["error"]?["nextStep"] as? String)?.isEmpty == false)
    }

    @Test("doctor prints the sample's feeds and where things are")
    func doctor() throws {
        let answer = try ProgramRun(["doctor", "--output", "json"])
        let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
        #expect(object?["configuration"] as? String == "built-in sample")
        let feeds = (object?["feeds"] as? [String: Any])?["items"] as? [[String: Any]]
        #expect(feeds?.compactMap { $0["name"] as? String } == ["items", "products", "todos"])
        let text = try ProgramRun(["doctor"]).output
        #expect(text.contains("/.local/state/gantry (default)") && !text.contains("\u{1B}"))
    }
}
