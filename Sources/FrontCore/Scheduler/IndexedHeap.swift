//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
