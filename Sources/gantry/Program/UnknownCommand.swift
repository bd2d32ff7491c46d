//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Settings

/// A word where a command should stand.
enum UnknownCommand {
    /// What to say when the first words name no command; nil when they do, or when no command takes them for one.
    static func failure(in arguments: [String]) -> CommandFailure? {
        var command: any ParsableCommand.Type = GantryCommand.self
        var path = ["gantry"]
        for word in arguments {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            if let next = subcommands.first(where: { $0.configuration.commandName == word }) {
                (command, path) = (next, path + [word])
                continue
            }
            let place = path.joined(separator: " ")
            return CommandFailure(
                .usage, code: .usage, message: "\(place) has no command \"\(word)\"; \(hint(for: word, in: subcommands))",
                nextStep: "\(place) --help")
        }
        return nil
    }

    /// The command that may have been meant: one of these groups has it, or it is spelt almost so; else all that there are.
    private static func hint(for word: String, in commands: [any ParsableCommand.Type]) -> String {
        let shown = commands.filter { $0.configuration.shouldDisplay }
        let names = shown.compactMap { $0.configuration.commandName }
        let group = shown.first { $0.configuration.subcommands.contains { $0.configuration.commandName == word } }
        let meant = group?.configuration.commandName.map { "\($0) \(word)" } ?? SpellingDistance.nearest(to: word, in: names)
        return meant.map { "did you mean \"\($0)\"?" } ?? "there are \(names.joined(separator: ", "))"
    }

    /// The command line that prints the help of the command that the first words name, for example `gantry job list --help`.
    static func help(for arguments: [String]) -> String { "\(named(by: arguments).path) --help" }

    /// The command that the first words name, and how it is called: `gantry job list`.
    static func named(by arguments: [String]) -> (command: any ParsableCommand.Type, path: String) {
        var command: any ParsableCommand.Type = GantryCommand.self
        var path = "gantry"
        for word in arguments {
            guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word }) else { break }
            (command, path) = (next, "\(path) \(word)")
        }
        return (command, path)
    }
}
