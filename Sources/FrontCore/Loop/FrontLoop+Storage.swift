//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import GantryModel

extension FrontLoop {
    /// Takes what the journal has to say.
    mutating func takeJournalEvents() throws(LoopEnding) {
        while let event = journal.nextEvent() {
            switch event {
            case .durable(let turn): durable(turn)
            case .inDoubt(let turn): submitAgain(from: turn)
            case .full: full()
            // Whoever asked for a bundle that cannot be read gets that as the answer. It must not end the front: nothing is decided by it.
            case .bundle(let number, let entries): decide(.bundleRead(number, entries.flatMap { try? codec.decodeEntries($0) }))
            case .roomAgain: decide(.storageFull(false))
            // What waits for it leaves below.
            case .authorityRenewed: break
            case .fenced: throw .fenced
            case .failed(let cause): throw .journalFailed(cause)
            }
        }
        sendDurable()
    }

    /// Lets ended jobs leave the state before a checkpoint, a bundle with each row.
    mutating func prepareCheckpoint() {
        guard hasRoomForRow, !machine.storageIsFull, checkpoint.isDue(after: settings.checkpointByteCount) else { return }
        decide(.checkpointNears(isNew: !checkpoint.isUnderWay))
        checkpoint.prepare(isReady: machine.isReadyForCheckpoint)
    }

    /// Whether something that was handed over is not durable.
    private var isRowUnderWay: Bool { leaving.contains { $0.row != nil } }

    private mutating func durable(_ turn: TurnNumber) {
        guard isRowUnderWay else { return }
        // Rows become durable in their order: one notice covers all before it.
        for index in leaving.indices where leaving[index].turn <= turn {
            guard leaving[index].takeRow()?.slice?.isLast == true else { continue }
            let now = clock.now().wall
            noteStored { $0.lastCheckpoint = now }
        }
        isStuck = false
        if let noted = notedNames, noted.turn <= turn {
            durableNames = noted.names
            notedNames = nil
        }
    }

    /// Appends the same bytes again, beginning with that turn: whether they were written is unknown, and the journal recognizes them if
    /// they were. Later decisions are not sent meanwhile.
    private func submitAgain(from turn: TurnNumber) {
        for closed in leaving where closed.turn >= turn {
            if let row = closed.row { journal.append(row) }
        }
    }

    /// The disk is full. The first time, the ballast file is removed, so that rows under way fit: nothing new is accepted, everything else
    /// goes on. If this comes again while a row is under way, that row does not fit: nothing is sent until it does.
    private mutating func full() {
        if machine.storageIsFull, isRowUnderWay { isStuck = true }
        decide(.storageFull(true))
    }

    /// Whether somebody observes or has asked what is stored: else sizes are not looked at.
    package var wantsSizes: Bool { topics.isLive(.storage) }

    /// Takes over what was measured of the storage; observers get it if it has changed. For the thread of the loop.
    package mutating func noteStored(_ change: (inout StorageSummary) -> Void) {
        guard case .storage(let before)? = known.items[.storage] else { return }
        var summary = before
        change(&summary)
        known.items[.storage] = .storage(summary)
        if summary != before { noteChange(of: .storage) }
    }

    /// Whether the disk is full: collection is asked for at once then.
    package var storageIsFull: Bool { machine.storageIsFull }

    /// How long the oldest decision has waited to be durable, and to leave.
    var undurable: Duration {
        leaving.first.map { max(.zero, clock.now().monotonic.duration(since: $0.submittedAt)) } ?? .zero
    }

    /// Answers a heartbeat at once, in an envelope of its own: it shows that the front runs, and what it waits for. Without authority it is
    /// as if the answer had been lost on the way: the next heartbeat asks again.
    mutating func answerHeartbeat(_ peer: PeerID, _ session: SessionID, _ lowest: RequestNumber, because cause: EventID) {
        guard isWriter else { return }
        let answer = FrontMessage.HeartbeatAnswer(
            lowestUnanswered: lowest, isStorageFull: machine.storageIsFull, undurable: undurable)
        let bytes = codec.encode(FrontEnvelope(front: front, epoch: epoch, session: session, messages: [.heartbeat(answer)]))
        deliver(OutgoingFrame(peer: peer, bytes: bytes, cause: cause))
    }

    /// What collection must spare.
    ///
    /// An object is spared if the state of some durable turn names it, or the present one does, or if it is younger than both: names that came
    /// between are of objects that were added since. So it holds at any time, also while turns are under way or the disk is full.
    package mutating func collectable(now: WallTime) -> (named: Set<ObjectDigest>, olderThan: WallTime) {
        let present = names(at: now)
        // Without a durable turn nothing is old enough.
        let bound = min(present.since, durableNames?.since ?? WallTime(milliseconds: 0))
        let named = present.named.union(durableNames?.named ?? [])
        return (named, bound.advanced(by: .zero - settings.collectAge))
    }

    /// Notes now and then what is named at the end of a turn; it counts once that turn is durable.
    mutating func noteNames(_ turn: TurnNumber) {
        let now = clock.now()
        // One at a time: before the last one is durable another would be in its place, and on a slow disk none would ever count.
        guard notedNames == nil, now.monotonic >= nextNamesAt else { return }
        nextNamesAt = now.monotonic.advanced(by: settings.namesPause)
        notedNames = (turn, names(at: now.wall))
    }

    /// What is named now, and since when whatever a running job adds may be named later.
    mutating func names(at now: WallTime) -> NamedObjects {
        let named = machine.turn.state.namedObjects(at: now)
        machine.step(named.count)
        return NamedObjects(named: named, since: min(now, machine.turn.state.oldestGrant ?? now))
    }
}

extension LoopKnowledge {
    /// What observers see from the start on, before anything was measured.
    fileprivate static let firstItems: [Topic: ItemValue] = [.storage: .storage(StorageSummary())]
}

/// What observers see that the loop alone knows. Nothing is decided by it, so it is no event of the machine.
struct LoopKnowledge {
    /// How many topics are subscribed or asked for, as last sent to observers of `front`.
    var subscriptions: UInt64 = 0
    /// How many were not brought up because of the bound, likewise.
    var refusedTopics: UInt64 = 0
    /// How many subscriptions were made, likewise.
    var subscriptionsMade: UInt64 = 0
    /// The only item of each topic whose item the loop alone knows.
    var items = Self.firstItems

    /// An item of a topic as observers see it.
    /// - Parameter item: the machine's part of it; nil: none.
    func completing(_ item: ItemValue?, of topic: Topic) -> ItemValue? {
        guard case .front(var summary)? = item else { return item ?? items[topic] }
        summary.subscriptions = subscriptions
        summary.refusedTopics = refusedTopics
        summary.subscriptionsMade = subscriptionsMade
        return .front(summary)
    }
}

/// The objects that the state of one turn names.
struct NamedObjects {
    var named: Set<ObjectDigest>
    /// The time of that turn, or of the oldest grant that ran then.
    var since: WallTime
}
