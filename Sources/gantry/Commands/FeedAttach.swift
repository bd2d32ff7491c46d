//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryClient
import GantryModel
import GantryPlatform
import GantrySettings
import StateFormatting

/// `gantry feed attach`: a feed with `load-on-attach` loads at its first attachment.
struct FeedAttach: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach", abstract: "Keep a feed loaded until Ctrl-C, and print its changes.",
        discussion: """
            A feed with load-on-attach stays loaded while this command runs. Ctrl-C, the end of --timeout or \
            `gantry feed detach` ends that.

            Example: gantry feed attach products --timeout 60s
            """)

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var view: ViewArguments

    func run() async throws {
        let (options, key, name) = (options, try feed.key(), try view.name())
        try await options.withClient("feed attach", leaving: .stoppedWatching) { client in
            let place = try await client.attach(key, view: name).feed
            // To keep a feed loaded means to load it again where the last load failed.
            if let feed = try await client.current(.feed(place)).feed, let failure = feed.failure, feed.activity == .idle {
                _ = try await client.retry(place, view: name, failure: failure.id)
            }
            try await Watching(options: options, goal: nil, count: nil).run(client, [.feed(place), .view(place, name)])
        }
    }
}

/// `gantry feed detach`: an attachment lives as long as the command that has made it, so that command is asked to end.
struct FeedDetach: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "detach", abstract: "End the `gantry feed attach` commands of a feed and view.",
        discussion: """
            It ends those of this user on this machine, as Ctrl-C would. Attachments of other programs stay.

            Example: gantry feed detach products
            """)

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var view: ViewArguments

    func run() async throws {
        let (options, key, name) = (options, try feed.key(), try view.name())
        let endpoints = try options.connection.place().endpoints
        try await options.withClient("feed detach") { client in
            // Its answer names the feed with the defaults of its parameters; this session has no attachment.
            let place = try await client.detach(key, view: name).feed
            var processes: [ProcessID] = []
            for command in AttachCommand.running() where command.view == name && command.requests == endpoints.requests {
                // One of a feed that this front does not have is another's.
                guard let other = try? await client.detach(command.feed, view: name).feed, other == place else { continue }
                processes.append(command.process)
            }
            guard !processes.isEmpty else {
                let words = place.shellWord + (name == ViewName.shared ? "" : " --view \(name)")
                throw CommandFailure(
                    .notFound, code: .notFound, message: "you have no `gantry feed attach \(words)` running on this machine",
                    nextStep: "gantry feed show \(place.shellWord)")
            }
            // One that has just ended needs no signal, and its number may be somebody else's by now.
            for process in processes where AttachCommand(process.rawValue) != nil { try? ProcessControl.send(.interrupt, to: process) }
            let shown = JSONValue.object(
                ("feed", .string(place.text)), ("view", .string(name)),
                ("processes", .array(processes.map { .count(UInt64($0.rawValue)) })))
            try options.show(shown.text, "\(place)/\(name): asked \(counted(processes.count, "command")) to end")
        }
    }
}

/// A `gantry feed attach` that runs on this machine, as its command line says.
private struct AttachCommand {
    let process: ProcessID
    let feed: FeedKey
    let view: String
    /// Where its front takes requests.
    let requests: String

    /// Those of processes that this user may look at.
    static func running() -> [AttachCommand] {
        let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int32($0) }
        return numbers.sorted().compactMap { AttachCommand($0) }
    }

    /// Whether a process runs this program, for this user and with this view of the file system.
    private static func isOfThisProgram(_ number: Int32) -> Bool {
        func link(_ name: String, of process: String) -> String? {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/\(name)")
        }
        let owner = try? DirectoryDescriptor(path: "/proc/\(number)").status().ownerID
        return owner == ProcessControl.userID
            && ["exe", "ns/mnt"].allSatisfy { name in link(name, of: "self").map { $0 == link(name, of: "\(number)") } ?? false }
    }

    init?(_ number: Int32) {
        // A signal goes to nobody else's process, to no other program, and to none that sees other files under the same paths.
        guard Self.isOfThisProgram(number) else { return nil }
        let words = HostInformation.commandLine(of: number)
        guard words.dropFirst().prefix(2).elementsEqual(["feed", "attach"]), let process = ProcessID(rawValue: number),
            let command = try? FeedAttach.parse(Array(words.dropFirst(3))), let feed = try? command.feed.key(),
            let view = try? command.view.name(), let environment = ProcessEnvironment.of(number)
        else { return nil }
        let options = command.options.connection
        let place = try? FrontPlace.find(
            connect: options.connect, data: options.places.data, config: options.places.config, environment: environment)
        guard let place else { return nil }
        (self.process, self.feed, self.view, requests) = (process, feed, view, place.endpoints.requests)
    }
}
