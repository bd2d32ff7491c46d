//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryModel
import GantryPlatform
import GantrySettings
import StateFormatting

// Options that commands of every noun have.

/// `--output` and `--quiet`, for every command that prints.
struct OutputOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, json, jsonl
    }

    @Option(
        name: .customLong("output"),
        help: "How to print: table, json, or jsonl with one value on each line. table is the default; feed items into a pipe are jsonl.")
    var named: Format?

    /// How to print.
    var output: Format { named ?? .table }

    @Flag(name: .long, help: "Print nothing on standard error but errors, as json and jsonl do by themselves.")
    var quiet = false

    /// Whether programs read the output.
    var isJSON: Bool { output != .table }

    /// Whether a command line asks for JSON, also one that the parser refuses.
    static func isJSON(in arguments: [String]) -> Bool {
        let words = arguments.prefix { $0 != "--" }
        let joined = words.filter { $0.hasPrefix("--output=") }.map { String($0.dropFirst("--output=".count)) }
        let formats = zip(words, words.dropFirst()).filter { $0.0 == "--output" }.map(\.1) + joined
        return formats.contains { Format(rawValue: $0).map { $0 != .table } ?? false }
    }

    /// How wide the terminal is that a person looks at; nil: a program reads, or a file is written.
    var columns: Int? { isJSON ? nil : NumberedDescriptor.terminalSize(1)?.columns }

    /// Writes one line on standard output; a terminal gets it in pieces that fit.
    ///
    /// - Throws: `CommandFailure` with 73 when it cannot be written; a reader that has gone ends the program quietly.
    func line(_ text: String) throws {
        ProgressLine.shared.clear()
        guard !isJSON else { return try Self.write(text, to: 1) }
        let clean = TextFit.clean(text)
        try Self.write(columns.map { TextFit.fold(clean, columns: $0) } ?? clean, to: 1)
    }

    /// Writes lines as they are, for a program; a reader that has gone ends the program quietly.
    /// - Throws: `CommandFailure` with 73 when they cannot be written.
    func lines(asTheyAre lines: [String]) throws {
        ProgressLine.shared.clear()
        try Self.write(lines.joined(separator: "\n"), to: 1)
    }

    /// Writes one line of progress or notice on standard error, unless `--quiet`. A program that reads JSON finds one object there at most:
    /// why the command failed.
    func notice(_ text: String) {
        guard !quiet, !isJSON else { return }
        ProgressLine.shared.clear()
        // Nobody can be told that standard error is closed.
        let clean = TextFit.clean(text)
        try? Self.write(NumberedDescriptor.terminalSize(2).map { TextFit.fold(clean, columns: $0.columns) } ?? clean, to: 2)
    }

    /// Says how far work is, in one line of the terminal that is written again, or in a line of its own where standard error is none.
    func progress(_ text: String) {
        guard let columns = ProgressLine.shared.columns else { return notice(text) }
        if !quiet, !isJSON { ProgressLine.shared.draw(text, columns: columns) }
    }

    /// Writes a text and the end of its line.
    /// - Throws: `CommandFailure` when it cannot be written; where nobody reads it, that the command is done.
    static func write(_ text: String, to descriptor: Int32) throws {
        do throws(SystemError) {
            try NumberedDescriptor.write(Array((text + "\n").utf8), to: descriptor)
        } catch  where error.code == .brokenPipe {
            throw ExitStatus.done.exitCode
        } catch {
            let hasNoRoom = [.diskFull, .quotaFull].contains(error.code)
            throw CommandFailure(
                .cannotWrite, code: .cannotWrite, message: "the output cannot be written: \(error)",
                nextStep: hasNoRoom ? "free some space there, or write elsewhere" : "give it a standard output that can be written")
        }
    }
}

/// A command that prints, so that its failure is printed in the same form.
protocol GantrySubcommand: AsyncParsableCommand {
    /// `--output` and `--quiet`.
    var printing: OutputOptions { get }
}

/// `--config` and `--data`, for every command that needs the configuration.
struct PlaceOptions: ParsableArguments {
    @Option(name: .long, help: "The configuration file; default: GANTRY_CONFIG, ./gantry.yaml, ~/.config/gantry/, /etc/gantry/.")
    var config: String?

    @Option(name: .long, help: "The data folder; default: GANTRY_DATA, data in the configuration, ~/.local/state/gantry.")
    var data: String?

    /// The effective configuration.
    ///
    /// - Parameters:
    ///   - tcp: Whether the front is to listen at 127.0.0.1:7701-7704 instead of sockets in the data folder.
    ///   - sampleOriginPort: Where the sample origin listens; nil: at its usual port.
    ///   - read: What was read already; nil: the file is looked for.
    func load(
        tcp: Bool = false, sampleOriginPort: Int? = nil, read: ConfigurationText? = nil, environment: GantrySettings.Environment = .process
    ) throws(ConfigurationError) -> EffectiveConfiguration {
        var flags = EffectiveConfiguration.Flags(config: config, data: data, tcp: tcp)
        flags.read = read
        if let sampleOriginPort { flags.sampleOrigin = "127.0.0.1:\(sampleOriginPort)" }
        return try .load(flags: flags, environment: environment)
    }
}

