//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import StateFormatting

/// `gantry feed show`: prints what there is, what runs, what went wrong.
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
            var known = state.feed
            // One of the configuration that nobody has used has no state of its own yet, and stands in the list.
            if known == nil { known = try await client.listFeeds().first { $0.key == place } }
            guard let feed = known else {
                throw CommandFailure(
                    .notFound, code: .notFound, message: "feed \(place) is not loaded yet", nextStep: "gantry feed load \(place.shellWord)")
            }
            let view = try await client.current(.view(place, name)).view
            var shown = ShownFeed(feed, progress: state.progress)
            shown.view = view
            let isTerminal = options.printing.columns != nil
            var text = "\(place): \(feed.line(progress: state.progress))" + (isTerminal ? "" : ", \(state.place)")
            if let view { text += "\n\(place)/\(name): \(isTerminal ? view.resultLine : view.line)" }
            if isTerminal { text += "\n\(state.placeSentence)" }
            try options.show(shown.json.text, text)
        }
    }
}

/// `gantry feed list`: live feeds, which somebody has touched, and those that the configuration has beside them.
struct FeedList: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the feeds.",
        discussion: """
            Feeds of the configuration that nobody has loaded yet are idle and have no content. One that needs a parameter without a default is \
            listed once somebody has used it.

            Example: gantry feed list --output json
            """)

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let options = options
        try await options.withClient("feed list") { client in
            let feeds = try await client.listFeeds()
            var table = TextTable(["feed", "state"], narrowing: TextTable.Narrowing(foldsLast: true))
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

/// `gantry feed items`: nothing but these few is read from the cache.
struct FeedItemsCommand: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "items", abstract: "Print items of a feed as a view sorts and filters them.",
        discussion: """
            A terminal shows a table. Into a pipe or a file go the items as they are, as with --output jsonl, unless --output table asks \
            for one.

            Example: gantry feed items products --offset 0 --limit 10
            """)

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
        try await options.withClient("feed items") { client in
            let page: FeedPage
            do throws(ClientError) { page = try await client.page(of: key, view: name, offset: offset, limit: limit) } catch {
                guard error.code == ClientErrorCode(.storageFailed) else { throw error }
                throw CommandFailure(
                    .storageFailed, message: error.context, nextStep: CommandFailure.nextStep(afterDamageOf: key), isRetryable: true)
            }
            let items = page.itemLines
            options.notice("\(page.feed)/\(name): \(Self.range(of: page, offset: offset))")
            guard !items.isEmpty || options.printing.output == .json else { return }
            // Into a pipe go the items as they are, unless a table is asked for by name: an id is found by no other characters than its own.
            let columns = options.printing.columns ?? (options.printing.named == .table ? Self.tableColumns : nil)
            guard let columns else {
                return try options.printing.isJSON
                    ? options.show(items: items, json: page.json.text, table: "") : options.printing.lines(asTheyAre: items)
            }
            let table = ItemTable(items)
            try options.printing.line(table.text(columns: columns))
            let hidden = table.hiddenCount(columns: columns)
            if hidden > 0 {
                let sentence = hidden == 1 ? "1 column does not fit; see it" : "\(hidden) columns do not fit; see them"
                options.notice("\(sentence) with --output json")
            }
        }
    }

    /// Which items of the view these are, or why there are none.
    private static func range(of page: FeedPage, offset: UInt64) -> String {
        let count = page.items.count
        guard count == 0 else { return "items \(offset + 1) to \(offset + UInt64(count)) of \(page.itemCount)" }
        guard page.itemCount > 0 else { return "the view is empty" }
        return "offset \(offset) is past the end, the view has \(counted(page.itemCount, "item"))"
    }
}
