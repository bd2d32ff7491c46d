//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontLoop {
    /// Whether only what decides nothing is handled: the row under way does not fit on the disk, or too much is gathered for the next one.
    var isHolding: Bool { isStuck || gathered.byteCount > settings.gatherByteLimit }

    /// Reads what has arrived and handles a bounded part of it, workers first.
    mutating func read(since began: MonotonicTime) -> TurnReading {
        let workersEmpty = receiveWorkers(at: began)
        serveWorkers()
        // What clients fill the turn with afterwards has kept nobody's renewal from being handled.
        let isHeld = isHolding
        let clientsEmpty = receiveClients(at: began)
        serveClients()
        readSubscriptions()
        return TurnReading(
            began: began, isWorkersDone: workersEmpty && workerInbox.isEmpty,
            isClientsDone: clientsEmpty, isHeld: isHeld, isKeptByDisk: isKeptFromClients,
            waitingClients: clientInbox.waitingPeers, undurable: undurable)
    }

    /// Whether the disk keeps what clients say from being handled: for so long that somebody may have come back over a new connection, whose
    /// words nobody can tell from a stranger's until then. No client can make it last: it takes one commit that does not end.
    private var isKeptFromClients: Bool {
        isStuck || isHolding && !clientInbox.isEmpty && undurable >= Self.slowCommit
    }

    /// A commit that takes longer holds clients up.
    private static var slowCommit: Duration { .milliseconds(500) }

    /// Takes frames of workers out of their socket; true: it is empty.
    private mutating func receiveWorkers(at began: MonotonicTime) -> Bool {
        workerInbox.noteTime(began)
        var budget = settings.readByteBudget
        var turn = TurnBudget(settings, steps: machine.steps)
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
        case .register, .progress, .ended, .cancelStep, .overdue, .draining, .close, .refusedGrants, .unknown, .unreadable:
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

    /// Whether it only asks to be told something: of no use to a connection that is gone.
    var onlyReads: Bool {
        switch self {
        case .request(let request): !request.body.changesState
        case .snapshot, .snapshotPartRead: true
        case .hello, .heartbeat, .close, .submit, .unknown, .unreadable: false
        }
    }
}
