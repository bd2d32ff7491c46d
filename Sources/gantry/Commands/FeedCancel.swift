//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed cancel`: waits until the work has really ended.
struct FeedCancel: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel what is in progress for a feed, for everybody.",
        discussion: "Example: gantry feed cancel products")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @Flag(name: .long, help: "Print the job's id once it is durable and do not wait.")
    var noWait = false

    func run() async throws {
        let (options, key, noWait) = (options, try feed.key(), noWait)
        try await options.withClient("feed cancel") { client in
            let place = try await client.resolve(key)
            guard let job = try await client.current(.feed(place)).feed?.activity.job else {
                throw CommandFailure(
                    .notFound, code: "notFound", message: "nothing is in progress for \(place)",
                    nextStep: "gantry feed show \(place.shellWord)")
            }
            try await JobCancelling(client: client, options: options).cancel(job, noWait: noWait)
        }
    }
}
