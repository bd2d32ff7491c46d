//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Whose snapshot of what.
struct SnapshotKey: Hashable {
    let peer: PeerID
    let topic: Topic
}
