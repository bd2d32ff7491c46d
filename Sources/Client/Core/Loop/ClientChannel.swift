//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The three ways between a client and its front.
public enum ClientChannel: UInt8, Hashable, Sendable, CaseIterable {
    /// Requests and answers of the session.
    case requests = 0
    /// Publications, one way only.
    case changes = 1
    /// Pages of lists.
    case pages = 2
}
