//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What every loader says of itself. Conform to `Loader` or `BulkLoader`.
public protocol NamedLoader: Sendable {
    /// The name that jobs ask for: a lower-case letter, then up to 62 lower-case letters, digits or dashes. Unique in a worker.
    var name: String { get }
    /// Whether a job may run a second time when its outcome is unknown. `yes` unless said otherwise; say `no` when a second run does harm.
    var repeatable: Repeatable { get }
}

extension NamedLoader {
    /// A second run is harmless.
    public var repeatable: Repeatable { .yes }
}
