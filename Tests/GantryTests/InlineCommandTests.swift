//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import gantry

/// Commands of the pages, also those in the middle of a sentence, are typed by readers: the program understands each.
@Suite("Commands of the pages")
struct InlineCommandTests {
    /// Each command between back-quotes, and each line of a block marked `sh`. What has a gap for the reader to fill is left out.
    private static func commands(in text: String) -> [String] {
        let quoted = text.matches(of: /`(gantry [^`\n]+)`/).map { String($0.1) }
        let lines = text.matches(of: /(?m)^```sh\n((?s:.*?))\n```/).flatMap { $0.1.split(separator: "\n") }
        let typed = lines.filter { $0.hasPrefix("gantry ") }.map { String($0.split(separator: /\s+#\s/)[0]) }
        return (quoted + typed).filter { !$0.contains("…") && !$0.contains("|") }
    }

    /// The commands of all pages, each with the page that has it.
    private static func commands() throws -> [(page: String, command: String)] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: CheckoutFolder.file("Sources").path).map { "Sources/" + $0 }
        let pages =
            ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "deploy/CONFIGURATION.md", "Protocol/PROTOCOL.md"]
            + names.filter { $0.hasSuffix(".md") || $0.hasPrefix("Sources/GantryModel/Jobs/") && $0.hasSuffix(".swift") }
        return try pages.flatMap { page in
            commands(in: try CheckoutFolder.text(page)).map { (page, $0) }
        }
    }

    @Test("are found in sentences and in blocks")
    func found() {
        let text = "Type `gantry status` or `gantry feed load …`:\n\n```sh\ngantry up   # stays\nswift run A\n```\n"
        #expect(Self.commands(in: text) == ["gantry status", "gantry up"])
    }

    /// The words as a shell has them.
    private static func words(_ command: String) -> [String] {
        command.matches(of: /'([^']*)'|(\S+)/).map { String($0.1 ?? $0.2 ?? "") }
    }

    @Test("are understood")
    func understood() throws {
        let all = try Self.commands()
        #expect(all.count >= 30)
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
