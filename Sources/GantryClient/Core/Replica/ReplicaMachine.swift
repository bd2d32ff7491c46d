//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import GantryModel

/// The one generic replica of a topic: item keys and value bytes as the front sent them, and the proof that they are the same.
///
/// It subscribes first, then asks for a snapshot. It is in sync when it holds snapshot n and has seen by subscription a bookmark or change
/// at n or later without a hole, its own checksum equal. It understands no byte of the items.
package struct ReplicaMachine: Sendable {
    /// How much of the topic is known.
    package enum Phase: Hashable, Sendable {
        /// A snapshot was asked for; items of before are only kept to be shown. Moves to unverified when it is whole.
        case asking
        /// A snapshot and the changes after it are held. Moves to verified by a bookmark with the same checksum, to asking by a hole or another
        /// checksum.
        case unverified
        /// In sync. Moves to asking by a hole, another checksum, silence or a new epoch.
        case verified
    }

    /// The topic as it was asked for.
    package let topic: Topic
    /// The topic under which the front publishes it: the same, or that of the feed's whole key, its defaults filled in.
    package internal(set) var resolved: Topic
    /// Whether the front does not answer: then nothing is in sync, whatever is held.
    package internal(set) var isFrontLost = false
    let settings: ReplicaSettings
    /// How much of the topic is known.
    package internal(set) var phase = Phase.asking
    /// Whose items are held.
    package internal(set) var front = FrontID.none
    /// Its epoch.
    package internal(set) var epoch = Epoch.none
    /// After how many changes.
    package internal(set) var sequence = SequenceNumber.none
    /// Sums that differed, in a row.
    package internal(set) var differences = 0
    var items = ItemStore()
    /// The position seen last by subscription in this epoch.
    var lastSeen: Publication.Bookmark?
    /// Bookmarks in a row that were behind the replica.
    var bookmarksBehind = 0
    var waiting: Deque<Publication.Change> = []
    var waitingByteCount = 0
    var assembly: SnapshotAssembly?
    /// Whether a snapshot has not been shown yet, because its proof is on its way. It is shown without proof once so many questions were asked in
    /// vain: after some 2 s.
    var isHeldBack = false
    private static var asksBeforeShown: Int { 3 }
    var backoff: Backoff
    var random: SplitMix64
    var askAt: MonotonicTime?
    var asks = 0
    var receivedAt = MonotonicTime(nanoseconds: 0)
    /// What came late, or could not be.
    package internal(set) var ignored = IgnoredCounts()

    /// A replica that holds nothing yet.
    /// - Parameter seed: what the spread of its questions follows from, another one for each replica.
    package init(topic: Topic, settings: ReplicaSettings = ReplicaSettings(), seed: UInt64) {
        (self.topic, self.resolved) = (topic, topic)
        self.settings = settings
        self.backoff = Backoff(first: settings.firstAsk, longest: settings.longestAsk)
        self.random = SplitMix64(seed: seed)
    }

    /// Whether the replica is in sync.
    package var isVerified: Bool { phase == .verified && !isFrontLost }

    /// The items as bytes, sorted by key.
    package var sortedItems: [TopicItem] { items.sorted }

    /// The checksum over every byte that is stored, made anew.
    package var ownChecksum: TopicChecksum { items.fullChecksum() }

    /// Begins: subscribes, then asks.
    package mutating func start(isFrontLost: Bool = false, at now: MonotonicTime, into actions: inout [ReplicaAction]) {
        self.isFrontLost = isFrontLost
        actions.append(.subscribe(topic))
        ask(at: now, into: &actions)
    }

    /// The front has ceased to answer, or answers again.
    ///
    /// What is held stays and is shown, but is in sync no more. When the front is back a new subscription makes it publish a bookmark, which
    /// is all that a replica needs that missed nothing; a snapshot is asked for only if that is not the proof.
    package mutating func frontIs(lost isLost: Bool, at now: MonotonicTime, into actions: inout [ReplicaAction]) {
        guard isFrontLost != isLost else { return }
        isFrontLost = isLost
        guard !isLost else { return notify(update(.lost, checksum: items.fullChecksum()), into: &actions) }
        let wasVerified = phase == .verified
        if wasVerified {
            (phase, asks) = (.unverified, 0)
            backoff.reset()
            askAt = now.advanced(by: backoff.next(&random))
        }
        notify(update(.back, checksum: items.fullChecksum()), into: &actions)
        if wasVerified { actions += [.unsubscribe(resolved), .subscribe(resolved)] }
    }

    /// A session is open (again): without proof the question is asked anew, because it may have been lost.
    package mutating func sessionOpened(at now: MonotonicTime, into actions: inout [ReplicaAction]) {
        guard phase != .verified, askAt != nil else { return }
        backoff.reset()
        asks = 0
        ask(at: now, into: &actions)
    }

    /// Ends: takes the subscription back.
    package mutating func stop(into actions: inout [ReplicaAction]) { actions.append(.unsubscribe(resolved)) }

    /// Looks at the deadlines: asks again while there is no proof, and after too long a silence.
    package mutating func advance(to now: MonotonicTime, into actions: inout [ReplicaAction]) {
        guard !isFrontLost else { return }
        switch phase {
        case .asking, .unverified:
            guard let askAt, now >= askAt else { return }
            if isHeldBack, asks >= Self.asksBeforeShown { show(into: &actions) }
            if asks > 0, asks.isMultiple(of: settings.asksBeforeRenewal) { actions.append(.renewSubscription) }
            ask(at: now, into: &actions)
        case .verified:
            if now >= receivedAt.advanced(by: settings.silence) { lose(.gap, at: now, into: &actions) }
        }
    }

    /// When `advance` has something to do, if nothing else happens.
    package var nextDeadline: MonotonicTime {
        guard !isFrontLost else { return .distantFuture }
        return switch phase {
        case .asking, .unverified: askAt ?? .distantFuture
        case .verified: receivedAt.advanced(by: settings.silence)
        }
    }

    /// What has come by subscription.
    package mutating func received(_ publication: Publication, at now: MonotonicTime, into actions: inout [ReplicaAction]) {
        let bookmark = publication.position
        guard accepts(bookmark.front, bookmark.epoch, at: now, into: &actions) else { return }
        receivedAt = now
        lastSeen = bookmark
        switch publication {
        case .change(let change): received(change, at: now, into: &actions)
        case .bookmark(let bookmark):
            guard phase != .asking else { return ignored.note(.nothingHeld) }
            guard !isBehind(bookmark) else { return ignored.note(.behind) }
            guard bookmark.sequence == sequence else { return lose(.gap, at: now, into: &actions) }
            verify(by: bookmark, ownChecksum: items.fullChecksum(), at: now, into: &actions)
        }
    }

    /// Whether a bookmark is old. Three in a row are not: the topic was forgotten by the front and counts anew.
    private mutating func isBehind(_ bookmark: Publication.Bookmark) -> Bool {
        guard bookmark.sequence < sequence else {
            bookmarksBehind = 0
            return false
        }
        bookmarksBehind += 1
        guard bookmarksBehind == 3 else { return true }
        bookmarksBehind = 0
        return false
    }

    private mutating func received(_ change: Publication.Change, at now: MonotonicTime, into actions: inout [ReplicaAction]) {
        guard phase != .asking else { return keep(change) }
        guard change.bookmark.sequence > sequence else { return ignored.note(.behind) }
        guard change.bookmark.sequence == sequence.advanced() else {
            lose(.gap, at: now, into: &actions)
            return keep(change)
        }
        apply(change, at: now, into: &actions)
    }

    /// Keeps a change until the snapshot is here; drops all when there are too many, so that the hole is noticed.
    private mutating func keep(_ change: Publication.Change) {
        let byteCount = change.byteCount
        if waiting.count >= settings.waitingChangeLimit || waitingByteCount + byteCount > settings.byteLimit {
            (waiting, waitingByteCount) = ([], 0)
            ignored.note(.tooManyWaiting)
        }
        waiting.append(change)
        waitingByteCount += byteCount
    }

    /// Applies the change that follows, and compares the checksums.
    mutating func apply(_ change: Publication.Change, at now: MonotonicTime, into actions: inout [ReplicaAction]) {
        for key in change.removes { items.remove(key) }
        for item in change.puts { items.put(item) }
        sequence = change.bookmark.sequence
        guard items.byteCount <= settings.byteLimit else { return lose(.gap, at: now, into: &actions) }
        // Of large topics the sum that runs along: to read all bytes at each change would cost more than the change.
        let checksum = items.byteCount <= settings.fullChecksumByteLimit ? items.fullChecksum() : items.runningChecksum
        guard checksum == change.bookmark.checksum else { return differ(at: now, into: &actions) }
        verified()
        notify(update(.change, checksum: checksum, puts: change.puts, removes: change.removes), into: &actions)
    }

    /// Compares the checksums at the same position.
    mutating func verify(
        by bookmark: Publication.Bookmark, ownChecksum: TopicChecksum, at now: MonotonicTime, into actions: inout [ReplicaAction]
    ) {
        guard bookmark.checksum == ownChecksum else { return differ(at: now, into: &actions) }
        guard phase != .verified else { return }
        verified()
        if !isFrontLost { notify(update(.verified, checksum: ownChecksum), into: &actions) }
    }

    private mutating func verified() {
        phase = .verified
        backoff.reset()
        (askAt, asks, differences) = (nil, 0, 0)
    }
}

