//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ZMQ

/// Who asks for pages: a connection, and the process behind it where the kernel tells.
struct PageClient: Hashable, Sendable {
    /// Whose reads are counted together: those of a process however many connections it has, else those of a connection. Over TCP nothing tells
    /// processes apart, nor over ipc those of another container.
    enum Owner: Hashable {
        case process(Int32)
        case connection(RoutingID)
    }

    /// Where the replies go.
    let connection: RoutingID
    /// nil: not known.
    let process: Int32?

    /// The sender of a message; nil credentials: it did not come over ipc.
    init(_ connection: RoutingID, _ credentials: PeerCredentials?) {
        self.connection = connection
        process = credentials.map(\.processID).flatMap { $0 > 0 ? $0 : nil }
    }

    var owner: Owner { process.map { .process($0) } ?? .connection(connection) }
}
