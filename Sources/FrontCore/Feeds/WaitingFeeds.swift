//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// Feeds whose activity is waiting, and which of them are to be looked at because their reason may be another one.
///
/// A reason changes only when the first worker begins to offer a loader or the last one ends to, when nothing is granted to anybody any more
/// or again, or when another job of the same key goes or is to stop. Whoever brings that about says so here: a turn looks at what has changed,
/// never at all that waits.
struct WaitingFeeds {
    /// The loader of the job that each feed waits for.
    private var loaders: [FeedKey: String] = [:]
    private var byLoader: [String: ArrivalOrder<FeedKey>] = [:]
    /// Feeds that are to be looked at, in the order in which that was said, each once.
    private var due: Deque<FeedKey> = []
    private var isDue: Set<FeedKey> = []

    /// Feeds that wait.
    var count: Int { loaders.count }

    /// Whether some are still to be looked at.
    var hasDue: Bool { !due.isEmpty }

    /// A feed waits for a job of that loader; nil: it does not wait any more.
    mutating func note(_ key: FeedKey, waitsFor loader: String?) {
        let old = loaders[key]
        guard old != loader else { return }
        if let old {
            byLoader[old]?.remove(key)
            if byLoader[old]?.count == 0 { byLoader[old] = nil }
        }
        loaders[key] = loader
        if let loader { byLoader[loader, default: ArrivalOrder()].append(key) }
    }

    /// A feed is to be looked at, if it waits.
    mutating func lookAgain(at key: FeedKey) {
        guard loaders[key] != nil, isDue.insert(key).inserted else { return }
        due.append(key)
    }

    /// All feeds that wait for a loader are to be looked at.
    /// - Returns: how many they are.
    mutating func lookAgain(atThoseOf loader: String) -> Int {
        guard let keys = byLoader[loader] else { return 0 }
        for key in keys { lookAgain(at: key) }
        return keys.count
    }

    /// All that wait are to be looked at.
    /// - Returns: how many they are.
    mutating func lookAgainAtAll() -> Int {
        for loader in byLoader.keys.sorted() { _ = lookAgain(atThoseOf: loader) }
        return count
    }

    /// The next feed that is to be looked at; nil: there is none.
    mutating func next() -> FeedKey? {
        while let key = due.popFirst() {
            isDue.remove(key)
            if loaders[key] != nil { return key }
        }
        return nil
    }

    /// The feeds whose reason nobody has called in question.
    var unquestioned: some Swift.Sequence<FeedKey> { loaders.keys.lazy.filter { [isDue] key in !isDue.contains(key) } }
}
