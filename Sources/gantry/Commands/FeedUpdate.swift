//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed update`: an item changed by hand keeps the hand's version over a refresh.
struct FeedUpdate: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Replace an item of an editable feed.",
        discussion: "Example: gantry feed update todos 3 --item '{\"title\":\"buy bread\"}'")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @Flag(name: .long, help: "Print the job's id once it is durable and do not wait.")
    var noWait = false

    @Argument(help: "The item's id.")
    var id: String

    @Option(name: .long, help: "The item as JSON text; - reads it from standard input.")
    var item: String

    func run() async throws {
        let (options, key, id, item, noWait) = (options, try feed.key(), id, try ItemText.bytes(item), noWait)
        try await options.withClient("feed update") { client in
            let answer = try await client.update(key, itemID: id, item: item)
            try await FeedWork(client: client, options: options).finish(answer, nil, noWait: noWait)
        }
    }
}
