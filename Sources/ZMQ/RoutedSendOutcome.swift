//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What became of a message to one connection. "Sent" means queued, never received.
public enum RoutedSendOutcome: Hashable, Sendable {
    /// libzmq has it.
    case sent
    /// The connection's queue is full; keep the message and try later.
    case wouldBlock
    /// The connection is gone or never was; forget it.
    case unreachable
}
