//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The place of a socket or descriptor in one poller, in the order of `add`.
public struct PollSlot: Hashable, Sendable {
    let index: Int
}
