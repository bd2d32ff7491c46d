//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

extension FrontLoop {
    /// Whether this front is known to be the writer now: looked at before each frame, since any moment may be followed by a pause.
    ///
    /// Of all that leaves: what a durable row covers could do no harm without it, for that row was fenced, but then a front that was deposed
    /// would go on talking. One gate for everything is easier to hold.
    package var isWriter: Bool { Self.isWriter(journal, clock) }

    private static func isWriter(_ journal: Journal, _ clock: Clock) -> Bool {
        let until = journal.authority
        return until == .distantFuture || clock.now().monotonic < until
    }

    /// A turn without entries waits for nothing: each part leaves before the next is encoded, workers' first, so that they are at work meanwhile.
    /// Should authority run out on the way, the rest waits for it as a durable turn does.
    mutating func sendAtOnce(_ work: GatheredTurn, _ turn: TurnNumber) {
        var closed = ClosedTurn(turn, decided: machine.turn.decided)
        closed.bundlesToRead = work.bundlesToRead
        encodeWorkerMessages(work, into: &closed)
        send(&closed)
        encodeClientMessages(work, into: &closed)
        send(&closed)
        encodeTopics(work, turn, into: &closed)
        send(&closed)
        guard closed.hasUnsent else { return decide(.sent(closed.decided)) }
        closed.submittedAt = clock.now().monotonic
        leaving.append(closed)
    }

    /// Sends what is durable in the order of turns, as far as authority goes: nothing of a turn leaves before all rows up to it are durable.
    mutating func sendDurable() {
        while leaving.first?.row == nil, var closed = leaving.popFirst() {
            send(&closed)
            guard !closed.hasUnsent else { return leaving.prepend(closed) }
            decide(.sent(closed.decided))
        }
    }

    /// Answers a renewal with its number at once; without authority it is as if it had been lost on the way: the worker renews again.
    mutating func answerRenewal(_ peer: PeerID, _ number: RenewalNumber, because cause: EventID) {
        guard isWriter else { return }
        // It overtakes what is not durable yet, and confirms only what was sent before.
        let sentBelow = LeaseID(machine.workforce.sent.lease)
        let envelope = WorkerBoundEnvelope(front: front, epoch: epoch, messages: [.renewed(number, cancels: [])], sentBelow: sentBelow)
        deliver(OutgoingFrame(peer: peer, bytes: codec.encode(envelope), cause: cause))
    }

    /// All messages for one worker in one envelope, split at the largest frame.
    func encodeWorkerMessages(_ work: GatheredTurn, into closed: inout ClosedTurn) {
        for peer in work.workerPeers {
            guard let part = work.workerMessages[peer] else { continue }
            let frames = part.frames.filter { !$0.isEmpty }
            // Only with the last of them all grants of the turn have been sent.
            for messages in frames.dropLast() { appendWorker(peer, messages, sentBelow: .none, part.cause, into: &closed) }
            if let last = frames.last { appendWorker(peer, last, sentBelow: LeaseID(closed.decided.lease), part.cause, into: &closed) }
        }
    }

    /// All messages for one client in one envelope a session, split at the largest frame.
    func encodeClientMessages(_ work: GatheredTurn, into closed: inout ClosedTurn) {
        for peer in work.clientPeers {
            guard let part = work.clientMessages[peer] else { continue }
            var rest = part.messages[...]
            while let session = rest.first?.session {
                let run = rest.prefix { $0.session == session }
                let limit = min(settings.largestFrame, machine.turn.state.sessions.largestFrame(of: session))
                appendClient(peer, session, run.map(\.message), part.cause, limit: limit, into: &closed)
                rest = rest.dropFirst(run.count)
            }
        }
    }

    private func appendClient(
        _ peer: PeerID, _ session: SessionID, _ messages: [FrontMessage], _ cause: EventID, limit: Int, into closed: inout ClosedTurn
    ) {
        let bytes = codec.encode(FrontEnvelope(front: front, epoch: epoch, session: session, messages: messages))
        guard bytes.count > limit, messages.count > 1 else {
            return closed.frames.append(OutgoingFrame(peer: peer, bytes: bytes, cause: cause))
        }
        let middle = messages.count / 2
        appendClient(peer, session, Array(messages[..<middle]), cause, limit: limit, into: &closed)
        appendClient(peer, session, Array(messages[middle...]), cause, limit: limit, into: &closed)
    }

    private func appendWorker(
        _ peer: PeerID, _ messages: [WorkerBoundMessage], sentBelow: LeaseID, _ cause: EventID, into closed: inout ClosedTurn
    ) {
        let bytes = codec.encode(WorkerBoundEnvelope(front: front, epoch: epoch, messages: messages, sentBelow: sentBelow))
        guard bytes.count > settings.largestFrame, messages.count > 1 else {
            return closed.frames.append(OutgoingFrame(peer: peer, bytes: bytes, cause: cause))
        }
        let middle = messages.count / 2
        appendWorker(peer, Array(messages[..<middle]), sentBelow: .none, cause, into: &closed)
        appendWorker(peer, Array(messages[middle...]), sentBelow: sentBelow, cause, into: &closed)
    }

    /// Sends what a turn decided, as far as authority goes.
    private mutating func send(_ closed: inout ClosedTurn) {
        // Only now, when the row that wrote them is durable: before, the journal may not have them.
        for bundle in exchange(&closed.bundlesToRead, with: []) { journal.read(bundle) }
        while isWriter, let frame = closed.takeFrame() { deliver(frame) }
        while isWriter, let publication = closed.takePublication() { transport.publish(publication.bytes, under: publication.frame) }
    }

    /// Sends a frame, or keeps it for a slow peer.
    mutating func deliver(_ frame: OutgoingFrame) {
        // Though its socket may have room by now: a frame must not overtake those that wait.
        if outboxes.isSlow(frame.peer) { return keep(frame) }
        switch transport.send(frame.bytes, to: frame.peer) {
        case .sent: break
        case .full: keep(frame)
        case .gone: lose(frame)
        }
    }

    /// A frame's peer no longer exists: the machine gets an event for that in the next turn.
    private mutating func lose(_ frame: OutgoingFrame) {
        if lostPeers.append(frame.peer) { note(.peerGone(byteCount: frame.bytes.count), peer: frame.peer, because: frame.cause) }
    }

    private mutating func keep(_ frame: OutgoingFrame) {
        guard outboxes.append(frame) else {
            return note(.frameDropped(byteCount: frame.bytes.count), peer: frame.peer, because: frame.cause)
        }
        retrySlow()
    }

    /// Tries again to send what waits for slow peers.
    mutating func sendSlow() {
        _ = deadlines.take(.slowPeers)
        guard !outboxes.isEmpty else { return }
        let (transport, journal, clock) = (transport, journal, clock)
        let lost = outboxes.send { Self.isWriter(journal, clock) ? transport.send($0.bytes, to: $0.peer) : nil }
        for frame in lost { lose(frame) }
        // Without authority nothing may be sent: the journal reports when it is back.
        if !outboxes.isEmpty, isWriter { retrySlow() } else { deadlines.remove(.slowPeers) }
    }

    /// How soon a peer whose pipe was full is tried again: nothing reports that it has room, and a pipe is emptied in about that time.
    private static var slowPeerPause: Duration { .milliseconds(5) }

    private mutating func retrySlow() { deadlines.insert(.slowPeers, by: clock.now().monotonic.advanced(by: Self.slowPeerPause)) }
}
