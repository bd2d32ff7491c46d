//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import GantryModel

extension FrontLoop {
    /// What an item of a topic is now; nil: there is none.
    package func item(_ key: String, of topic: Topic) -> ItemValue? { known.completing(machine.item(key, of: topic), of: topic) }

    /// The keys of a topic's items as they are now.
    package func itemKeys(of topic: Topic) -> [String] { machine.itemKeys(of: topic) }

    /// Somebody observes a topic from now on, or nobody does any more; each subscription that is read makes a bookmark.
    mutating func observe(_ topic: Topic, _ isObserved: Bool) {
        machine.step()
        guard isObserved else {
            guard topics.unsubscribe(topic, at: clock.now().monotonic, in: &deadlines) else {
                return machine.noteIgnored(.topicNotObserved)
            }
            return noteTopics()
        }
        noteTopics()
        guard topics.subscribe(topic, in: &deadlines), bringUp(topic) else { return }
        // What was published before the front had read the subscription is lost to its client; the bookmark shows it where the topic stands, and
        // that it is subscribed.
        gathered.bookmark(topic)
    }

    /// Makes a topic live: from now on its items are kept as sent. Its sequence starts at the turn, and beyond what it had reached if it was
    /// live before: a turn may be gathered for so long that a topic is dropped and brought up again in it, and may make several changes of one.
    ///
    /// False: as many topics are live as may be, and all of them are observed.
    mutating func bringUp(_ topic: Topic) -> Bool {
        if topics.isLive(topic) { return true }
        noteTopics()
        let hasRoom = topics.makeRoom(for: topic, in: &deadlines)
        noteDropped()
        guard hasRoom else { return false }
        decide(.topicObserved(topic, true))
        var live = LiveTopic(topic, sequence: max(SequenceNumber(nextTurn), topics.unusedSequence), now: clock.now().monotonic)
        let keys = itemKeys(of: topic)
        machine.step(1 + keys.count * TurnContext.rowSteps)
        for key in keys {
            if let value = item(key, of: topic) { _ = live.set(Array(key.utf8), codec.encode(value)) }
        }
        topics.insert(live, in: &deadlines)
        return true
    }

    /// How often observers of `front` get the count of topics, at most: clients that come and go must not cause a change in each turn.
    private static var countPause: Duration { .seconds(1) }

    /// Topics were dropped: for the machine they have no observers any more.
    private mutating func noteDropped() {
        let dropped = topics.takeDropped()
        guard !dropped.isEmpty else { return }
        noteTopics()
        machine.step(dropped.count)
        for topic in dropped { decide(.topicObserved(topic, false)) }
    }

    /// Sends bookmarks that are due, drops unused topics, and publishes the counts of topics in `front`.
    mutating func tendTopics() {
        for number in snapshots.takeEnded() { deadlines.remove(.snapshot(number)) }
        let now = clock.now().monotonic
        deadlines.pass(to: FrontTime(monotonic: now, wall: WallTime(milliseconds: 0)))
        // In most turns nothing is.
        guard deadlines.hasDue else { return }
        for _ in 0..<settings.turnBookmarks {
            guard let topic = topics.takeDueBookmark(at: now, in: &deadlines) else { break }
            machine.step()
            gathered.bookmark(topic)
        }
        topics.dropIdle(at: now, limit: settings.turnBookmarks, in: &deadlines)
        noteDropped()
        expireSnapshots(at: now)
        guard !deadlines.take(.topicCounts).isEmpty else { return }
        topicsCountedAt = now
        known.subscriptions = UInt64(topics.subscriptionCount)
        known.refusedTopics = topics.refusedCount
        known.subscriptionsMade = topics.subscriptionsMade
        noteChange(of: .front)
    }

    /// The counts of topics in `front` have changed.
    private mutating func noteTopics() { deadlines.insert(.topicCounts, by: topicsCountedAt.advanced(by: Self.countPause)) }

    /// Ends snapshots of which no part was read for so long: their clients ask again if they are still there.
    private mutating func expireSnapshots(at now: MonotonicTime) {
        for case .snapshot(let number) in deadlines.take(.snapshot) {
            machine.step()
            guard let next = snapshots.expire(number, at: now, after: settings.topicAge) else { continue }
            deadlines.insert(.snapshot(number), by: next)
        }
    }

    /// Publishes in this turn the new value of a topic's only item.
    mutating func noteChange(of topic: Topic) {
        if topics.isLive(topic) { gathered.change(topic, ItemKey.only(of: topic)) }
    }

