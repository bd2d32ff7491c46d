//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryModel
import StateFormatting

/// A word where a command should stand.
enum UnknownCommand {
    /// What to say when the first words name no command; nil when they do, or when no command takes them for one.
    static func failure(in arguments: [String]) -> CommandFailure? {
        var command: any ParsableCommand.Type = GantryCommand.self
        var path = ["gantry"]
        // `gantry help job list` asks for the help of what follows.
        for word in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
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

    /// The command that may have been meant: one of these groups has it, or it is spelled almost so; else all that there are.
    private static func hint(for word: String, in commands: [any ParsableCommand.Type]) -> String {
        let shown = commands.filter { $0.configuration.shouldDisplay }
        let names = shown.compactMap { $0.configuration.commandName }
        let group = shown.first { $0.configuration.subcommands.contains { $0.configuration.commandName == word } }
        let meant = group?.configuration.commandName.map { "\($0) \(word)" } ?? SpellingDistance.nearest(to: word, in: names)
        return meant.map { "did you mean \"\($0)\"?" } ?? "there are \(names.joined(separator: ", "))"
    }

    /// The command line that prints the help of the command that the first words name, for example `gantry job list --help`.
    static func help(for arguments: [String]) -> String { "\(named(by: arguments).path) --help" }

    /// How the command that the first words name is called, with its arguments and options.
    static func usage(for arguments: [String]) -> String { GantryCommand.usageString(for: named(by: arguments).command) }

    /// The command that the first words name, or that runs where they name a group only, and how it is called: `gantry job list`.
    static func named(by arguments: [String]) -> (command: any ParsableCommand.Type, path: String) {
        var command: any ParsableCommand.Type = GantryCommand.self
        var path = "gantry"
        for word in arguments {
            guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word }) else { break }
            (command, path) = (next, "\(path) \(word)")
        }
        if arguments.count > path.split(separator: " ").count - 1, let usual = command.configuration.defaultSubcommand {
            (command, path) = (usual, "\(path) \(usual.configuration.commandName ?? "")")
        }
        return (command, path)
    }
}

/// Words of a command line that are no text: what is read of them as text has other bytes, so a job would work on something else.
enum ArgumentText {
    /// What to say when a word is not UTF-8; nil: all are.
    static func failure(in arguments: [[UInt8]]) -> CommandFailure? {
        guard let index = arguments.firstIndex(where: { String(validating: $0, as: UTF8.self) == nil }) else { return nil }
        let shown = ShownBytes.escaped(Array(arguments[index].prefix(ShownBytes.byteLimit)))
        return CommandFailure(
            .usage, code: .usage, message: "word \(index + 1) of the command line is not UTF-8 text: \(shown)",
            nextStep: "write it as UTF-8; for an argument of other bytes see argumentBase64 in: gantry job submit --help")
    }
}

/// An option that a command does not have, where the parser only says which argument is missing.
enum UnknownOption {
    /// What to say when the command line has an option that its command does not have; nil when it has none.
    static func failure(in arguments: [String]) -> CommandFailure? {
        let (command, path) = UnknownCommand.named(by: arguments)
        let takesValue = options(of: command)
        var isValue = false
        for word in arguments.prefix(while: { $0 != "--" }) {
            guard !isValue, word.hasPrefix("--") else {
                isValue = false
                continue
            }
            let name = String(word.prefix { $0 != "=" })
            guard let takes = takesValue[name] else {
                let hint = hint(for: name, among: takesValue.keys.sorted())
                var failure = CommandFailure(
                    .usage, code: .usage, message: "\(path) has no option \"\(name)\"\(hint)", nextStep: "\(path) --help")
                failure.usage = UnknownCommand.usage(for: arguments)
                return failure
            }
            isValue = takes && name == word
        }
        return nil
    }

    /// The option that may have been meant; where that is the opposite of what was typed, it is to be left out.
    static func hint(for name: String, among options: [String]) -> String {
        let contrary = options.filter { option in
            let distances = opposites(of: option).map { SpellingDistance.between(name, $0) }
            return distances.contains { $0 <= contraryDistance && $0 < SpellingDistance.between(name, option) }
        }
        if let first = contrary.first { return "; leave out \"\(first)\" for that" }
        // The dashes are no letters that two options have in common.
        let nearest = SpellingDistance.nearest(to: String(name.dropFirst(2)), in: options.map { String($0.dropFirst(2)) })
        return nearest.map { "; did you mean \"--\($0)\"?" } ?? ""
    }

    /// How many letters may differ where the contrary of an option is meant.
    private static let contraryDistance = 2

    /// What an option that means the contrary would be called.
    private static func opposites(of name: String) -> Set<String> {
        let word = name.dropFirst(2)
        var words: Set<String> = word.hasPrefix("no-") ? [String(word.dropFirst(3))] : ["no-\(word)"]
        let pairs = [("ascending", "descending"), ("with", "without")]
        for (one, other) in pairs where word == one || word == other { words.insert(word == one ? other : one) }
        return Set(words.map { "--" + $0 })
    }

    /// The options that the help of a command lists, and whether a value follows.
    private static func options(of command: any ParsableCommand.Type) -> [String: Bool] {
        let help = GantryCommand.helpMessage(for: command, includeHidden: true)
        let lines = help.matches(of: /(?m)^  (?:-[a-z], )?(?<name>--[a-z][a-z-]*)(?<value> <)?/)
        return Dictionary(lines.map { (String($0.output.name), $0.output.value != nil) }) { first, _ in first }
    }
}
