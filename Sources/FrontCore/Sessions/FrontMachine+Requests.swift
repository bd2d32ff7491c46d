//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Answers a request once; the same number gets the kept reply and never a second run.
    mutating func answer(_ request: ClientMessage.Request, _ session: SessionID, _ peer: PeerID, into actions: inout [FrontAction]) {
        let body = request.body
        let asked = NumberedRequest(request, session, peer)
        guard admits(asked, into: &actions) else { return }
        var (reply, feed): (Reply, FeedKey?)
        if let refused = refusalOfReading(body, session, peer) ?? refusalForNow(of: asked) {
            (reply, feed) = (refused, body.feed.flatMap { try? resolve($0).get() })
        } else {
            (reply, feed) = self.reply(to: body, session, into: &actions)
        }
        let kept = KeptReply(number: request.number, reply: reply, feed: feed, fingerprint: asked.fingerprint)
        if body.effect == .list { state.sessions[session.rawValue]?.hold(kept) }
        conclude(asked, with: reply, feed: feed, into: &actions)
    }

    /// Why a session may not do what needs that right.
    func refusal(byRole right: Role.Right, _ session: SessionID) -> Reply? {
        let name = state.sessions[session.rawValue]?.role ?? ""
        if Role(rawValue: name)?.has(right) == true { return nil }
        return refusal(.notAuthorized, "the role \(name.cut(to: Self.echoByteCount)) changes nothing: say hello with the role request")
    }

    /// The reply, and the feed that the request was about with its defaults filled in.
    private mutating func reply(to body: RequestBody, _ session: SessionID, into actions: inout [FrontAction]) -> (Reply, FeedKey?) {
        switch body {
        case .cancel(let job): return (cancel(job, by: label(session), into: &actions), nil)
        case .listJobs(let query): return (list(query, for: session), nil)
        case .explain(let job): return (explain(job), nil)
        case .outcomes(let jobs): return (outcomes(jobs, session, into: &actions), nil)
        case .listFeeds(let after): return (feeds(after: after, for: session), nil)
        case .load(let key): return onFeed(key, into: &actions) { $0.load($1, cause: .asked, session, into: &$2) }
        case .refresh(let key): return onFeed(key, into: &actions) { $0.load($1, cause: .refresh, session, into: &$2) }
        case .retry(let key, let view, let failure): return onFeed(key, into: &actions) { $0.retry($1, view, failure, session, into: &$2) }
        case .reset(let key, let version): return onFeed(key, into: &actions) { $0.reset($1, version, session, into: &$2) }
        case .cancelLoad(let key, let job): return onFeed(key, into: &actions) { $0.cancelLoad(of: $1, only: job, session, into: &$2) }
        case .create(let key, let item):
            return onFeed(key, into: &actions) { $0.save($1, .create, itemID: nil, item, session, into: &$2) }
        case .update(let key, let itemID, let item):
            return onFeed(key, into: &actions) { $0.save($1, .update, itemID: itemID, item, session, into: &$2) }
        case .sort(let key, let view, let order, let version):
            return onView(key, view, version, into: &actions) { $0.sort($1, view, order, session, into: &$2) }
        case .filter(let key, let view, let text, let version):
            return onView(key, view, version, into: &actions) { $0.filter($1, view, text, session, into: &$2) }
        case .select(let key, let view, let itemID, let version):
            return onView(key, view, version, into: &actions) { $0.select($1, view, itemID, session, into: &$2) }
        case .attach(let key, let view): return onView(key, view, nil, into: &actions) { $0.attach($1, view, session, into: &$2) }
        case .detach(let key, let view): return onFeed(key, into: &actions) { front, key, _ in front.detach(key, view, session) }
        case .resolve(let key): return onFeed(key, into: &actions) { _, _, _ in .done(version: 0) }
        case .unknown:
            let text = "this front speaks protocol version \(ProtocolVersion.current) and does not know that request"
            return (refusal(.invalidData, text), nil)
        case .unreadable(let error): return (refusal(error.code, error.description), nil)
        }
    }

    /// What is asked of a feed, by its whole key.
    private typealias Work = (inout Self, FeedKey, inout [FrontAction]) -> Reply

    /// Carries out what is asked of a feed, with the defaults of its parameters filled in.
    private mutating func onFeed(_ named: FeedKey, into actions: inout [FrontAction], _ work: Work) -> (Reply, FeedKey?) {
        switch resolve(named) {
        case .failure(let refused): (.refused(refused.failure, retryAfterMilliseconds: 0), nil)
        case .success(let key): (work(&self, key, &actions), key)
        }
    }

    /// The same for a view, which is made if need be and has to be at the version that the request saw.
    private mutating func onView(
        _ named: FeedKey, _ view: String, _ version: UInt64?, into actions: inout [FrontAction], _ work: Work
    ) -> (Reply, FeedKey?) {
        onFeed(named, into: &actions) { front, key, actions in
            front.prepare(key, view, version, into: &actions) ?? work(&front, key, &actions)
        }
    }

    /// The name of a session, for people.
    func label(_ session: SessionID) -> String { state.sessions[session.rawValue]?.label ?? "" }

    /// Bytes of a name that a refusal echoes, and of the whole sentence: what is kept for repeats is as small as what is useful to read.
    static let echoByteCount = 80
    static let refusalByteCount = 1_024
    /// Bytes of the sentence about another version: the longest that any client can ask for at will.
    static let conflictByteCount = 256

    /// A refusal that changes nothing.
    func refusal(_ code: FailureCode, _ text: String, arguments: [String] = [], retryAfter: UInt32 = 0) -> Reply {
        let failure = Failure(
            code: code, text: text.cut(to: Self.refusalByteCount), arguments: arguments, retryable: retryAfter > 0)
        return .refused(failure, retryAfterMilliseconds: retryAfter)
    }

    /// The refusal of a request about a job that is not there.
    func unknownJob(_ job: JobID) -> Reply {
        refusal(.unknownItem, "job \(job) is not known: it never existed or was forgotten after its end")
    }

    /// The refusal of a request at a bound; it changes nothing, and after `retryAfter` milliseconds, if that is not 0, it is worth asking again.
    mutating func busy(_ bound: BusyBound, _ text: String, retryAfter: UInt32 = 0) -> Reply {
        noteBusy(bound)
        return refusal(.busy, text, retryAfter: retryAfter)
    }

    /// The refusal of a request that saw another version; the arguments name the current one.
    func conflict(_ text: String, _ key: FeedKey, view: String? = nil, version: UInt64) -> Reply {
        let name = key.text.cut(to: Self.echoByteCount)
        let arguments = ["feed", name] + (view.map { ["view", $0] } ?? []) + ["version", String(version)]
        let failure = Failure(code: .conflict, text: text.cut(to: Self.conflictByteCount), arguments: arguments)
        return .refused(failure, retryAfterMilliseconds: 0)
    }

    /// Makes sure that a view exists and is at the version that the request saw; otherwise why not.
    private mutating func prepare(_ key: FeedKey, _ view: String, _ version: UInt64?, into actions: inout [FrontAction]) -> Reply? {
        guard FeedKey.isName(view) else {
            return refusal(.invalidData, "a view's name is [a-z][a-z0-9-]{0,62}, not \"\(view.cut(to: Self.echoByteCount))\"")
        }
        if let refused = makeView(key, view, into: &actions) { return refused }
        let current = state.feeds[key]?.views[view]?.version ?? 0
        guard let version, version != current else { return nil }
        let text = "view \(view) of \(key.text.cut(to: Self.echoByteCount)) is at version \(current), not \(version): look again and repeat"
        return conflict(text, key, view: view, version: current)
    }
}
