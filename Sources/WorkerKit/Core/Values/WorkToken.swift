//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Names one run of one job inside a worker's life, so that a report of an earlier run cannot be taken for one of a later run.
package struct WorkToken: Hashable, Sendable {
    /// Counts the runs from 1.
    package let number: UInt64

    /// Wraps a count.
    package init(_ number: UInt64) { self.number = number }
}
