//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A point in the order of decisions: everything before it has smaller numbers, everything after it these or greater ones.
public struct DecisionMark: Hashable, Sendable {
    /// The number of the next lease.
    var lease: UInt64
    /// The number of the next attachment.
    var registrationNumber: UInt64
}
