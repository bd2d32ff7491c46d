//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule

/// Frames that wait for a slow peer, in our memory and bounded.
struct Outbox {
    private(set) var frames: Deque<OutgoingFrame> = []
    private(set) var byteCount = 0

    var isEmpty: Bool { frames.isEmpty }

    /// Keeps a frame; false: it is dropped because the bound is reached.
    mutating func append(_ frame: OutgoingFrame, limit: Int) -> Bool {
        guard byteCount + frame.bytes.count <= limit else { return false }
        frames.append(frame)
        byteCount += frame.bytes.count
        return true
    }

    mutating func removeFirst() {
        guard let frame = frames.popFirst() else { return }
        byteCount -= frame.bytes.count
    }
}