    /// What is published in this turn, and the snapshots as of its end.
    mutating func encodeTopics(_ work: GatheredTurn, _ turn: TurnNumber, into closed: inout ClosedTurn) {
        let now = clock.now().monotonic
        // Each topic is verified once in a turn: by its change, else by a bookmark.
        var verified: Set<Topic> = []
        for topic in work.topics {
            guard publish(work.changedKeys[topic]?.elements ?? [], of: topic, at: now, into: &closed) else { continue }
            verified.insert(topic)
            topics.makeRoom(forChanged: topic, in: &deadlines)
            noteDropped()
        }
        var images: [SnapshotImage.Shape: SnapshotImage] = [:]
        for request in work.snapshots.elements {
            if bringUp(request.topic) {
                _ = topics.update(request.topic, in: &deadlines) { $0.usedAt = now }
                if verified.insert(request.topic).inserted { appendBookmark(request.topic, into: &closed) }
            }
            startSnapshot(request, at: now, sharing: &images, into: &closed)
        }
        for topic in work.bookmarks.elements where verified.insert(topic).inserted { appendBookmark(topic, into: &closed) }
        for key in work.continued.elements { advanceSnapshot(key, at: now, into: &closed) }
    }

    private mutating func appendBookmark(_ topic: Topic, into closed: inout ClosedTurn) {
        guard let live = topics.live(topic) else { return }
        machine.step()
        closed.publications.append((live.frame, codec.encode(.bookmark(live.bookmark(front: front, epoch: epoch)))))
    }

    /// Publishes what has become of items of a topic; false: nothing is different.
    ///
    /// It goes to all observers alike, and one that is larger than the largest frame would close their sockets: so items beyond a bound are another
    /// change, with the next number. To observers it is as if it had come in the next turn.
    private mutating func publish(
        _ keys: Deque<String>, of topic: Topic, at now: MonotonicTime, into closed: inout ClosedTurn
    ) -> Bool {
        machine.step(keys.count * TurnContext.rowSteps)
        // With what travels around the items, half of a frame fits it whatever they are.
        let limit = min(settings.snapshotPartByteLimit, settings.largestFrame / 2)
        var values: [ChangedValue] = []
        var (byteCount, isChanged) = (0, false)
        for name in keys {
            let (key, value) = (Array(name.utf8), item(name, of: topic).map { codec.encode($0) })
            let size = key.count + (value?.count ?? 0) + RoughSize.item
            if byteCount + size > limit, !values.isEmpty {
                if publish(values, of: topic, at: now, into: &closed) { isChanged = true }
                values.removeAll(keepingCapacity: true)
                byteCount = 0
            }
            values.append((key, value))
            byteCount += size
        }
        return publish(values, of: topic, at: now, into: &closed) || isChanged
    }

    /// Publishes the next change of a topic; false: these values are not different.
    private mutating func publish(
        _ values: [ChangedValue], of topic: Topic, at now: MonotonicTime, into closed: inout ClosedTurn
    ) -> Bool {
        let (front, epoch) = (front, epoch)
        let made = topics.update(topic, in: &deadlines) { live -> (frame: [UInt8], change: Publication.Change)? in
            var puts: [TopicItem] = []
            var removes: [[UInt8]] = []
            for (key, value) in values where live.set(key, value) {
                if let value { puts.append(TopicItem(key: key, value: value)) } else { removes.append(key) }
            }
            guard !puts.isEmpty || !removes.isEmpty else { return nil }
            live.count(at: now)
            let bookmark = live.bookmark(front: front, epoch: epoch)
            return (live.frame, Publication.Change(bookmark: bookmark, puts: puts, removes: removes))
        }
        guard let made = made ?? nil else { return false }
        closed.publications.append((made.frame, codec.encode(.change(made.change))))
        return true
    }

    /// A key of a topic, and what stands there now; nil: nothing does.
    private typealias ChangedValue = (key: [UInt8], value: [UInt8]?)
}

extension FrontLoop {
    /// Begins a snapshot; an unfinished one of the same topic for the same session is replaced.
    ///
    /// - Parameter images: what was encoded in this turn already.
    private mutating func startSnapshot(
        _ request: GatheredTurn.SnapshotRequest, at now: MonotonicTime, sharing images: inout [SnapshotImage.Shape: SnapshotImage],
        into closed: inout ClosedTurn
    ) {
        machine.step()
        // Each may be within its own bound, and many of them together are not.
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
    private mutating func advanceSnapshot(_ key: SnapshotKey, at now: MonotonicTime, into closed: inout ClosedTurn) {
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
        guard snapshots.confirm(key, at: clock.now().monotonic) else { return machine.noteIgnored(.snapshotSent) }
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
        machine.noteBusy(bound)
        let text = "no snapshot of \(request.topic) now: \(reason), ask again later"
        let message = FrontMessage.snapshotRefused(
            asked: request.asked ?? request.topic.description, Failure(code: .busy, text: text, retryable: true),
            retryAfter: retryAfter)
        let envelope = FrontEnvelope(front: front, epoch: epoch, session: request.session, messages: [message])
        closed.frames.append(OutgoingFrame(peer: request.peer, bytes: codec.encode(envelope), cause: request.cause))
    }
}
