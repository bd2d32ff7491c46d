//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

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
            try await FeedWork(client: client, options: options).finishView(answer, name) { $0.sort == order }
        }
    }
}
