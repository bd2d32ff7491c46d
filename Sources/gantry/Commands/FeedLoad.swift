//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed load`: asks the source and waits for the outcome.
struct FeedLoad: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Load a feed from its source, or join the load that is under way.",
        discussion: "Example: gantry feed load products --param category=electronics")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @Flag(name: .long, help: "Print the job's id once it is durable and do not wait.")
    var noWait = false

    func run() async throws {
        let (options, key, noWait) = (options, try feed.key(), noWait)
        try await options.withClient("feed load", leaving: .stoppedWaiting(for: key)) { client in
            let answer = try await client.load(key)
            try await FeedWork(client: client, options: options).finishLoad(answer, "loaded", noWait: noWait)
        }
    }
}