/// `--connect`, `--config` and `--data`, for every command that talks to a front.
struct ConnectOptions: ParsableArguments {
    @Option(name: .long, help: "The front: its data folder, or tcp://127.0.0.1:7701; default: --data, GANTRY_URL or the data folder.")
    var connect: String?

    @OptionGroup var places: PlaceOptions

    /// The front to talk to. The file is not read when `--connect`, `--data`, GANTRY_URL or GANTRY_DATA says enough.
    func place() throws(ConfigurationError) -> FrontPlace {
        try .find(connect: connect, data: places.data, config: places.config)
    }
}

/// A command that reads the configuration and has a data folder: advice to run `gantry doctor` names the same place.
protocol PlacedCommand: ParsableCommand {
    /// `--config` and `--data`.
    var places: PlaceOptions { get }
    /// The options of the front that the command asks, as they are typed; none: it asks none.
    var adviceWords: [String] { get }
}

extension PlacedCommand {
    var adviceWords: [String] { [] }
}

extension PlaceOptions {
    /// The options that were given, as they are typed.
    var words: [String] {
        let given = [("--config", config), ("--data", data)]
        return given.flatMap { option, value in value.map { [option, ShellWord.of($0)] } ?? [] }
    }
}

extension CommandFailure {
    /// The failure of a command; where it advises doctor, doctor looks where the command looked, and a command of a client asks the same front.
    /// - Parameter arguments: what was typed, which is the step after the configuration has been given the feed that it lacks.
    func advising(for command: any ParsableCommand, typed arguments: [String] = []) -> CommandFailure {
        guard let placed = command as? any PlacedCommand else { return self }
        var failure = self
        failure.doctor? += placed.places.words
        failure.advice = AdvisedCommand.placing(placed.adviceWords, in: failure.advice)
        if failure.advice.hasSuffix(Failure.newStart), !arguments.isEmpty {
            failure.advice += ", then gantry \(arguments.map { ShellWord.of($0) }.joined(separator: " "))"
        }
        return failure
    }
}

extension CommandFailure {
    /// The same failure, with a next step where its cause names none: whoever reads that something failed is to know where to look.
    /// - Parameters:
    ///   - help: The words of the command, then `--help`.
    ///   - now: The present.
    func completed(help: String, at now: WallTime = WallTime(milliseconds: SystemClock.wallMilliseconds())) -> CommandFailure {
        guard nextStep.isEmpty else { return self }
        var failure = self
        let noun = help.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        switch status {
        case .usage, .invalidData: failure.advice = help
        case .busy: failure.advice = "repeat the command \(retryAfter.map { Self.words(of: $0, at: now) } ?? "later")"
        case .notFound, .conflict: failure.advice = AdvisedCommand.groups.contains(noun) ? "gantry \(noun) list" : "gantry status"
        case .failed, .cancelled, .timedOut, .detached: failure.advice = "gantry status"
        case .done, .internalError, .notConnected, .cannotWrite, .configuration: failure.doctor = ["gantry", Self.doctorCommand]
        }
        return failure
    }

    /// When to come back: of a short pause its length, of a longer one the time at which it is over, for its length is in the message.
    private static func words(of pause: Duration, at now: WallTime) -> String {
        let seconds = Duration.seconds((pause.millisecondsRoundedUp + 999) / 1_000)
        guard pause >= .seconds(60) else { return "in \((pause < .seconds(1) ? pause : seconds).line)" }
        return "after \(now.advanced(by: seconds).clock(at: now)) UTC"
    }
}

/// Commands that are advised: each asks the front that the one that advises it was told to ask.
enum AdvisedCommand {
    /// Puts options behind the name of each command of a client, or of a worker, that a text advises: of `gantry job show 7` comes
    /// `gantry job show --data /srv/gantry 7`.
    /// - Parameter words: the options as they are typed; none: the text stays.
    static func placing(_ words: [String], in text: String) -> String {
        guard !words.isEmpty else { return text }
        return text.replacing(/\bgantry ([a-z-]+)( [a-z-]+)?/) { match in
            let (name, rest) = (String(match.output.1), match.output.2 ?? "")
            let options = " " + words.joined(separator: " ")
            if groups.contains(name), !rest.isEmpty, !rest.hasPrefix(" -") { return "gantry \(name)\(rest)\(options)" }
            // A worker is told of a front on TCP otherwise.
            let takes = clients.contains(name) || name == worker && words.first != "--connect"
            return takes ? "gantry \(name)\(options)\(rest)" : String(match.output.0)
        }
    }

    /// Commands that ask a front, and those that have such commands. A test compares them with the tree of commands, which stands above this file.
    static let (clients, groups): (Set<String>, Set<String>) = (
        ["watch", "status"], ["cache", "feed", "job", "limit", "loader", "worker"]
    )
    /// The command that runs a worker.
    static let worker = "worker"
}

extension ConnectOptions {
    /// The options that were given, as they are typed. A folder is named by `--data`, which workers have too.
    var words: [String] {
        guard let connect else { return places.words }
        guard !connect.contains("://") else { return ["--connect", ShellWord.of(connect)] + places.words }
        var places = places
        places.data = connect
        return places.words
    }
}

extension ParsableCommand {
    /// Refuses a number out of its range, with the range.
    static func check<Number: BinaryInteger>(_ option: String, _ value: Number?, _ range: ClosedRange<Number>) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError("\(option) is \(range.lowerBound.grouped) to \(range.upperBound.grouped), not \(value)")
    }
}
