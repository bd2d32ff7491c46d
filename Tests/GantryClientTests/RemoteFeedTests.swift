//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import GantryModel
import Loading
import Observation
import Synchronization
import TestSupport
import Testing

@testable import GantryClient

@MainActor
@Suite("A feed of a front as a loader", .timeLimit(.minutes(5)))
struct RemoteFeedTests {
    private struct Misfit: Error, Equatable { let count: Int }

    private let service = ScriptedFeedService()
    private let clock = ManualClock()
    private let flaw = Failure(id: FailureID(4), code: .httpStatus, text: "status 503", retryable: true, attempts: 1)

    private func make() -> RemoteFeed<Int> {
        RemoteFeed(service, service.key, view: "shared", limit: 50, clock: clock) { $0.items.count }
    }

    /// Returns when an observer has seen the state.
    private func sees<L: Loadable>(_ loader: L, _ condition: (LoadingState<L.Value>) -> Bool) async {
        for await state in loader.state where condition(state) { return }
    }

    @Test("load attaches, asks, and returns when the page is shown")
    func load() async {
        let feed = make()
        let load = Task { await feed.load() }
        await service.when { $0.requests == [.load] && $0.attachments == 1 }
        #expect(feed.currentState == .loading(nil))
        service.end(4)
        await load.value
        #expect(feed.currentState == .loaded(4))
        #expect(feed.itemCount == 4)
    }

    @Test("attach shows the feed without asking for a load; cancelForEveryone ends whatever load the front has by now")
    func attach() async throws {
        let feed = make()
        #expect(try await feed.cancelForEveryone() == nil)
        var world = FeedWorld()
        world.feed.activity = .loading(JobID(9), cause: .asked, attempt: 1)
        service.put(world.feed, world.view)
        await feed.attach()
        #expect(feed.currentState == .loading(nil))
        // Another load has taken its place since the feed was shown.
        service.script.withLock { $0.load = JobID(10) }
        #expect(try await feed.cancelForEveryone() == .requested(JobID(10)))
        service.script.withLock { script in
            #expect(script.requests.isEmpty)
            #expect(script.cancelled == [service.key, service.key])
        }
    }

    @Test("cancel takes this loader away: calls return, it detaches, observers are not left at loading, nothing starts until reset")
    func cancel() async {
        let feed = make()
        let load = Task { await feed.load() }
        await service.when { $0.attachments == 1 && $0.requests.count == 1 }
        feed.cancel()
        await load.value
        await sees(feed) { $0 == .idle }
        #expect(feed.isCanceled)
        await feed.load()
        await service.when { $0.attachments == 0 && $0.requests.count == 1 && $0.cancelled.isEmpty }
        feed.reset()
        let again = Task { await feed.load() }
        await service.when { $0.attachments == 1 }
        service.end(4)
        await again.value
        #expect(feed.currentState == .loaded(4))
    }

    @Test("reset drops what comes late")
    func reset() async {
        let feed = make()
        let load = Task { await feed.load() }
        await service.when { $0.attachments == 1 }
        feed.reset()
        await load.value
        service.end(4)
        await service.when { $0.attachments == 0 }
        #expect(feed.currentState == .idle)
        #expect(service.script.withLock { $0.reads.isEmpty })
    }

    @Test("cancelling the caller takes the loader away: before the start, and while it waits")
    func callerCancellation() async {
        let feed = make()
        let early = Task { await feed.load() }
        early.cancel()
        await early.value
        let waiting = Task { await feed.load() }
        await service.when { $0.attachments == 1 }
        waiting.cancel()
        await waiting.value
        await service.when { $0.attachments == 0 && $0.requests.count == 1 && $0.cancelled.isEmpty }
        #expect(feed.currentState == .idle)
        #expect(!feed.isCanceled)
    }

    @Test("failures have types: of the front, of the client, of the value's closure")
    func failures() async {
        let feed = make()
        let load = Task { await feed.load() }
        await service.when { $0.attachments == 1 }
        service.end(4, failure: flaw)
        await load.value
        #expect((feed.currentState.error as? ClientError)?.code == ClientErrorCode(.httpStatus))
        #expect(feed.currentState.description == "status 503")

        service.script.withLock { $0.placeError = ClientError(.notConnected, "no front answered") }
        let absent = make()
        await absent.load()
        #expect((absent.currentState.error as? ClientError)?.code == .notConnected)
        service.script.withLock {
            $0.placeError = nil
            $0.answer = .success(FeedAnswer(job: JobID(5), joined: false, version: nil, feed: .named("products")))
        }

        let strict = RemoteFeed<Int>(service, service.key, view: "shared", limit: 50, clock: clock) { page in
            throw Misfit(count: page.items.count)
        }
        let decoding = Task { await strict.load() }
        await service.when { $0.attachments == 2 }
        service.end(5)
        await decoding.value
        #expect(strict.currentState.error as? Misfit == Misfit(count: 5))
    }

    @Test("the value is made off the main actor, so that a large page holds up nothing")
    func valueElsewhere() async {
        let mainActorIsFree = DispatchSemaphore(value: 0)
        let feed = RemoteFeed<Bool>(service, service.key, view: "shared", limit: 50, clock: clock) { _ in
            Task { @MainActor in mainActorIsFree.signal() }
            return mainActorIsFree.wait(timeout: .now() + 10) == .success
        }
        let load = Task { await feed.load() }
        await service.when { $0.attachments == 1 }
        service.end(4)
        await load.value
        #expect(feed.currentState == .loaded(true))
    }

