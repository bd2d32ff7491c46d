//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import GantrySettings
import StateFormatting

/// `gantry loader`: everything that is done with loaders.
struct LoaderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loader", abstract: "List, show, pause and resume loaders.",
        discussion: """
            While a loader is paused, none of its jobs is given to a worker; those that workers hold go on. Jobs are accepted, and wait.

            Example: gantry loader list --output json
            """,
        subcommands: [LoaderPause.self, LoaderList.self, LoaderShow.self, LoaderResume.self])
}

/// `gantry loader list`: who offers which, and what is paused.
struct LoaderList: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the loaders that workers offer, that are paused, or that jobs wait for.",
        discussion: "Example: gantry loader list --output json")

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let options = options
        try await options.withClient("loader list") { client in
            let loaders = try await client.loaders()
            try options.show(
                items: loaders.map(\.json.text), json: JSONValue.loaders(loaders).text,
                table: Self.table(loaders).text(columns: options.printing.columns))
            for text in Self.feedPauses(try await client.current(.pauses).pauses) { options.notice(text) }
            if loaders.isEmpty { options.notice("no worker is registered; start one with: gantry worker") }
        }
    }

    /// The pauses of groups that no loader is in: no line of the table has them.
    static func feedPauses(_ pauses: [Pause]) -> [String] {
        pauses.filter { !$0.target.group.isEmpty && $0.loaders.isEmpty && !$0.feeds.isEmpty }
            .map { "of feeds only: \($0.line) (\($0.feeds.joined(separator: ", ")))" }
    }

    static func table(_ loaders: [ShownLoader]) -> TextTable {
        var table = TextTable(["loader", "state", "workers", "slots"])
        for loader in loaders {
            table.add([loader.name, loader.state.rawValue, String(loader.workers), String(loader.slots)], note: loader.pause?.line)
        }
        return table
    }
}

/// `gantry loader show`: one loader.
struct LoaderShow: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show who offers a loader, and its pause.", discussion: "Example: gantry loader show sleep")

    @Argument(help: "The loader's name.") var name: String
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, name) = (options, name)
        try await options.withClient("loader show") { client in
            let loaders = try await client.loaders()
            guard let loader = loaders.first(where: { $0.name == name }) else { throw Self.unknown(name, among: loaders) }
            try options.show(loader.json.text, loader.text)
        }
    }

    private static func unknown(_ name: String, among loaders: [ShownLoader]) -> CommandFailure {
        let nearest = SpellingDistance.nearest(to: name, in: loaders.map(\.name)).map { "gantry loader show \($0)" }
        return CommandFailure(
            .notFound, code: .notFound, message: "no worker offers the loader \"\(name)\", and no job waits for it",
            nextStep: nearest ?? "gantry loader list")
    }
}

/// `gantry loader pause`: none of its jobs is granted from now on.
struct LoaderPause: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Give no jobs of a loader, of a group, or of all loaders to workers.",
        discussion: """
            What workers hold goes on, and so do the times of scheduled jobs. It holds over restarts until `gantry loader resume`, or for as \
            long as --for says; a second pause takes the place of the first. With --group it is for the jobs that a limit of the group would \
            count: all of its loaders, and of its feeds those that ask their source. `gantry worker pause` pauses a single worker.

            Example: gantry loader pause sleep --for 10m --reason "the API is down"
            """)

    @OptionGroup var target: PauseArgument
    @OptionGroup var pause: PauseTerms
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, target, pause) = (options, try target.value(), pause)
        try pause.check(target)
        try await options.withClient("loader pause") { client in
            try await pause.begin(target, client, options)
            guard case .loader(let name) = target, case let loaders = try await client.loaders(), !loaders.isOffered(name) else { return }
            let nearest = SpellingDistance.nearest(to: name, in: loaders.map(\.name).filter { $0 != name }).map { "; did you mean \($0)?" }
            options.notice("no worker offers the loader \(name) now\(nearest ?? "")")
        }
    }
}

/// `gantry loader resume`: its jobs are granted again.
struct LoaderResume: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Give jobs of a paused loader to workers again.",
        discussion: """
            The pause of all loaders, that of a group and that of a single loader are apart: --all and --group end that one only.

            Example: gantry loader resume sleep
            """)

    @OptionGroup var target: PauseArgument
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, target) = (options, try target.value())
        if let fault = target.fault { throw ValidationError(fault) }
        try await options.withClient("loader resume") { client in
            try await options.end(target, client, listedBy: target.group.isEmpty ? "gantry loader list" : "gantry status")
        }
    }
}

extension GantryClient {
    /// All loaders, as topics tell of them.
    fileprivate func loaders() async throws -> [ShownLoader] {
        let (workers, pauses) = (try await current(.workers).workers, try await current(.pauses).pauses)
        return ShownLoader.all(offeredBy: workers, paused: pauses, waiting: try await current(.jobs).counts)
    }
}

extension [ShownLoader] {
    /// Whether a worker offers a loader.
    fileprivate func isOffered(_ name: String) -> Bool { contains { $0.name == name && $0.workers > 0 } }
}

/// What is paused, on the command line.
struct PauseArgument: ParsableArguments {
    @Argument(help: "The loader's name; none with --group and --all.") var loader: String?
    @Option(name: .long, help: "The loaders of a group of the configuration, and the loads of its feeds.") var group: String?
    @Flag(name: .long, help: "All loaders, those of feeds too.") var all = false

    /// What is meant.
    /// - Throws: `ValidationError` for none and for several.
    func value() throws -> PauseTarget {
        switch (loader, group, all) {
        case (let name?, nil, false) where !name.isEmpty: return .loader(name)
        case (nil, let name?, false) where !name.isEmpty: return .group(name)
        case (nil, nil, true): return .everything
        case (nil, nil, false): throw ValidationError("name a loader, or say --group NAME or --all")
        default: throw ValidationError("give exactly one: a loader, --group NAME or --all")
        }
    }
}

/// How long a pause lasts, and why it is.
struct PauseTerms: ParsableArguments {
    @Option(name: .customLong("for"), help: "How long, for example 90s or 2h; at most 365d.", transform: { try TimeLimit(argument: $0) })
    var length: TimeLimit?
    @Option(name: .long, help: "The reason, for whoever looks why a job waits; at most 256 bytes.")
    var reason = ""

    /// Looks at a pause of that target before the front is asked.
    /// - Throws: `ValidationError` for one that cannot be.
    func check(_ target: PauseTarget) throws {
        if let fault = PauseRequest.begin(target, reason: reason, length: length?.duration).fault { throw ValidationError(fault) }
    }

    /// Begins it, and prints it.
    func begin(_ target: PauseTarget, _ client: GantryClient, _ options: FrontOptions) async throws {
        try await client.pause(target, reason: reason, for: length?.duration)
        let pause = try await client.current(.pauses).pauses.first { $0.target == target }
        let shown = pause ?? Pause(target, by: "", reason: reason, since: WallTime(milliseconds: 0))
        try options.show(shown.json.text, shown.line)
    }
}

extension FrontOptions {
    /// Ends a pause, and says so.
    func end(_ target: PauseTarget, _ client: GantryClient, listedBy list: String) async throws {
        try await CommandFailure.ofUnknown(listedBy: list) { try await client.resume(target) }
        func name(_ text: String) -> JSONValue? { text.isEmpty ? nil : .string(text) }
        let value = JSONValue.object(
            ("loader", name(target.loader)), ("group", name(target.group)), ("worker", name(target.worker)),
            ("state", .string("resumed")))
        try show(value.text, "\(target): resumed")
    }
}
