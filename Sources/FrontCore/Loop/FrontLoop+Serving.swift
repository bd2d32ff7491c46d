//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontLoop {
    /// Handles frames of workers, each worker in its turn, as far as the turn's budget goes.
    func serveWorkers() {
        var budget = TurnBudget(settings, steps: machine.steps)
        while !isHolding, budget.isLeft(machine.steps), let peer = workerInbox.beginTurn() {
            var share = TurnShare(settings, steps: machine.steps)
            while !isHolding, budget.isLeft(machine.steps), share.takeMessage(machine.steps), serveWorker(peer, &budget) {}
            workerInbox.endTurn(of: peer)
        }
    }

    /// Handles frames of clients, each client in its turn, as far as the turn's budget goes.
    func serveClients() {
        var budget = TurnBudget(settings, steps: machine.steps)
        while !isHolding, budget.isLeft(machine.steps), let peer = clientInbox.beginTurn() {
            var share = TurnShare(settings, steps: machine.steps)
            while !isHolding, budget.isLeft(machine.steps), share.takeMessage(machine.steps), serveClient(peer, &budget) {}
            clientInbox.endTurn(of: peer)
        }
    }

    /// Handles a worker's next message; false: it has none.
    private func serveWorker(_ peer: PeerID, _ budget: inout TurnBudget) -> Bool {
        var frame = workerInbox.takeOpen(of: peer)
        if frame == nil {
            guard let next = workerInbox.takeFrame(of: peer) else {
                // So the budget ends a turn in which all have to wait.
                if workerInbox.hasFrame(of: peer) { budget.take() }
                return false
            }
            budget.take(byteCount: next.bytes?.count ?? 0)
            do throws(CodecError) {
                let envelope = try codec.decodeWorker(try next.body())
                let byteCount = (next.bytes?.count ?? 0) + envelope.messages.reduce(0) { $0 + $1.memoryByteCount }
                frame = .init(principal: next.principal, envelope: envelope, byteCount: byteCount, next: 0)
            } catch {
                budget.take()
                decide(.malformedFrame(peer, .workers, error))
                return true
            }
        }
        guard var frame else { return false }
        budget.take()
        decide(.workerSpoke(peer, frame.principal, frame.envelope, from: frame.next, count: 1))
        if let rest = takeRest() {
            frame.next = rest.from
            workerInbox.putBack(frame, of: peer)
        }
        return true
    }

    /// Handles a client's next message; false: it has none.
    private func serveClient(_ peer: PeerID, _ budget: inout TurnBudget) -> Bool {
        var frame = clientInbox.takeOpen(of: peer)
        if frame == nil {
            guard let next = clientInbox.takeFrame(of: peer) else {
                // So the budget ends a turn in which all have to wait.
                if clientInbox.hasFrame(of: peer) { budget.take() }
                return false
            }
            budget.take(byteCount: next.bytes?.count ?? 0)
            do throws(CodecError) {
                let envelope = try codec.decodeClient(try next.body())
                let byteCount = (next.bytes?.count ?? 0) + envelope.messages.count * MemoryLayout<ClientMessage>.stride
                frame = .init(principal: next.principal, envelope: envelope, byteCount: byteCount, next: 0)
            } catch {
                budget.take()
                decide(.malformedFrame(peer, .clients, error))
                return true
            }
        }
        guard var frame else { return false }
        budget.take()
        let message = frame.next < frame.envelope.messages.count ? frame.envelope.messages[frame.next] : nil
        if message?.onlyReads == true {
            noteFull(peer)
            if clientInbox.isGone(peer) {
                frame.next += 1
                if frame.next < frame.envelope.messages.count { clientInbox.putBack(frame, of: peer) }
                return true
            }
        }
        decide(.clientSpoke(peer, frame.principal, frame.envelope, from: frame.next, count: 1))
        if let rest = takeRest() {
            (frame.next, frame.envelope.session) = (rest.from, rest.session)
            clientInbox.putBack(frame, of: peer)
        }
        return true
    }

    /// Tells the machine whether so much waits for a client that nothing more is to be read for it.
    private func noteFull(_ peer: PeerID) {
        let isFull = waitingByteCount(for: peer) > settings.fullByteCount
        if isFull != machine.fullPeers.contains(peer) { decide(.peerFull(peer, isFull)) }
    }

    /// Bytes that are decided and not handed to the client's socket yet, roughly.
    private func waitingByteCount(for peer: PeerID) -> Int {
        (outboxes[peer]?.byteCount ?? 0) + gathered.byteCount(for: peer) + (committing?.byteCounts[peer] ?? 0)
    }
}
