//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Platform
import ZMQ

/// Who may speak to the front over ipc: our own user and root. The kernel tells with each message who sent it, so nobody is let in for having the
/// routing id that somebody else had.
struct PeerGate: Sendable {
    let ownUserID: UInt32

    /// The gate of this process's user.
    static var ownUser: Self { Self(ownUserID: ProcessControl.userID) }

    /// What a peer may do; nothing: what it sends is not looked at. Nil credentials: it did not come over ipc.
    func rights(of credentials: PeerCredentials?, at channel: FrontChannel) -> Rights {
        .of(channel, userID: credentials?.userID, owner: ownUserID)
    }

    /// Whether a request for a page is looked at: pages are asked for with the rights of requests, and who may observe may read them.
    func admits(_ credentials: PeerCredentials?) -> Bool { rights(of: credentials, at: .clients).contains(.observe) }
}
