//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What one look at a socket's queue brought.
public enum Receipt: Hashable, Sendable {
    /// Nothing is waiting.
    case nothing
    /// The buffer holds a message.
    case message
    /// A message with the wrong number of frames was dropped whole.
    case malformed
}
