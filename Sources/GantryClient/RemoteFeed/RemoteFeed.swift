//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
public import GantryModel
public import Loading
public import Observation

/// A feed of a front as a loader, so that one view and the same decorators serve what is loaded here and what is loaded elsewhere.
///
/// ```swift
/// let items = RemoteFeed(client, key, limit: 100, decoding: Item.self)
/// ```
///
/// Its value is a page of the feed as a view orders it, at first the first page.
///
/// 1. The feed is followed from the first ``load()``, ``refresh()`` or ``attach()`` on: it is attached, so it is loaded and kept, and what
///    anybody does to it shows here: loads of others, their progress, failures, new content, another order.
/// 2. ``load()`` returns when the outcome is shown. A load that is under way at the front is joined, never started twice.
/// 3. ``cancel()``, ``reset()`` and cancelling the task of the last call that waits take this loader away and nobody else's work:
///    it detaches, follows no more, and shows what it showed last that was not `loading`, or `idle` after a reset.
///    ``cancelForEveryone()`` ends the work itself.
/// 4. While the front is away nothing is lost: calls wait as long as the client lets them, what is shown stays with ``isVerified`` false,
///    and the feed is followed on when it is back.
/// 5. Every failure is a `ClientError`, except one that the value's closure throws. Failures of the feed have the same identity for all
///    observers in all processes.
@MainActor
@Observable
public final class RemoteFeed<Value: Hashable & Sendable>: Loadable {
    /// The feed as it was asked for.
    public let key: FeedKey
    /// The name of the view that orders the list.
    public let view: String
    /// The state now.
    public var currentState: LoadingState<Value> {
        access(keyPath: \.currentState)
        return machine.shown
    }
    /// Whether what is shown is verified to be the front's state now. It turns false when the front is lost or changes are missing, and true
    /// again when everything is verified anew; ``currentState`` stays meanwhile, so show it as possibly old.
    public var isVerified: Bool {
        access(keyPath: \.isVerified)
        return machine.isVerified
    }
    /// Whether ``cancel()`` was called and ``reset()`` not yet.
    public var isCanceled: Bool {
        access(keyPath: \.isCanceled)
        return machine.isCanceled
    }

    @ObservationIgnored private let service: any FeedService
    @ObservationIgnored private let clock: any Clock<Duration>
    @ObservationIgnored private let value: @Sendable (FeedPage) throws -> Value
    @ObservationIgnored private let relay = StateRelay<LoadingState<Value>>(.idle)
    @ObservationIgnored private var machine: RemoteFeedMachine<Value>
    @ObservationIgnored private var following: [Task<Void, Never>] = []
    @ObservationIgnored private var place: FeedAttachments.Place?
    @ObservationIgnored private var reading: Task<Void, Never>?
    @ObservationIgnored private var works: [RemoteFeedCall.ID: Task<Void, Never>] = [:]
    @ObservationIgnored private var callers: [RemoteFeedCall.ID: CheckedContinuation<Void, Never>] = [:]

    /// How long the topics may take to show the outcome of a job that has ended, and the new name of a page that was replaced.
    private static var gracePeriod: Duration { .seconds(2) }

    /// A feed whose value is made of a page.
    /// - Parameters:
    ///   - client: the client of the front.
    ///   - key: the feed; parameters left out have their defaults.
    ///   - view: the view that orders the list; `shared` is everybody's.
    ///   - limit: how many items a page has at most, 1 to 1,000.
    ///   - value: makes the value, off the main actor; what it throws is shown as the failure.
    public convenience init(
        _ client: GantryClient, _ key: FeedKey, view: String = ViewName.shared, limit: UInt32 = 50,
        value: @escaping @Sendable (FeedPage) throws -> Value
    ) {
        self.init(ClientFeedService(client: client), key, view: view, limit: limit, clock: ContinuousClock(), value: value)
    }

    init(
        _ service: any FeedService, _ key: FeedKey, view: String, limit: UInt32, clock: any Clock<Duration>,
        value: @escaping @Sendable (FeedPage) throws -> Value
    ) {
        (self.service, self.key, self.view, self.clock, self.value) = (service, key, view, clock, value)
        machine = RemoteFeedMachine(limit: limit)
    }

    isolated deinit {
        for task in following { task.cancel() }
        reading?.cancel()
        for work in works.values { work.cancel() }
        if let place { service.leave(place) }
    }

