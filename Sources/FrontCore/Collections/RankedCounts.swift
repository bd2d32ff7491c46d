//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How many there are of each key, counted as they come and go: most first, ties by key.
struct RankedCounts<Key: Hashable & Comparable & Sendable>: Sendable {
    /// A key in its place.
    private struct Place: Comparable, Sendable {
        let count: UInt64
        let key: Key

        static func < (one: Place, other: Place) -> Bool { (other.count, one.key) < (one.count, other.key) }
    }

    private var counts: [Key: UInt64] = [:]
    /// The keys in order: outsiders make them up, so there may be many.
    private var order = SortedKeys<Place>()
    /// All together.
    private(set) var total: UInt64 = 0
    /// How often it has changed.
    private(set) var version: UInt64 = 0

    /// How many keys there are.
    var keyCount: Int { order.count }

    /// Counts some in.
    mutating func add(_ key: Key, _ count: UInt64 = 1) {
        let before = counts[key] ?? 0
        move(key, from: before, to: before + count)
    }

    /// Counts some out that were counted in.
    mutating func remove(_ key: Key, _ removed: UInt64 = 1) {
        guard let count = counts[key] else { return }
        move(key, from: count, to: count > removed ? count - removed : 0)
    }

    private mutating func move(_ key: Key, from before: UInt64, to count: UInt64) {
        if before > 0 { order.remove(Place(count: before, key: key)) }
        if count > 0 { order.insert(Place(count: count, key: key)) }
        counts[key] = count > 0 ? count : nil
        total = total - before + count
        version &+= 1
    }

    /// All of them, in order.
    var all: [(key: Key, count: UInt64)] { order.keys(after: nil).map { ($0.key, $0.count) } }

    /// The first so many, and what all others are together. It costs the same however many there are.
    func first(_ limit: Int) -> (listed: [(key: Key, count: UInt64)], rest: UInt64) {
        let listed = order.keys(after: nil).prefix(limit).map { (key: $0.key, count: $0.count) }
        return (listed, listed.reduce(total) { $0 - $1.count })
    }
}
