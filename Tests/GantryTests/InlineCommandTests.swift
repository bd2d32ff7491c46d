//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import gantry

/// Commands that stand in the middle of a sentence are typed by readers too: the program understands each.
@Suite("Commands in sentences")
struct InlineCommandTests {
    /// Each command between back-quotes, with the page that has it. What has a gap for the reader to fill is left out.
    private static func commands() throws -> [(page: String, command: String)] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: CheckoutFolder.file("Sources").path).map { "Sources/" + $0 }
        let pages =
            ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "Protocol/PROTOCOL.md"]
            + names.filter { $0.hasSuffix(".md") || $0.hasPrefix("Sources/GantryModel/Jobs/") && $0.hasSuffix(".swift") }
        return try pages.flatMap { page in
            try CheckoutFolder.text(page).matches(of: /`(gantry [^`\n]+)`/)
                .map { (page, String($0.1)) }.filter { !$0.1.contains("…") && !$0.1.contains("|") }
        }
    }

    /// The words as a shell has them.
    private static func words(_ command: String) -> [String] {
        command.matches(of: /'([^']*)'|(\S+)/).map { String($0.1 ?? $0.2 ?? "") }
    }

    @Test("are understood")
    func understood() throws {
        let all = try Self.commands()
        #expect(all.count >= 15)
        for (page, command) in all {
            do {
                _ = try GantryCommand.parseAsRoot(Array(Self.words(command).dropFirst()))
            } catch {
                // Help is no command that runs.
                let isHelp = GantryCommand.exitCode(for: error) == .success
                // A sentence may name a command without what it is done to.
                let lacksArgument = "\(GantryCommand.message(for: error))".hasPrefix("Missing ")
                #expect(isHelp || lacksArgument, "\(page): \(command): \(GantryCommand.message(for: error))")
            }
        }
    }
}
