//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEndCommands {
    /// The example programs of the libraries, as somebody runs them who has only read their documentation.
    @Suite("The libraries' examples", .serialized, .timeLimit(.minutes(5)))
    struct LibraryExampleTests {
        @Test("without a front it ends with the error's two lines and the code of the command line")
        func noFront() async throws {
            let scenario = try Scenario()
            let answer = try await scenario.end(of: scenario.start(program: Scenario.programs + "/StackExample", ["feed"]))
            let lines = answer.errors.split(separator: "\n")
            #expect(answer.code == 7)
            #expect(lines.count == 2)
            #expect(lines.first?.hasPrefix("error: no front answered") == true)
            #expect(lines.last?.hasPrefix("next:  ") == true)
        }

        @Test("it finds the front where the command line finds it, whatever the home folder of the user is")
        func findsFront() async throws {
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            // Its origin is not there: what it says then comes after it has found the front.
            let answer = try await scenario.end(of: scenario.start(program: Scenario.programs + "/StackExample", ["feed"]))
            #expect(answer.code == 3)
            #expect(answer.errors.contains("GANTRY_ORIGIN"))
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("the worker does jobs of each of its loaders, and ends with code 0 after a SIGTERM and after a drain")
        func worker() async throws {
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            let first = try await scenario.start(program: Scenario.programs + "/WorkerExample", [scenario.data])
            // The example copies into /tmp, where each run of the tests needs a name of its own.
            let text = "gantry-copied-\(UUID().uuidString).txt"
            try scenario.write(text, "one two three\n")
            defer { try? FileManager.default.removeItem(atPath: "/tmp/" + text) }
            let jobs = [
                ("greet", "Ada", "hello Ada"), ("count-words", #"{"path":"\#(scenario.folder)/\#(text)"}"#, #"{"wordCount":3}"#),
                ("copy-file", #"{"path":"\#(scenario.folder)/\#(text)"}"#, #"{"byteCount":14}"#), ("shout-text", "quiet", "QUIET"),
            ]
            for (loader, argument, result) in jobs {
                let done = try await scenario.gantry("job", "submit", loader, "--argument", argument, "--wait")
                #expect(done.output.contains("succeeded") && done.output.contains("  result: " + result), "\(loader): \(done.output)")
            }
            first.send(.terminate)
            #expect(try await first.exit() == .exited(code: 0), "\(first.errors)")
            let second = try await scenario.start(program: Scenario.programs + "/WorkerExample", [scenario.data])
            try await scenario.gantry("job", "submit", "greet", "--argument", "Bob", "--wait")
            try await scenario.gantry("worker", "drain", "greeter")
            #expect(try await second.exit() == .exited(code: 0), "\(second.errors)")
            up.send(.interrupt)
            _ = try await up.exit()
        }
    }
}
