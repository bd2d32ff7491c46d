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
        /// Runs a line of a shell; one that watches is left with Ctrl-C after its first line, as its comment says.
        private func enter(_ line: String, _ scenario: Scenario, at location: SourceLocation = #_sourceLocation) async throws -> Answer {
            let isEndless = line.hasPrefix("gantry watch")
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
        private static let typed = ["First steps", "What it looks like", "Your own list"]

        @Test("what is typed nowhere else here is a script or an example program, with its options")
        func otherCommands() async throws {
            let scenario = try Scenario()
            let package = try CheckoutFolder.text("Package.swift")
            let readme = try Readme()
            let commands = try readme.sections.filter { !Self.typed.contains($0) }.flatMap { try readme.commands($0) }
            #expect(commands.count >= 5, "\(commands)")
            for command in commands {
                let words = command.split(separator: " ").prefix { $0 != "#" }.map(String.init)
                if words[0] == "swift" {
                    #expect(words[1] == "run" && package.contains("name: \"\(words[2])\""), "\(command)")
                    let usage = try await scenario.end(of: scenario.start(program: Scenario.programs + "/" + words[2], ["--usage"]))
                    for argument in words.dropFirst(3) { #expect(usage.output.contains(argument), "\(command): \(usage.output)") }
                } else {
                    let path = CheckoutFolder.file(words[0]).path
                    #expect(FileManager.default.isExecutableFile(atPath: path) && words[0].hasPrefix("deploy/"), "\(command)")
                }
            }
        }

        @Test(
            "the first steps and the captured commands run as printed, one after another", arguments: ReadmeTests.typed.dropLast())
        func firstSteps(section: String) async throws {
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            let commands = try Readme().commands(section).filter { !$0.hasPrefix("gantry up") }
            #expect(commands.count >= 4)
            for line in commands { #expect(try await !enter(line, scenario).output.isEmpty || line.hasPrefix("gantry watch"), "\(line)") }
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
