//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// Feeds by their last use, the longest unused first: to find one that may be forgotten costs the same however many there are.
struct FeedUses {
    private var uses: Deque<(key: FeedKey, at: MonotonicTime)> = []

    var count: Int { uses.count }

    mutating func note(_ key: FeedKey, at time: MonotonicTime) { uses.append((key, time)) }

    /// The oldest use, which is given once; later ones of the same feed may follow it.
    mutating func next() -> (key: FeedKey, at: MonotonicTime)? { uses.popFirst() }

    /// Forgets uses that were followed by later ones.
    mutating func removeAll(where isPast: (FeedKey, MonotonicTime) -> Bool) { uses.removeAll { isPast($0.key, $0.at) } }
}

extension FrontMachine {
    /// Feeds that are looked at for one new feed: more would let one request wait for all that are busy.
    private static let looks = 64

    /// Notes that somebody has done something with a feed.
    mutating func noteUse(of key: FeedKey) {
        guard let feed = state.feeds[key], feed.usedAt != turn.now.monotonic || feedUses.count == 0 else { return }
        state.feeds[key]?.usedAt = turn.now.monotonic
        feedUses.note(key, at: turn.now.monotonic)
        guard feedUses.count > 2 * state.feeds.count + 1_024 else { return }
        let feeds = state.feeds
        feedUses.removeAll { feeds[$0]?.usedAt != $1 }
    }

    /// Forgets the feed that was not used for longest; false: all that were looked at are busy.
    ///
    /// A busy one goes to the end, so that the next request looks at others; when it was used stays as it is.
    mutating func forgetLongestIdle() -> Bool {
        var looks = 0
        while looks < Self.looks, let use = feedUses.next() {
            turn.step(1)
            // A use that was followed by a later one is no feed that was looked at: it is met once, whoever made it has paid for that.
            guard let feed = state.feeds[use.key], feed.usedAt == use.at else { continue }
            looks += 1
            guard isForgettable(feed) else {
                feedUses.note(use.key, at: use.at)
                continue
            }
            forget(feed)
            return true
        }
        return false
    }

    /// A feed goes, with its views: observers see its items go.
    private mutating func forget(_ feed: FeedRecord) {
        let key = feed.state.key
        record(.feedForgotten(Fact.FeedForgotten(key)))
        turn.emit(.changed(.feed(key), key: "feed"))
        turn.deadlines.remove(.load(key))
        waitingFeeds.note(key, waitsFor: nil)
        for name in feed.viewNames {
            turn.deadlines.remove(.view(key, name))
            turn.emit(.changed(.view(key, name), key: "view"))
        }
    }

    /// Nobody is attached, nothing works for it, and what it has can be loaded again.
    private func isForgettable(_ feed: FeedRecord) -> Bool {
        guard feed.attachmentCount == 0, state.jobs.keyLines.isEmpty(feed.state.key), !feed.state.isEditable else { return false }
        return !feed.views.values.contains { $0.isWorkedFor }
    }
}

extension ViewState {
    /// Whether a job makes its order or fetches its detail.
    var isWorkedFor: Bool {
        if arranging != nil { return true }
        switch detail {
        case .loading: return true
        case .idle, .loaded, .stored, .failed: return false
        }
    }
}
