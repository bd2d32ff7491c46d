//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel

extension GantryClient {
    /// Loads a feed from its source, or joins the load that is under way.
    public func load(_ key: FeedKey, timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await ask(.change(.feed(key, .load)), timeout)
    }

    /// Asks the source again in the background.
    public func refresh(_ key: FeedKey, timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await ask(.change(.feed(key, .refresh)), timeout)
    }

    /// Repeats the request that failed, if that failure is still the last one of the feed or of the view, or is a failed save's own.
    ///
    /// A failed save is repeated once: a second request joins the job that repeats it, or is refused with what became of that job.
    public func retry(
        _ key: FeedKey, view: String = ViewName.shared, failure: FailureID, timeout: Duration? = nil
    ) async throws(ClientError) -> FeedAnswer {
        try await ask(.change(.feed(key, .retry(view: view, failure: failure))), timeout)
    }

    /// Cancels what runs and forgets content, failure and selection.
    /// - Parameter version: only if the feed still has that content; nil: whatever it has.
    public func reset(_ key: FeedKey, version: ContentVersion? = nil, timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await ask(.change(.feed(key, .reset(version: version))), timeout)
    }

    /// Ends the newest accepted load of a feed for everybody, also one that has begun since its state was looked at; never a sort, a selection
    /// or a save.
    /// - Parameter job: the one that it has to be, otherwise nothing changes; nil: whatever load it is.
    /// - Returns: the job that is cancelled, or how `job` had ended; nil when nothing is in progress for the feed.
    public func cancelLoad(
        of key: FeedKey, only job: JobID? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> CancelAnswer? {
        do throws(ClientError) {
            return try await ask(.cancelLoad(key, only: job), timeout)
        } catch {
            guard job == nil, error.code == ClientErrorCode(.unknownItem) else { throw error }
            return nil
        }
    }

    /// Appends an item (JSON text, at most 64 KiB) to an editable feed.
    public func create(_ key: FeedKey, item: [UInt8], timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await ask(.change(.feed(key, .create(item: item))), timeout)
    }

    /// Replaces an item of an editable feed.
    public func update(_ key: FeedKey, itemID: String, item: [UInt8], timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await ask(.change(.feed(key, .update(itemID: itemID, item: item))), timeout)
    }

    /// Orders a view; nil: the list's own order.
    /// - Parameter version: only if the view still has it; nil: whatever it has.
    public func sort(
        _ key: FeedKey, view: String = ViewName.shared, by order: SortOrder?, version: UInt64? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> FeedAnswer {
        try await ask(.change(.feed(key, .sort(view: view, order: order, version: version))), timeout)
    }

    /// Filters a view by a text; empty: all items.
    public func filter(
        _ key: FeedKey, view: String = ViewName.shared, text: String, version: UInt64? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> FeedAnswer {
        try await ask(.change(.feed(key, .filter(view: view, text: text, version: version))), timeout)
    }

    /// Selects an item of a view and loads its detail; nil: deselects.
    public func select(
        _ key: FeedKey, view: String = ViewName.shared, itemID: String?, version: UInt64? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> FeedAnswer {
        try await ask(.change(.feed(key, .select(view: view, itemID: itemID, version: version))), timeout)
    }

    /// Asks that a feed be loaded and kept; the client renews the interest until `detach` or `close`.
    public func attach(_ key: FeedKey, view: String = ViewName.shared, timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await ask(.change(.feed(key, .attach(view: view))), timeout)
    }

    /// Ends the interest.
    public func detach(_ key: FeedKey, view: String = ViewName.shared, timeout: Duration? = nil) async throws(ClientError) -> FeedAnswer {
        try await ask(.change(.feed(key, .detach(view: view))), timeout)
    }

    /// The feeds by key: live ones, and those of the configuration that nobody uses, idle and without content. One that needs a parameter without
    /// a default is there once somebody uses it. `timeout` is for each page of them.
    public func listFeeds(timeout: Duration? = nil) async throws(ClientError) -> [FeedState] {
        var feeds: [FeedState] = []
        var after: FeedKey?
        repeat {
            let page = try await ask(.feeds(after: after), timeout)
            feeds += page.feeds
            after = page.next
        } while after != nil
        return feeds
    }
}

/// What became of a request about a feed.
public struct FeedAnswer: Hashable, Sendable {
    /// The job that does the work; nil when all was done at once.
    public var job: JobID?
    /// Whether the job had been asked for by somebody else before.
    public var joined: Bool
    /// The version of the target when all was done at once.
    public var version: UInt64?
    /// The feed's key as the front knows it, with the defaults of its parameters filled in.
    public var feed: FeedKey
}

/// The feeds that remote feeds of one client are attached to. Several of them at one place are one attachment of the session, which ends
/// with the last of them.
@MainActor
final class FeedAttachments {
    /// A feed and a view of it.
    struct Place: Hashable, Sendable {
        let key: FeedKey
        let view: String
    }

    /// Attaches (true) or detaches (false).
    typealias Send = @Sendable (Bool) async throws(ClientError) -> Void

    private struct AttachmentCount {
        var count = 0
        /// What was last sent to the front.
        var isAttached = false
        /// The request that is under way.
        var notifying: Task<Result<Void, ClientError>, Never>?
        let send: Send
    }

    private var attachments: [Place: AttachmentCount] = [:]

    nonisolated init() {}

    /// How many are at a place.
    func count(at place: Place) -> Int { attachments[place]?.count ?? 0 }

    /// One more is there. Returns when the front knows of somebody there.
    func enter(_ place: Place, _ send: @escaping Send) async throws(ClientError) {
        attachments[place, default: AttachmentCount(send: send)].count += 1
        guard let notifying = notify(place) else { return }
        try await notifying.value.get()
    }

    /// One less is there.
    func leave(_ place: Place) {
        attachments[place]?.count -= 1
        _ = notify(place)
    }

    /// Sends requests until the front has the present state; one at a time, so that none overtakes another.
    private func notify(_ place: Place) -> Task<Result<Void, ClientError>, Never>? {
        guard let attachmentCount = attachments[place] else { return nil }
        if let notifying = attachmentCount.notifying { return notifying }
        guard (attachmentCount.count > 0) != attachmentCount.isAttached else { return nil }
        let notifying = Task { await self.notifyAll(place) }
        attachments[place]?.notifying = notifying
        return notifying
    }

    private func notifyAll(_ place: Place) async -> Result<Void, ClientError> {
        var result: Result<Void, ClientError> = .success(())
        while let attachmentCount = attachments[place], (attachmentCount.count > 0) != attachmentCount.isAttached {
            let isPresent = attachmentCount.count > 0
            do throws(ClientError) {
                try await attachmentCount.send(isPresent)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            // A detach without an answer is over too: the session itself keeps no attachment any more.
            if case .failure = result, isPresent { break }
            attachments[place]?.isAttached = isPresent
        }
        attachments[place]?.notifying = nil
        if attachments[place]?.count == 0, attachments[place]?.isAttached == false { attachments[place] = nil }
        return result
    }
}
