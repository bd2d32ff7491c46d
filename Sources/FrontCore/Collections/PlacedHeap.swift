//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Small numbers in order of a key, the smallest on top, each of them movable: where each stands is noted in a table that its owner has.
///
/// Heaps that share out the same numbers among them can share one table, as the lanes of a thousand loaders do.
struct PlacedHeap<Key: Comparable & Sendable>: Sendable {
    private var items: [(key: Key, item: Int)] = []

    /// The number with the smallest key.
    var top: (key: Key, item: Int)? { items.first }
    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count }
    /// All numbers, in no order.
    var all: [Int] { items.map(\.item) }

    /// What stands at a place, from 0. Behind it in order, among others, is what stands at twice the place and one, and two.
    subscript(place: Int) -> (key: Key, item: Int) { items[place] }

    /// The numbers whose keys come before one, in no order: all of them if that takes no more than so many looks, else those among as many that are
    /// picked evenly.
    func items(before key: Key, looks limit: Int) -> HeapSample {
        var (sample, open) = (HeapSample(), [0])
        while let place = open.popLast() {
            guard place < items.count else { continue }
            guard sample.looked < limit else { return picked(before: key, looks: limit) }
            sample.looked += 1
            guard items[place].key < key else { continue }
            sample.items.append(items[place].item)
            open += [2 * place + 1, 2 * place + 2]
        }
        sample.all = sample.looked
        return sample
    }

    private func picked(before key: Key, looks limit: Int) -> HeapSample {
        var sample = HeapSample()
        // What stands early in a heap is early in its order, too: so places are picked over the whole of it.
        for pick in 0..<limit {
            let entry = items[pick * items.count / limit]
            if entry.key < key { sample.items.append(entry.item) }
        }
        (sample.looked, sample.all) = (2 * limit, 2 * items.count)
        return sample
    }

    /// Puts a number in, or moves it to where its new key belongs.
    /// - Parameter places: By number its place, from 1; 0: it is not in.
    /// - Returns: how many entries were looked at.
    mutating func set(_ item: Int, to key: Key, _ places: inout [Int]) -> Int {
        if places[item] == 0 {
            items.append((key, item))
            places[item] = items.count
        } else {
            items[places[item] - 1].key = key
        }
        let looks = rise(from: places[item] - 1, &places)
        return looks + sink(from: places[item] - 1, &places)
    }

    /// Takes a number out, if it is in.
    /// - Returns: how many entries were looked at.
    mutating func remove(_ item: Int, _ places: inout [Int]) -> Int {
        guard places[item] != 0 else { return 0 }
        let place = places[item] - 1
        places[item] = 0
        let last = items.removeLast()
        guard place < items.count else { return 1 }
        items[place] = last
        places[last.item] = place + 1
        // The one that was last comes from another branch: it may belong higher as well as lower.
        let looks = rise(from: place, &places)
        return looks + sink(from: places[last.item] - 1, &places)
    }

    private mutating func rise(from start: Int, _ places: inout [Int]) -> Int {
        var (place, looks) = (start, 1)
        while place > 0, items[place].key < items[(place - 1) / 2].key {
            exchange(place, (place - 1) / 2, &places)
            place = (place - 1) / 2
            looks += 1
        }
        return looks
    }

    private mutating func sink(from start: Int, _ places: inout [Int]) -> Int {
        var (place, looks) = (start, 0)
        while true {
            let (left, right) = (2 * place + 1, 2 * place + 2)
            var least = place
            if left < items.count, items[left].key < items[least].key { least = left }
            if right < items.count, items[right].key < items[least].key { least = right }
            looks += 2
            guard least != place else { return looks }
            exchange(place, least, &places)
            place = least
        }
    }

    private mutating func exchange(_ one: Int, _ two: Int, _ places: inout [Int]) {
        items.swapAt(one, two)
        places[items[one].item] = one + 1
        places[items[two].item] = two + 1
    }
}

/// Those of a heap's numbers that come before a key: where they are many, of some of them.
struct HeapSample {
    fileprivate(set) var items: [Int] = []
    /// What was looked at.
    fileprivate(set) var looked = 0
    /// For how many that stands: as many, where all were looked at that can come before the key.
    fileprivate var all = 0

    /// What something comes to for all of them, about, that comes to this for those that were looked at.
    func ofAll(_ count: Int) -> Int { looked == 0 ? count : count * all / looked }
}

/// Small numbers in order of a key, the smallest on top; each can be moved and taken out wherever it stands.
///
/// Numbers are indexes of lanes, workers or pools: a table by number says where each stands.
struct IndexedHeap<Key: Comparable & Sendable>: Sendable {
    private var heap = PlacedHeap<Key>()
    private var places: [Int] = []

    /// The number with the smallest key.
    var top: (key: Key, item: Int)? { heap.top }
    var isEmpty: Bool { heap.isEmpty }
    var count: Int { heap.count }

    /// Whether a number is in.
    func contains(_ item: Int) -> Bool { item < places.count && places[item] != 0 }

    /// Puts a number in, or moves it to where its new key belongs.
    /// - Returns: how many entries were looked at.
    @discardableResult
    mutating func set(_ item: Int, to key: Key) -> Int {
        while places.count <= item { places.append(0) }
        return heap.set(item, to: key, &places)
    }

    /// Takes a number out, if it is in.
    /// - Returns: how many entries were looked at.
    @discardableResult
    mutating func remove(_ item: Int) -> Int { contains(item) ? heap.remove(item, &places) : 0 }
}
