//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryPlatform
import Testing

@testable import gantry

extension EndToEnd {
    /// The examples of `--help`, typed into a shell.
    @Suite("Every command's example", .serialized, .timeLimit(.minutes(10)))
    struct ExampleTests {
        /// How an example is run so that it ends: what it needs is made first.
        private enum Ending {
            /// By itself with code 0.
            case itself
            /// By Ctrl-C after a first line on standard output, with the code.
            case interrupted(Int32)
            /// By itself with its figures, and code 0, or 3 where one is beyond its bar: other tests keep the machine busy meanwhile.
            case measured
        }

        /// Each command that can be typed, with its words.
        private static func commands(_ type: any ParsableCommand.Type = GantryCommand.self, _ words: [String] = []) -> [([String], String)]
        {
            // What gantry starts by itself is not shown to people and needs no example.
            let subcommands = type.configuration.subcommands.filter { $0.configuration.shouldDisplay }
            let name = type.configuration.commandName ?? ""
            let path = words + [name]
            let own = [(path, GantryCommand.helpMessage(for: type, columns: 1_000))]
            return own + subcommands.flatMap { commands($0, path) }
        }

        private func example(_ help: String) -> String? {
            help.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.first { $0.hasPrefix("Example: ") }
                .map { String($0.dropFirst("Example: ".count)) }
        }

        @Test("each command has one, of that command")
        func present() {
            for (path, help) in Self.commands() {
                let text = example(help)
                #expect(text?.hasPrefix(path.joined(separator: " ")) == true, "\(path)")
            }
            #expect(Self.commands().count > 25)
        }

        @Test("commands that ask a front work as they are typed")
        func clients() async throws {
            let scenario = try Scenario()
            let (up, origin) = try await scenario.up()
            try await scenario.gantry("job", "submit", "noop", "--count", "60", "--wait", "--quiet")
            for feed in ["products", "todos"] { try await scenario.gantry("feed", "load", feed) }
            for (path, help) in Self.commands() where Set(path).isDisjoint(with: ["front", "run", "sample-origin", "up", "bench"]) {
                let text = try #require(example(help))
                switch path.last {
                case "cancel" where path.contains("feed"):
                    try await origin.fault(#"{"path":"/products","holdAfterBytes":10}"#)
                    try await scenario.gantry("feed", "refresh", "products", "--no-wait")
                    try await origin.wait("/products", "inFlight=1")
                    try await run(text, scenario)
                    try await origin.heal()
                case "reprioritize", "delay", "promote", "forgive":
                    // Nobody offers it, so it waits.
                    let job = try await scenario.gantry("job", "submit", "nobody-has-this").output.split(separator: "\n").last ?? "none"
                    try await run(text.replacing("42", with: job), scenario)
                case "retry" where path.contains("job"):
                    let submitted = try await scenario.gantry("job", "submit", "sleep", "--argument", "10", "--delay", "1h", "--count", "2")
                    let jobs = submitted.output.split(separator: "\n")
                    for job in jobs { try await scenario.gantry("job", "cancel", String(job)) }
                    try await run(text.replacing("42", with: jobs.first ?? "none").replacing("43", with: jobs.last ?? "none"), scenario)
                case "retry":
                    try await origin.fault(#"{"path":"/products","status":503,"times":1}"#)
                    try await scenario.gantry("feed", "refresh", "products", code: 3)
                    try await run(text, scenario)
                case "show" where path.contains("cache"):
                    let objects = try await scenario.gantry("cache", "list", "--output", "json").items()
                    let sizes = objects.compactMap { $0["byteCount"] as? Int }
                    #expect(sizes.count > 1 && sizes == sizes.sorted(by: >), "\(sizes)")
                    let object = objects.first?["digest"] as? String
                    try await run(text.replacing(/[0-9a-f]{12}/, with: object ?? "none"), scenario)
                case "detach":
                    let attached = try await scenario.start(program: "/bin/sh", ["-c", "exec gantry feed attach products"])
                    _ = try await attached.line("a first line of attach")
                    try await run(text, scenario)
                    #expect(try await scenario.end(of: attached).code == 130)
                case "attach": try await run(text, scenario, .interrupted(130))
                case "reset":
                    try await run(text, scenario)
                    try await scenario.gantry("feed", "load", "products")
                default: try await run(text, scenario)
                }
            }
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("processes start as they are typed, in another folder and on another port, and end on Ctrl-C")
        func processes() async throws {
            let scenario = try Scenario()
            let port = try await scenario.freePort()
            for (path, help) in Self.commands() {
                let text = try #require(example(help))
                switch path.last {
                case "up": try await run(text + " --sample-origin-port \(port) --ready-fd 1", scenario, .interrupted(0))
                case "front":
                    try await run(
                        text.replacing("/tmp/gantry-demo", with: scenario.folder + "/demo") + " --ready-fd 1", scenario, .interrupted(0))
                case "sample-origin": try await run(text.replacing("7711", with: String(port)) + " --ready-fd 1", scenario, .interrupted(0))
                case "run":
                    let front = try await scenario.serve("front")
                    try await run(text + " --ready-fd 1", scenario, .interrupted(0))
                    front.send(.terminate)
                    _ = try await front.exit()
                // A measurement of this size takes minutes in a debug build.
                case _ where path.contains("bench"):
                    try await run(text.replacing(/[0-9]{4,}/, with: "300"), scenario, path.last == "estimates" ? .measured : .itself)
                default: continue
                }
            }
        }

        private func run(_ text: String, _ scenario: Scenario, _ ending: Ending = .itself) async throws {
            let process = try await scenario.start(program: "/bin/sh", ["-c", "exec " + text])
            var code: Int32 = 0
            if case .interrupted(let expected) = ending {
                _ = try await process.line("a first line of \(text)")
                process.send(.interrupt)
                code = expected
            }
            let answer = try await scenario.end(of: process)
            if case .measured = ending, answer.code == 3 {
                #expect(answer.output.hasPrefix("peer=gantry"), "\(text): \(answer.output) \(answer.errors)")
                code = 3
            }
            #expect(answer.code == code, "\(text): \(answer.output) \(answer.errors)")
            #expect(!answer.output.isEmpty || code == 130 || text.contains("--ready-fd"), "\(text) prints nothing")
        }
    }
}
