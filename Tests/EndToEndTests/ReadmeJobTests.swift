//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import TestSupport
import Testing

extension EndToEnd {
    /// The job that README.md shows, whose lines are those of a program, and the conversation of the protocol document: both work.
    @Suite("README's job", .serialized, .timeLimit(.minutes(5)))
    struct ReadmeJobTests {
        private func trimmed(_ lines: [String]) -> String {
            lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
        }

        @Test("each of its snippets stands in the example program")
        func snippets() throws {
            let path = "Sources/Examples/JobExample/JobExample.swift"
            let code = trimmed(try CheckoutFolder.text(path).components(separatedBy: "\n"))
            let snippets = try OutsidePackage().snippets
            #expect(snippets.count == 4)
            for snippet in snippets {
                #expect(code.contains(trimmed(snippet.lines)), "\(snippet.lines.joined(separator: "\n"))")
                for name in snippet.imports { #expect(code.contains("\nimport \(name)\n"), "\(name)") }
            }
            let readme = try Readme()
            let all = try readme.sections.flatMap { try readme.blocks($0, "swift") }
            #expect(all.count == snippets.count, "a snippet in another section is compiled by nothing")
        }

        @Test("the first conversation of the protocol document submits a job and waits for its end")
        func conversation() async throws {
            let scenario = try Scenario()
            let block = try #require(try Readme("Protocol/PROTOCOL.md").blocks("A first conversation", "python").first)
            try scenario.write("first.py", block.joined(separator: "\n") + "\n")
            let protocols = CheckoutFolder.file("Protocol").path
            let made = try await scenario.end(
                of: scenario.start(
                    program: "/usr/bin/protoc", ["--proto_path=\(protocols)", "--python_out=\(scenario.folder)", "gantry.proto"]))
            #expect(made.code == 0, "\(made.errors)")
            let (up, _) = try await scenario.up()
            let answer = try await scenario.end(of: scenario.start(program: "/usr/bin/python3", ["first.py"]))
            #expect(answer.code == 0 && answer.output == "job 1\nJOB_STATE_SUCCEEDED", "\(answer.output) \(answer.errors)")
            // A loader that nobody knows is refused, and that is no success.
            try scenario.write("refused.py", block.joined(separator: "\n").replacing("\"sleep\"", with: "\"slep\"") + "\n")
            let refused = try await scenario.end(of: scenario.start(program: "/usr/bin/python3", ["refused.py"]))
            #expect(refused.code == 1 && refused.output.isEmpty && refused.errors.hasPrefix("refused: "), "\(refused)")
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("a worker with its loader does what is submitted to it")
        func works() async throws {
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            let program = Scenario.programs + "/JobExample"
            let worker = try await scenario.start(program: program, ["work", scenario.data])
            try await scenario.settles("the loader") { try await scenario.gantry("loader", "list").output.contains("shout") }
            let answer = try await scenario.end(of: scenario.start(program: program, ["submit", "hello"]))
            #expect(answer.code == 0 && answer.output == "HELLO", "\(answer.output) \(answer.errors)")
            let typed = try await scenario.gantry("job", "submit", "shout", "--argument", #"{"text":"typed"}"#, "--wait")
            #expect(typed.output.contains("succeeded") && typed.output.contains("  result: "), "\(typed.output)")
            let watched = try await scenario.end(of: scenario.start(program: program, ["watch"]))
            // Counts are published 20 times a second: the first may be from before the end.
            #expect(watched.code == 0 && watched.output.hasSuffix("0 wait, 0 run, 2 have succeeded"), "\(watched.output) \(watched.errors)")
            worker.send(.interrupt)
            #expect(try await worker.exit() == .exited(code: 0))
            up.send(.interrupt)
            _ = try await up.exit()
        }
    }
}
