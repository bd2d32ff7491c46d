//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension GantryClient {
    /// Loads a feed from its source, or joins the load that is under way.
    public func load(_ key: FeedKey, timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await change(.load(key), timeout)
    }

    /// Asks the source again in the background.
    public func refresh(_ key: FeedKey, timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await change(.refresh(key), timeout)
    }

    /// Repeats the request that failed, if that failure is still the last one of the feed or of the view, or is a failed save's own.
    ///
    /// A failed save is repeated once: a second wish joins the job that repeats it, or is refused with what became of that job.
    public func retry(
        _ key: FeedKey, view: String = "shared", failure: FailureID, timeout: Duration? = nil
    ) async throws(ClientError) -> FeedAnswer {
        try await change(.retry(key, view: view, failure: failure), timeout)
    }

    /// Cancels what runs and forgets content, failure and selection.
    /// - Parameter version: only if the feed still has that content; nil: whatever it has.
    public func reset(_ key: FeedKey, version: ContentVersion? = nil, timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await change(.reset(key, version: version), timeout)
    }

    /// Appends an item (JSON text, at most 64 KiB) to an editable feed.
    public func create(_ key: FeedKey, item: [UInt8], timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await change(.create(key, item: item), timeout)
    }

    /// Replaces an item of an editable feed.
    public func update(_ key: FeedKey, itemID: String, item: [UInt8], timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await change(.update(key, itemID: itemID, item: item), timeout)
    }

    /// Orders a view; nil: the list's own order.
    /// - Parameter version: only if the view still has it; nil: whatever it has.
    public func sort(
        _ key: FeedKey, view: String = "shared", by order: SortOrder?, version: UInt64? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> FeedAnswer {
        try await change(.sort(key, view: view, order: order, version: version), timeout)
    }

    /// Filters a view by a text; empty: all items.
    public func filter(
        _ key: FeedKey, view: String = "shared", text: String, version: UInt64? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> FeedAnswer {
        try await change(.filter(key, view: view, text: text, version: version), timeout)
    }

    /// Selects an item of a view and loads its detail; nil: deselects.
    public func select(
        _ key: FeedKey, view: String = "shared", itemID: String?, version: UInt64? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> FeedAnswer {
        try await change(.select(key, view: view, itemID: itemID, version: version), timeout)
    }

    /// Wishes that a feed be loaded and kept; the client renews the wish until `detach` or `close`.
    public func attach(_ key: FeedKey, view: String = "shared", timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await change(.attach(key, view: view), timeout)
    }

    /// Ends the wish.
    public func detach(_ key: FeedKey, view: String = "shared", timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await change(.detach(key, view: view), timeout)
    }

    /// The live feeds by key; `timeout` is for each page of them.
    public func listFeeds(timeout: Duration? = nil) async throws(ClientError) -> [FeedState] {
        var feeds: [FeedState] = []
        var after: FeedKey?
        repeat {
            guard case .feeds(let page, let next) = try await request(.listFeeds(after: after), timeout: timeout) else {
                throw Self.unexpected
            }
            feeds += page
            after = next
        } while after != nil
        return feeds
    }

    /// The key under which the front knows a feed, with the defaults of its parameters filled in. It changes nothing that anybody sees.
    /// - Throws: `unknownFeed` and the like for a key that names none.
    public func resolve(_ key: FeedKey, timeout: Duration? = nil) async throws(ClientError) -> FeedKey {
        guard let resolved = try await exchange(.resolve(key), timeout).feed else { throw Self.unexpected }
        return resolved
    }

    private func change(_ body: RequestBody, _ timeout: Duration?) async throws(ClientError) -> FeedAnswer {
        let (reply, feed) = try await exchange(body, timeout)
        switch reply {
        case .accepted(let job, let joined): return FeedAnswer(job: job, joined: joined, version: nil, feed: feed)
        case .done(let version): return FeedAnswer(job: nil, joined: false, version: version, feed: feed)
        case .jobsAccepted, .cancelling, .alreadyEnded, .refused, .jobs, .explanation, .feeds: throw Self.unexpected
        }
    }
}
