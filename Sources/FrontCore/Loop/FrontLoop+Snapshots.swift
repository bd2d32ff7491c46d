//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontLoop {
    /// Cuts a topic's items into parts; an unfinished snapshot of the same topic for the same client is replaced.
    func startSnapshot(_ request: GatheredTurn.SnapshotRequest) {
        guard let live = topics[request.topic] else { return }
        let limit = min(settings.largestFrame, machine.largestFrame(of: request.session)) / 2
        var groups: [[TopicItem]] = [[]]
        var byteCount = 0
        for item in live.items {
            let size = item.key.count + item.value.count + 16
            if byteCount + size > limit, groups.last?.isEmpty == false {
                groups.append([])
                byteCount = 0
            }
            groups[groups.count - 1].append(item)
            byteCount += size
        }
        let parts = groups.enumerated().map { index, items in
            FrontMessage.SnapshotPart(
                topic: request.topic, asked: request.asked, sequence: live.sequence, digest: live.digest, part: UInt32(index),
                partCount: UInt32(groups.count),
                items: items)
        }
        snapshotQueues.removeAll { $0.peer == request.peer && $0.topic == request.topic }
        snapshotQueues.append(SnapshotQueue(peer: request.peer, session: request.session, topic: request.topic, parts: parts))
    }

    /// Sends the next parts, at most so many that the client has not confirmed. The last ones need no confirmation to be forgotten.
    func advanceSnapshot(_ index: Int, into closed: inout ClosedTurn) {
        while !snapshotQueues[index].parts.isEmpty, snapshotQueues[index].inFlight < settings.snapshotPartsInFlight {
            let part = snapshotQueues[index].parts.removeFirst()
            snapshotQueues[index].inFlight += 1
            let queue = snapshotQueues[index]
            let envelope = FrontEnvelope(front: front, epoch: epoch, session: queue.session, messages: [.snapshot(part)])
            closed.frames.append((queue.peer, codec.encode(envelope)))
        }
        if snapshotQueues[index].parts.isEmpty { snapshotQueues[index].inFlight = 0 }
    }

    /// A client has read a part: the next may go, as of the turn in which the snapshot was made.
    func continueSnapshot(_ peer: PeerID, _ topic: Topic) {
        guard let index = snapshotQueues.firstIndex(where: { $0.peer == peer && $0.topic == topic }) else { return }
        snapshotQueues[index].inFlight = max(0, snapshotQueues[index].inFlight - 1)
        if topics[topic] != nil, !gathered.beats.contains(topic) { gathered.beats.append(topic) }
    }
}
