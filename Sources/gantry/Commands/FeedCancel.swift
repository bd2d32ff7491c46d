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
        commandName: "cancel", abstract: "Cancel the load that is in progress for a feed, for everybody.",
        discussion: "Example: gantry feed cancel products")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @Flag(name: .long, help: "Print the job's id once it is durable and do not wait.")
    var noWait = false

    func run() async throws {
        let (options, key, noWait) = (options, try feed.key(), noWait)
        try await options.withClient("feed cancel") { client in
            guard let answer = try await client.cancelLoad(of: key) else {
                throw CommandFailure(
                    .notFound, code: .notFound, message: "nothing is in progress for \(key)",
                    nextStep: "gantry feed show \(key.shellWord)")
            }
            try await JobCancelling(client: client, options: options).follow(answer, noWait: noWait)
        }
    }
}
