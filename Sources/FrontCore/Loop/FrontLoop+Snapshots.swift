//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontLoop {
    /// Begins a snapshot; an unfinished one of the same topic for the same session is replaced.
    ///
    /// - Parameter images: what was encoded in this turn already.
    mutating func startSnapshot(
        _ request: GatheredTurn.SnapshotRequest, at now: MonotonicTime, sharing images: inout [SnapshotImage.Shape: SnapshotImage],
        into closed: inout ClosedTurn
    ) {
        machine.step()
        guard hasRoomForSnapshot(request.peer, closed) else {
            let reason = "so much waits for this client, or for all, that it has to wait"
            return refuse(request, at: .snapshotByteCount, reason, retryAfter: RetryPause.short, into: &closed)
        }
        // Whatever parts should have, with what travels around them they fit the frame.
        let fitting = min(settings.largestFrame, machine.turn.state.sessions.largestFrame(of: request.session)) / 2
        let limit = min(settings.snapshotPartByteLimit, fitting)
        let shape = SnapshotImage.Shape(topic: request.topic, asked: request.asked, partByteLimit: limit)
        guard let image = images[shape] ?? makeImage(shape) else { return refuseSnapshot(request, at: .topics, into: &closed) }
        images[shape] = image
        let key = SnapshotKey(peer: request.peer, session: request.session, topic: request.topic)
        let queue = SnapshotQueue(key: key, parts: image.parts, byteCount: image.byteCount, touchedAt: now, cause: request.cause)
        guard snapshots.begin(queue) else { return refuseSnapshot(request, at: .snapshots, into: &closed) }
        advanceSnapshot(key, at: now, into: &closed)
        watchSnapshot(key, at: now)
    }

    /// A snapshot has begun: if parts of it are left, it ends when none of them is read for so long.
    mutating func watchSnapshot(_ key: SnapshotKey, at now: MonotonicTime) {
        guard let number = snapshots.watch(key) else { return }
        deadlines.insert(.snapshot(number), by: now.advanced(by: settings.topicAge))
    }

    /// The topic's items, encoded; nil: it is not kept.
    private mutating func makeImage(_ shape: SnapshotImage.Shape) -> SnapshotImage? {
        guard let live = topics.live(shape.topic) else { return nil }
        machine.step(live.items.count)
        return SnapshotImage(shape, of: live, codec)
    }

    /// Sends the next parts, at most so many that the client has not confirmed.
    mutating func advanceSnapshot(_ key: SnapshotKey, at now: MonotonicTime, into closed: inout ClosedTurn) {
        let cause = snapshots.cause(of: key)
        guard let parts = snapshots.takeParts(key, inFlight: settings.snapshotPartsInFlight, at: now) else { return }
        let envelope = codec.encode(FrontEnvelope(front: front, epoch: epoch, session: key.session, messages: []))
        for part in parts {
            closed.frames.append(OutgoingFrame(peer: key.peer, bytes: envelope + part, cause: cause))
            closed.byteCounts[key.peer, default: 0] += part.count
            closed.snapshotByteCount += part.count
        }
    }

    /// Whether so little waits for a client, and for all in this turn, that a snapshot may begin.
    private func hasRoomForSnapshot(_ peer: PeerID, _ closed: ClosedTurn) -> Bool {
        let waiting = unsentByteCount(for: peer) + (closed.byteCounts[peer] ?? 0)
        return waiting <= settings.fullByteCount && closed.snapshotByteCount <= settings.snapshotByteLimit
    }

    /// A client has read a part: the next may go, as of the turn in which the snapshot was made.
    mutating func continueSnapshot(_ key: SnapshotKey) {
        guard snapshots.confirm(key, at: clock.now().monotonic) else { return machine.turn.context.noteIgnored(.snapshotSent) }
        gathered.proceed(key)
        if topics.isLive(key.topic) { gathered.bookmark(key.topic) }
    }

    private mutating func refuseSnapshot(_ request: GatheredTurn.SnapshotRequest, at bound: BusyBound, into closed: inout ClosedTurn) {
        refuse(request, at: bound, "too many topics or snapshots are kept (limit)", retryAfter: RetryPause.long, into: &closed)
    }

    private mutating func refuse(
        _ request: GatheredTurn.SnapshotRequest, at bound: BusyBound, _ reason: String, retryAfter: Duration,
        into closed: inout ClosedTurn
    ) {
        machine.turn.context.noteBusy(bound)
        let text = "no snapshot of \(request.topic) now: \(reason), ask again later"
        let message = FrontMessage.snapshotRefused(
            asked: request.asked ?? request.topic.description, Failure(code: .busy, text: text, retryable: true),
            retryAfter: retryAfter)
        let envelope = FrontEnvelope(front: front, epoch: epoch, session: request.session, messages: [message])
        closed.frames.append(OutgoingFrame(peer: request.peer, bytes: codec.encode(envelope), cause: request.cause))
    }
}
