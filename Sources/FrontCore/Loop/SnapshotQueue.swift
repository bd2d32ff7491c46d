//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The parts of a snapshot that one client has not been sent yet, and how many are on their way.
struct SnapshotQueue {
    let key: SnapshotKey
    let session: SessionID
    var parts: [FrontMessage.SnapshotPart]
    /// Bytes of all items, also of those that are sent already.
    let byteCount: Int
    var inFlight = 0
    /// When it began or a part was read last.
    var touchedAt: MonotonicTime
}
