//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule

/// Keys in the order in which they came. To add and to remove one costs the same however many there are.
struct ArrivalOrder<Key: Hashable & Sendable>: Sequence, Sendable {
    /// Places up to which empty ones stay: to close the gaps of so few is worth nothing.
    private static var leastPlaces: Int { 64 }

    private var keys: [Key?] = []
    private var places: [Key: Int] = [:]
    /// Places before it are empty.
    private var begin = 0

    /// Keys that are there.
    var count: Int { places.count }

    /// Places, those of keys that were taken out included: no more than about twice as many as keys.
    var placeCount: Int { keys.count }

    /// Whether a key is there.
    func contains(_ key: Key) -> Bool { places[key] != nil }

    /// The key at a place; nil: it was taken out.
    func key(at place: Int) -> Key? { keys[place] }

    /// Adds a key at the end, unless it is there.
    mutating func append(_ key: Key) {
        guard places[key] == nil else { return }
        places[key] = keys.count
        keys.append(key)
    }

    /// Takes a key out.
    mutating func remove(_ key: Key) {
        var mark = 0
        remove(key, moving: &mark)
    }

    /// Takes a key out where somebody goes on from a place: when gaps are closed that moves with the keys behind it.
    mutating func remove(_ key: Key, moving mark: inout Int) {
        guard let place = places.removeValue(forKey: key) else { return }
        keys[place] = nil
        guard keys.count > Self.leastPlaces, places.count * 2 < keys.count else { return }
        mark = keys.prefix(mark).count { $0 != nil }
        begin = 0
        keys.removeAll { $0 == nil }
        for (place, key) in keys.enumerated() { if let key { places[key] = place } }
    }

    /// Takes the first key out; nil: there is none.
    mutating func popFirst() -> Key? {
        while begin < keys.count {
            guard let key = keys[begin] else {
                begin += 1
                continue
            }
            remove(key)
            return key
        }
        return nil
    }

    func makeIterator() -> AnyIterator<Key> {
        var rest = keys.makeIterator()
        return AnyIterator {
            while let next = rest.next() { if let key = next { return key } }
            return nil
        }
    }
}

/// Values in the order in which they first came, each once; constant time for each.
struct UniqueList<Element: Hashable & Sendable>: Sendable {
    private(set) var elements: Deque<Element> = []
    private var known: Set<Element> = []

    init() {}

    /// The values of a sequence.
    init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    var isEmpty: Bool { elements.isEmpty }

    /// Takes a value; one that is there keeps its place.
    /// - Returns: whether it is new.
    @discardableResult
    mutating func append(_ element: Element) -> Bool {
        guard known.insert(element).inserted else { return false }
        elements.append(element)
        return true
    }

    /// Takes the first so many out, in their order; each may come again.
    mutating func takeFirst(_ count: Int) -> [Element] {
        let taken = Array(elements.prefix(count))
        elements.removeFirst(taken.count)
        // Mostly all are taken: then the set is emptied at once, not one by one.
        if elements.isEmpty { known.removeAll(keepingCapacity: true) } else { known.subtract(taken) }
        return taken
    }

    func contains(_ element: Element) -> Bool { known.contains(element) }
}

/// Indexes of what has changed since that was asked last, each once: to note one, and to take one out, costs the same however many there are.
///
/// The one that was noted last comes first. It suits small indexes, of which each has a place of its own; what has none stands in a `UniqueList`.
struct ChangedIndexes: Sendable {
    private var indexes: [Int] = []
    private var isNoted: [Bool] = []

    /// Notes that what has this index has changed.
    mutating func note(_ index: Int) {
        while isNoted.count <= index { isNoted.append(false) }
        guard !isNoted[index] else { return }
        isNoted[index] = true
        indexes.append(index)
    }

    /// Whether nothing has changed.
    var isEmpty: Bool { indexes.isEmpty }

    /// The next one, which is noted no more; nil: nothing has changed.
    mutating func take() -> Int? {
        guard let index = indexes.popLast() else { return nil }
        isNoted[index] = false
        return index
    }

    /// Places of all that are noted, in no order that matters.
    var indices: Range<Int> { indexes.indices }

    subscript(place: Int) -> Int { indexes[place] }

    /// What stands at a place is noted no more; the last one stands there now.
    mutating func remove(at place: Int) {
        isNoted[indexes[place]] = false
        indexes.swapAt(place, indexes.count - 1)
        indexes.removeLast()
    }
}
