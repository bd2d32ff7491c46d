//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Loading

/// Decides what a feed of a front shows as a loader, out of the feed's topics, the pages read and the calls that wait.
///
/// It follows the feed from the first call on, until `cancelled`, `reset` or the withdrawal of the last call: then it shows what it showed
/// last that was not `loading`, and the front's states mean nothing to it.
struct RemoteFeedMachine<Value: Hashable & Sendable> {
    typealias Actions = [RemoteFeedAction<Value>]

    /// How it stands to the feed.
    enum State: Hashable {
        /// It does not follow the feed, and no call waits. Moves to `following` with the next call, to `cancelled` with a cancel.
        case apart
        /// The feed is attached, and its topics are observed. Moves to `apart` when it cannot be followed, with a reset and with the withdrawal
        /// of its last call, to `cancelled` with a cancel.
        case following(VerifiedTopics)
        /// The same as `apart`, but no call starts. Moves to `apart` with a reset.
        case cancelled
    }

    /// Of which topics of a feed that is followed the newest state was verified. Each can become each other one: the topics come for themselves.
    enum VerifiedTopics: Hashable {
        /// None was yet, or the front is lost.
        case neither
        case feed
        case view
        /// What is shown is the front's state now.
        case both

        init(feed: Bool, view: Bool) {
            switch (feed, view) {
            case (false, false): self = .neither
            case (true, false): self = .feed
            case (false, true): self = .view
            case (true, true): self = .both
            }
        }

        /// The same, after a state of the feed's topic.
        func withFeed(_ isVerified: Bool) -> Self { Self(feed: isVerified, view: self == .view || self == .both) }

        /// The same, after a state of the view's topic.
        func withView(_ isVerified: Bool) -> Self { Self(feed: self == .feed || self == .both, view: isVerified) }
    }

    /// What is known of the feed at the front.
    private enum Knowledge {
        /// No verified state has come.
        case nothing
        /// The newest verified state; nil: the front keeps no such feed.
        case state(FeedState?, JobProgress?)
    }

    /// What the front's state says.
    private enum Truth {
        /// Too little is known: what is shown stays.
        case unknown
        /// A page has to be read first.
        case unread(PageTarget)
        case state(LoadingState<Value>)
    }

    /// The state shown now.
    private(set) var shown: LoadingState<Value> = .idle
    /// How it stands to the feed.
    private(set) var state = State.apart
    /// The view at the front.
    private(set) var view: ViewState?
    private var knowledge = Knowledge.nothing
    private var front = FrontID.none
    private var epoch = Epoch.none
    private var calls: [RemoteFeedCall] = []
    private var lastCall: RemoteFeedCall.ID = 0
    private var lastState: LoadingState<Value> = .idle
    /// The newest request of ours that failed, until the feed changes or something is asked again.
    private var refusal: HashableError?
    private var reading: PageTarget?
    private var page: (target: PageTarget, state: LoadingState<Value>)?
    private var offset: UInt64 = 0
    private let limit: UInt32

    /// Items of one page: more would keep a screen waiting, and the page service cuts a page at its largest frame anyway.
    private static var longestPage: UInt32 { 1_000 }

    init(limit: UInt32) {
        self.limit = min(max(limit, 1), Self.longestPage)
    }

    /// Cancelled and not reset: no call starts.
    var isCanceled: Bool { state == .cancelled }

    /// Whether the newest states of both topics were verified: while the front is lost what is shown stays, but may be old.
    var isVerified: Bool { state == .following(.both) }

    private var isFollowing: Bool {
        switch state {
        case .apart, .cancelled: false
        case .following: true
        }
    }

    /// The job that is done for the feed now, as far as known.
    var activeJob: JobID? {
        guard case .state(let feed, _) = knowledge else { return nil }
        return feed?.activity.job
    }

    /// Whether the caller of a call has to wait.
    func isLive(_ call: RemoteFeedCall.ID) -> Bool { calls.contains { $0.id == call } }

    /// Somebody asks; nil when the feed was cancelled and not reset.
    mutating func called(_ kind: RemoteFeedCall.Kind, into actions: inout Actions) -> RemoteFeedCall.ID? {
        guard state != .cancelled else { return nil }
        lastCall += 1
        let needsRequest = kind != .attach
        calls.append(
            RemoteFeedCall(id: lastCall, kind: kind, phase: needsRequest ? .working : .confirming(.anyState, isPatient: true)))
        refusal = nil
        forgetFailedPage()
        if state == .apart {
            state = .following(.neither)
            actions.append(.follow)
        }
        update(into: &actions)
        return lastCall
    }

