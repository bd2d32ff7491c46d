//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import StateFormatting

/// `gantry feed`: everything that is done with feeds.
struct FeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "Load, show, sort, filter and edit feeds.",
        discussion: "Example: gantry feed load products --param category=electronics",
        subcommands: [
            FeedLoadCommand.self, FeedRefresh.self, FeedList.self, FeedShow.self, FeedItemsCommand.self, FeedSort.self, FeedFilter.self,
            FeedSelect.self, FeedCreate.self, FeedUpdate.self, FeedCancel.self, FeedReset.self, FeedRetry.self, FeedAttach.self,
            FeedDetach.self,
        ])
}

/// `gantry feed load`: asks the source and waits for the outcome.
struct FeedLoadCommand: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Load a feed from its source, or join the load that is under way.",
        discussion: "Example: gantry feed load products --param category=electronics")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var waiting: WaitOptions

    func run() async throws {
        let (options, key, noWait) = (options, try feed.key(), waiting.noWait)
        try await options.withClient("feed load", leaving: .stoppedWaiting(for: key)) { client in
            let answer = try await client.load(key)
            try await FeedFollowing(client: client, options: options).finishLoad(answer, "loaded", noWait: noWait)
        }
    }
}

/// `gantry feed refresh`: asks the source again and waits for the outcome.
struct FeedRefresh: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Load a feed from its source again; an editable feed keeps the items that people added or changed.",
        discussion: "Example: gantry feed refresh todos")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var waiting: WaitOptions

    func run() async throws {
        let (options, key, noWait) = (options, try feed.key(), waiting.noWait)
        try await options.withClient("feed refresh", leaving: .stoppedWaiting(for: key)) { client in
            let answer = try await client.refresh(key)
            try await FeedFollowing(client: client, options: options).finishLoad(answer, "refreshed", noWait: noWait)
        }
    }
}

/// `gantry feed create`: the front serializes edits; the item's id is made by the job.
struct FeedCreate: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Append an item to an editable feed.",
        discussion: "Example: gantry feed create todos --item '{\"title\":\"buy milk\"}'")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var waiting: WaitOptions

    @Option(name: .long, help: "The item as JSON text; - reads it from standard input.")
    var item: String

    func run() async throws {
        let (options, key, item, noWait) = (options, try feed.key(), try ItemText.bytes(item), waiting.noWait)
        try await options.withClient("feed create") { client in
            let answer = try await client.create(key, item: item)
            try await FeedFollowing(client: client, options: options).finish(answer, nil, noWait: noWait)
        }
    }
}

/// `gantry feed update`: an item changed by hand keeps the hand's version over a refresh.
struct FeedUpdate: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Replace an item of an editable feed.",
        discussion: "Example: gantry feed update todos 3 --item '{\"title\":\"buy bread\"}'")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var waiting: WaitOptions

    @Argument(help: "The item's id.")
    var id: String

    @Option(name: .long, help: "The item as JSON text; - reads it from standard input.")
    var item: String

    func run() async throws {
        let (options, key, id, item, noWait) = (options, try feed.key(), id, try ItemText.bytes(item), waiting.noWait)
        try await options.withClient("feed update") { client in
            let answer = try await client.update(key, itemID: id, item: item)
            try await FeedFollowing(client: client, options: options).finish(answer, nil, noWait: noWait)
        }
    }
}

/// `gantry feed cancel`: waits until the work has really ended.
struct FeedCancel: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel the load that is in progress for a feed, for everybody.",
        discussion: "Example: gantry feed cancel products")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var waiting: WaitOptions

    func run() async throws {
        let (options, key, noWait) = (options, try feed.key(), waiting.noWait)
        try await options.withClient("feed cancel") { client in
            guard let answer = try await client.cancelLoad(of: key) else {
                throw CommandFailure(
                    .notFound, code: .notFound, message: "nothing is in progress for \(key)",
                    nextStep: "gantry feed show \(key.shellWord)")
            }
            try await JobCancelling(client: client, options: options).follow(answer, noWait: noWait)
        }
    }
}

/// `gantry feed reset`: the feed is then as if nobody had touched it.
struct FeedReset: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Cancel what runs and forget content, failure and selection.",
        discussion: """
            Where people have added or changed items, nothing is reset without --drop-manual: no load brings those items back.

            Example: gantry feed reset products
            """)

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @Flag(name: .long, help: "Also drop the items that people added or changed.")
    var dropManual = false

    func run() async throws {
        let (options, key, dropsManual) = (options, try feed.key(), dropManual)
        try await options.withClient("feed reset") { client in
            let manual = try await ManualItems(of: key, mayBeUnknown: dropsManual, client)
            if !dropsManual, let refusal = manual.refusal { throw refusal }
            // What was saved since it was looked at, or is being saved, is dropped by nobody who has not said so.
            let answer = try await client.reset(key, version: dropsManual ? nil : manual.version)
            try await FeedFollowing(client: client, options: options).finish(answer, "reset", noWait: false, dropped: manual)
        }
    }
}

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
    @Option(name: .long, help: "The failure's number, the id of the failed job; default: the failure that the feed or the view shows.")
    var failure: UInt64?
    @OptionGroup var waiting: WaitOptions

    func run() async throws {
        let (options, key, name, named, noWait) = (options, try feed.key(), try view.name(), failure.map { FailureID($0) }, waiting.noWait)
        try await options.withClient("feed retry") { client in
            let failure: FailureID
            if let named { failure = named } else { failure = try await shown(client, key, name) }
            let answer = try await client.retry(key, view: name, failure: failure)
            try await FeedFollowing(client: client, options: options).finish(answer, nil, noWait: noWait)
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
