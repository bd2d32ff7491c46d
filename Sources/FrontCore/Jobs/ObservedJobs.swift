//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Jobs whose topic is observed. Those of feeds are found by their feed too: they wait for each other.
struct ObservedJobs {
    private var keys: [UInt64: FeedKey?] = [:]
    private var ofFeeds: [FeedKey: Set<UInt64>] = [:]

    var isEmpty: Bool { keys.isEmpty }

    func contains(_ id: UInt64) -> Bool { keys[id] != nil }

    /// Somebody observes a job, of that feed if it is one's.
    mutating func insert(_ id: UInt64, of key: FeedKey?) {
        remove(id)
        keys[id] = .some(key)
        if let key { ofFeeds[key, default: []].insert(id) }
    }

    /// Nobody does any more.
    mutating func remove(_ id: UInt64) {
        guard let key = keys.removeValue(forKey: id), let key else { return }
        ofFeeds[key]?.remove(id)
        if ofFeeds[key]?.isEmpty == true { ofFeeds[key] = nil }
    }

    /// All of them, by number.
    var all: [UInt64] { keys.keys.sorted() }

    /// Those of a feed, by number.
    func all(of key: FeedKey) -> [UInt64] { ofFeeds[key]?.sorted() ?? [] }
}
