//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// One connection between a socket and the front: a new one has a new peer id.
final class Link {
    let peer: PeerID
    let endpoint: Endpoint
    var toFront = Lane()
    var toPeer = Lane()
    var isBroken = false
    /// Whether frames that are on their way to the front still come when the connection is broken.
    var lingers = false
    /// Topics that the front's socket knows to be subscribed.
    var subscribed: Set<[UInt8]> = []

    init(_ peer: PeerID, _ endpoint: Endpoint) {
        self.peer = peer
        self.endpoint = endpoint
    }
}
