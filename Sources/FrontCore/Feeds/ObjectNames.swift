//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Which feeds name an object: one that turns out damaged is found without a look at every feed and view.
struct ObjectNames {
    /// How often each feed names an object.
    private var counts: [ObjectDigest: [FeedKey: Int]] = [:]

    /// The feeds that name an object, by key.
    func feeds(naming object: ObjectDigest) -> [FeedKey] { counts[object].map { $0.keys.sorted() } ?? [] }

    /// Every object that some feed names.
    var objects: Set<ObjectDigest> { Set(counts.keys) }

    /// What a feed named before gives way to what it names now.
    mutating func replace(_ old: [ObjectDigest], by new: [ObjectDigest], of key: FeedKey) {
        guard old != new else { return }
        for object in new { counts[object, default: [:]][key, default: 0] += 1 }
        for object in old {
            guard let count = counts[object]?[key] else { continue }
            counts[object]?[key] = count > 1 ? count - 1 : nil
            if counts[object]?.isEmpty == true { counts[object] = nil }
        }
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
        if let pair {
            names.append(pair.content.digest)
            if let order = pair.order { names.append(order.digest) }
        }
        if case .stored(let object) = detail { names.append(object.digest) }
        return names
    }
}
