//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What has a deadline. Those at the same instant go by their order, never by that of a table.
protocol DeadlineHolder: Hashable, Comparable, Sendable {
    /// What is looked at together, in its order.
    associatedtype Kind: CaseIterable, RawRepresentable<Int>, Hashable, Sendable

    /// The kind it is of.
    var kind: Kind { get }
}
