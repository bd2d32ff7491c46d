//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How often each kind of fault was injected.
package struct FaultTally: Sendable, Hashable {
    private var counts: [FaultKind: UInt64] = [:]

    /// No fault yet.
    package init() {}

    /// How often that kind was injected.
    package subscript(kind: FaultKind) -> UInt64 { counts[kind] ?? 0 }

    /// All of them.
    package var total: UInt64 { counts.values.reduce(0, +) }

    /// Counts one.
    mutating func count(_ kind: FaultKind) { counts[kind, default: 0] += 1 }

    /// Adds another tally.
    package mutating func add(_ other: FaultTally) {
        for (kind, count) in other.counts { counts[kind, default: 0] += count }
    }
}
