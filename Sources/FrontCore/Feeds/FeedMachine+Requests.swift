//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// The reply to a request about a feed, and the feed with its defaults filled in; nil: there is no such feed.
    mutating func reply(
        to body: FeedRequest, of named: FeedKey, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> (Reply, FeedKey?) {
        switch turn.definitions.resolve(named) {
        case .failure(let refused): return (.refused(refused.failure, retryAfter: .zero), nil)
        case .success(let key):
            if case .attach(let view) = body, let refused = refusalOfAttachment(to: view, of: key, queue: &queue, in: &turn) {
                return (refused, key)
            }
            if let (view, version) = body.view, let refused = prepare(key, view, version, queue: &queue, in: &turn) {
                return (refused, key)
            }
            return (carryOut(body, key, session, queue: &queue, in: &turn), key)
        }
    }

    /// Carries out what is asked of a feed, by its whole key.
    private mutating func carryOut(
        _ body: FeedRequest, _ key: FeedKey, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Reply {
        switch body {
        case .load: load(key, cause: .asked, session, queue: &queue, in: &turn)
        case .refresh: load(key, cause: .refresh, session, queue: &queue, in: &turn)
        case .retry(let view, let failure): retry(key, view, failure, session, queue: &queue, in: &turn)
        case .reset(let version): reset(key, version, session, queue: &queue, in: &turn)
        case .cancelLoad(let job): cancelLoad(of: key, only: job, session, queue: &queue, in: &turn)
        case .create(let item): save(key, .create, itemID: nil, item, session, queue: &queue, in: &turn)
        case .update(let itemID, let item): save(key, .update, itemID: itemID, item, session, queue: &queue, in: &turn)
        case .sort(let view, let order, _): sort(key, view, order, session, queue: &queue, in: &turn)
        case .filter(let view, let text, _): filter(key, view, text, session, queue: &queue, in: &turn)
        case .select(let view, let itemID, _): select(key, view, itemID, session, queue: &queue, in: &turn)
        case .attach(let view): attach(key, view, session, queue: &queue, in: &turn)
        case .detach(let view): detach(key, view, session, in: &turn)
        }
    }

    /// Makes sure that a view exists and is at the version that the request saw; otherwise why not.
    private mutating func prepare(
        _ key: FeedKey, _ view: String, _ version: UInt64?, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Reply? {
        guard FeedKey.isName(view) else {
            return .refusal(.invalidData, "\"\(view.cut(to: Reply.quotedByteCount))\" names no view: \(FeedKey.nameRule)")
        }
        if let refused = makeView(key, view, queue: &queue, in: &turn) { return refused }
        let current = turn.state.feeds[key]?.views[view]?.version ?? 0
        guard let version, version != current else { return nil }
        let name = key.text.cut(to: Reply.quotedByteCount)
        let text = "view \(view) of \(name) is at version \(current), not \(version): look again and repeat"
        return .conflict(text, key, view: view, version: current)
    }

    /// Nobody of a session wishes these views to be kept any more.
    mutating func leave(_ views: [ClientSession.AttachedView], in turn: inout FrontTurn) {
        for attached in views { turn.state.feeds.leave(attached.key, attached.view, in: &turn.context) }
    }
}

extension FeedRequest {
    /// The view that has to be there for it, and the version that it saw; nil: it needs none.
    fileprivate var view: (name: String, version: UInt64?)? {
        switch self {
        case .sort(let view, _, let version), .filter(let view, _, let version), .select(let view, _, let version): (view, version)
        case .attach(let view): (view, nil)
        case .load, .refresh, .retry, .reset, .cancelLoad, .create, .update, .detach: nil
        }
    }
}
