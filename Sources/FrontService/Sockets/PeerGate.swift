//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPlatform
import GantryZMQ

/// Who may use the front over ipc: its own user and root. The kernel names the sender of each message, so a reused routing id gives no
/// rights.
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

/// Who may read pages: over ipc the users of the front, over TCP clients with its token.
struct PageGate: Sendable {
    let peers: PeerGate
    /// The token that requests over TCP must carry; nil: none.
    let token: SharedToken?

    /// Why a request is not read; nil: it is.
    func refusal(of request: PageRequest) -> PageReply? {
        guard let token, !token.admits(request.token) else { return nil }
        let text = "the token is not that of this front: send the content of DATA/run/token with each request for a page"
        return PageReply(number: request.number, failure: Failure(code: .notAuthorized, text: text))
    }
}
