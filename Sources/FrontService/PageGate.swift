//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import ZMQ

/// Who may read pages: over ipc our own user and root, over TCP who knows the token of the front. The kernel tells with each message who sent it, so nobody is let in for having
/// the routing id of somebody else.
struct PageGate: Sendable {
    let ownUserID: UInt32
    /// What everybody must know who asks over TCP; nil: nothing is asked for.
    let token: SharedToken?

    /// Whether what a peer sends is looked at; nil credentials: it did not come over ipc.
    func admits(_ credentials: PeerCredentials?) -> Bool {
        guard let user = credentials?.userID else { return true }
        return user == ownUserID || user == 0
    }

    /// Why a request is not read; nil: it is.
    func refusal(of request: PageRequest) -> PageReply? {
        guard let token, !token.admits(request.token) else { return nil }
        let text = "the token is not that of this front: send the content of DATA/run/token with each request for a page"
        return PageReply(number: request.number, failure: Failure(code: .notAuthorized, text: text))
    }
}
