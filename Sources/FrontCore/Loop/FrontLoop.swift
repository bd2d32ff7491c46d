//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
public import Model

/// The turn of the front: wait, read, decide, append, send. Without sockets or files of its own.
///
/// Nothing decided in a turn leaves before the turn's row is durable; only the echo of a renewal's number may leave earlier. While a commit
/// runs, what is decided gathers in one next turn. Used by one thread only.
public final class FrontLoop<Transport: FrontTransport, Journal: TurnJournal, Clock: FrontClock, Codec: EnvelopeCodec> {
    let transport: Transport
    let journal: Journal
    let clock: Clock
    let codec: Codec
    let settings: LoopSettings
    let front: FrontID
    let epoch: Epoch
    let plantedFault: PlantedFault?
    var machine: FrontMachine
    private var actions: [FrontAction] = []

    var gathered = GatheredTurn()
    var committing: ClosedTurn?
    var nextTurn: UInt64 = 1
    var topics: [Topic: LiveTopic] = [:]
    /// Live topics in order of their first use.
    var topicOrder: [Topic] = []
    var nextTopicCheck = MonotonicTime.distantFuture
    var outboxes: [PeerID: Outbox] = [:]
    var slowPeers: [PeerID] = []
    var snapshotQueues: [SnapshotQueue] = []
    /// Workers' messages that were read while only renewals are handled.
    var heldWorkerFrames: Deque<(peer: PeerID, principal: Principal, envelope: WorkerEnvelope)> = []
    var checkpoint = CheckpointWriter()
    var storageIsFull = false
    /// Peers that could not be reached when something was sent; the machine hears of them in the next turn.
    var lostPeers: [PeerID] = []
    /// Objects that turned out damaged; the machine hears of them in the next turn.
    private var damaged: [ObjectDigest] = []
    private var lastWoken: MonotonicTime?
    /// Rows that were handed to the journal, for people.
    public private(set) var rowCount: UInt64 = 0

    /// A loop that has not restored yet: `restore` comes first, then `turn` again and again.
    public init(
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
        self.plantedFault = settings.plantedFault
        self.machine = FrontMachine(settings: settings, now: clock.now())
    }

    /// Takes over what an earlier life left in the journal, and begins to serve.
    ///
    /// The whole journal is read before anybody is answered: 100,000 waiting jobs take 0.3 s, 500,000 take 0.8 s (release build, two busy
    /// cores), so serving beside it would only add states in which half of the queue is known. The sockets are bound already: what workers
    /// and clients say meanwhile waits there and is read in the first turns. Leases survive because they are counted from here: the slots of
    /// recorded grants stay taken for a whole lease after this call, and a worker goes on until 2 s before its own lease ends, so it loses
    /// nothing as long as the front is away for less than 2 s (a lease of 5 s, a renewal each second, 2 s to stop work).
    ///
    /// - Throws: `storageFailed` if a row cannot be read.
    public func restore() throws(LoopEnding) {
        do {
            while let row = try journal.nextRestored() {
                machine.restore(try codec.decodeFacts(row.facts), turn: row.turn, isSlice: row.isSlice)
                nextTurn = max(nextTurn, row.turn.rawValue + 1)
            }
        } catch {
            throw .storageFailed("the journal cannot be read: \(error)")
        }
        machine.start(at: clock.now(), into: &actions)
        carryOut()
    }

    /// What an item of a topic is now; nil: there is none. For whoever checks the loop from outside.
    package func item(_ key: String, of topic: Topic) -> ItemValue? { machine.item(key, of: topic) }

    /// One turn: returns after it has read, decided, appended and sent what can be.
    ///
    /// - Throws: why the front has to end.
    public func turn() throws(LoopEnding) {
        wait()
        try takeJournalEvents()
        if plantedFault == .renewalsReadAfterDeadlines { decide(.inputRead(upTo: clock.now().monotonic)) }
        let instant = read()
        if !storageIsFull { while let object = damaged.popLast() { decide(.objectDamaged(object)) } }
        while let peer = lostPeers.popLast() { decide(.peerLost(peer)) }
        decide(.inputRead(upTo: instant))
        tendTopics()
        sendSlow()
        close()
    }

    /// Notes that an object of the cache is not what its name says; the next turn deals with it. For the thread of the loop.
    public func noteDamage(of object: ObjectDigest) {
        if !damaged.contains(object) { damaged.append(object) }
    }

