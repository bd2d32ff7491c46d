//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed retry`: repeats exactly the failure that everybody sees, or a failed save that only its asker was told of.
struct FeedRetry: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Repeat the last request of a feed that failed.",
        discussion: """
            A create or update that failed is repeated by its --failure, once: two repetitions would make two items.

            Example: gantry feed retry products
            """)

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var view: ViewArguments
    @Option(name: .long, help: "The failure's number, which is that of the job that failed. Else what the feed or the view shows.")
    var failure: UInt64?
    @Flag(name: .long, help: "Print the job's id once it is durable and do not wait.")
    var noWait = false

    func run() async throws {
        let (options, key, name, named, noWait) = (options, try feed.key(), try view.name(), failure.map { FailureID($0) }, noWait)
        try await options.withClient("feed retry") { client in
            let failure: FailureID
            if let named { failure = named } else { failure = try await shown(client, key, name) }
            let answer = try await client.retry(key, view: name, failure: failure)
            try await FeedWork(client: client, options: options).finish(answer, nil, noWait: noWait)
        }
    }

    /// The failure that everybody sees.
    private func shown(_ client: GantryClient, _ key: FeedKey, _ name: String) async throws -> FailureID {
        let state = try await client.current(.feed(key))
        if let failure = state.feed?.failure { return failure.id }
        let place = state.feedKey ?? key
        let view = try await client.current(.view(place, name)).view
        if case .failed(let failure)? = view?.detail { return failure.id }
        if let failure = view?.failure { return failure.id }
        throw CommandFailure(
            .notFound, code: .notFound, message: "\(place) has no failure to retry",
            nextStep: "gantry feed show \(place.name), or name a failed save with --failure")
    }
}
