//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import StateFormatting

/// `gantry feed show`: prints what there is, what is being done, what went wrong.
struct FeedShow: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the state of a feed and of one of its views.",
        discussion: "Example: gantry feed show products --output json")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var view: ViewArguments

    func run() async throws {
        let (options, key, name) = (options, try feed.key(), try view.name())
        try await options.withClient("feed show") { client in
            let state = try await client.current(.feed(key))
            let place = state.feedKey ?? key
            guard let feed = state.feed else {
                throw CommandFailure(
                    .notFound, code: .notFound, message: "feed \(place) is not live", nextStep: "gantry feed load \(place.shellWord)")
            }
            let view = try await client.current(.view(place, name)).view
            var shown = ShownFeed(feed, progress: state.progress)
            shown.view = view
            var text = "\(place): \(feed.line(progress: state.progress)), \(state.place(isShort: options.printing.columns != nil))"
            if let view { text += "\n\(place)/\(name): \(view.line)" }
            try options.show(shown.json.text, text)
        }
    }
}

/// `gantry feed list`: live are feeds that somebody has touched.
struct FeedList: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the live feeds.",
        discussion: "Example: gantry feed list --output json")

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let options = options
        try await options.withClient("feed list") { client in
            let feeds = try await client.listFeeds()
            var table = TextTable("feed", "state")
            // A terminal would cut the reason of a failure: there it stands below.
            let isShort = options.printing.columns != nil
            for feed in feeds {
                table.add(feed.key.text, isShort ? feed.shortLine() : feed.line(), note: isShort ? feed.failure?.text : nil)
            }
            let shown = feeds.map { $0.json() }
            try options.show(
                items: shown.map(\.text), json: JSONValue.feeds(feeds).text, table: table.text(columns: options.printing.columns))
        }
    }
}

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

/// `gantry feed attach`: a feed with loadOnAppear loads at its first attachment.
struct FeedAttach: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach", abstract: "Keep a feed loaded until Ctrl-C, and print its changes.",
        discussion: "Example: gantry feed attach products --timeout 60s")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var view: ViewArguments

    func run() async throws {
        let (options, key, name) = (options, try feed.key(), try view.name())
        try await options.withClient("feed attach", leaving: .stoppedWatching) { client in
            let place = try await client.attach(key, view: name).feed
            // To keep a feed loaded means to load it again where the last load failed.
            if let feed = try await client.current(.feed(place)).feed, let failure = feed.failure, feed.activity == .idle {
                _ = try await client.retry(place, view: name, failure: failure.id)
            }
            try await Watching(options: options, goal: nil, count: nil).run(client, [.feed(place), .view(place, name)])
        }
    }
}
