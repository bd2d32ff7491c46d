//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Keys in ascending order: to put one in, to take one out and to find where a page begins costs next to the same however many there are.
///
/// They stand in runs of bounded length, as the leaves of a B-tree do; the runs of a million keys are found by their first keys.
struct SortedKeys<Key: Comparable & Sendable>: Sendable {
    /// Keys of a run, at most: to put one in moves no more of them, and a million keys that come in order have only some 4,000 runs.
    private static var runLimit: Int { 512 }

    /// Runs that are not empty, in order.
    private var runs: [[Key]] = []
    private(set) var count = 0

    /// Adds a key, unless it is there.
    mutating func insert(_ key: Key) {
        guard !runs.isEmpty else {
            runs = [[key]]
            count = 1
            return
        }
        let run = place(of: key)
        let place = runs[run].firstPlace { !($0 < key) }
        guard place == runs[run].count || runs[run][place] != key else { return }
        runs[run].insert(key, at: place)
        count += 1
        guard runs[run].count > Self.runLimit else { return }
        // In halves, so that as many keys again fit into each before it is split once more.
        let half = Array(runs[run].suffix(Self.runLimit / 2))
        runs[run].removeLast(half.count)
        runs.insert(half, at: run + 1)
    }

    /// Takes a key out, if it is there.
    mutating func remove(_ key: Key) {
        guard !runs.isEmpty else { return }
        let run = place(of: key)
        let place = runs[run].firstPlace { !($0 < key) }
        guard place < runs[run].count, runs[run][place] == key else { return }
        runs[run].remove(at: place)
        count -= 1
        if runs[run].isEmpty { runs.remove(at: run) }
    }

    /// The keys behind one, in order, read one by one: whoever takes the first few pays for no others; nil: all of them.
    func keys(after key: Key?) -> Keys {
        guard let key, !runs.isEmpty else { return Keys(runs: runs, run: 0, place: 0) }
        let run = place(of: key)
        return Keys(runs: runs, run: run, place: runs[run].firstPlace { key < $0 })
    }

    /// Keys in order from a place on, as they were when they were asked for.
    ///
    /// A type of its own: `lazy.enumerated()` is not lazy, and what is chained behind it would gather all keys.
    struct Keys: Sequence, IteratorProtocol {
        fileprivate let runs: [[Key]]
        fileprivate var run: Int
        fileprivate var place: Int

        mutating func next() -> Key? {
            while run < runs.count {
                if place < runs[run].count {
                    defer { place += 1 }
                    return runs[run][place]
                }
                (run, place) = (run + 1, 0)
            }
            return nil
        }
    }

    /// The run that has a key, or would have it.
    private func place(of key: Key) -> Int { max(0, runs.firstPlace { key < $0[0] } - 1) }
}

extension RandomAccessCollection where Index == Int {
    /// The place of the first element of which that is so, found by halving; the end where it is so of none. If it is so of one, it is so of
    /// all behind it.
    ///
    /// `FileCache` has a search of its own, for the entries of an index on a disk are read one by one and may not be readable.
    func firstPlace(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

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
        order.remove(Place(count: before, key: key))
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