    /// What collection must spare, as of what is durable: nil while a turn is under way.
    public func collectable(now: WallTime) -> (named: Set<ObjectDigest>, olderThan: WallTime)? {
        guard committing == nil, gathered.isEmpty, !storageIsFull else { return nil }
        let bound = min(now, machine.oldestGrant ?? now).adding(milliseconds: -settings.collectMilliseconds)
        return (machine.namedObjects, bound)
    }

    /// The only place where something is decided.
    func decide(_ event: FrontEvent) {
        machine.handle(event, at: clock.now(), into: &actions)
        carryOut()
    }

    private func wait() {
        let before = clock.now().monotonic
        if let last = lastWoken { noteAbsence(before.milliseconds(since: last)) }
        let deadline = nextDeadline
        transport.wait(until: deadline)
        let after = clock.now().monotonic
        if let deadline { noteAbsence(after.milliseconds(since: max(deadline, before))) }
        lastWoken = after
    }

    private func noteAbsence(_ milliseconds: Int64) {
        guard milliseconds > settings.awayMilliseconds else { return }
        decide(.wasAway(milliseconds: milliseconds))
    }

    private var nextDeadline: MonotonicTime? {
        var deadline = machine.nextDeadline ?? .distantFuture
        deadline = min(deadline, nextTopicCheck)
        let now = clock.now().monotonic
        if !damaged.isEmpty, !storageIsFull { return now }
        if !slowPeers.isEmpty { deadline = min(deadline, now.adding(milliseconds: 5)) }
        if committing == nil, !storageIsFull, !heldWorkerFrames.isEmpty || checkpoint.isRunning { deadline = now }
        return deadline == .distantFuture ? nil : deadline
    }

    private func takeJournalEvents() throws(LoopEnding) {
        while let event = journal.nextEvent() {
            switch event {
            case .durable(let turn):
                if let closed = committing, closed.turn <= turn {
                    committing = nil
                    send(closed)
                }
                if storageIsFull, committing == nil { storageIsFull = false }
            case .full:
                storageIsFull = true
                decide(.storageFull(true))
            case .roomAgain:
                storageIsFull = false
                decide(.storageFull(false))
            case .fenced: throw .fenced
            case .failed(let text): throw .storageFailed(text)
            }
        }
    }

    private func carryOut() {
        for action in actions {
            switch action {
            case .record(let fact):
                gathered.byteCount += fact.roughByteCount
                gathered.facts.append(fact)
            case .tell(let peer, let session, let message): gathered.tell(peer, session, message)
            case .tellWorker(let peer, let message): gathered.tellWorker(peer, message)
            case .tellWorkerApart(let peer, let message): gathered.tellWorkerApart(peer, message)
            case .echo(let peer, let number):
                deliver(codec.encode(WorkerBoundEnvelope(front: front, epoch: epoch, messages: [.renewed(number, cancels: [])])), to: peer)
            case .changed(let topic, let key): if topics[topic] != nil { gathered.change(topic, key) }
            case .sendSnapshot(let peer, let session, let topic, let asked):
                let request = GatheredTurn.SnapshotRequest(peer: peer, session: session, topic: topic, asked: asked)
                if !gathered.snapshots.contains(request) { gathered.snapshots.append(request) }
            case .continueSnapshot(let peer, let topic): continueSnapshot(peer, topic)
            case .forget(let peer): outboxes[peer] = nil
            }
        }
        actions.removeAll(keepingCapacity: true)
    }

    /// Hands the gathered turn to the journal, unless a row is under way; what needs no journal leaves at once.
    private func close() {
        guard committing == nil else { return }
        let isDue = checkpoint.isDue(after: settings.checkpointByteCount)
        guard !gathered.isEmpty || checkpoint.isRunning || isDue else { return }
        let turn = TurnNumber(nextTurn)
        nextTurn += 1
        let work = gathered
        gathered = GatheredTurn()
        let slice = storageIsFull ? nil : checkpoint.slice(of: machine, at: turn, isDue: isDue, chunkLimit: settings.sliceChunks, codec)
        guard !work.facts.isEmpty || slice != nil else { return sendAtOnce(work, turn) }
        var closed = ClosedTurn(turn: turn)
        encodeWorkerMessages(work, into: &closed)
        encodeClientMessages(work, into: &closed)
        encodeTopics(work, turn, into: &closed)
        let row = JournalRow(turn: turn, facts: work.facts.isEmpty ? [] : codec.encode(work.facts), slice: slice)
        checkpoint.note(byteCount: row.facts.count)
        rowCount += 1
        committing = closed
        if plantedFault == .sendBeforeCommit { send(closed) }
        journal.append(row)
    }
}
