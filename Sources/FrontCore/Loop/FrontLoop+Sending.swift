//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

extension FrontLoop {
    /// A turn without facts waits for nothing: each part leaves before the next is encoded, workers' first, so that they are at work meanwhile.
    func sendAtOnce(_ work: GatheredTurn, _ turn: TurnNumber) {
        for encode in [encodeWorkerMessages, encodeClientMessages] {
            var part = ClosedTurn(turn: turn)
            encode(work, &part)
            send(part)
        }
        var rest = ClosedTurn(turn: turn)
        encodeTopics(work, turn, into: &rest)
        send(rest)
        decide(.sent(machine.decided))
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
                let limit = min(settings.largestFrame, machine.largestFrame(of: session))
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

    /// Sends what a durable turn decided.
    func send(_ closed: ClosedTurn) {
        for frame in closed.frames { deliver(frame.bytes, to: frame.peer) }
        for publication in closed.publications { transport.publish(publication.bytes, under: publication.frame) }
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
