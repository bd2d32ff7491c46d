//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import FrontCore

/// What came of one seed.
package struct SeedReport: Sendable {
    /// The seed.
    package let seed: UInt64
    /// The first broken promise; nil: all were kept.
    package let violation: Violation?
    /// What was done to the world.
    package let faults: KindCounts<FaultKind>
    /// Which bounds of the front it met.
    package let metBounds: KindCounts<MetBound>
    /// At which of its bounds somebody was told `busy`.
    package let busy: KindCounts<BusyBound>
    /// How long it lasted, in its own milliseconds.
    package let simulatedMilliseconds: Int64
    /// Events that happened.
    package let eventCount: UInt64
    /// Jobs that clients were told to be accepted.
    package let acceptedCount: Int
    /// Runs that really began.
    package let runCount: UInt64
    /// Times at which a replica that called itself verified was compared with the front.
    package let verifiedCount: UInt64
    /// Turns of the front.
    package let turnCount: UInt64
    /// Times at which the front's state was compared with the replay of its journal.
    package let comparisonCount: UInt64
    /// A sum over all events: equal for equal seeds.
    package let fingerprint: UInt64
    /// What happened last, oldest first; empty unless asked for.
    package let trace: [String]
}
