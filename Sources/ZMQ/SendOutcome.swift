//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What became of a message without an address. "Sent" means queued, never received.
public enum SendOutcome: Hashable, Sendable {
    /// libzmq has it.
    case sent
    /// The queue is full or nobody is connected; keep the message and try later.
    case wouldBlock
}
