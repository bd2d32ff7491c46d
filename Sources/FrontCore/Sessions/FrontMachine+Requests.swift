//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Answers a request once; the same number gets the kept reply and never a second run.
    mutating func answer(_ request: ClientMessage.Request, _ session: SessionID, _ peer: PeerID) {
        let body = request.body
        let asked = NumberedRequest(request, session, peer)
        guard state.sessions.admits(asked, in: &turn) else { return }
        var (reply, feed): (Reply, FeedKey?)
        if let refused = state.sessions.refusalOfReading(body, session, from: peer, in: &turn) ?? refusalForNow(of: asked) {
            (reply, feed) = (refused, body.feed.flatMap { try? resolve($0).get() })
        } else {
            (reply, feed) = self.reply(to: body, session)
        }
        let kept = KeptReply(number: request.number, reply: reply, feed: feed, fingerprint: asked.fingerprint)
        if body.effect == .list { state.sessions.hold(kept, of: session) }
        conclude(asked, with: reply, feed: feed)
    }

    /// The reply, and the feed that the request was about with its defaults filled in.
    private mutating func reply(to body: RequestBody, _ session: SessionID) -> (Reply, FeedKey?) {
        switch body {
        case .cancel(let job): return (cancel(job, by: state.sessions.label(session)), nil)
        case .listJobs(let query): return (list(query, for: session), nil)
        case .explain(let job): return (explain(job), nil)
        case .outcomes(let jobs): return (outcomes(jobs, session), nil)
        case .listFeeds(let after): return (feeds(after: after, for: session), nil)
        case .load(let key): return onFeed(key) { $0.load($1, cause: .asked, session) }
        case .refresh(let key): return onFeed(key) { $0.load($1, cause: .refresh, session) }
        case .retry(let key, let view, let failure): return onFeed(key) { $0.retry($1, view, failure, session) }
        case .reset(let key, let version): return onFeed(key) { $0.reset($1, version, session) }
        case .cancelLoad(let key, let job): return onFeed(key) { $0.cancelLoad(of: $1, only: job, session) }
        case .create(let key, let item):
            return onFeed(key) { $0.save($1, .create, itemID: nil, item, session) }
        case .update(let key, let itemID, let item):
            return onFeed(key) { $0.save($1, .update, itemID: itemID, item, session) }
        case .sort(let key, let view, let order, let version):
            return onView(key, view, version) { $0.sort($1, view, order, session) }
        case .filter(let key, let view, let text, let version):
            return onView(key, view, version) { $0.filter($1, view, text, session) }
        case .select(let key, let view, let itemID, let version):
            return onView(key, view, version) { $0.select($1, view, itemID, session) }
        case .attach(let key, let view): return onView(key, view, nil) { $0.attach($1, view, session) }
        case .detach(let key, let view): return onFeed(key) { $0.detach($1, view, session) }
        case .resolve(let key): return onFeed(key) { _, _ in .done(version: 0) }
        case .unknown:
            let text = "this front speaks protocol version \(ProtocolVersion.current) and does not know that request"
            return (.refusal(.invalidData, text), nil)
        case .unreadable(let error): return (.refusal(error.code, error.description), nil)
        }
    }

    /// What is asked of a feed, by its whole key.
    private typealias Work = (inout Self, FeedKey) -> Reply

    /// Carries out what is asked of a feed, with the defaults of its parameters filled in.
    private mutating func onFeed(_ named: FeedKey, _ work: Work) -> (Reply, FeedKey?) {
        switch resolve(named) {
        case .failure(let refused): (.refused(refused.failure, retryAfterMilliseconds: 0), nil)
        case .success(let key): (work(&self, key), key)
        }
    }

    /// The same for a view, which is made if need be and has to be at the version that the request saw.
    private mutating func onView(
        _ named: FeedKey, _ view: String, _ version: UInt64?, _ work: Work
    ) -> (Reply, FeedKey?) {
        onFeed(named) { front, key in
            front.prepare(key, view, version) ?? work(&front, key)
        }
    }

    /// Makes sure that a view exists and is at the version that the request saw; otherwise why not.
    private mutating func prepare(_ key: FeedKey, _ view: String, _ version: UInt64?) -> Reply? {
        guard FeedKey.isName(view) else {
            return .refusal(.invalidData, "a view's name is [a-z][a-z0-9-]{0,62}, not \"\(view.cut(to: Reply.echoByteCount))\"")
        }
        if let refused = makeView(key, view) { return refused }
        let current = state.feeds[key]?.views[view]?.version ?? 0
        guard let version, version != current else { return nil }
        let name = key.text.cut(to: Reply.echoByteCount)
        let text = "view \(view) of \(name) is at version \(current), not \(version): look again and repeat"
        return .conflict(text, key, view: view, version: current)
    }
}
