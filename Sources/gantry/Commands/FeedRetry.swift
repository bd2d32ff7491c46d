//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed retry`: repeats exactly the failure that everybody sees.
struct FeedRetry: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Repeat the last request of a feed that failed.",
        discussion: "Example: gantry feed retry products")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @Option(name: .long, help: "The view; shared is everybody's.")
    var view = "shared"
    @Flag(name: .long, help: "Print the job's id once it is durable and do not wait.")
    var noWait = false

    func run() async throws {
        let (options, key, name, noWait) = (options, try feed.key(), view, noWait)
        try await options.withClient("feed retry") { client in
            let place = try await client.resolve(key)
            var failure = try await client.current(.feed(place)).feed?.failure
            if failure == nil, let view = try await client.current(.view(place, name)).view {
                failure = view.failure
                if case .failed(let other) = view.detail { failure = other }
            }
            guard let failure else {
                throw CommandFailure(
                    .notFound, code: "notFound", message: "nothing of \(place) has failed", nextStep: "gantry feed show \(place.name)")
            }
            let answer = try await client.retry(place, view: name, failure: failure.id)
            try await FeedWork(client: client, options: options, key: place).finish(answer, "loaded", noWait: noWait)
        }
    }
}
