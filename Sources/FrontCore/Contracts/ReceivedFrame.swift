//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// One message that a socket of the front had received.
public struct ReceivedFrame: Sendable {
    /// Who sent it; none for subscriptions.
    public var peer: PeerID
    /// Who that is.
    public var principal: Principal
    /// The body; nil: the message had the wrong number of frames.
    public var bytes: [UInt8]?

    /// Joins the parts.
    public init(peer: PeerID, principal: Principal = Principal(), bytes: [UInt8]?) {
        self.peer = peer
        self.principal = principal
        self.bytes = bytes
    }
}