    /// The current state and all later ones, for any number of observers.
    public var state: any AsyncSequence<LoadingState<Value>, Never> { relay.stream }

    /// Loads the feed from its source, or joins the load that is under way; returns when the outcome is shown.
    public func load() async { await call(.load) }

    /// Asks the source again in the background: what is shown stays until the outcome is there. Returns then.
    public func refresh() async { await call(.refresh) }

    /// Begins to follow the feed without asking for a load, and returns when its state is shown. A feed that is declared to load on attach
    /// does so.
    public func attach() async { await call(.attach) }

    /// Takes this loader away from the feed: waiting calls return, and until ``reset()`` nothing starts. Work at the front goes on.
    public func cancel() { perform { $0.cancelled(into: &$1) } }

    /// Takes this loader away from the feed and forgets what was shown. The feed itself stays as it is.
    public func reset() { perform { $0.reset(into: &$1) } }

    /// Ends the work on the feed for everybody, also work that others asked for; the state is as it was before.
    /// - Returns: what became of it; nil when nothing is done for the feed.
    /// - Throws: when the front does not answer or does not let this client.
    @discardableResult
    public func cancelForEveryone() async throws(ClientError) -> CancelAnswer? {
        try await service.cancelLoad(of: key)
    }

    /// Shows another part of the list; what is shown stays until it is read.
    /// - Parameter offset: position of the first item in the view's order, from 0.
    public func turn(to offset: UInt64) { perform { $0.turned(to: offset, into: &$1) } }

    /// How many items the view has; nil while there are none to show.
    public var itemCount: UInt64? { machine.view?.revision?.itemCount }
}

