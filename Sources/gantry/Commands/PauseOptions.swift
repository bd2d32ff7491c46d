//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import StateFormatting

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
