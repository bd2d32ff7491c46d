//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

extension FrontLoop {
    /// Whether this front is known to be the writer now: looked at before each frame, since any moment may be followed by a pause.
    ///
    /// Of all that leaves: what a durable row covers could do no harm without it, for that row was fenced, but then a front that was deposed
    /// would go on talking. One gate for everything is easier to hold.
    public var isWriter: Bool {
        let until = journal.authority
        return until == .distantFuture || clock.now().monotonic < until
    }

    /// A turn without facts waits for nothing: each part leaves before the next is encoded, workers' first, so that they are at work meanwhile.
    /// Should authority run out on the way, the rest waits for it as a durable turn does.
    func sendAtOnce(_ work: GatheredTurn, _ turn: TurnNumber) {
        var closed = ClosedTurn(turn, decided: machine.turn.decided)
        closed.bundlesToRead = work.bundlesToRead
        encodeWorkerMessages(work, into: &closed)
        send(&closed)
        encodeClientMessages(work, into: &closed)
        send(&closed)
        encodeTopics(work, turn, into: &closed)
        send(&closed)
        guard closed.hasUnsent else { return decide(.sent(closed.decided)) }
        closed.handedOverAt = clock.now().monotonic
        leaving.append(closed)
    }

    /// Sends what is durable in the order of turns, as far as authority goes: nothing of a turn leaves before all rows up to it are durable.
    func sendDurable() {
        while leaving.first?.row == nil, var closed = leaving.popFirst() {
            send(&closed)
            guard !closed.hasUnsent else { return leaving.prepend(closed) }
            decide(.sent(closed.decided))
        }
    }

    /// Echoes the number of a renewal at once; without authority it is as if it had been lost on the way: the worker renews again.
    func echo(_ peer: PeerID, _ number: RenewalNumber) {
        guard isWriter else { return }
        deliver(codec.encode(WorkerBoundEnvelope(front: front, epoch: epoch, messages: [.renewed(number, cancels: [])])), to: peer)
    }

    /// All messages for one worker in one envelope, split at the largest frame.
    func encodeWorkerMessages(_ work: GatheredTurn, into closed: inout ClosedTurn) {
        for peer in work.workerPeers {
            for messages in work.workerMessages[peer] ?? [] where !messages.isEmpty { appendWorker(peer, messages, into: &closed) }
        }
    }

    /// All messages for one client in one envelope a session, split at the largest frame.
    func encodeClientMessages(_ work: GatheredTurn, into closed: inout ClosedTurn) {
        for peer in work.clientPeers {
            var rest = (work.clientMessages[peer]?.messages ?? [])[...]
            while let session = rest.first?.session {
                let run = rest.prefix { $0.session == session }
                let limit = min(settings.largestFrame, machine.turn.state.sessions.largestFrame(of: session))
                appendClient(peer, session, run.map(\.message)[...], limit: limit, into: &closed)
                rest = rest.dropFirst(run.count)
            }
        }
    }

    private func appendClient(
        _ peer: PeerID, _ session: SessionID, _ messages: ArraySlice<FrontMessage>, limit: Int, into closed: inout ClosedTurn
    ) {
        let bytes = codec.encode(FrontEnvelope(front: front, epoch: epoch, session: session, messages: Array(messages)))
        guard bytes.count > limit, messages.count > 1 else { return closed.frames.append((peer, bytes)) }
        let middle = messages.startIndex + messages.count / 2
        appendClient(peer, session, messages[..<middle], limit: limit, into: &closed)
        appendClient(peer, session, messages[middle...], limit: limit, into: &closed)
    }

    private func appendWorker(_ peer: PeerID, _ messages: [WorkerBoundMessage], into closed: inout ClosedTurn) {
        let bytes = codec.encode(WorkerBoundEnvelope(front: front, epoch: epoch, messages: messages))
        guard bytes.count > settings.largestFrame, messages.count > 1 else { return closed.frames.append((peer, bytes)) }
        let middle = messages.count / 2
        appendWorker(peer, Array(messages[..<middle]), into: &closed)
        appendWorker(peer, Array(messages[middle...]), into: &closed)
    }

    /// Sends what a turn decided, as far as authority goes.
    private func send(_ closed: inout ClosedTurn) {
        for bundle in exchange(&closed.bundlesToRead, with: []) { journal.read(bundle) }
        while isWriter, let frame = closed.takeFrame() { deliver(frame.bytes, to: frame.peer) }
        while isWriter, let publication = closed.takePublication() { transport.publish(publication.bytes, under: publication.frame) }
    }

    /// Sends a frame, or keeps it for a slow peer.
    func deliver(_ bytes: [UInt8], to peer: PeerID) {
        if outboxes[peer] != nil { return keep(bytes, for: peer) }
        switch transport.send(bytes, to: peer) {
        case .sent: break
        case .full: keep(bytes, for: peer)
        case .gone: lostPeers.append(peer)
        }
    }

    private func keep(_ bytes: [UInt8], for peer: PeerID) {
        guard outboxesByteCount < settings.outboxesByteLimit else { return }
        if outboxes[peer] == nil { slowPeers.append(peer) }
        if outboxes[peer, default: Outbox()].append(bytes, limit: settings.outboxByteLimit) { outboxesByteCount += bytes.count }
    }

    /// Tries again to send what slow peers are owed.
    func sendSlow() {
        guard !slowPeers.isEmpty else { return }
        for peer in slowPeers {
            while let frame = outboxes[peer]?.frames.first {
                guard isWriter else { break }
                let result = transport.send(frame, to: peer)
                if result == .full { break }
                guard result == .sent else {
                    if let outbox = outboxes.removeValue(forKey: peer) { outboxesByteCount -= outbox.byteCount }
                    lostPeers.append(peer)
                    break
                }
                outboxes[peer]?.removeFirst()
                outboxesByteCount -= frame.count
            }
            if outboxes[peer]?.isEmpty == true { outboxes[peer] = nil }
        }
        slowPeers.removeAll { outboxes[$0] == nil }
    }
}
