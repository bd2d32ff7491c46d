//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import TestSupport
import Testing

extension EndToEnd {
    /// What README.md tells people to type, cut out of it and typed.
    @Suite("README", .serialized, .timeLimit(.minutes(10)))
    struct ReadmeTests {
        /// Runs a line of a shell; one that watches more than jobs is left with Ctrl-C after its first line, as its
        /// comment says.
        private func enter(_ line: String, _ scenario: Scenario, at location: SourceLocation = #_sourceLocation) async throws -> Answer {
            let isEndless = line.hasPrefix("gantry watch") && !line.contains("job/")
            let process = try await scenario.start(program: "/bin/sh", ["-c", isEndless ? "exec " + line : line])
            if isEndless {
                _ = try await process.line("a first line of \(line)")
                process.send(.interrupt)
            }
            let answer = try await scenario.end(of: process)
            #expect(answer.code == (isEndless ? 130 : 0), "\(line): \(answer.output) \(answer.errors)", sourceLocation: location)
            return answer
        }

        /// Sections whose commands are typed below.
        private static let typed = ["First steps", "What it looks like", "More commands", "Your own list"]

        /// The lines of all other sections.
        private func otherCommands() throws -> [String] {
            let readme = try Readme()
            return try readme.sections.filter { !Self.typed.contains($0) }.flatMap { try readme.commands($0) }
        }

        @Test("what is typed in another section is a script or an example program")
        func others() throws {
            let commands = try otherCommands()
            #expect(commands.count >= 5, "\(commands)")
            for command in commands where !command.hasPrefix("swift run ") {
                let script = String(command.prefix { $0 != " " })
                let path = CheckoutFolder.root.appending(path: script).path
                #expect(FileManager.default.isExecutableFile(atPath: path) && script.hasPrefix("deploy/"), "\(command)")
            }
        }

        @Test("the example programs run to their ends beside a front and an origin, as printed here and named in the catalogs")
        func programs() async throws {
            let commands = try otherCommands().filter { $0.hasPrefix("swift run ") }
                .map { $0.split(separator: " ").dropFirst(2).prefix { $0 != "#" }.joined(separator: " ") }
            #expect(commands.count >= 3, "\(commands)")
            #expect(Set(try namedInCatalogs()).isSubset(of: commands))
            let scenario = try Scenario()
            let (up, origin) = try await scenario.up()
            for command in commands {
                let line = "GANTRY_ORIGIN=http://127.0.0.1:\(origin.port) exec \(command)"
                let answer = try await scenario.end(of: scenario.start(program: "/bin/sh", ["-c", line]))
                #expect(answer.code == 0 && answer.output.contains("drawn "), "\(command): \(answer.output) \(answer.errors)")
                #expect(answer.output.contains("100 items") == command.hasPrefix("StackExample"), "\(command): \(answer.output)")
            }
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }

        /// The programs that a catalog says to run, in the middle of a sentence.
        private func namedInCatalogs() throws -> [String] {
            let sources = CheckoutFolder.root.appending(path: "Sources").path
            let pages = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".md") }
            let found = try pages.flatMap { page in
                try String(contentsOfFile: sources + "/" + page, encoding: .utf8).matches(of: /`swift run ([^`\n]+)`/).map { String($0.1) }
            }
            #expect(found.count >= 3)
            return found
        }

        @Test(
            "the captured commands and the list of all others run as printed, one after another", arguments: ReadmeTests.typed[1...2])
        func commands(section: String) async throws {
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            let commands = try Readme().commands(section).filter { !$0.hasPrefix("gantry up") }
            #expect(commands.count >= 4)
            for line in commands { #expect(try await !enter(line, scenario).output.isEmpty || line.hasPrefix("gantry watch"), "\(line)") }
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }

        /// A line as it is compared: with any number for each, and one blank between columns.
        private static func pattern(_ line: some StringProtocol) -> String {
            String(line).replacing(/\d+/, with: "0").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }

        /// Those lines of README.md that are not in an answer.
        private static func missing(_ shown: [String], in answer: Answer) -> [String] {
            let printed = (answer.output + "\n" + answer.errors).split(separator: "\n").map(pattern)
            return shown.filter { line in
                if line.hasPrefix("…") { return false }
                let isCut = line.hasSuffix("…")
                let expected = pattern(isCut ? line.dropLast() : line[...])
                return !printed.contains { isCut ? $0.hasPrefix(expected) : $0 == expected }
            }
        }

        @Test("the first steps are at most twelve, each shows its output, and typed one after another they print that")
        func firstSteps() async throws {
            let steps = try Readme().captures("First steps")
            #expect(steps.count <= 12 && steps.allSatisfy { !$0.shown.isEmpty || $0.command.hasPrefix("kill ") })
            #expect(try Readme().commands("First steps").count == steps.count, "a block of others shows nothing")
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            for (command, shown) in steps {
                let answer = try await enter(command, scenario)
                if command.hasPrefix("gantry watch") { continue }
                // A job that was just submitted is granted a moment later.
                let isQuestion = ["job show", "job explain", "status"].contains { command.hasPrefix("gantry " + $0) }
                if isQuestion, !Self.missing(shown, in: answer).isEmpty {
                    try await scenario.settles("\(shown)") { Self.missing(shown, in: try await enter(command, scenario)).isEmpty }
                } else {
                    #expect(Self.missing(shown, in: answer) == [], "\(command): \(answer.output) \(answer.errors)")
                }
            }
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }

        @Test("a list of one's own becomes a feed by the configuration as printed")
        func ownList() async throws {
            let scenario = try Scenario()
            let port = try await scenario.freePort()
            let readme = try Readme()
            let yaml = try #require(try readme.blocks("Your own list", "yaml").first).joined(separator: "\n")
            #expect(yaml.contains("127.0.0.1:8000"))
            try scenario.write("gantry.yaml", yaml.replacing("127.0.0.1:8000", with: "127.0.0.1:\(port)"))
            let folder = "/usr/share/iso-codes/json"
            let server = try await scenario.start(
                program: "/bin/sh", ["-c", "exec /usr/bin/python3 -u -m http.server --bind 127.0.0.1 --directory \(folder) \(port)"])
            _ = try await server.line("the server")
            let commands = try readme.commands("Your own list")
            #expect(commands.contains("gantry doctor") && commands.contains { $0.hasPrefix("gantry up") }, "\(commands)")
            var up: Running?
            for line in commands where !line.hasPrefix("python3") {
                if line.hasPrefix("gantry up") {
                    up = try await scenario.serve("up", "--sample-origin-port", "0")
                } else {
                    _ = try await enter(line, scenario)
                }
            }
            up?.send(.interrupt)
            #expect(try await up?.exit() == .exited(code: 0))
            server.send(.kill)
        }
    }
}
