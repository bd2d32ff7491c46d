//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Feeds in order of first use. To add and to remove one costs the same however many there are.
struct FeedOrder: Swift.Sequence {
    private var keys: [FeedKey?] = []
    private var places: [FeedKey: Int] = [:]

    /// Adds a feed at the end, unless it is there.
    mutating func append(_ key: FeedKey) {
        guard places[key] == nil else { return }
        places[key] = keys.count
        keys.append(key)
    }

    /// Takes a feed out.
    mutating func remove(_ key: FeedKey) {
        guard let place = places.removeValue(forKey: key) else { return }
        keys[place] = nil
        guard keys.count > 64, places.count * 2 < keys.count else { return }
        keys.removeAll { $0 == nil }
        for (place, key) in keys.enumerated() { if let key { places[key] = place } }
    }

    func makeIterator() -> AnyIterator<FeedKey> {
        var rest = keys.makeIterator()
        return AnyIterator {
            while let next = rest.next() { if let key = next { return key } }
            return nil
        }
    }
}
