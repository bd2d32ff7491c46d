//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed attach`: a feed with loadOnAppear loads at its first attachment.
struct FeedAttach: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach", abstract: "Keep a feed loaded until Ctrl-C, and print its changes.",
        discussion: "Example: gantry feed attach products --timeout 60s")

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