    /// A call's work has ended; nil: all was done at once, or the job is not known any more.
    mutating func workEnded(_ call: RemoteFeedCall.ID, _ ended: JobSummary?, into actions: inout Actions) {
        guard let index = calls.firstIndex(where: { $0.id == call }) else { return }
        calls[index].phase = .confirming(RemoteFeedCall.evidence(of: ended), isPatient: true)
        actions.append(.limitGracePeriod(call))
        update(into: &actions)
    }

    /// The topics have not shown for too long what a call waits for: it returns with the state as it is.
    mutating func gracePeriodEnded(_ call: RemoteFeedCall.ID, into actions: inout Actions) {
        guard let index = calls.firstIndex(where: { $0.id == call }), case .confirming(let evidence, _) = calls[index].phase else { return }
        calls[index].phase = .confirming(evidence, isPatient: false)
        update(into: &actions)
    }

    /// A call's request failed.
    mutating func failed(_ call: RemoteFeedCall.ID, _ error: HashableError, into actions: inout Actions) {
        guard let index = calls.firstIndex(where: { $0.id == call }) else { return }
        calls.remove(at: index)
        refusal = error
        update(into: &actions)
        actions.append(.finish(call))
    }

    /// The feed cannot be followed.
    mutating func followingFailed(_ error: HashableError, into actions: inout Actions) {
        guard isFollowing else { return }
        show(.failure(error), into: &actions)
        leave(to: .apart, into: &actions)
    }

    /// A call's caller was cancelled: it is taken away; with the last one the feed is not followed any more.
    mutating func withdrew(_ call: RemoteFeedCall.ID, into actions: inout Actions) {
        guard let index = calls.firstIndex(where: { $0.id == call }) else { return }
        let isRefresh = calls.remove(at: index).kind == .refresh
        actions.append(.finish(call))
        // A refresh is in the background: who gives it up still looks at the feed.
        if calls.isEmpty, !isRefresh { leave(to: .apart, into: &actions) } else { update(into: &actions) }
    }

    /// `cancel()`.
    mutating func cancelled(into actions: inout Actions) { leave(to: .cancelled, into: &actions) }

    /// `reset()`: nothing of the past is shown.
    mutating func reset(into actions: inout Actions) {
        (refusal, page) = (nil, nil)
        show(.idle, into: &actions)
        leave(to: .apart, into: &actions)
    }

    /// A verified state of the feed's topic; `feed` nil: the front keeps no such feed.
    mutating func feedChanged(
        _ feed: FeedState?, _ progress: JobProgress?, of front: FrontID, _ epoch: Epoch, into actions: inout Actions
    ) {
        guard case .following(let verified) = state else { return }
        // The failure of a request hides the feed only until there is something newer to see.
        if case .state(let old, _) = knowledge, old != feed { refusal = nil }
        // What could not be read in this epoch may be readable in the next.
        if front != self.front || epoch != self.epoch { forgetFailedPage() }
        (self.front, self.epoch, knowledge) = (front, epoch, .state(feed, progress))
        move(to: .following(verified.withFeed(true)), into: &actions)
        update(into: &actions)
    }

    /// A topic's newest state is not verified: the front is lost, or changes are missing. What is shown stays.
    mutating func topicUnverified(isView: Bool, into actions: inout Actions) {
        guard case .following(let verified) = state else { return }
        move(to: .following(isView ? verified.withView(false) : verified.withFeed(false)), into: &actions)
    }

    private mutating func move(to next: State, into actions: inout Actions) {
        let wasVerified = isVerified
        state = next
        if isVerified != wasVerified { actions.append(.verify(isVerified)) }
    }

    /// A verified state of the view's topic; nil: the front keeps no such view.
    mutating func viewChanged(_ view: ViewState?, into actions: inout Actions) {
        guard case .following(let verified) = state else { return }
        self.view = view
        move(to: .following(verified.withView(true)), into: &actions)
        update(into: &actions)
    }

    /// A page was read, or could not be.
    mutating func pageRead(_ target: PageTarget, _ state: LoadingState<Value>, into actions: inout Actions) {
        // A page that was asked for before the newest question is of another part, order or content.
        guard isFollowing, target == reading else { return }
        reading = nil
        page = (target, state)
        update(into: &actions)
    }

    /// Another part of the list is wanted.
    mutating func turned(to offset: UInt64, into actions: inout Actions) {
        self.offset = offset
        update(into: &actions)
    }

    private mutating func forgetFailedPage() {
        if page?.state.error != nil { page = nil }
    }

    private mutating func leave(to next: State, into actions: inout Actions) {
        // Nobody would ever end this loading.
        if shown.isLoading { show(lastState, into: &actions) }
        let (waiting, wasFollowing) = (calls, isFollowing)
        // The page stays, as it is good for as long as the content is the same.
        (calls, knowledge, view, reading) = ([], .nothing, nil, nil)
        move(to: next, into: &actions)
        if wasFollowing { actions.append(.leave) }
        for call in waiting { actions.append(.finish(call.id)) }
    }

