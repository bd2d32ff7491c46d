//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model
import Platform

/// The machine's clock for a client's loop; it counts while the machine sleeps.
public struct SystemClientClock: ClientClock, Sendable {
    /// The machine's clock.
    public init() {}

    /// Nanoseconds since the machine started.
    public func now() -> MonotonicTime { MonotonicTime(nanoseconds: SystemClock.bootNanoseconds()) }
}
