//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Whose snapshot of what. Sessions of one connection that ask for the same topic have each their own.
struct SnapshotKey: Hashable {
    let peer: PeerID
    let session: SessionID
    let topic: Topic
}
