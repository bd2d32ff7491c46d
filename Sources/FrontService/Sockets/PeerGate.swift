//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPlatform
import GantryZMQ

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

/// Who may read pages: over ipc whoever may speak to the front, over TCP who knows the token of the front.
struct PageGate: Sendable {
    let peers: PeerGate
    /// What everybody must know who asks over TCP; nil: nothing is asked for.
    let token: SharedToken?

    /// Why a request is not read; nil: it is.
    func refusal(of request: PageRequest) -> PageReply? {
        guard let token, !token.admits(request.token) else { return nil }
        let text = "the token is not that of this front: send the content of DATA/run/token with each request for a page"
        return PageReply(number: request.number, failure: Failure(code: .notAuthorized, text: text))
    }
}
