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