    @Test("a loader that is cancelled by whom it tells that it loads leaves nobody at loading", arguments: [true, false])
    func reentrancy(resets: Bool) async {
        let feed = make()
        withObservationTracking {
            _ = feed.currentState
        } onChange: {
            // A change that this makes is told as well.
            MainActor.assumeIsolated {
                guard feed.currentState.isLoading else { return }
                if resets { feed.reset() } else { feed.cancel() }
            }
        }
        await feed.load()
        #expect(feed.currentState == .idle)
        #expect(feed.isCanceled == !resets)
        await sees(feed) { $0 == .idle }
        await service.when { $0.attachments == 0 }
    }

    @Test("a page that is gone is waited for; when the view names no other one it is a failure")
    func goneWithoutSuccessor() async {
        service.script.withLock { $0.pageError = ClientError(ClientErrorCode(.unknownItem), "the object is gone") }
        let feed = make()
        let load = Task { await feed.load() }
        await service.when { $0.attachments == 1 }
        service.end(4)
        await service.when { $0.reads.count == 1 }
        await clock.when { $0.contains(.seconds(2)) }
        #expect(feed.currentState == .loading(nil))
        service.script.withLock { $0.pageError = nil }
        service.end(5)
        await load.value
        #expect(feed.currentState == .loaded(5))
    }

    @Test("a loader that is let go of detaches")
    func end() async {
        var feed: RemoteFeed<Int>? = make()
        await feed?.attach()
        weak let gone = feed
        feed = nil
        #expect(gone == nil)
        await service.when { $0.attachments == 0 }
    }

    @Test("retry(feed): each attempt is a load of its own, and no failure in between is shown")
    func retry() async {
        let feed = make()
        let retryable = RetryableLoader(base: feed, maxAttempts: 2, clock: clock)
        let load = Task { await retryable.load() }
        await service.when { $0.requests.count == 1 && $0.attachments == 1 }
        service.end(4, failure: flaw)
        await sees(retryable) { $0 == .loading(LoadingProgress(message: "Retrying… (attempt 2 of 2)")) }
        service.script.withLock { $0.answer = .success(FeedAnswer(job: JobID(5), joined: false, version: nil, feed: .named("products"))) }
        await clock.whenAsleep(until: .seconds(1))
        clock.advance(by: .seconds(1))
        await service.when { $0.requests.count == 2 }
        service.end(5)
        await load.value
        #expect(retryable.currentState == .loaded(5))
    }

    @Test("retry(feed): a load that somebody cancels for everyone is no failure and is not retried")
    func cancelledForEveryone() async {
        let feed = make()
        let retryable = RetryableLoader(base: feed, maxAttempts: 3, clock: clock)
        let load = Task { await retryable.load() }
        await service.when { $0.requests.count == 1 && $0.attachments == 1 }
        await sees(retryable) { $0.isLoading }
        service.endCancelled(4)
        await load.value
        #expect(retryable.currentState == .idle)
        #expect(service.script.withLock { $0.requests.count } == 1)
        await sees(retryable) { $0 == .idle }
    }

    @Test("limit(feed): the permit covers the load until its outcome")
    func limit() async {
        let feed = make()
        let limited = ConcurrencyLimitingLoadable(wrapping: feed, concurrencyLimit: 1)
        let loads = [Task { await limited.load() }, Task { await limited.load() }]
        await service.when { $0.requests.count == 1 && $0.attachments == 1 }
        service.script.withLock { $0.answer = .success(FeedAnswer(job: JobID(5), joined: false, version: nil, feed: .named("products"))) }
        service.end(4)
        await service.when { $0.requests.count == 2 }
        #expect(limited.currentState.isLoading)
        service.end(5)
        for load in loads { await load.value }
        #expect(limited.currentState == .loaded(5))
    }

    @Test("debounce(feed): a burst is one request; reset ends it before it is sent")
    func debounce() async {
        let feed = make()
        let debounced = await DebouncingLoadable(wrapping: feed, clock: clock)
        for _ in 0..<3 { await debounced.load() }
        await clock.whenAsleep(1)
        debounced.reset()
        await clock.whenAsleep(0)
        for _ in 0..<3 { await debounced.load() }
        await clock.whenAsleep(1)
        clock.advance(by: .milliseconds(300))
        await service.when { $0.requests.count == 1 && $0.attachments == 1 }
        service.end(4)
        await sees(debounced) { $0 == .loaded(4) }
        #expect(service.script.withLock { $0.requests.count } == 1)
    }

    @Test("one view draws a local and a remote loader alike")
    func view() async {
        func draw(_ loader: some Loadable<Int>) -> [String] {
            ViewHost { LoadingView(loader: loader, loadOnAppear: false) { Text("\($0) items") } }.render()
        }
        let (feed, block) = (make(), BlockLoadable { 4 })
        #expect(draw(feed) == draw(block))
        let load = Task { await feed.load() }
        await service.when { $0.attachments == 1 }
        service.end(4)
        await load.value
        await block.load()
        #expect(draw(feed) == ["4 items"])
        #expect(draw(block) == ["4 items"])
    }

    @Test("several loaders at one place make one attachment, which ends with the last; a failed attaching is tried again")
    func attachments() async throws {
        let attachments = FeedAttachments()
        let place = FeedAttachments.Place(key: service.key, view: "shared")
        let reported = StateRelay<[Bool]>([])
        let fails = StateRelay(true)
        let send: FeedAttachments.Send = { isPresent throws(ClientError) in
            reported.update(reported.currentValue + [isPresent])
            if fails.currentValue { throw ClientError(.notConnected, "away") }
        }
        await #expect(throws: ClientError.self) { try await attachments.enter(place, send) }
        fails.update(false)
        try await attachments.enter(place, send)
        try await attachments.enter(place, send)
        #expect(reported.currentValue == [true, true])
        for _ in 0..<3 { attachments.leave(place) }
        for await words in reported.stream where words == [true, true, false] { break }
        #expect(attachments.count(at: place) == 0)
    }
}
