//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Everything that a client sends to the front in one frame.
public struct ClientEnvelope: Hashable, Sendable {
    /// The session that speaks; none before Welcome.
    public var session: SessionID
    /// In order.
    public var messages: [ClientMessage]

    /// Joins messages of one session.
    public init(session: SessionID = .none, messages: [ClientMessage]) {
        self.session = session
        self.messages = messages
    }
}
