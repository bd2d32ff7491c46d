//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed select`: everybody who looks at the view sees the same selection.
struct FeedSelect: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "select", abstract: "Select an item of a view and load its detail, or deselect with --none.",
        discussion: "Example: gantry feed select products 3")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var view: ViewArguments

    @Argument(help: "The item's id.")
    var item: String?

    @Flag(name: .long, help: "Select nothing.")
    var none = false

    func run() async throws {
        guard (item == nil) == none else { throw ValidationError("give either an item's id or --none") }
        let (options, key, name, item) = (options, try feed.key(), try view.name(), item)
        try await options.withClient("feed select") { client in
            let answer = try await client.select(key, view: name, itemID: item)
            try await FeedWork(client: client, options: options).finishView(answer, name)
        }
    }
}
