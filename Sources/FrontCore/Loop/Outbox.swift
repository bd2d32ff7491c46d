//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule

/// Frames that wait for a slow peer, in our memory.
struct Outbox {
    private var frames: Deque<OutgoingFrame> = []
    private(set) var byteCount = 0

    /// The frame that is sent next; nil: none waits.
    var first: OutgoingFrame? { frames.first }

    mutating func append(_ frame: OutgoingFrame) {
        frames.append(frame)
        byteCount += frame.bytes.count
    }

    /// - Returns: the bytes of the frame that has left.
    mutating func removeFirst() -> Int {
        guard let frame = frames.popFirst() else { return 0 }
        byteCount -= frame.bytes.count
        return frame.bytes.count
    }
}
