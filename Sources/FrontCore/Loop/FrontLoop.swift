//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import GantryModel

/// The turn of the front: wait, read, decide, append, send. Without sockets or files of its own.
///
/// Nothing decided in a turn leaves before the turn's row is durable, and all rows before it; only the answers to a renewal and to a
/// heartbeat leave earlier, for they decide nothing. Nothing at all leaves while the journal does not know this front to be the writer: what its
/// sender repeats is dropped then, all else waits, within the bound of what a turn gathers. While as many commits run as may, what is decided
/// gathers in one next turn. Used by one thread only.
///
/// A value, not an object: each access of an object's property is checked at run time, and a property of which a method is called is copied
/// first, which took a tenth of the instructions of a small turn. It is meant to have one owner: a copy that is changed would decide and send
/// beside it. `~Copyable` would forbid that, but Swift 6.3 refuses its use through optional properties of classes and in the macros of tests.
package struct FrontLoop<Transport: FrontTransport, Journal: TurnJournal, Clock: FrontClock, Codec: EnvelopeCodec> {
    let transport: Transport
    let journal: Journal
    let clock: Clock
    let codec: Codec
    let settings: LoopSettings
    let front: FrontID
    let epoch: Epoch
    var machine: FrontMachine
    private var actions = FrontActions()

    var gathered = GatheredTurn()
    /// Turns that are closed and have not left, in their order: each waits for its row, for the rows before it, or for authority.
    var leaving: Deque<ClosedTurn> = []
    var nextTurn: UInt64 = 1
    var topics: TopicTable
    var snapshots: SnapshotTable
    /// What observers see that the machine does not know.
    var known = LoopKnowledge()
    /// What the loop does by the mere passing of time.
    var deadlines = Deadlines<LoopDeadline>()
    /// When the counts of topics were last sent to observers of `front`.
    var topicsCountedAt = MonotonicTime(nanoseconds: 0)
    /// What waits for peers whose sockets are full.
    var outboxes: Outboxes
    var workerInbox: Inbox<WorkerEnvelope>
    var clientInbox: Inbox<ClientEnvelope>
    var checkpoint = CheckpointWriter()
    /// Whether the row under way does not fit on the disk.
    var isStuck = false
    /// What collection must spare as of a durable turn, and as of one that is not durable yet.
    var durableNames: NamedObjects?
    var notedNames: (turn: TurnNumber, names: NamedObjects)?
    var nextNamesAt = MonotonicTime(nanoseconds: 0)
    /// Peers that could not be reached when something was sent; they become events in the next turn.
    var lostPeers = UniqueList<PeerID>()
    /// What the machine has left of the frame that it was given last.
    private var rest: (session: SessionID, from: Int)?
    /// Objects that turned out damaged; they become events in the next turn.
    private var damaged = UniqueList<ObjectDigest>()
    /// Requests for pages that could not be read; the machine counts them in the next turn.
    private var malformedPages: UInt64 = 0
    private var lastWoken: MonotonicTime?
    /// The two clocks when a step of the wall clock was noted last, or at the start.
    private var clocks: FrontTime
    private var stepsBeforeTurn: UInt64 = 0
    /// Rows that were handed to the journal, for people.
    package private(set) var rowCount: UInt64 = 0
    /// Takes what is refused or dropped, for a log; called on the thread of the loop, so it must not block. nil: no log.
    package var onNote: ((LoopNote) -> Void)?
    /// Gets each event with the actions decided for it, before they are carried out; at the start without an event. For checks from
    /// outside.
    package var onDecision: ((FrontEvent?, FrontActions) -> Void)?

    /// A loop that has not restored yet: `restore` comes first, then `turn` again and again.
    package init(
        front settings: FrontSettings, loop: LoopSettings = LoopSettings(), transport: Transport, journal: Journal, clock: Clock,
        codec: Codec
    ) {
        self.transport = transport
        self.journal = journal
        self.clock = clock
        self.codec = codec
        self.settings = loop
        self.front = settings.front
        self.epoch = settings.epoch
        self.topics = TopicTable(
            topicLimit: loop.topics, byteLimit: loop.topicByteLimit, subscriptionLimit: loop.subscriptions,
            age: loop.topicAge)
        self.snapshots = SnapshotTable(limit: loop.snapshots, byteLimit: loop.snapshotsByteLimit, peerByteLimit: loop.outboxByteLimit)
        self.outboxes = Outboxes(peerByteLimit: loop.outboxByteLimit, byteLimit: loop.outboxesByteLimit)
        self.workerInbox = Inbox(
            peerByteLimit: loop.peerInboxByteLimit, byteLimit: loop.inboxByteLimit, closedGracePeriod: loop.closedGracePeriod)
        self.clientInbox = Inbox(
            peerByteLimit: loop.peerInboxByteLimit, byteLimit: loop.inboxByteLimit, closedGracePeriod: loop.closedGracePeriod)
        self.clocks = clock.now()
        self.machine = FrontMachine(settings: settings, now: clocks)
    }

    /// Takes over what an earlier epoch left in the journal, and begins to serve.
    ///
    /// The whole journal is read before anybody is answered: a million waiting jobs take less than half a second, so serving beside it would only add
    /// states in which half of the queue is known. The sockets are bound already: what workers and clients say meanwhile waits there and is read in
    /// the first turns. Leases survive: the slots of recorded grants stay taken for a whole lease after the beginning of the first epoch in which
    /// their worker has not registered (after this call, where the machine's boot is unknown), and a worker goes on until 2 s before its own lease
    /// ends, so it loses nothing as long as the front is away for less than 2 s (a lease of 5 s, a renewal each second, 2 s to stop work).
    ///
    /// - Throws: `journalUnreadable` if a row cannot be read now, `damaged` or `damagedRow` if it never can, `holdsDurableJobs` if this
    ///   durability would leave the ends of restored jobs out.
    package mutating func restore() throws(LoopEnding) {
        do {
            while let row = try journal.nextRestored() {
                checkpoint.noteRestored(row, entries: try restore(row))
                nextTurn = max(nextTurn, row.turn.rawValue + 1)
            }
        } catch let ending as LoopEnding {
            throw ending
        } catch {
            throw (error as? any PassingFault)?.mayPass == true ? .journalUnreadable(ErrorCause(error)) : .damaged(ErrorCause(error))
        }
        // Before an epoch begins, so that a front with the other durability finds everything as it was.
        if machine.turn.unkeptJobCount > 0 { throw .holdsDurableJobs(machine.turn.unkeptJobCount) }
        let now = clock.now()
        // All that was read is durable, so these names need not wait for a row.
        durableNames = names(at: now.wall)
        nextNamesAt = now.monotonic.advanced(by: settings.namesPause)
        machine.start(at: now, into: &actions)
        onDecision?(nil, actions)
        carryOut()
    }

    /// - Returns: how many entries it has.
    private mutating func restore(_ row: RestoredRow) throws(LoopEnding) -> Int {
        do throws(CodecError) {
            // The next turn's number follows from it, whatever the journal bounds.
            guard row.turn.rawValue <= JournalBounds.number else {
                throw CodecError(what: "the row", reason: "no front comes to a turn \(row.turn)")
            }
            let entries = try codec.decodeEntries(row.entries)
            try machine.restore(entries, turn: row.turn, isSlice: row.isSlice)
            return entries.count
        } catch {
            throw .damagedRow(row.turn, ErrorCause(error))
        }
    }

    /// Steps of the last turn. For checks from outside.
    package var stepsOfTurn: UInt64 { machine.steps - stepsBeforeTurn }

    /// One turn: returns after it has read, decided, appended and sent what can be.
    ///
    /// - Throws: why the front has to end.
    package mutating func turn() throws(LoopEnding) {
        let began = wait()
        stepsBeforeTurn = machine.steps
        try takeJournalEvents()
        loseUnreachable()
        // Before anything is read: what the ended process had sent still counts for the grace period, and is read below.
        while let process = transport.takeEndedProcess() { decide(.processEnded(process)) }
        let reading = read(since: began)
        // What it brings about are entries: they wait like all that decides while a row does not fit or too much is gathered.
        if !isHolding { for object in exchange(&damaged, with: UniqueList()).elements { decide(.objectDamaged(object)) } }
        if malformedPages > 0 { decide(.pagesMalformed(exchange(&malformedPages, with: 0))) }
        // Behind all that was read: whoever is found to be late has said nothing more by then.
        decide(.inputRead(reading))
        tendTopics()
        sendSlow()
        // Before the turn is closed: the bundle that it makes is written with this row.
        prepareCheckpoint()
        close()
    }

    private mutating func loseUnreachable() {
        let peers = lostPeers.elements
        lostPeers = UniqueList()
        for peer in peers { decide(.peerLost(peer)) }
    }

    /// Notes that an object of the cache is not what its name says; the next turn deals with it. For the thread of the loop.
    package mutating func noteDamage(of object: ObjectDigest) {
        if damaged.elements.count < settings.damagedObjects { damaged.append(object) }
    }

    /// Notes that so many requests for pages had no number that could be read; the next turn counts them. For the thread of the loop.
    package mutating func noteMalformedPages(_ count: UInt64) { malformedPages += count }

    /// Whether a feed or view shows an object.
    package func names(_ object: ObjectDigest) -> Bool { machine.turn.state.feeds.names(object) }

    /// Whether an object is a version of a list of a user's own, which nobody can load again.
    package func keeps(_ object: ObjectDigest) -> Bool { machine.turn.state.feeds.keeps(object) }

    /// Whether there is any such version.
    package var keepsLists: Bool { machine.turn.state.feeds.keepsLists }

    /// Groups whose pause ended as this front began: its configuration has nothing in them any more.
    package var lostGroups: [String] { machine.queue.lostGroups }

    /// The only place where something is decided.
    mutating func decide(_ event: FrontEvent) {
        machine.handle(event, at: clock.now(), into: &actions)
        onDecision?(event, actions)
        carryOut()
    }

    /// Sleeps until something is to be done; returns when the turn began. Everything that had arrived by then is read in it. A pause after
    /// it makes no peer late: it is noted with the next turn.
    private mutating func wait() -> MonotonicTime {
        let before = clock.now().monotonic
        if let last = lastWoken { noteAbsence(before.duration(since: last)) }
        let deadline = nextDeadline(before)
        transport.wait(until: deadline)
        let now = clock.now()
        let after = now.monotonic
        noteStep(of: now)
        // A wait that ends by its time-out or without one is no pause of the loop; only what passes beyond the time-out is.
        if let deadline { noteAbsence(after.duration(since: max(deadline, before))) }
        lastWoken = after
        return after
    }

    /// Notes that the wall clock was set: against the other clock it shows something else than when that was noted last. What is less than the
    /// bound adds up until it is more.
    private mutating func noteStep(of now: FrontTime) {
        let step = now.duration(setSince: clocks)
        guard max(step, .zero - step) > settings.clockStep else { return }
        clocks = now
        decide(.clockStepped(by: step))
    }

    private mutating func noteAbsence(_ length: Duration) {
        guard length > settings.loopPauseLimit else { return }
        decide(.loopPaused(length))
    }

    private mutating func nextDeadline(_ now: MonotonicTime) -> MonotonicTime? {
        if malformedPages > 0 { return now }
        if !isHolding, !damaged.isEmpty || !workerInbox.isEmpty || !clientInbox.isEmpty { return now }
        if !lostPeers.isEmpty { return now }
        if hasRoomForRow, !gathered.entries.isEmpty { return now }
        // Without authority nothing could leave: turns without a pause would bring that no nearer.
        if leaving.isEmpty, !gathered.isEmpty, isWriter { return now }
        if leaving.isEmpty, checkpoint.isUnderWay, !machine.storageIsFull { return now }
        // It has no points of the wall clock.
        let own = deadlines.next(at: FrontTime(monotonic: now, wall: WallTime(milliseconds: 0)))
        let deadline = min(machine.nextDeadline ?? .distantFuture, own ?? .distantFuture)
        return deadline == .distantFuture ? nil : deadline
    }

    /// What the machine has left of the frame that it was given last.
    mutating func takeRest() -> (session: SessionID, from: Int)? {
        defer { rest = nil }
        return rest
    }

    private mutating func carryOut() {
        // Taken out first, because an action may lead to a decision, whose actions would else stand among these.
        var decided = exchange(&actions, with: FrontActions())
        while let (cause, action) = decided.takeFirst() {
            gathered.cause = cause
            switch action {
            case .record(let entry): record(entry, because: cause)
            case .makeBundle(let number, let entries): gathered.make(EndedBundles.Bundle(number, entries: codec.encode(entries)))
            case .forgetBundle(let number): gathered.forget(number)
            case .readBundle(let number): gathered.read(number)
            case .send(let peer, let session, let message): gathered.send(peer, session, message)
            case .sendToWorker(let peer, let message): gathered.sendToWorker(peer, message)
            case .sendToWorkerApart(let peer, let message): gathered.sendToWorkerApart(peer, message)
            case .answerRenewal(let peer, let number): answerRenewal(peer, number, because: cause)
            case .answerHeartbeat(let peer, let session, let number): answerHeartbeat(peer, session, number, because: cause)
            case .goOn(_, let session, let from): rest = (session, from)
            case .changed(let topic, let key): if topics.isLive(topic) { gathered.change(topic, key) }
            case .sendSnapshot(let peer, let session, let topic, let asked):
                gathered.ask(GatheredTurn.SnapshotRequest(peer: peer, session: session, topic: topic, asked: asked, cause: cause))
            case .continueSnapshot(let peer, let session, let topic):
                continueSnapshot(SnapshotKey(peer: peer, session: session, topic: topic))
            case .watch(let process): transport.watch(process)
            case .unwatch(let process): transport.unwatch(process)
            case .forget(let peer): forget(peer)
            }
        }
        // Its memory serves for what is decided next.
        actions = decided
    }

    /// The peer is lost.
    private mutating func forget(_ peer: PeerID) {
        outboxes.forget(peer)
        snapshots.forget(peer)
        clientInbox.noteGone(peer)
    }

    /// Whether the journal may be handed another row: it takes a bounded number, and none behind one that does not fit on the disk.
    var hasRoomForRow: Bool { !isStuck && leaving.count < max(1, settings.rowsUnderWay) }

    /// Appends the gathered turn to the journal, unless the most rows are under way; what needs no journal is sent at once.
    ///
    /// A turn without entries cannot be sent before the rows under way are durable, so it is closed after the last of them, and gathers
    /// more until then. The same holds for a slice of a checkpoint alone, which would stand before the next row that somebody waits for.
    /// While the disk is full no slice is written: the room that is left belongs to what runs.
    private mutating func close() {
        guard hasRoomForRow else { return }
        let hasSlice = !machine.storageIsFull && checkpoint.hasSlice
        guard !gathered.entries.isEmpty || leaving.isEmpty && (hasSlice || !gathered.isEmpty && isWriter) else { return }
        let turn = TurnNumber(nextTurn)
        nextTurn += 1
        let work = gathered.take(snapshots: settings.turnSnapshots)
        let slice = hasSlice ? checkpoint.slice(of: machine, at: turn, settings, codec) : nil
        guard !work.entries.isEmpty || slice != nil else { return sendAtOnce(work, turn) }
        // Only of turns with a row: what a durable turn names is spared for sure.
        noteNames(turn)
        var closed = ClosedTurn(turn, decided: machine.turn.decided)
        closed.byteCounts = work.byteCounts
        closed.bundlesToRead = work.bundlesToRead
        encodeWorkerMessages(work, into: &closed)
        encodeClientMessages(work, into: &closed)
        encodeTopics(work, turn, into: &closed)
        var row = JournalRow(turn: turn, entries: work.entries.isEmpty ? [] : codec.encode(work.entries), slice: slice)
        row.bundles = work.bundles
        checkpoint.note(byteCount: row.entries.count, entries: work.entries.count)
        rowCount += 1
        closed.submittedAt = clock.now().monotonic
        closed.row = row
        leaving.append(closed)
        journal.append(row)
    }
}

