//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed refresh`: asks the source again and waits for the outcome.
struct FeedRefresh: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Ask the source again; an editable feed keeps what was made by hand.",
        discussion: "Example: gantry feed refresh todos")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @Flag(name: .long, help: "Print the job's id once it is durable and do not wait.")
    var noWait = false

    func run() async throws {
        let (options, key, noWait) = (options, try feed.key(), noWait)
        try await options.withClient("feed refresh", leaving: .stoppedWaiting(for: key)) { client in
            let answer = try await client.refresh(key)
            try await FeedWork(client: client, options: options).finishLoad(answer, "refreshed", noWait: noWait)
        }
    }
}
