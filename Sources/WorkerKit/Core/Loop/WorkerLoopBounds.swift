//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The bounds of a worker's loop.
package struct WorkerLoopBounds: Hashable, Sendable {
    /// Bytes of the greatest frame that the front takes, less room for the envelope: messages of a turn are split there.
    package var frameByteCount = MessageBounds.frameByteCount - Self.envelopeByteCount
    /// Bytes that may wait to be sent; further frames are given up, since all that matters is repeated.
    package var outboxByteCount = 4 << 20
    /// Bytes that are read in one turn before deadlines are looked at.
    package var readByteCount = 4 << 20

    /// The envelope around messages has ids and numbers only; a page of room costs nothing.
    private static let envelopeByteCount = 4_096

    /// The defaults.
    package init() {}
}
