//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Answers a request once; the same number gets the kept reply and never a second run.
    mutating func answer(_ request: ClientMessage.Request, _ session: SessionID, _ peer: PeerID, into actions: inout [FrontAction]) {
        guard isNew(request.number, request.lowestUnanswered, session, peer, into: &actions) else { return }
        if !request.body.changesState, fullPeers.contains(peer) {
            let refused = refusal(.busy, "replies wait for this client that it has not read (limit): read them first", retryAfter: 1_000)
            return actions.append(.tell(peer, session, .reply(number: request.number, refused)))
        }
        let reply = reply(to: request.body, session, into: &actions)
        if request.body.changesState, !reply.isStorageFull {
            let kept = KeptReply(number: request.number, reply: reply, fingerprint: request.body.fingerprint)
            keep(kept, session, into: &actions)
        }
        actions.append(.tell(peer, session, .reply(number: request.number, reply)))
    }

    /// Keeps a reply for as long as the client has not said that it has it.
    mutating func keep(_ reply: KeptReply, _ session: SessionID, into actions: inout [FrontAction]) {
        if settings.plantedFault == .replyNotKept { return }
        record(.replyKept(session, reply), into: &actions)
    }

    /// Whether the request is to be run; otherwise it has been answered or dropped here.
    mutating func isNew(
        _ number: RequestNumber, _ lowest: RequestNumber, _ session: SessionID, _ peer: PeerID, into actions: inout [FrontAction]
    ) -> Bool {
        state.sessions[session.rawValue]?.forget(below: lowest.rawValue)
        guard let record = state.sessions[session.rawValue] else { return false }
        guard number.rawValue >= record.lowestUnanswered else { return false }
        if let kept = record.reply(to: number) {
            actions.append(.tell(peer, session, .reply(number: number, kept.reply, feed: kept.feed)))
            return false
        }
        guard number.rawValue < record.lowestUnanswered + settings.bounds.requestWindow else {
            let text = "more than \(settings.bounds.requestWindow) requests are unanswered (limit): wait for replies first"
            actions.append(.tell(peer, session, .reply(number: number, refusal(.busy, text, retryAfter: 100))))
            return false
        }
        return true
    }

    private mutating func reply(to body: RequestBody, _ session: SessionID, into actions: inout [FrontAction]) -> Reply {
        if body.changesState, storageIsFull, !isCancel(body) {
            return refusal(.storageFull, "the disk of the front is full: free some space; nothing accepted is lost", retryAfter: 1_000)
        }
        switch body {
        case .cancel(let job): return cancel(job, by: label(session), into: &actions)
        case .listJobs(let query): return list(query)
        case .explain(let job): return explain(job)
        case .outcomes(let jobs): return outcomes(jobs, session, into: &actions)
        case .listFeeds(let after): return feeds(after: after)
        case .load(let key), .refresh(let key), .retry(let key, _, _), .reset(let key, _), .create(let key, _), .update(let key, _, _),
            .sort(let key, _, _, _), .filter(let key, _, _, _), .select(let key, _, _, _), .attach(let key, _), .detach(let key, _):
            switch resolve(key) {
            case .failure(let refused): return .refused(refused.failure, retryAfterMilliseconds: 0)
            case .success(let resolved): return feedReply(to: body, resolved, session, into: &actions)
            }
        case .unknown:
            return refusal(.invalidData, "this front speaks protocol version \(ProtocolVersion.current) and does not know that request")
        case .unreadable(let error): return refusal(error.code, error.description)
        }
    }

    private mutating func feedReply(to body: RequestBody, _ key: FeedKey, _ session: SessionID, into actions: inout [FrontAction]) -> Reply
    {
        switch body {
        case .load: return load(key, cause: .asked, session, into: &actions)
        case .refresh: return load(key, cause: .refresh, session, into: &actions)
        case .retry(_, let view, let failure): return retry(key, view, failure, session, into: &actions)
        case .reset(_, let version): return reset(key, version, session, into: &actions)
        case .create(_, let item): return save(key, .create, itemID: nil, item, session, into: &actions)
        case .update(_, let itemID, let item): return save(key, .update, itemID: itemID, item, session, into: &actions)
        case .detach(_, let view): return detach(key, view, session)
        case .sort(_, let view, let order, let version):
            if let refused = prepare(key, view, version, into: &actions) { return refused }
            return sort(key, view, order, session, into: &actions)
        case .filter(_, let view, let text, let version):
            if let refused = prepare(key, view, version, into: &actions) { return refused }
            return filter(key, view, text, session, into: &actions)
        case .select(_, let view, let itemID, let version):
            if let refused = prepare(key, view, version, into: &actions) { return refused }
            return select(key, view, itemID, session, into: &actions)
        case .attach(_, let view):
            if let refused = prepare(key, view, nil, into: &actions) { return refused }
            return attach(key, view, session, into: &actions)
        case .cancel, .listJobs, .explain, .outcomes, .listFeeds, .unknown, .unreadable:
            return refusal(.invalidData, "the request names no feed")
        }
    }

    private func isCancel(_ body: RequestBody) -> Bool {
        if case .cancel = body { return true }
        return false
    }

    /// The name of a session, for people.
    func label(_ session: SessionID) -> String { state.sessions[session.rawValue]?.label ?? "" }

    /// A refusal that changes nothing.
    func refusal(_ code: FailureCode, _ text: String, retryAfter: UInt32 = 0) -> Reply {
        .refused(Failure(code: code, text: text, retryable: retryAfter > 0), retryAfterMilliseconds: retryAfter)
    }

    /// Makes sure that a view exists and is at the version that the request saw; otherwise why not.
    private mutating func prepare(_ key: FeedKey, _ view: String, _ version: UInt64?, into actions: inout [FrontAction]) -> Reply? {
        guard FeedKey.isName(view) else { return refusal(.invalidData, "a view's name is [a-z][a-z0-9-]{0,62}, not \"\(view)\"") }
        if let refused = makeView(key, view, into: &actions) { return refused }
        let current = state.feeds[key]?.views[view]?.version ?? 0
        guard let version, version != current else { return nil }
        let text = "view \(view) of \(key) is at version \(current), not \(version): look again and repeat"
        // The arguments tell a client the key with its defaults filled in and the version to name next time.
        let arguments = ["feed", key.text, "view", view, "version", String(current)]
        return .refused(Failure(code: .busy, text: text, arguments: arguments, retryable: true), retryAfterMilliseconds: 1)
    }
}

extension Reply {
    /// Whether it only says that the disk is full: it is not kept there, and the request may be repeated under its number.
    fileprivate var isStorageFull: Bool {
        if case .refused(let failure, _) = self { return failure.code == .storageFull }
        return false
    }
}
