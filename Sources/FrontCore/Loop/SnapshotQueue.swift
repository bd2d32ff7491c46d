//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The parts of a snapshot that one session has not been sent yet, and how many are on their way.
struct SnapshotQueue {
    let key: SnapshotKey
    /// Encoded, each to be put behind an envelope for this client; shared with others who asked in the same turn.
    var parts: [[UInt8]]
    /// Bytes of all items, also of those that are sent already.
    let byteCount: Int
    var inFlight = 0
    /// What its deadline is found by; 0: it has none.
    var number: UInt64 = 0
    /// When it began or a part was read last.
    var touchedAt: MonotonicTime
    /// The event that brought the question.
    var cause = EventID.start
}
