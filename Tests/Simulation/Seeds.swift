//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Worlds by their seeds: each is the same every time.
package enum Seeds {
    /// The seeds that every build runs.
    package static let standard: ClosedRange<UInt64> = 1...200

    /// Whether all jobs of a world crowd into one limit: it is full most of the time then.
    package static func isCrowded(_ seed: UInt64) -> Bool { FlowVariation(seed: seed).isCrowded }

    /// Lets one world happen from its beginning to its end or its first broken promise.
    ///
    /// - Parameters:
    ///   - bug: a mistake that is to be noticed; the world then looks for the promise that it breaks and no other.
    ///   - isTraced: whether the report tells what happened last.
    package static func run(_ seed: UInt64, bug: InjectedBug? = nil, isTraced: Bool = false) -> SeedReport {
        World(seed: seed, bug: bug, isTraced: isTraced).run()
    }
}
