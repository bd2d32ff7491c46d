//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What the front has to know of a request with a number before it runs it, be it a submit of jobs or anything else: both take the same road.
struct NumberedRequest {
    let number: RequestNumber
    let lowestUnanswered: RequestNumber
    /// Tells a repeat from another request under the same number.
    let fingerprint: UInt64
    let session: SessionID
    let peer: PeerID
    /// What who asks may do, and what it needs.
    let rights: Rights
    let right: Rights
    /// Whether its reply is kept, because a second run would do something a second time.
    let changesState: Bool
    /// Whether it waits for room on a full disk. A cancel does not: it is what makes jobs end.
    let needsStorage: Bool
    /// Whether its reply is held for repeats though a second run would change nothing, because to make it costs much.
    let isHeld: Bool
    /// The jobs that it adds to the queue, and their bytes; nil: it adds none.
    let jobs: (count: Int, byteCount: Int)?
}

extension NumberedRequest {
    init(_ request: ClientMessage.Request, _ session: SessionID, _ peer: PeerID, _ rights: Rights) {
        let body = request.body
        self.init(
            number: request.number, lowestUnanswered: request.lowestUnanswered, fingerprint: body.fingerprint, session: session, peer: peer,
            rights: rights, right: body.right, changesState: body.changesState, needsStorage: body.changesState && body.effect != .cancel,
            isHeld: body.effect == .list, jobs: body.effect == .work ? (1, body.byteCount + RoughSize.feedJob) : nil)
    }

    init(_ submit: ClientMessage.Submit, _ session: SessionID, _ peer: PeerID, _ rights: Rights) {
        self.init(
            number: submit.number, lowestUnanswered: submit.lowestUnanswered, fingerprint: submit.fingerprint, session: session, peer: peer,
            rights: rights, right: .request, changesState: true, needsStorage: true, isHeld: false,
            jobs: (submit.arguments.count, submit.byteCount))
    }
}
