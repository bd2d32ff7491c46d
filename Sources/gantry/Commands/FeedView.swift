//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import StateFormatting

/// `gantry feed sort`: has the order made by a worker and waits for it.
struct FeedSort: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "sort", abstract: "Sort a view; --none restores the source order.",
        discussion: "Example: gantry feed sort products --by price --descending")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var view: ViewArguments

    @Option(name: .long, help: "The field: title, createdAt, dueAt, id or a configured one.")
    var by: String?

    @Flag(name: .long, help: "Largest first.")
    var descending = false

    @Flag(name: .long, help: "The source order.")
    var none = false

    func run() async throws {
        guard (by == nil) == none else { throw ValidationError("give either --by FIELD or --none") }
        let (options, key, name) = (options, try feed.key(), try view.name())
        let order = by.map { SortOrder(field: $0, ascending: !descending) }
        try await options.withClient("feed sort") { client in
            let answer = try await client.sort(key, view: name, by: order)
            try await FeedFollowing(client: client, options: options).finishView(answer, name) { $0.sort == order }
        }
    }
}

/// `gantry feed filter`: everybody who looks at the view sees the same items.
struct FeedFilter: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "filter", abstract: "Show only the items of a view that contain a text; --none shows all again.",
        discussion: """
            The title and the fields that are texts are searched; case does not matter.

            Example: gantry feed filter products jacket
            """)

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var view: ViewArguments

    @Argument(help: "The text, at most 256 bytes.")
    var text: String?

    @Flag(name: .long, help: "Show all items.")
    var none = false

    func run() async throws {
        guard (text == nil) == none, text != "" else { throw ValidationError("give either a text or --none") }
        let (options, key, name, text) = (options, try feed.key(), try view.name(), text ?? "")
        try await options.withClient("feed filter") { client in
            let answer = try await client.filter(key, view: name, text: text)
            try await FeedFollowing(client: client, options: options).finishView(answer, name, as: "filter") { $0.filter == text }
        }
    }
}

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
            try await FeedFollowing(client: client, options: options).finishView(answer, name, showsDetail: true)
        }
    }
}
