//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What a remote feed needs of a client.
protocol FeedService: Sendable {
    /// The feed by the key under which the front knows it, so that all its users count as one, however they wrote the key.
    func place(_ key: FeedKey, _ view: String) async throws(ClientError) -> FeedAttachments.Place
    /// Asks for a load or a refresh; repeats what a lost session left open, because one key is never loaded twice at once.
    func request(_ kind: RemoteFeedCall.Kind, _ key: FeedKey) async throws(ClientError) -> FeedAnswer
    /// How a job ended; nil: the front does not know it any more.
    func end(of job: JobID) async throws(ClientError) -> JobSummary?
    /// Ends the load of a feed for everybody; nil: nothing is in progress for it.
    func cancelLoad(of key: FeedKey) async throws(ClientError) -> CancelAnswer?
    /// Reads a page.
    func read(_ target: PageTarget) async throws(ClientError) -> PageReply
    /// The states of a topic, those that are not verified too.
    func states(of topic: Topic) -> any AsyncSequence<TopicState, Never> & Sendable
    /// Adds a user of the feed; returns when the front knows.
    @MainActor func enter(_ place: FeedAttachments.Place) async throws(ClientError)
    /// Removes a user of the feed.
    @MainActor func leave(_ place: FeedAttachments.Place)
}

/// A client as remote feeds see it.
struct ClientFeedService: FeedService {
    let client: GantryClient

    func place(_ key: FeedKey, _ view: String) async throws(ClientError) -> FeedAttachments.Place {
        let limit = client.options.requestTimeout
        return try await client.withLimit(limit, awaiting: "what the front knows of \(key)") { client throws(ClientError) in
            for await state in client.observe(.feed(key)) {
                if let failure = state.failure { throw failure }
                if state.isLoaded { return FeedAttachments.Place(key: state.feedKey ?? key, view: view) }
            }
            throw Task.isCancelled ? ClientCalls.cancelled : SessionMachine.isClosed
        }
    }

    func request(_ kind: RemoteFeedCall.Kind, _ key: FeedKey) async throws(ClientError) -> FeedAnswer {
        while true {
            do throws(ClientError) {
                return kind == .refresh ? try await client.refresh(key) : try await client.load(key)
            } catch {
                guard error.code == .outcomeUnknown else { throw error }
            }
        }
    }

    func end(of job: JobID) async throws(ClientError) -> JobSummary? {
        do throws(ClientError) {
            return try await client.wait(for: job)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    func cancelLoad(of key: FeedKey) async throws(ClientError) -> CancelAnswer? { try await client.cancelLoad(of: key) }

    func read(_ target: PageTarget) async throws(ClientError) -> PageReply {
        try await client.page(by: target.revision, offset: target.offset, limit: target.limit)
    }

    func states(of topic: Topic) -> any AsyncSequence<TopicState, Never> & Sendable { client.observe(topic) }

    func enter(_ place: FeedAttachments.Place) async throws(ClientError) {
        try await client.attachments.enter(place) { [client] isPresent throws(ClientError) in
            if isPresent {
                _ = try await client.attach(place.key, view: place.view)
            } else {
                _ = try await client.detach(place.key, view: place.view)
            }
        }
    }

    func leave(_ place: FeedAttachments.Place) { client.attachments.leave(place) }
}
