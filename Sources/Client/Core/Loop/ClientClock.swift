//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// The clock of a client's loop.
public protocol ClientClock {
    /// The time now; never goes back.
    func now() -> MonotonicTime
}
