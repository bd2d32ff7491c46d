//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import ZMQ

/// Who may read pages: over ipc our own user and root. The kernel tells with each message who sent it, so nobody is let in for having
/// the routing id of somebody else.
struct PageGate: Sendable {
    let ownUserID: UInt32

    /// Whether what a peer sends is looked at; nil credentials: it did not come over ipc.
    func admits(_ credentials: PeerCredentials?) -> Bool {
        guard let user = credentials?.userID else { return true }
        return user == ownUserID || user == 0
    }
}
