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
    /// Forgets the feed that was not used for longest; false: all that were looked at are busy.
    mutating func forgetLongestIdle() -> Bool {
        let lines = state.jobs.keyLines
        guard let idle = state.feeds.takeLongestIdle(in: &turn, where: { lines.isEmpty($0.state.key) }) else { return false }
        forget(idle)
        return true
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

    /// A view that nobody has used for too long goes.
    mutating func forgetView(_ name: String, of key: FeedKey) {
        record(.viewForgotten(Fact.ViewForgotten(key, name)))
        turn.emit(.changed(.view(key, name), key: "view"))
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