extension Publication {
    /// Where the topic is after it.
    var position: Bookmark {
        switch self {
        case .change(let change): change.bookmark
        case .bookmark(let bookmark): bookmark
        }
    }
}

extension Publication.Change {
    /// Bytes of its items and keys.
    var byteCount: Int {
        puts.reduce(removes.reduce(0) { $0 + $1.count }) { $0 + $1.key.count + $1.value.count }
    }
}

/// Times and bounds of replicas.
package struct ReplicaSettings: Hashable, Sendable {
    /// First pause before a topic without proof is asked for again.
    package var firstAsk: Duration = .milliseconds(250)
    /// Longest pause before it is asked for again.
    package var longestAsk: Duration = .seconds(5)
    /// How long a topic may be without a bookmark; the front sends one every ten seconds at the latest.
    package var silence: Duration = .seconds(25)
    /// After how many questions without proof the subscription itself is renewed.
    package var asksBeforeRenewal = 4
    /// Changes kept while a snapshot is on its way; beyond it they are dropped and the topic is asked for again.
    package var waitingChangeLimit = 4_096
    /// Bytes of items of one topic; beyond it the topic is not kept.
    package var byteLimit = 64 << 20
    /// Bytes of items up to which the whole checksum is made anew for each change, not only for each bookmark.
    package var fullChecksumByteLimit = 64 << 10
    /// Whether a topic whose checksum differs is asked for again. Only tests and the search for faults switch it off.
    package var resyncs = true

    /// The defaults.
    package init() {}
}

/// What a replica wants done.
package enum ReplicaAction: Hashable, Sendable {
    /// Subscribe to that topic's frame.
    case subscribe(Topic)
    /// Take that subscription back.
    case unsubscribe(Topic)
    /// Close the changes socket and connect a new one: nothing comes by it.
    case renewSubscription
    /// Send to the front by the session; dropped while no session is open, because the topic is then asked for at its opening.
    case send(ClientMessage)
    /// Notify the user.
    case emit(ReplicaUpdate)
}
