//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed create`: the front serialises edits; the item's id is made by the job.
struct FeedCreate: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Append an item to an editable feed.",
        discussion: "Example: gantry feed create todos --item '{\"title\":\"buy milk\"}'")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @Flag(name: .long, help: "Print the job's id once it is durable and do not wait.")
    var noWait = false

    @Option(name: .long, help: "The item as JSON text; - reads it from standard input.")
    var item: String

    func run() async throws {
        let (options, key, item, noWait) = (options, try feed.key(), try ItemText.bytes(item), noWait)
        try await options.withClient("feed create") { client in
            let answer = try await client.create(key, item: item)
            try await FeedWork(client: client, options: options).finish(answer, nil, noWait: noWait)
        }
    }
}
