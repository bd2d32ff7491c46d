//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed reset`: the feed is then as if nobody had touched it.
struct FeedReset: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Cancel what runs and forget content, failure and selection.",
        discussion: "Example: gantry feed reset products")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, key) = (options, try feed.key())
        try await options.withClient("feed reset") { client in
            let answer = try await client.reset(key)
            try await FeedWork(client: client, options: options).finish(answer, "reset", noWait: false)
        }
    }
}
