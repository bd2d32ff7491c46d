//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

extension FrontLoop {
    /// Whether only what decides nothing is handled: the row under way does not fit on the disk, or too much is gathered for the next one.
    var isHolding: Bool { isStuck || gathered.byteCount > settings.gatherByteLimit }

    /// Reads what has arrived and handles a bounded part of it, workers first.
    mutating func read(since began: MonotonicTime) -> TurnReading {
        // Workers first: a flood of clients must not let renewals lie unread until leases end.
        let workersEmpty = receiveWorkers(at: began)
        serveWorkers()
        // Read before the clients: what they add to the turn has held back no renewal.
        let isHeld = isHolding
        let clientsEmpty = receiveClients(at: began)
        serveClients()
        // Last: the bookmark of a subscription then has in it what clients have just changed.
        readSubscriptions()
        return TurnReading(
            began: began, isWorkersDone: workersEmpty && workerInbox.isEmpty,
            // Unlike that of workers it says nothing of the inbox: whose frames wait there is listed, and their sessions alone are spared.
            isClientsDone: clientsEmpty, isHeld: isHeld, isKeptByDisk: isKeptFromClients,
            waitingClients: clientInbox.waitingPeers, undurable: undurable)
    }

    /// Whether the disk keeps messages of clients from being handled: for so long that a client may have reconnected, and its new
    /// connection cannot be matched to its session until then. No client can prolong this: only a commit that does not end can.
    private var isKeptFromClients: Bool {
        isStuck || isHolding && !clientInbox.isEmpty && undurable >= Self.slowCommit
    }

    /// A commit that takes longer holds clients up: a shorter one matters little beside the 5 s after which attachments lapse.
    private static var slowCommit: Duration { .milliseconds(500) }

    /// Takes frames of workers out of their socket; true: it is empty.
    private mutating func receiveWorkers(at began: MonotonicTime) -> Bool {
        workerInbox.noteTime(began)
        var budget = settings.readByteBudget
        var turn = TurnBudget(settings, steps: machine.steps)
        // While a row does not fit or too much is gathered the socket is read all the same: unanswered, all workers would stop their work 2 s
        // before their leases end.
        while budget > 0, isHolding ? turn.isLeft(machine.steps) : workerInbox.mayRead {
            guard let frame = transport.receive(.workers) else { return true }
            let kept = Inbox<WorkerEnvelope>.Frame(principal: frame.principal, bytes: frame.bytes)
            budget -= kept.roughByteCount
            guard isHolding else {
                workerInbox.appendIfRoom(kept, of: frame.peer)
                continue
            }
            let envelope = frame.bytes.flatMap { try? codec.decodeWorker($0) }
            turn.take(messages: 1 + (envelope?.messages.count ?? 0))
            if let envelope { decide(.workerWaits(frame.peer, envelope)) }
            if envelope?.messages.contains(where: { !$0.isRenewal }) ?? true { workerInbox.appendIfRoom(kept, of: frame.peer) }
        }
        return false
    }

    /// Takes frames of clients out of their socket; true: it is empty. While the row under way does not fit on the disk, all but heartbeats is
    /// dropped as if it had been lost on the way: its sender repeats it, and sees by the answer to its heartbeat that the front is there.
    private mutating func receiveClients(at began: MonotonicTime) -> Bool {
        clientInbox.noteTime(began)
        var budget = settings.readByteBudget
        var turn = TurnBudget(settings, steps: machine.steps)
        while budget > 0, isStuck || clientInbox.mayRead, !isHolding || turn.isLeft(machine.steps) {
            guard let frame = transport.receive(.clients) else { return true }
            let kept = Inbox<ClientEnvelope>.Frame(principal: frame.principal, bytes: frame.bytes)
            budget -= kept.roughByteCount
            guard isHolding else {
                clientInbox.appendIfRoom(kept, of: frame.peer)
                continue
            }
            let envelope = frame.bytes.flatMap { try? codec.decodeClient($0) }
            turn.take(messages: 1 + (envelope?.messages.count ?? 0))
            if let envelope { decide(.clientWaits(frame.peer, envelope)) }
            guard !isStuck else { continue }
            if envelope?.messages.contains(where: { !$0.isHeartbeat }) ?? true { clientInbox.appendIfRoom(kept, of: frame.peer) }
        }
        return false
    }

    private mutating func readSubscriptions() {
        for _ in 0..<settings.turnSubscriptions {
            guard let frame = transport.receive(.subscriptions) else { return }
            guard let bytes = frame.bytes, let flag = bytes.first, let topic = Topic(frame: Array(bytes.dropFirst())) else {
                refuseFrame(of: .none, on: .subscriptions, CodecError(what: "a subscription", reason: "it names no topic"))
                continue
            }
            observe(topic, flag == 1)
        }
    }
}

extension WorkerMessage {
    /// Whether it is a renewal: handled even while everything else is held.
    fileprivate var isRenewal: Bool {
        switch self {
        case .renewal: true
        case .register, .progress, .ended, .cancelStep, .overdue, .draining, .close, .refusedGrants, .log, .unknown, .unreadable:
            false
        }
    }
}

extension ClientMessage {
    /// Whether it is a heartbeat: answered even while everything else is held.
    fileprivate var isHeartbeat: Bool {
        switch self {
        case .heartbeat: true
        case .hello, .close, .request, .submit, .snapshot, .snapshotPartRead, .unknown, .unreadable: false
        }
    }

    /// Whether it only reads: such a request is useless once its connection is lost.
    fileprivate var onlyReads: Bool {
        switch self {
        case .request(let request): !request.body.changesState
        case .snapshot, .snapshotPartRead: true
        case .hello, .heartbeat, .close, .submit, .unknown, .unreadable: false
        }
    }
}

extension FrontLoop {
    /// Handles frames of workers, each worker in its turn, as far as the turn's budget goes.
    private mutating func serveWorkers() {
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
    private mutating func serveClients() {
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
            // As they are in memory, since a frame of tiny messages takes many times its bytes there.
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

    /// Reports to the machine whether so much waits for a client that its reading requests are refused.
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

/// What a turn may still do. The rest waits for the next turn, so that one peer's work does not delay the others.
struct TurnBudget {
    private var messages: Int
    private var bytes: Int
    private let lastStep: UInt64

    /// A full budget, beside the steps of which `steps` are behind.
    init(_ settings: LoopSettings, steps: UInt64) {
        messages = settings.turnMessages
        bytes = settings.readByteBudget
        lastStep = steps &+ UInt64(settings.turnSteps)
    }

    /// Whether another message may be handled, so many steps being behind.
    func isLeft(_ steps: UInt64) -> Bool { messages > 0 && bytes > 0 && steps < lastStep }

    /// So many messages are handled.
    mutating func take(messages count: Int = 1) { messages -= count }

    /// The bytes of a frame are handled.
    mutating func take(byteCount: Int) { bytes -= byteCount }
}

/// What one peer may have done before the next has its turn.
private struct TurnShare {
    private var messages: Int
    private let lastStep: UInt64

    init(_ settings: LoopSettings, steps: UInt64) {
        messages = settings.shareMessages
        lastStep = steps &+ UInt64(settings.shareSteps)
    }

    /// Takes one message of the share; false: none is left.
    mutating func takeMessage(_ steps: UInt64) -> Bool {
        messages -= 1
        return messages >= 0 && steps < lastStep
    }
}
