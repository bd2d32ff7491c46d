//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontLoop {
    /// Somebody observes a topic from now on, or nobody does any more; each subscription that is read makes a beat.
    func observe(_ topic: Topic, _ isObserved: Bool) {
        if isObserved {
            bringUp(topic)
            if !gathered.beats.contains(topic) { gathered.beats.append(topic) }
        }
        topics[topic]?.isObserved = isObserved
        topics[topic]?.usedAt = clock.now().monotonic
        decide(.topicObserved(topic, isObserved))
        nextTopicCheck = min(nextTopicCheck, topics[topic]?.nextBeat ?? .distantFuture)
    }

    /// Makes a topic live: from now on its items are kept as sent. Its sequence starts at the turn, so it never falls behind an earlier one.
    func bringUp(_ topic: Topic) {
        guard topics[topic] == nil else { return }
        let now = clock.now().monotonic
        var live = LiveTopic(topic, sequence: Sequence(nextTurn), now: now)
        for key in machine.itemKeys(of: topic) {
            if let value = machine.item(key, of: topic) { _ = live.set(Array(key.utf8), codec.encode(value)) }
        }
        topics[topic] = live
        topicOrder.append(topic)
        nextTopicCheck = min(nextTopicCheck, live.nextBeat)
    }

    /// Beats that are due, and topics that nobody needs any more.
    func tendTopics() {
        let now = clock.now().monotonic
        guard now >= nextTopicCheck else { return }
        nextTopicCheck = .distantFuture
        for topic in topicOrder {
            guard let live = topics[topic] else { continue }
            if live.isObserved, now >= live.nextBeat {
                if !gathered.beats.contains(topic) { gathered.beats.append(topic) }
                topics[topic]?.beat(at: now)
            }
            if !live.isObserved {
                let end = live.usedAt.adding(milliseconds: settings.topicMilliseconds)
                guard now < end else {
                    topics[topic] = nil
                    continue
                }
                nextTopicCheck = min(nextTopicCheck, end)
            } else if let next = topics[topic]?.nextBeat {
                nextTopicCheck = min(nextTopicCheck, next)
            }
        }
        topicOrder.removeAll { topics[$0] == nil }
    }

    /// Encodes the turn's changes once for all observers, then snapshots and beats as of the end of the turn.
    func encodeTopics(_ work: GatheredTurn, _ turn: TurnNumber, into closed: inout ClosedTurn) {
        let now = clock.now().monotonic
        var changed: Set<Topic> = []
        for topic in work.topics {
            guard let change = change(topic, work.changedKeys[topic] ?? [], now) else { continue }
            changed.insert(topic)
            closed.publications.append((topics[topic]?.frame ?? [], codec.encode(.change(change))))
        }
        for request in work.snapshots {
            bringUp(request.topic)
            topics[request.topic]?.usedAt = now
            startSnapshot(request)
            guard !changed.contains(request.topic), !work.beats.contains(request.topic) else { continue }
            appendBeat(request.topic, into: &closed)
        }
        for topic in work.beats where !changed.contains(topic) { appendBeat(topic, into: &closed) }
        for index in snapshotQueues.indices { advanceSnapshot(index, into: &closed) }
        snapshotQueues.removeAll { $0.parts.isEmpty && $0.inFlight == 0 }
    }

    private func appendBeat(_ topic: Topic, into closed: inout ClosedTurn) {
        guard let live = topics[topic], plantedFault != .beatLeftOut else { return }
        closed.publications.append((live.frame, codec.encode(.beat(live.proof(front: front, epoch: epoch)))))
    }

    private func change(_ topic: Topic, _ keys: [String], _ now: MonotonicTime) -> Publication.Change? {
        guard var live = topics[topic] else { return nil }
        topics[topic] = nil
        var puts: [TopicItem] = []
        var removes: [[UInt8]] = []
        for key in keys {
            let value = machine.item(key, of: topic).map { codec.encode($0) }
            let bytes = Array(key.utf8)
            guard live.set(bytes, value) else { continue }
            if let value { puts.append(TopicItem(key: bytes, value: value)) } else { removes.append(bytes) }
        }
        defer { topics[topic] = live }
        guard !puts.isEmpty || !removes.isEmpty else { return nil }
        live.count(at: now)
        nextTopicCheck = min(nextTopicCheck, live.nextBeat)
        return Publication.Change(beat: live.proof(front: front, epoch: epoch), puts: puts, removes: removes)
    }
}
