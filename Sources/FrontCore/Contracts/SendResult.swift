//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What became of a frame that was to be sent. Sent never means received.
public enum SendResult: UInt8, Hashable, Sendable {
    /// The socket has taken it.
    case sent = 0
    /// The peer's pipe is full: keep the frame and try again.
    case full = 1
    /// There is no such peer any more.
    case gone = 2
}
