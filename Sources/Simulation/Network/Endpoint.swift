//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// A connecting socket of a worker or a client, and what it has received.
final class Endpoint {
    /// What the socket is for.
    enum Kind {
        case worker
        case requests
        case changes
    }

    unowned let owner: Process
    let kind: Kind
    /// The connection; nil while there is none.
    var link: Link?
    /// Whether the socket is open: then it connects by itself.
    var isOpen = false
    /// Received frames; the topic is empty save for publications.
    var inbox: Deque<(topic: [UInt8], payload: [UInt8])> = []
    /// Topics subscribed to, in order.
    var topics: [[UInt8]] = []
    /// Counts the sockets, so that an older one's attempts end.
    var generation = 0
    /// Whether a frame was refused for want of room.
    var wantsRoom = false

    init(_ owner: Process, _ kind: Kind) {
        self.owner = owner
        self.kind = kind
    }
}
