//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The parts of a snapshot that one client has not been sent yet, and how many are on their way.
struct SnapshotQueue {
    let peer: PeerID
    let session: SessionID
    let topic: Topic
    var parts: [FrontMessage.SnapshotPart]
    var inFlight = 0
}
