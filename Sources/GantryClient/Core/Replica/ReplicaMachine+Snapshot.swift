//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import GantryModel

extension ReplicaMachine {
    /// A part of a snapshot has come by the session.
    package mutating func received(
        _ part: FrontMessage.SnapshotPart, of other: FrontID, _ otherEpoch: Epoch, at now: MonotonicTime,
        into actions: inout [ReplicaAction]
    ) {
        // For each part, wanted or not: the front sends no more than two until they are read.
        actions.append(.send(.snapshotPartRead(topic: part.topic)))
        // Only what is published may begin a new world: an answer that was under way when the front changed may be of the old one.
        guard front == .none || other == front else { return ignored.note(.otherFront) }
        guard accepts(other, otherEpoch, at: now, into: &actions) else { return }
        guard phase != .verified, askAt != nil else { return ignored.note(.snapshotNotAsked) }
        guard part.partCount > 0 else { return ignored.note(.malformed) }
        if part.topic != resolved {
            actions += [.unsubscribe(resolved), .subscribe(part.topic)]
            resolved = part.topic
            // What came under the name that was asked for was of no feed.
            (lastSeen, waiting, waitingByteCount) = (nil, [], 0)
        }
        if part.part == 0 { assembly = SnapshotAssembly(part) }
        guard assembly?.append(part) == true, let taken = assembly, taken.items.byteCount <= settings.byteLimit else {
            assembly = nil
            return ignored.note(.snapshotBroken)
        }
        guard taken.isComplete else {
            // Parts come: the whole may take longer than the pause before the next question.
            askAt = now.advanced(by: settings.longestAsk)
            return
        }
        assembly = nil
        install(taken, at: now, into: &actions)
    }

    private mutating func install(_ snapshot: SnapshotAssembly, at now: MonotonicTime, into actions: inout [ReplicaAction]) {
        // Changes have brought the replica further than this snapshot: to take it would go back.
        if phase == .unverified, snapshot.sequence <= sequence { return ignored.note(.behind) }
        // Over the bytes that are stored, not the sum that ran along: a fault on the way there must show.
        let checksum = snapshot.items.fullChecksum()
        (items, sequence) = (snapshot.items, snapshot.sequence)
        guard checksum == snapshot.checksum else { return differ(at: now, into: &actions) }
        phase = .unverified
        // Under a name that was not known before nothing can have come by subscription yet: the proof follows in a moment.
        isHeldBack = resolved != topic && lastSeen == nil
        if !isHeldBack { show(into: &actions) }
        let kept = waiting
        (waiting, waitingByteCount) = ([], 0)
        for change in kept where change.bookmark.sequence > sequence {
            guard change.bookmark.sequence == sequence.advanced() else { return lose(.gap, at: now, into: &actions) }
            apply(change, at: now, into: &actions)
            guard phase != .asking else { return }
        }
        guard phase == .unverified, let lastSeen, lastSeen.sequence >= sequence else { return }
        guard lastSeen.sequence == sequence else { return lose(.gap, at: now, into: &actions) }
        verify(by: lastSeen, ownChecksum: checksum, at: now, into: &actions)
    }

    /// Whether something of that epoch of that front counts; a later epoch or another front begins everything again.
    mutating func accepts(_ other: FrontID, _ otherEpoch: Epoch, at now: MonotonicTime, into actions: inout [ReplicaAction]) -> Bool {
        if front == .none {
            (front, epoch) = (other, otherEpoch)
            return true
        }
        if other == front, otherEpoch < epoch {
            ignored.note(.oldEpoch)
            return false
        }
        if other == front, otherEpoch == epoch { return true }
        let isNewWorld = other != front
        (front, epoch, sequence, phase) = (other, otherEpoch, .none, .asking)
        (lastSeen, assembly, waiting, waitingByteCount) = (nil, nil, [], 0)
        // In a new epoch the items of before still tell people something; those of another front are about other things.
        if isNewWorld { items = ItemStore() }
        backoff.reset()
        asks = 0
        notify(update(.epoch, checksum: items.fullChecksum(), replacesAll: isNewWorld), into: &actions)
        ask(at: now, into: &actions)
        return true
    }

    /// The items are not whole any more: asks for a snapshot, at once unless a question is under way.
    mutating func lose(_ event: ReplicaEvent, at now: MonotonicTime, into actions: inout [ReplicaAction]) {
        phase = .asking
        (assembly, waiting, waitingByteCount) = (nil, [], 0)
        receivedAt = now
        notify(update(event, checksum: items.fullChecksum()), into: &actions)
        if askAt == nil { ask(at: now, into: &actions) }
    }

    /// The checksums differ: the items are asked for again, unless that is off.
    mutating func differ(at now: MonotonicTime, into actions: inout [ReplicaAction]) {
        differences += 1
        guard settings.resyncs else {
            phase = .asking
            askAt = nil
            return notify(update(.checksumDiffers, checksum: items.fullChecksum()), into: &actions)
        }
        lose(.checksumDiffers, at: now, into: &actions)
    }

    /// Notifies observers, first of what was held back.
    mutating func notify(_ update: ReplicaUpdate, into actions: inout [ReplicaAction]) {
        if isHeldBack { show(into: &actions) }
        actions.append(.emit(update))
    }

    /// Shows a snapshot as it is now, verified or not.
    mutating func show(into actions: inout [ReplicaAction]) {
        isHeldBack = false
        actions.append(.emit(update(.snapshot, checksum: items.fullChecksum(), puts: items.sorted, replacesAll: true)))
    }

    mutating func ask(at now: MonotonicTime, into actions: inout [ReplicaAction]) {
        asks += 1
        assembly = nil
        askAt = now.advanced(by: backoff.next(&random))
        actions.append(.send(.snapshot(topic: topic)))
    }

    func update(
        _ event: ReplicaEvent, checksum: TopicChecksum, puts: [TopicItem] = [], removes: [[UInt8]] = [], replacesAll: Bool = false
    ) -> ReplicaUpdate {
        ReplicaUpdate(
            topic: topic, resolved: resolved, event: event,
            position: Publication.Bookmark(front: front, epoch: epoch, sequence: sequence, checksum: checksum),
            isVerified: isVerified, replacesAll: replacesAll, puts: puts, removes: removes)
    }
}
