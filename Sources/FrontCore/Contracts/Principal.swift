//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Who speaks, as the transport has proved it.
public struct Principal: Hashable, Sendable {
    /// The user id of a local peer; nil where the transport cannot tell.
    public var userID: UInt32?
    /// The process id of a local peer, for people only.
    public var processID: UInt32?

    /// A principal.
    public init(userID: UInt32? = nil, processID: UInt32? = nil) {
        self.userID = userID
        self.processID = processID
    }
}
