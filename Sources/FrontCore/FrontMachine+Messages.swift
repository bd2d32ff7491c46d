//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Takes so many of a client's messages, in order.
    mutating func clientSpoke(_ peer: PeerID, _ rights: Rights, _ envelope: ClientEnvelope, from: Int, count: Int) {
        var session = envelope.session
        for message in envelope.messages.dropFirst(from).prefix(count) {
            turn.step()
            switch turn.state.sessions.receive(message, of: session, from: peer, in: &turn.context) {
            case .taken: break
            case .greeted(let opened, let left):
                feeds.leave(left, in: &turn)
                session = opened
            case .ended(let left): feeds.leave(left, in: &turn)
            case .submit(let submit): queue.submit(submit, session, peer, rights, in: &turn)
            case .request(let request): answer(request, session, peer, rights)
            case .snapshot(let topic, let asked): queue.send(turn.snapshot(of: topic, asked: asked, session, peer, rights), in: &turn)
            case .snapshotPartRead(let topic):
                if let canonical = try? turn.definitions.canonical(topic) { turn.emit(.continueSnapshot(peer, session, canonical)) }
            case .refused: return
            }
            tellFeeds()
        }
        if count < envelope.messages.count - from { turn.emit(.goOn(peer, session, from: from + count)) }
    }

    /// Takes so many of a worker's messages, in order.
    mutating func workerSpoke(_ peer: PeerID, _ principal: Principal, _ envelope: WorkerEnvelope, from: Int, count: Int) {
        for message in envelope.messages.dropFirst(from).prefix(count) {
            turn.step()
            guard workforce.receive(message, of: envelope, from: peer, principal, queue: &queue, in: &turn) else { return }
            tellFeeds()
        }
        if count < envelope.messages.count - from { turn.emit(.goOn(peer, .none, from: from + count)) }
    }

    /// Answers a request once; the same number gets the kept reply and never a second run.
    private mutating func answer(_ request: ClientMessage.Request, _ session: SessionID, _ peer: PeerID, _ rights: Rights) {
        let body = request.body
        let asked = NumberedRequest(request, session, peer, rights)
        guard turn.state.sessions.admits(asked, in: &turn.context) else { return }
        let refused = turn.state.sessions.refusalOfReading(body, session, from: peer, in: &turn.context)
        var (reply, feed): (Reply, FeedKey?)
        if let refused = refused ?? queue.refusalForNow(of: asked, in: &turn) {
            (reply, feed) = (refused, body.feed.flatMap { try? turn.definitions.resolve($0).get() })
        } else if let answer = queue.answer(to: body, asked, in: &turn) {
            // Without a reply it waits for ended jobs to be read.
            guard let now = answer.reply else { return }
            (reply, feed) = (now, nil)
        } else {
            (reply, feed) = feeds.reply(to: body, session, queue: &queue, in: &turn) ?? (body.refusalOfKind, nil)
        }
        tellFeeds()
        queue.conclude(asked, with: reply, feed: feed, in: &turn)
    }
}
