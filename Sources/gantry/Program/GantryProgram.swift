//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryModel
import GantryPlatform
import StateFormatting

/// Parses the command line, runs the command, and turns what it throws into a message and an exit code.
@main
enum GantryProgram {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        let arguments = Array(CommandLine.arguments.dropFirst())
        ProcessControl.keepFilesPrivate()
        ProcessControl.takeName(of: CommandLine.arguments.first ?? "")
        StandardErrorLog.install(environment: environment)
        do {
            // Who presses Ctrl-\ wants the end. The runtime would write a crash report, and go on.
            try Signal.quit.reset()
            try ProcessControl.keepStandardStreams()
            try ProcessControl.ignoreBrokenPipes()
        } catch {
            end(CommandFailure(error), isJSON: false)
        }
        if let failure = ArgumentText.failure(in: ProcessControl.argumentBytes) {
            end(failure, isJSON: OutputOptions.isJSON(in: arguments))
        }
        let command: any ParsableCommand
        do {
            command = try GantryCommand.parseAsRoot()
        } catch {
            endParsing(error, arguments)
        }
        if FirstProcess.isThisOne, let worker = command as? WorkerRun { leaveToChild(worker, environment) }
        do {
            try await run(command)
            ProgressLine.shared.clear()
            ErrorLines.shared.flush()
        } catch let error as ValidationError {
            let failure = CommandFailure(.usage, code: .usage, message: error.message, nextStep: help(of: type(of: command)))
            end(failure, isJSON: (command as? any GantrySubcommand)?.printing.isJSON ?? false)
        } catch  where error is ExitCode || GantryCommand.exitCode(for: error) != .failure {
            // The parser's own: help, version, a wrong value.
            ErrorLines.shared.flush()
            endParsing(error, arguments)
        } catch {
            let failure = CommandFailure(error).completed(help: help(of: type(of: command))).advising(for: command, typed: arguments)
            end(failure, isJSON: (command as? any GantrySubcommand)?.printing.isJSON ?? false)
        }
    }

    /// Ends as the parser says; to a program that reads JSON it says itself why.
    private static func endParsing(_ error: any Error, _ arguments: [String]) -> Never {
        if error is ExitCode { GantryCommand.exit(withError: error) }
        let isJSON = OutputOptions.isJSON(in: arguments)
        let isHelp = GantryCommand.exitCode(for: error) == .success
        if isHelp, arguments.first != "help" { endWithHelp(error) }
        if let failure = UnknownCommand.failure(in: arguments) { end(failure, isJSON: isJSON) }
        if isHelp { endWithHelp(error) }
        let message = GantryCommand.message(for: error)
        let isOfOption = ["Missing expected argument", "Unknown option"].contains { message.hasPrefix($0) }
        if isOfOption, let failure = UnknownOption.failure(in: arguments) { end(failure, isJSON: isJSON) }
        let nextStep = UnknownCommand.help(for: arguments)
        let sentence = ParserSentence.of(error, in: GantryCommand.self) + (UnexpectedArgument.hint(for: message, in: arguments) ?? "")
        var failure = CommandFailure(.usage, code: .usage, message: sentence, nextStep: nextStep)
        failure.usage = UnknownCommand.usage(for: arguments)
        end(failure, isJSON: isJSON)
    }

    /// Prints what was asked of the parser: a help, the version or a completion script.
    private static func endWithHelp(_ error: any Error) -> Never {
        let columns = NumberedDescriptor.terminalSize(1)?.columns
        let text = GantryCommand.fullMessage(for: error, columns: columns)
        let shown = columns.map { TextFit.fold(help: text, columns: $0) } ?? text
        do {
            try OutputOptions.write(shown, to: 1)
        } catch {
            if let failure = error as? CommandFailure { end(failure, isJSON: false) }
            // A reader that has gone has read enough.
        }
        GantryCommand.exit(withError: ExitCode.success)
    }

    /// The command line that prints the help of a command, for example `gantry job submit --help`.
    private static func help(of command: any ParsableCommand.Type) -> String {
        let words = GantryCommand.usageString(for: command).split(whereSeparator: \.isWhitespace).prefix { $0.first?.isLetter == true }
        return (words.map(String.init) + ["--help"]).joined(separator: " ")
    }

    /// As process 1 of a container a worker could not be ended by its kernel timer, so it runs in a child.
    private static func leaveToChild(_ worker: WorkerRun, _ environment: [String: String]) -> Never {
        do {
            let descriptors = worker.readiness.descriptor.map { [$0] } ?? []
            let code = try FirstProcess.runAgainAsChild(
                arguments: Array(CommandLine.arguments.dropFirst()), environment: environment, descriptors: descriptors)
            ProcessControl.exitImmediately(code: code)
        } catch {
            end(CommandFailure(error), isJSON: false)
        }
    }

    private static func run(_ command: any ParsableCommand) async throws {
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            var command = command
            try command.run()
        }
    }

    private static func end(_ failure: CommandFailure, isJSON: Bool) -> Never {
        let text = ErrorReport.forStandardError(failure, isJSON: isJSON)
        ErrorLines.shared.flush()
        ProgressLine.shared.clear()
        // Nobody can be told that standard error is closed; the exit code still tells.
        try? NumberedDescriptor.write(Array((text + "\n").utf8), to: 2)
        GantryCommand.exit(withError: failure.status.exitCode)
    }
}

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
        let nearest = SpellingDistance.nearest(to: word, in: names)
        // A letter more or less is a slip of the hand, whatever else has that name: `jobs` is `job`, and no `bench jobs`.
        let isSlip = nearest.map { SpellingDistance.between($0, word) == 1 } ?? false
        let meant = isSlip ? nearest : group?.configuration.commandName.map { "\($0) \(word)" } ?? nearest
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

/// A word too many where an option takes it.
enum UnexpectedArgument {
    /// What may have been meant; nil: nobody knows.
    /// - Parameter message: What the parser says.
    static func hint(for message: String, in arguments: [String]) -> String? {
        // The usage may stand below.
        guard let word = message.prefixMatch(of: #/Unexpected argument '(.*)'/#)?.output.1,
            UnknownCommand.named(by: arguments).command is JobSubmit.Type,
            !arguments.contains(where: { $0 == "--argument" || $0.hasPrefix("--argument=") || $0.hasPrefix("--arguments-from") })
        else { return nil }
        return "; did you mean --argument \(ShellWord.of(String(word)))?"
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
        let word = String(name.dropFirst(2))
        let nearest = SpellingDistance.nearest(to: word, in: options.map { String($0.dropFirst(2)) })
        // Options are many, so some one is always a little like the word: half of its letters may not be wrong, as of a command they may.
        guard let nearest, SpellingDistance.between(nearest, word) <= max(2, word.count / 3) else { return "" }
        return "; did you mean \"--\(nearest)\"?"
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
