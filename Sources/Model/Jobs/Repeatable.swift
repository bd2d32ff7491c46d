//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Whether an operation may run a second time when its outcome is unknown.
public enum Repeatable: UInt8, Hashable, Sendable {
    /// A second run is harmless.
    case yes = 0
    /// Never run a second time by itself.
    case no = 2
}
