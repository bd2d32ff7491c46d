//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import FrontCore

/// Worlds by their seeds: each is the same every time.
package enum Seeds {
    /// The seeds that every build runs.
    package static let standard: ClosedRange<UInt64> = 1...200

    /// Lets one world happen from its beginning to its end or its first broken promise.
    ///
    /// - Parameters:
    ///   - planted: a mistake in the front that is to be noticed.
    ///   - isTraced: whether the report tells what happened last.
    package static func run(_ seed: UInt64, planted: PlantedFault? = nil, isTraced: Bool = false) -> SeedReport {
        World(seed: seed, planted: planted, isTraced: isTraced).run()
    }
}