extension RemoteFeed {
    private func call(_ kind: RemoteFeedCall.Kind) async {
        guard !Task.isCancelled else { return }
        var actions: [RemoteFeedAction<Value>] = []
        guard let call = machine.called(kind, into: &actions) else { return }
        if kind != .attach { works[call] = Task { [weak self, service, key] in await Self.work(call, kind, key, service) { self } } }
        perform(actions)
        await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                if machine.isLive(call) { callers[call] = caller } else { caller.resume() }
            }
        } onCancel: {
            Task { @MainActor [weak self] in self?.perform { $0.withdrew(call, into: &$1) } }
        }
    }

    /// Asks and waits for the end of the job, without keeping the loader alive.
    private static func work(
        _ call: RemoteFeedCall.ID, _ kind: RemoteFeedCall.Kind, _ key: FeedKey, _ service: any FeedService, _ feed: () -> RemoteFeed?
    ) async {
        do throws(ClientError) {
            let answer = try await service.request(kind, key)
            var ended: JobSummary?
            if let job = answer.job { ended = try await service.end(of: job) }
            feed()?.perform { $0.workEnded(call, ended, into: &$1) }
        } catch {
            feed()?.perform { $0.failed(call, HashableError(error), into: &$1) }
        }
    }

    private func perform(_ decide: (inout RemoteFeedMachine<Value>, inout [RemoteFeedAction<Value>]) -> Void) {
        let wasCancelled = machine.isCanceled
        var actions: [RemoteFeedAction<Value>] = []
        decide(&machine, &actions)
        perform(actions)
        if machine.isCanceled != wasCancelled { withMutation(keyPath: \.isCanceled) {} }
    }

    private func perform(_ actions: [RemoteFeedAction<Value>]) {
        for action in actions {
            switch action {
            case .show:
                // An observer may cancel or reset meanwhile: then the machine has the newest state.
                relay.update(machine.shown)
                withMutation(keyPath: \.currentState) {}
            case .verify: withMutation(keyPath: \.isVerified) {}
            case .follow: follow()
            case .leave: leave()
            case .read(let target): read(target)
            case .finish(let call):
                works.removeValue(forKey: call)?.cancel()
                callers.removeValue(forKey: call)?.resume()
            case .limitGracePeriod(let call):
                works[call] = Task { [weak self, clock] in
                    guard (try? await clock.sleep(for: Self.gracePeriod)) != nil else { return }
                    self?.perform { $0.gracePeriodEnded(call, into: &$1) }
                }
            }
        }
    }

    private func leave() {
        for task in following { task.cancel() }
        reading?.cancel()
        if let place { service.leave(place) }
        (following, reading, place) = ([], nil, nil)
    }

    private func follow() {
        let opening = Task { [weak self, service, key, view] in
            do throws(ClientError) {
                let place = try await service.place(key, view)
                guard !Task.isCancelled, self?.note(place) != nil else { return }
                try await service.enter(place)
                if !Task.isCancelled { self?.watch(place) }
            } catch {
                if !Task.isCancelled { self?.perform { $0.followingFailed(HashableError(error), into: &$1) } }
            }
        }
        following = [opening]
    }

    /// From now on leaving notifies the service.
    private func note(_ place: FeedAttachments.Place) { self.place = place }

    /// Reports the states of both topics.
    private func watch(_ place: FeedAttachments.Place) {
        let (feeds, views) = (service.states(of: .feed(place.key)), service.states(of: .view(place.key, place.view)))
        following += [
            Task { [weak self] in
                for await state in feeds {
                    guard !Task.isCancelled, let self else { return }
                    if let failure = state.failure { perform { $0.followingFailed(HashableError(failure), into: &$1) } }
                    guard state.isVerified else {
                        perform { $0.topicUnverified(isView: false, into: &$1) }
                        continue
                    }
                    perform { $0.feedChanged(state.feed, state.progress, of: state.front, state.epoch, into: &$1) }
                }
            },
            Task { [weak self] in
                for await state in views {
                    guard !Task.isCancelled, let self else { return }
                    if let failure = state.failure { perform { $0.followingFailed(HashableError(failure), into: &$1) } }
                    guard state.isVerified else {
                        perform { $0.topicUnverified(isView: true, into: &$1) }
                        continue
                    }
                    perform { $0.viewChanged(state.view, into: &$1) }
                }
            },
        ]
    }

    private func read(_ target: PageTarget) {
        reading?.cancel()
        guard let shown = machine.view else { return }
        let key = place?.key ?? key
        reading = Task { [weak self, service, clock, value] in
            let state: LoadingState<Value>
            do {
                let reply = try await service.read(target)
                let page = FeedPage(
                    feed: key, items: reply.items, offset: target.offset, itemCount: reply.itemCount, revision: target.revision, view: shown
                )
                state = .loaded(try await Self.make(value, of: page))
            } catch {
                // The object may have been replaced and collected since; then the view soon names another one.
                let isGone = (error as? ClientError)?.code == ClientErrorCode(.unknownItem)
                if isGone, (try? await clock.sleep(for: Self.gracePeriod)) == nil { return }
                state = .failure(error)
            }
            if !Task.isCancelled { self?.perform { $0.pageRead(target, state, into: &$1) } }
        }
    }

    /// Off the main actor, because a page may have a thousand items to decode.
    @concurrent
    private nonisolated static func make(_ value: @Sendable (FeedPage) throws -> Value, of page: FeedPage) async throws -> Value {
        try value(page)
    }
}

extension RemoteFeed where Value == FeedPage {
    /// A feed whose value is the page itself, its items as JSON text.
    /// - Parameters:
    ///   - client: the client of the front.
    ///   - key: the feed; parameters left out have their defaults.
    ///   - view: the view that orders the list; `shared` is everybody's.
    ///   - limit: how many items a page has at most, 1 to 1,000.
    public convenience init(_ client: GantryClient, _ key: FeedKey, view: String = ViewName.shared, limit: UInt32 = 50) {
        self.init(client, key, view: view, limit: limit) { $0 }
    }
}

extension RemoteFeed {
    /// A feed whose value is the items of the page, decoded from JSON.
    /// - Parameters:
    ///   - client: the client of the front.
    ///   - key: the feed; parameters left out have their defaults.
    ///   - view: the view that orders the list; `shared` is everybody's.
    ///   - limit: how many items a page has at most, 1 to 1,000.
    ///   - decoding: the type of an item; an item that does not fit it fails the load with a `DecodingError`.
    public convenience init<Item: Decodable>(
        _ client: GantryClient, _ key: FeedKey, view: String = ViewName.shared, limit: UInt32 = 50, decoding: Item.Type
    ) where Value == [Item] {
        self.init(client, key, view: view, limit: limit) { page in
            let decoder = JSONDecoder()
            return try page.items.map { try decoder.decode(Item.self, from: Data($0)) }
        }
    }
}

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
