//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontLoop {
    /// Cuts a topic's items into parts; an unfinished snapshot of the same topic for the same client is replaced.
    func startSnapshot(_ request: GatheredTurn.SnapshotRequest, at now: MonotonicTime, into closed: inout ClosedTurn) {
        guard let live = topics.live(request.topic) else { return refuseSnapshot(request, into: &closed) }
        machine.step(live.items.count + 1)
        let limit = min(settings.largestFrame, machine.largestFrame(of: request.session)) / 2
        var groups: [[TopicItem]] = [[]]
        var byteCount = 0
        var total = 0
        for item in live.items {
            let size = item.key.count + item.value.count + 16
            if byteCount + size > limit, groups.last?.isEmpty == false {
                groups.append([])
                byteCount = 0
            }
            groups[groups.count - 1].append(item)
            byteCount += size
            total += size
        }
        let parts = groups.enumerated().map { index, items in
            FrontMessage.SnapshotPart(
                topic: request.topic, asked: request.asked, sequence: live.sequence, digest: live.digest, part: UInt32(index),
                partCount: UInt32(groups.count),
                items: items)
        }
        let key = SnapshotKey(peer: request.peer, topic: request.topic)
        let queue = SnapshotQueue(key: key, session: request.session, parts: parts, byteCount: total, touchedAt: now)
        guard snapshots.begin(queue) else { return refuseSnapshot(request, into: &closed) }
        advanceSnapshot(key, at: now, into: &closed)
    }

    /// Sends the next parts, at most so many that the client has not confirmed.
    func advanceSnapshot(_ key: SnapshotKey, at now: MonotonicTime, into closed: inout ClosedTurn) {
        guard let (session, parts) = snapshots.takeParts(key, inFlight: settings.snapshotPartsInFlight, at: now) else { return }
        for part in parts {
            let envelope = FrontEnvelope(front: front, epoch: epoch, session: session, messages: [.snapshot(part)])
            closed.frames.append((key.peer, codec.encode(envelope)))
        }
    }

    /// A client has read a part: the next may go, as of the turn in which the snapshot was made.
    func continueSnapshot(_ peer: PeerID, _ topic: Topic) {
        let key = SnapshotKey(peer: peer, topic: topic)
        guard snapshots.confirm(key, at: clock.now().monotonic) else { return }
        gathered.continued.append(key)
        if topics.isLive(topic) { gathered.beats.append(topic) }
    }

    private func refuseSnapshot(_ request: GatheredTurn.SnapshotRequest, into closed: inout ClosedTurn) {
        let refused = Refused(
            reason: "no snapshot of \(request.topic) now: too many topics or snapshots are kept (limit), ask again later", code: .busy,
            retryAfterMilliseconds: 5_000)
        let envelope = FrontEnvelope(front: front, epoch: epoch, session: request.session, messages: [.refused(refused)])
        closed.frames.append((request.peer, codec.encode(envelope)))
    }
}
