//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

extension FrontLoop {
    /// Handles frames of workers, each worker in its turn, as far as the turn's budget goes.
    mutating func serveWorkers() {
        var budget = TurnBudget(settings, steps: machine.steps)
        while !isHolding, budget.isLeft(machine.steps), let peer = workerInbox.beginTurn() {
            var share = TurnShare(settings, steps: machine.steps)
            while hasTurn(budget, &share), serveWorker(peer, &budget) {}
            workerInbox.endTurn(of: peer)
        }
    }

    /// Handles frames of clients, each client in its turn, as far as the turn's budget goes.
    ///
    /// As those of workers, and written twice: one loop over what differs, as closures, looked up generic types in each turn, for 2 % of a small
    /// turn's instructions.
    mutating func serveClients() {
        var budget = TurnBudget(settings, steps: machine.steps)
        while !isHolding, budget.isLeft(machine.steps), let peer = clientInbox.beginTurn() {
            var share = TurnShare(settings, steps: machine.steps)
            while hasTurn(budget, &share), serveClient(peer, &budget) {}
            clientInbox.endTurn(of: peer)
        }
    }

    /// Whether the peer whose turn it is may have another message handled.
    private func hasTurn(_ budget: TurnBudget, _ share: inout TurnShare) -> Bool {
        !isHolding && budget.isLeft(machine.steps) && share.takeMessage(machine.steps)
    }

    private mutating func serveWorker(_ peer: PeerID, _ budget: inout TurnBudget) -> Bool {
        let next = workerInbox.takeNext(of: peer, &budget, decode: codec.decodeWorker) { envelope in
            envelope.messages.reduce(0) { $0 + $1.memoryByteCount }
        }
        switch next {
        case .nothing: return false
        case .unreadable(let error): refuseFrame(of: peer, on: .workers, error)
        case .frame(let frame): handle(frame, ofWorker: peer)
        }
        return true
    }

    private mutating func serveClient(_ peer: PeerID, _ budget: inout TurnBudget) -> Bool {
        let next = clientInbox.takeNext(of: peer, &budget, decode: codec.decodeClient) { envelope in
            envelope.messages.count * MemoryLayout<ClientMessage>.stride
        }
        switch next {
        case .nothing: return false
        case .unreadable(let error): refuseFrame(of: peer, on: .clients, error)
        case .frame(let frame): handle(frame, ofClient: peer)
        }
        return true
    }

    /// Handles the next message of a worker's frame.
    private mutating func handle(_ frame: consuming Inbox<WorkerEnvelope>.OpenFrame, ofWorker peer: PeerID) {
        decide(.workerSent(peer, frame.principal, frame.envelope, from: frame.next, count: 1))
        guard let rest = takeRest() else { return }
        frame.next = rest.from
        workerInbox.putBack(frame, of: peer)
    }

    /// Handles the next message of a client's frame; one that only reads is passed over when nothing can be sent to the client any more.
    private mutating func handle(_ frame: consuming Inbox<ClientEnvelope>.OpenFrame, ofClient peer: PeerID) {
        let message = frame.next < frame.envelope.messages.count ? frame.envelope.messages[frame.next] : nil
        if message?.onlyReads == true {
            noteFull(peer)
            if clientInbox.isGone(peer) {
                frame.next += 1
                if frame.next < frame.envelope.messages.count { clientInbox.putBack(frame, of: peer) }
                return
            }
        }
        decide(.clientSent(peer, frame.principal, frame.envelope, from: frame.next, count: 1))
        guard let rest = takeRest() else { return }
        (frame.next, frame.envelope.session) = (rest.from, rest.session)
        clientInbox.putBack(frame, of: peer)
    }

    /// Tells the machine whether so much waits for a client that nothing more is to be read for it.
    private mutating func noteFull(_ peer: PeerID) {
        let isFull = waitingByteCount(for: peer) > settings.fullByteCount
        if isFull != machine.turn.state.sessions.isFull(peer) { decide(.peerFull(peer, isFull)) }
    }

    /// Bytes that are decided and not handed to the client's socket yet, roughly.
    private func waitingByteCount(for peer: PeerID) -> Int { unsentByteCount(for: peer) + gathered.byteCount(for: peer) }

    /// The same of turns that are closed.
    func unsentByteCount(for peer: PeerID) -> Int {
        leaving.reduce(outboxes.byteCount(for: peer)) { $0 + ($1.byteCounts[peer] ?? 0) }
    }
}
