//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryModel
import GantryPlatform
import GantrySettings
import StateFormatting

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
        var failure = type(of: command).configuration.commandName == Self.doctorCommand ? ofDoctor : self
        failure.doctor? += placed.places.words
        failure.advice = AdvisedCommand.placing(placed.adviceWords, in: failure.advice)
        if failure.advice.hasSuffix(Failure.newStart), !arguments.isEmpty {
            failure.advice += ", then gantry \(arguments.map { ShellWord.of($0) }.joined(separator: " "))"
        }
        return failure
    }
}

extension CommandFailure {
    /// The same failure of doctor itself, which sends nobody to itself: what is to be done before stays.
    private var ofDoctor: CommandFailure {
        guard doctor != nil else { return self }
        var failure = self
        failure.advise(advice.replacing(/(, then check with| with the output of):$/, with: ""))
        return failure
    }

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
            // A worker is told of a front on TCP otherwise.
            let isOverTCP = words.first == "--connect"
            if name == worker, isOverTCP, rest.isEmpty || rest == " run" { return String(match.output.0) }
            if groups.contains(name), !rest.isEmpty, !rest.hasPrefix(" -") { return "gantry \(name)\(rest)\(options)" }
            let takes = clients.contains(name) || name == worker
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
