//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryPlatform

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
        var failure = CommandFailure(.usage, code: .usage, message: ParserSentence.of(error, in: GantryCommand.self), nextStep: nextStep)
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
