//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One direction of a connection: order is kept.
struct Lane {
    /// When the last frame arrives; none arrives before it.
    var lastArrival: Int64 = 0
    /// Until when nothing arrives.
    var blockedUntil: Int64 = 0
    /// Frames on their way.
    var inFlight = 0
}
