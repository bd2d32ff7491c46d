//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A frame on its way to a peer.
struct OutgoingFrame {
    let peer: PeerID
    let bytes: [UInt8]
    /// The event behind it; the newest, where it carries what several brought about.
    let cause: EventID
}
