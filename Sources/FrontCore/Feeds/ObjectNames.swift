//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Which feeds name an object: one that turns out damaged is found without a look at every feed and view.
struct ObjectNames {
    /// The feeds that name one object, and how often each does.
    private struct Naming {
        var counts: [FeedKey: Int] = [:]
        /// The same feeds by key: taking a few of many costs nothing for the others.
        var order = SortedKeys<FeedKey>()
    }

    private var namings: [ObjectDigest: Naming] = [:]

    /// Whether some feed names an object.
    func isNamed(_ object: ObjectDigest) -> Bool { namings[object] != nil }

    /// Whether a feed that names an object is one of these.
    func isNamed(_ object: ObjectDigest, where isOne: (FeedKey) -> Bool) -> Bool {
        namings[object]?.counts.keys.contains(where: isOne) ?? false
    }

    /// The first feed that names an object, of those from a key on; nil: of all.
    func firstFeed(naming object: ObjectDigest, from key: FeedKey?) -> FeedKey? {
        guard let key else { return firstFeed(naming: object, after: nil) }
        return namings[object]?.counts[key] == nil ? firstFeed(naming: object, after: key) : key
    }

    /// The first feed that names an object, of those behind a key; nil: of all.
    func firstFeed(naming object: ObjectDigest, after key: FeedKey?) -> FeedKey? {
        var feeds = namings[object]?.order.keys(after: key).makeIterator()
        return feeds?.next()
    }

    /// Every object that some feed names.
    var objects: Set<ObjectDigest> { Set(namings.keys) }

    /// What a feed named before gives way to what it names now.
    mutating func replace(_ old: [ObjectDigest], by new: [ObjectDigest], of key: FeedKey) {
        guard old != new else { return }
        for object in new { count(object, of: key, 1) }
        for object in old { count(object, of: key, -1) }
    }

    private mutating func count(_ object: ObjectDigest, of key: FeedKey, _ change: Int) {
        let before = namings[object]?.counts[key] ?? 0
        guard before + change >= 0 else { return }
        if before == 0 { namings[object, default: Naming()].order.insert(key) }
        namings[object]?.counts[key] = before + change > 0 ? before + change : nil
        guard before + change == 0 else { return }
        namings[object]?.order.remove(key)
        if namings[object]?.counts.isEmpty == true { namings[object] = nil }
    }
}

extension FeedRecord {
    /// The objects of its content and of the versions before it.
    var contentNames: [ObjectDigest] { (state.content.map { [$0] } ?? []).map(\.object.digest) + older.map(\.object.digest) }
}

extension ViewState {
    /// The objects that it is read by.
    var objectNames: [ObjectDigest] {
        var names: [ObjectDigest] = []
        if let revision {
            names.append(revision.content.digest)
            if let order = revision.order { names.append(order.digest) }
        }
        if case .stored(let object) = detail { names.append(object.digest) }
        return names
    }
}
