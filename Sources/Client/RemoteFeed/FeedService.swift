//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What a remote feed needs of a client.
protocol FeedService: Sendable {
    /// The feed by the key under which the front knows it, so that all who are there count as one, however they wrote it.
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
    /// One more wishes that the feed be kept; returns when the front knows.
    @MainActor func enter(_ place: FeedAttachments.Place) async throws(ClientError)
    /// One less wishes it.
    @MainActor func leave(_ place: FeedAttachments.Place)
}
