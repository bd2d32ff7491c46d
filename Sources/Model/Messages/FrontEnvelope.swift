//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Everything that the front sends to one client in one frame.
public struct FrontEnvelope: Hashable, Sendable {
    /// Which front speaks.
    public var front: FrontID
    /// Which life of it.
    public var epoch: Epoch
    /// The session that is spoken to; none where there is none.
    public var session: SessionID
    /// In order.
    public var messages: [FrontMessage]

    /// Joins messages to one session.
    public init(front: FrontID, epoch: Epoch, session: SessionID, messages: [FrontMessage]) {
        self.front = front
        self.epoch = epoch
        self.session = session
        self.messages = messages
    }
}