// MARK: Notes for a log

extension FrontLoop {
    /// Notes for a log what was refused or dropped, if there is a receiver.
    func note(_ kind: LoopNote.Kind, peer: PeerID? = nil, because cause: EventID) {
        onNote?(LoopNote(kind: kind, peer: peer, cause: cause))
    }

    /// A malformed frame: the machine counts it and answers its sender.
    mutating func refuseFrame(of peer: PeerID, on channel: FrontChannel, _ error: CodecError) {
        decide(.malformedFrame(peer, channel, error))
        note(.frameRefused(channel, error), peer: peer == .none ? nil : peer, because: machine.lastEvent)
    }

    /// An entry is to be written.
    mutating func record(_ entry: consuming JournalEntry, because cause: EventID) {
        if onNote != nil, case .workerLost(let lost) = entry { note(.workerGivenUp(lost.worker), because: cause) }
        gathered.record(entry)
    }
}

/// What the loop itself does when a time has come. The machine has deadlines of its own.
///
/// What collection must spare is noted with the first row after its time and wakes nobody, so it is none.
enum LoopDeadline: DeadlineHolder {
    /// A snapshot of which its client has left parts unread, by its number.
    case snapshot(UInt64)
    /// A topic whose next bookmark may be due, by its number.
    case topic(UInt64)
    /// Topics that nobody observes, of which the one that was used longest ago may go.
    case idleTopics
    /// The counts of topics in `front` have changed.
    case topicCounts
    /// Some peer's socket was full.
    case slowPeers

    /// What is looked at together, in this order.
    enum Kind: Int, CaseIterable, Hashable, Sendable {
        case snapshot
        case topic
        case idleTopics
        case topicCounts
        case slowPeers
    }

    var kind: Kind {
        switch self {
        case .snapshot: .snapshot
        case .topic: .topic
        case .idleTopics: .idleTopics
        case .topicCounts: .topicCounts
        case .slowPeers: .slowPeers
        }
    }

    private var number: UInt64 {
        switch self {
        case .snapshot(let number), .topic(let number): number
        case .idleTopics, .topicCounts, .slowPeers: 0
        }
    }

    static func < (left: Self, right: Self) -> Bool { (left.kind.rawValue, left.number) < (right.kind.rawValue, right.number) }
}
