//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Loading
import Synchronization
import TestSupport

@testable import GantryClient

/// A front as remote feeds see it, without any transport: requests wait until the test answers them.
final class ScriptedFeedService: FeedService {
    struct Script {
        var requests: [RemoteFeedCall.Kind] = []
        var attachments = 0
        var reads: [PageTarget] = []
        var cancelled: [FeedKey] = []
        /// The load that the front has under way.
        var load: JobID?
        var placeError: ClientError?
        var pageError: ClientError?
        var answer: Result<FeedAnswer, ClientError> = .success(
            FeedAnswer(job: JobID(4), joined: false, version: nil, feed: .named("products")))
        var topics: [Topic] = []
        var places: [FeedAttachments.Place] = []
    }

    let script = Mutex(Script())
    let key = FeedKey.named("products")
    /// Anything that was asked of the service.
    let asked = StateRelay(0)
    private let feeds: StateRelay<TopicState>
    private let views: StateRelay<TopicState>
    private let jobs = StateRelay<JobSummary?>(nil)

    init() {
        feeds = StateRelay(TopicState(topic: .feed(key)))
        views = StateRelay(TopicState(topic: .view(key, "shared")))
        put(FeedState(key: key), ViewState(name: "shared"))
    }

    /// Publishes a state of the feed and of its view, a verified one unless told otherwise.
    func put(_ feed: FeedState, _ view: ViewState, _ progress: JobProgress? = nil, isVerified: Bool = true) {
        var state = TopicState(topic: .view(key, "shared"))
        (state.isVerified, state.isLoaded, state.front, state.epoch) = (isVerified, true, FrontID(7), Epoch(1))
        state.items = ["view": .view(view)]
        views.update(state)
        state = TopicState(topic: .feed(key))
        (state.isVerified, state.isLoaded, state.front, state.epoch) = (isVerified, true, FrontID(7), Epoch(1))
        state.items = ["feed": .feed(feed)]
        if let progress { state.items["progress"] = .progress(JobID(4), progress) }
        feeds.update(state)
    }

    /// Ends the job that loads wait for, with a content of that version or a failure.
    func end(_ number: UInt64, failure: Failure? = nil) {
        var world = FeedWorld()
        if let failure { world.feed.failure = failure } else { world.setContent(number) }
        put(world.feed, world.view)
        note(number, failure == nil ? .succeeded : .failed)
    }

    /// Somebody has cancelled the job that loads wait for.
    func endCancelled(_ number: UInt64) {
        put(FeedState(key: key), ViewState(name: "shared"))
        note(number, .cancelled)
    }

    /// A job has ended, and the topics do not say so.
    func note(_ number: UInt64, _ state: JobState) {
        jobs.update(JobSummary(id: JobID(number), loader: "http", state: state, acceptedAt: WallTime(milliseconds: Int64(number))))
    }

    /// Returns when what was asked meets a condition.
    func when(_ condition: @Sendable (Script) -> Bool) async {
        for await _ in asked.stream where condition(script.withLock { $0 }) { return }
    }

    private func note(_ change: (inout Script) -> Void) {
        script.withLock { change(&$0) }
        asked.update(asked.currentValue + 1)
    }

    func place(_ key: FeedKey, _ view: String) async throws(ClientError) -> FeedAttachments.Place {
        if let error = script.withLock({ $0.placeError }) { throw error }
        return FeedAttachments.Place(key: self.key, view: view)
    }

    func request(_ kind: RemoteFeedCall.Kind, _ key: FeedKey) async throws(ClientError) -> FeedAnswer {
        note { $0.requests.append(kind) }
        return try script.withLock { $0.answer }.get()
    }

    func end(of job: JobID) async throws(ClientError) -> JobSummary? {
        for await ended in jobs.stream { if let ended, ended.id >= job { return ended } }
        throw ClientCalls.cancelled
    }

    func cancelLoad(of key: FeedKey) async throws(ClientError) -> CancelAnswer? {
        note { $0.cancelled.append(key) }
        return script.withLock { $0.load }.map { .requested($0) }
    }

    func read(_ target: PageTarget) async throws(ClientError) -> PageReply {
        note { $0.reads.append(target) }
        if let error = script.withLock({ $0.pageError }) { throw error }
        let items = (0..<target.revision.itemCount).map { Array("{\"id\":\"\($0)\"}".utf8) }
        return PageReply(number: 0, items: items, itemCount: target.revision.itemCount)
    }

    func states(of topic: Topic) -> any AsyncSequence<TopicState, Never> & Sendable {
        script.withLock { $0.topics.append(topic) }
        return if case .view = topic { views.stream } else { feeds.stream }
    }

    func enter(_ place: FeedAttachments.Place) async throws(ClientError) {
        note {
            $0.attachments += 1
            $0.places.append(place)
        }
    }

    func leave(_ place: FeedAttachments.Place) { note { $0.attachments -= 1 } }
}
