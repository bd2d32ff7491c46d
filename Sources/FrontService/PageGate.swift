//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import ZMQ

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
