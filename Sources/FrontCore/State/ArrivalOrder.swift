//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Keys in the order in which they came. To add and to remove one costs the same however many there are.
struct ArrivalOrder<Key: Hashable & Sendable>: Swift.Sequence, Sendable {
    /// Places up to which empty ones stay: to close the gaps of so few is worth nothing.
    private static var leastPlaces: Int { 64 }

    private var keys: [Key?] = []
    private var places: [Key: Int] = [:]

    /// Keys that are there.
    var count: Int { places.count }

    /// Places, those of keys that were taken out included: no more than about twice as many as keys.
    var placeCount: Int { keys.count }

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
        guard let place = places.removeValue(forKey: key) else { return }
        keys[place] = nil
        guard keys.count > Self.leastPlaces, places.count * 2 < keys.count else { return }
        keys.removeAll { $0 == nil }
        for (place, key) in keys.enumerated() { if let key { places[key] = place } }
    }

    func makeIterator() -> AnyIterator<Key> {
        var rest = keys.makeIterator()
        return AnyIterator {
            while let next = rest.next() { if let key = next { return key } }
            return nil
        }
    }
}