    private mutating func show(_ state: LoadingState<Value>, into actions: inout Actions) {
        if !state.isLoading { lastState = state }
        // The front publishes progress often, and most of it shows nothing new.
        guard state != shown else { return }
        shown = state
        actions.append(.show(state))
    }
}

extension RemoteFeedMachine {
    /// Shows what is to be shown, then ends the calls that are answered by it.
    private mutating func update(into actions: inout Actions) {
        guard isFollowing else { return }
        let truth = truth()
        if case .unread(let target) = truth, reading != target {
            reading = target
            actions.append(.read(target))
        }
        let answered = calls.filter { isAnswered($0, truth) }
        calls.removeAll { answered.contains($0) }
        if calls.contains(where: { $0.kind == .load }) {
            // Between the end of the work and its outcome on the screen the last progress stays.
            if activeJob != nil || !shown.isLoading { show(.loading(progress), into: &actions) }
        } else if let refusal {
            show(.failure(refusal), into: &actions)
        } else if case .state(let state) = truth {
            show(state, into: &actions)
        }
        // Behind what is shown, so that a caller which goes on finds its outcome.
        for call in answered { actions.append(.finish(call.id)) }
    }

    private func isAnswered(_ call: RemoteFeedCall, _ truth: Truth) -> Bool {
        guard case .state = truth, case .state(let feed, _) = knowledge else { return false }
        return call.kind == .attach || call.isAnswered(by: feed)
    }

    private func truth() -> Truth {
        guard case .state(let known, _) = knowledge else { return .unknown }
        guard let feed = known else { return .state(.idle) }
        let content = feed.content
        switch feed.activity {
        case .idle:
            if let failure = feed.failure { return .state(.failure(error(failure))) }
        case .waiting:
            // Why it is loaded again is not said yet: it may be for a refresh, which hides nothing.
            if content == nil { return .state(.loading(progress)) }
        case .loading(_, let cause, _):
            if content == nil || cause != .refresh { return .state(.loading(progress)) }
        }
        guard let content else { return .state(.idle) }
        guard let view, let revision = view.revision else { return .unknown }
        // An order that could not be made leaves the view at its old pair for good.
        let staysBehind = view.sorting == nil && view.failure != nil
        guard revision.version == content.version || staysBehind else { return .unknown }
        let target = PageTarget(revision: revision, offset: offset, limit: limit)
        if let page, page.target == target { return .state(page.state) }
        return .unread(target)
    }

    /// What is known of the work under way.
    private var progress: LoadingProgress? {
        guard case .state(let feed?, let progress) = knowledge else { return nil }
        switch feed.activity {
        case .idle: return nil
        case .waiting(_, let reason): return LoadingProgress(message: "Waiting: \(reason.line)")
        case .loading:
            guard let progress else { return nil }
            return LoadingProgress(message: progress.amount, percent: progress.percent.map { Int($0) })
        }
    }

    /// The same identity for all observers of that failure, in whatever process.
    private func error(_ failure: Failure) -> HashableError {
        HashableError(ClientError(failure), identity: UInt128(front.rawValue) << 64 | UInt128(failure.id.rawValue))
    }
}

extension JobProgress {
    /// What a report says besides its percentage; nil: nothing.
    fileprivate var amount: String? {
        var parts = message.isEmpty ? [] : [message]
        if !unit.isEmpty { parts.append(total.map { "\(completed) of \($0) \(unit)" } ?? "\(completed) \(unit)") }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}

/// What the driver of a remote feed is to do, in order.
enum RemoteFeedAction<Value: Hashable & Sendable>: Hashable {
    /// Publish this state.
    case show(LoadingState<Value>)
    /// Publish whether what is shown is the front's state now.
    case verify(Bool)
    /// Begin to follow the feed: attach, and observe its topics.
    case follow
    /// End what `follow` began, and everything under way for it.
    case leave
    /// Read a page; report it with `pageRead`. It takes the place of an earlier one.
    case read(PageTarget)
    /// The call is over: end its request and let its caller go on.
    case finish(RemoteFeedCall.ID)
    /// Call `gracePeriodEnded` for the call a little later.
    case limitGracePeriod(RemoteFeedCall.ID)
}

/// Which part of which content in which order a remote feed shows.
struct PageTarget: Hashable, Sendable {
    /// What pages are read by.
    let revision: ViewRevision
    /// The first item's position.
    let offset: UInt64
    /// How many items at most.
    let limit: UInt32
}
