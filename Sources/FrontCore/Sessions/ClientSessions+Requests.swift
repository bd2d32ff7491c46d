//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What the front has to know of a request with a number before it runs it, be it a submit of jobs or anything else: both take the same road.
struct NumberedRequest {
    let number: RequestNumber
    let lowestUnanswered: RequestNumber
    /// Distinguishes a repeat from another request under the same number.
    let fingerprint: UInt64
    let session: SessionID
    private(set) var peer: PeerID
    /// The sender's rights, and the right that the request needs.
    let rights: Rights
    let right: Rights
    /// Whether its reply is kept, because a second run would do something a second time.
    let changesState: Bool
    /// Whether it waits for room on a full disk. A cancel does not: it is what makes jobs end.
    let needsStorage: Bool
    /// Whether its reply is held for repeats though a second run would change nothing, because to make it costs much.
    let isHeld: Bool
    /// The jobs that it adds to the queue, and their bytes; nil: it adds none.
    private(set) var jobs: (count: Int, byteCount: Int)?
}

extension NumberedRequest {
    /// The same where its session is at another connection by now; none: at no one.
    func now(at peer: PeerID) -> Self {
        var request = self
        if peer != .none { request.peer = peer }
        return request
    }

    /// The same where it joins what is under way.
    var addingNoJob: Self {
        var request = self
        request.jobs = nil
        return request
    }

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

/// Each request has one reply: a repeat gets the kept one, and is never run again.
extension ClientSessions {
    /// The client whose jobs are accepted.
    func asker(of submitter: Submitter) -> JobTerms.Asker {
        switch submitter {
        case .session(let id): JobTerms.Asker(label: label(id), client: self[id]?.client ?? "")
        case .schedule(let name): JobTerms.Asker(label: "schedule \(name)".cut(to: MessageBounds.labelByteCount))
        case .parent(let job): JobTerms.Asker(label: "job \(job)")
        case .front: JobTerms.Asker()
        }
    }

    /// Whether a request is to be run; otherwise it has been answered here, and nothing is written for it: it is a repeat, or is refused again
    /// when it is repeated, because a connection's rights never change and what was refused for want of room stays refused under its number.
    mutating func admits(_ asked: NumberedRequest, in turn: inout TurnContext) -> Bool {
        let refused: Reply
        switch take(asked) {
        case .run:
            guard let reply = refusal(byRightsOf: asked) ?? (asked.changesState ? refusalOfKeeping(asked, in: &turn) : nil)
            else { return true }
            refused = reply
        case .repeated(let retained):
            turn.emit(.send(asked.peer, asked.session, .reply(number: asked.number, retained.reply, feed: retained.feed)))
            return false
        case .refused(let fault):
            refused = refusal(of: asked, fault, in: &turn)
        case nil: return false
        }
        turn.emit(.send(asked.peer, asked.session, .reply(number: asked.number, refused)))
        return false
    }

    /// The reply to a request whose number is at fault.
    func refusal(of asked: NumberedRequest, _ fault: AdmissionFault, in turn: inout TurnContext) -> Reply {
        let text = fault.text(asked.number, asked.lowestUnanswered, window: requestWindow)
        return fault == .outsideWindow ? turn.busy(.requestWindow, text, retryAfter: RetryPause.short) : .refusal(fault.code, text)
    }

    /// Why the sender may not do it.
    private func refusal(byRightsOf asked: NumberedRequest) -> Reply? {
        asked.rights.isSuperset(of: asked.right) ? nil : .refused(.without(asked.right), retryAfter: .zero)
    }

    /// Why a change may not be made: its client has not confirmed too many replies, or the number was refused before. Such a refusal is
    /// not kept itself.
    private mutating func refusalOfKeeping(_ asked: NumberedRequest, in turn: inout TurnContext) -> Reply? {
        let bounds = turn.settings.bounds
        guard let session = self[asked.session] else { return nil }
        guard asked.number.rawValue > session.refusedThrough else {
            let text = "there was no room when request \(asked.number) came, and it did nothing: ask again under a new number"
            return .refusal(.busy, text, retryAfter: RetryPause.short)
        }
        let count = session.retainedByteCount
        let limit =
            retainedByteCount < bounds.allRetainedByteCount
            ? bounds.retainedByteCount : min(bounds.sparedByteCount, bounds.retainedByteCount)
        guard count >= limit else { return nil }
        noteRefusal(of: asked)
        let text = "replies of \(count) bytes are kept for this session (limit \(limit)): confirm in lowest_unanswered which have come"
        return turn.busy(.retainedByteCount, text, retryAfter: RetryPause.short)
    }

    /// Why a request that only reads cannot be run now: too many replies are under way, or wait for a client that does not read. A reply that
    /// costs as much as the state is large is held for repeats, so few of those may be under way.
    /// - Parameter waiting: How many of its session wait for ended jobs to be read: their replies are to come.
    func refusalOfReading(_ asked: NumberedRequest, waiting: Int = 0, in turn: inout TurnContext) -> Reply? {
        if !asked.changesState, isFull(asked.peer) {
            return turn.busy(
                .unreadReplies, "replies wait for this client that it has not read (limit): read them first", retryAfter: RetryPause.usual)
        }
        let bounds = turn.settings.bounds
        guard asked.isHeld, let session = self[asked.session] else { return nil }
        let count = session.readings + waiting
        guard count < bounds.readingRequests, session.readingByteCount < bounds.readingByteCount else {
            let text =
                "\(count) replies with \(session.readingByteCount) bytes are under way (limit \(bounds.readingRequests) and "
                + "\(bounds.readingByteCount)): confirm in lowest_unanswered which have come"
            return turn.busy(.readingRequests, text, retryAfter: RetryPause.short)
        }
        return nil
    }
}

/// A frame that has to wait, or is dropped, still shows that its client runs.
extension ClientSessions {
    /// The newest heartbeat of a frame that has to wait or is dropped: the session is alive whatever becomes of the rest.
    mutating func receiveWaiting(_ envelope: ClientEnvelope, from peer: PeerID, in turn: inout TurnContext) {
        turn.step(envelope.messages.count)
        guard standing(of: envelope.session, at: peer) == .connected else { return }
        var newest: RequestNumber?
        // One answer for a frame, whatever it holds: thousands of heartbeats would cost as many.
        for case .heartbeat(let lowest) in envelope.messages { newest = lowest }
        guard let newest else { return }
        receive(envelope.session, in: &turn)
        heartbeat(newest, of: envelope.session, from: peer, in: &turn)
    }
}

extension ClientSessions {
    /// Why a session may not attach to one more view; nil: it may, or is attached already.
    func refusalOfAttachment(_ id: SessionID, to view: ClientSession.AttachedView, in turn: inout TurnContext) -> Reply? {
        guard let session = self[id], !session.attachments.contains(view) else { return nil }
        let bounds = turn.settings.bounds
        guard session.attachments.count >= bounds.attachments || attachmentCount >= bounds.allAttachments else { return nil }
        let counts = "\(session.attachments.count) views, all clients together to \(attachmentCount)"
        let text = "this client is attached to \(counts) (limit): detach from some first"
        return turn.busy(.attachments, text, retryAfter: RetryPause.usual)
    }
}
