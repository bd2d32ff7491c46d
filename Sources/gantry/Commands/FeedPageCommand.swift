//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed page`: prints items; nothing but these few is read from the cache.
struct FeedPageCommand: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "page", abstract: "Read items of a feed in the order of a view.",
        discussion: "Example: gantry feed page products --offset 0 --limit 10")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var view: ViewArguments

    @Option(name: .long, parsing: .unconditional, help: "Position of the first item, from 0.")
    var offset: UInt64 = 0

    @Option(name: .long, parsing: .unconditional, help: "How many items at most, 1 to 1,000.")
    var limit: UInt32 = 20

    /// How wide a table is that no terminal shows.
    private static let tableColumns = 1_000

    func run() async throws {
        let (options, key, name, offset, limit) = (options, try feed.key(), try view.name(), offset, limit)
        try Self.check("--limit", limit, 1...1_000)
        try await options.withClient("feed page") { client in
            let page = try await client.page(of: key, view: name, offset: offset, limit: limit)
            let items = page.itemLines
            let range = items.isEmpty ? "no items" : "items \(offset + 1) to \(offset + UInt64(items.count))"
            options.notice("\(page.feed)/\(name): \(range) of \(page.itemCount)")
            guard !items.isEmpty || options.printing.output == .json else { return }
            // Into a pipe go the items as they are, unless a table is asked for by name.
            let columns = options.printing.columns ?? (options.printing.named == .table ? Self.tableColumns : nil)
            let people = columns.map { (table: ItemTable(items), columns: $0) }
            let table = people.map { $0.table.text(columns: $0.columns) } ?? items.joined(separator: "\n")
            try options.show(items: items, json: page.json.text, table: table)
            let hidden = people.map { $0.table.hiddenCount(columns: $0.columns) } ?? 0
            if hidden > 0 { options.notice("\(counted(hidden, "column")) more: --output json") }
        }
    }
}
