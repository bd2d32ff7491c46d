//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How often each kind of thing happened in a world.
package struct KindCounts<Kind: Hashable & Sendable>: Sendable, Hashable {
    private var counts: [Kind: UInt64] = [:]

    /// Nothing yet.
    package init() {}

    /// How often that kind happened.
    package subscript(kind: Kind) -> UInt64 { counts[kind] ?? 0 }

    /// All of them.
    package var total: UInt64 { counts.values.reduce(0, +) }

    /// Counts one, or several.
    mutating func count(_ kind: Kind, times: UInt64 = 1) { counts[kind, default: 0] += times }

    /// Adds another tally.
    package mutating func add(_ other: KindCounts) {
        for (kind, count) in other.counts { counts[kind, default: 0] += count }
    }
}
