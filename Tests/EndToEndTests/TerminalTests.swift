//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

@testable import gantry

extension EndToEndCommands {
    /// What a person sees, at a real terminal.
    @Suite("At a terminal", .serialized, .timeLimit(.minutes(10)))
    struct TerminalTests {
        /// The lines that a terminal of so many columns is given.
        private func lines(_ scenario: Scenario, columns: Int, _ command: String) async throws -> [String] {
            let typed = "stty cols \(columns) rows 50; gantry \(command)"
            let answer = try await scenario.end(of: scenario.start(program: "/usr/bin/script", ["-q", "-e", "-c", typed, "/dev/null"]))
            // Each state of a line that is written again is looked at by itself.
            return answer.output.replacing("\u{1B}[K", with: "").split(whereSeparator: \.isNewline).map(String.init)
        }

        @Test("no line is wider than the terminal, digests have 12 digits there, and all of them in a pipe", arguments: [120, 100, 80, 60])
        func widths(columns: Int) async throws {
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            for feed in ["items", "products", "todos"] { try await scenario.gantry("feed", "load", feed) }
            try await scenario.gantry("job", "submit", "no-such-loader-of-a-very-long-name")
            try await scenario.gantry("job", "submit", "sleep", "--argument", "soon", "--wait", code: 10)
            for command in [
                "feed load items", "feed sort items --by title --descending", "feed select products 3", "feed show items", "feed list",
                "feed items items", "feed items products", "feed items todos", "job list", "job show 1", "worker list",
                "worker show worker-1", "cache list",
                "status", "doctor",
                "watch items view/items/shared --count 2", "watch --count 3", "feed load nothing",
                "job submit sleep --argument soon --wait", "--help", "job submit --help", "feed load", "feed select products 4",
            ] {
                let shown = try await lines(scenario, columns: columns, command)
                #expect(!shown.isEmpty, "\(command)")
                for line in shown { #expect(TextFit.width(of: line) <= columns, "\(command): \(line)") }
            }
            let watch = try await lines(scenario, columns: columns, "watch items --count 1")
            let pattern = /[0-9:]{8} verified( +[0-9]+ (?<checksum>[0-9a-f]{12}))? feed\/items.*/
            let checksum = try #require(try watch.first.flatMap { try pattern.wholeMatch(in: $0) }).output.checksum
            let json = try await scenario.gantry("watch", "items", "--count", "1", "--output", "jsonl").json()
            #expect((checksum != nil) == (columns >= 100) && (json["checksum"] as? String)?.count == 16)
            #expect((json["checksum"] as? String)?.hasPrefix(checksum ?? "") == true)
            let piped = try await scenario.gantry("watch", "items", "--count", "1")
            let columnsOfPipe = /[0-9:.]{12} feed\/items\?count=100&parameter=sample [0-9]+:[0-9]+ [0-9a-f]{16} verified 100 items .*/
            #expect(try columnsOfPipe.wholeMatch(in: piped.output) != nil, "\(piped.output)")
            let status = try await lines(scenario, columns: columns, "status").joined(separator: " ")
            #expect(status.contains(/storage ok, [0-9]+ +sessions? +workers/), "\(status)")
            let help = try await lines(scenario, columns: columns, "limit set --help").joined(separator: "\n")
            #expect(help.contains("[--output <output>]") && help.contains("[--rate <rate>]"), "\(help)")
            let list = try await lines(scenario, columns: columns, "feed list").joined(separator: " ").split(separator: " ")
            #expect(list.joined(separator: " ").contains("saved on disk)"), "\(list)")
            up.send(.interrupt)
            _ = try await up.exit()
        }
    }
}
