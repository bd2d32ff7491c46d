//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a spawned process has as standard input, output or error.
public enum SpawnStream: Hashable, Sendable {
    /// The parent's own.
    case inherit
    /// `/dev/null`.
    case null
    /// An open descriptor of the parent, which keeps it.
    case descriptor(Int32)
}
