//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform
import ZMQ

/// Who may speak to the front over ipc: our own user and root. The kernel tells with each message who sent it, so nobody is let in for having the
/// routing id that somebody else had.
struct PeerGate: Sendable {
    let ownUserID: UInt32

    /// The gate of this process's user.
    static var ownUser: Self { Self(ownUserID: ProcessControl.userID) }

    /// Whether what a peer sends is looked at; nil credentials: it did not come over ipc.
    func admits(_ credentials: PeerCredentials?) -> Bool {
        guard let user = credentials?.userID else { return true }
        return user == ownUserID || user == 0
    }
}
