//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A part that `up` runs as a process of its own.
struct ChildPlan: Hashable, Sendable {
    /// The part's name, for people.
    let name: String
    /// The arguments of `gantry`.
    let arguments: [String]
}
