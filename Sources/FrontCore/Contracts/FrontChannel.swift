//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The front's sockets, as the loop knows them.
public enum FrontChannel: UInt8, Hashable, Sendable, CaseIterable {
    /// Workers: read first, and read empty before leases are looked at.
    case workers = 0
    /// Clients' requests.
    case clients = 1
    /// Subscriptions to topics: one byte, 1 or 0, and the topic's frame.
    case subscriptions = 2
}
