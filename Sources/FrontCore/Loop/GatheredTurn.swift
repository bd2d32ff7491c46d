//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What was decided since the last row was handed to the journal.
struct GatheredTurn {
    var entries: [JournalEntry] = []
    /// The event whose actions are gathered now.
    var cause = EventID.start
    /// What changes about bundles of ended jobs.
    private(set) var bundles = EndedBundles()
    /// Bundles that are read once all this is durable.
    private(set) var bundlesToRead: [BundleNumber] = []
    /// Bytes that the entries and messages will have, roughly.
    var byteCount = 0
    /// Messages by peer, in order of the peers' first message.
    var clientPeers: [PeerID] = []
    private(set) var clientMessages: [PeerID: ClientPart] = [:]
    var workerPeers: [PeerID] = []
    /// The messages of each frame: one, and one more for each message that travels apart.
    private(set) var workerMessages: [PeerID: WorkerPart] = [:]
    /// Changed items of live topics, in order.
    var topics: [Topic] = []
    private(set) var changedKeys: [Topic: UniqueList<String>] = [:]
    /// Snapshots that are asked for.
    private(set) var snapshots = UniqueList<SnapshotRequest>()
    /// Snapshots of which another part may go.
    private(set) var continued = UniqueList<SnapshotKey>()
    /// Topics that are to have a bookmark.
    private(set) var bookmarks = UniqueList<Topic>()

    /// What is sent to one client.
    struct ClientPart {
        private(set) var messages: [(session: SessionID, message: FrontMessage)] = []
        private(set) var byteCount = 0
        /// The newest event that caused a message to it.
        private(set) var cause = EventID.start

        mutating func append(_ message: consuming FrontMessage, _ session: SessionID, byteCount: Int, because cause: EventID) {
            messages.append((session, message))
            self.byteCount += byteCount
            self.cause = cause
        }
    }

    /// What is sent to one worker, frame by frame.
    struct WorkerPart {
        private(set) var frames: [[WorkerBoundMessage]] = [[]]
        /// The newest event that caused a message to it.
        private(set) var cause = EventID.start

        mutating func append(_ message: consuming WorkerBoundMessage, because cause: EventID) {
            frames[frames.count - 1].append(message)
            self.cause = cause
        }

        mutating func appendApart(_ message: consuming WorkerBoundMessage, because cause: EventID) {
            frames.append(contentsOf: [[message], []])
            self.cause = cause
        }
    }

    /// A client that wants all items of a topic.
    struct SnapshotRequest: Hashable {
        let peer: PeerID
        let session: SessionID
        let topic: Topic
        let asked: String?
        /// The event that brought it: the first, where it is asked for again in one turn.
        let cause: EventID

        static func == (left: Self, right: Self) -> Bool {
            left.peer == right.peer && left.session == right.session && left.topic == right.topic && left.asked == right.asked
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(peer)
            hasher.combine(session)
            hasher.combine(topic)
            hasher.combine(asked)
        }
    }

    /// Nothing is to be written or sent.
    var isEmpty: Bool {
        entries.isEmpty && clientPeers.isEmpty && workerPeers.isEmpty && topics.isEmpty && snapshots.isEmpty && continued.isEmpty
            && bookmarks.isEmpty && bundlesToRead.isEmpty
    }

    /// Bytes that are sent to a client, roughly.
    func byteCount(for peer: PeerID) -> Int { clientMessages[peer]?.byteCount ?? 0 }

    /// The same for all clients.
    var byteCounts: [PeerID: Int] { clientMessages.mapValues(\.byteCount) }

    mutating func record(_ entry: consuming JournalEntry) {
        byteCount += entry.traits.roughByteCount
        entries.append(entry)
    }

    mutating func make(_ bundle: EndedBundles.Bundle) {
        byteCount += bundle.entries.count
        bundles.made.append(bundle)
    }

    mutating func forget(_ bundle: BundleNumber) { bundles.forgotten.append(bundle) }

    mutating func read(_ bundle: BundleNumber) { bundlesToRead.append(bundle) }

    mutating func send(_ peer: PeerID, _ session: SessionID, _ message: consuming FrontMessage) {
        // The list has the order, which a table does not keep.
        if clientMessages[peer] == nil { clientPeers.append(peer) }
        let size = message.roughByteCount
        byteCount += size
        clientMessages[peer, default: ClientPart()].append(message, session, byteCount: size, because: cause)
    }

    mutating func sendToWorker(_ peer: PeerID, _ message: consuming WorkerBoundMessage) {
        noteWorker(peer, byteCount: message.roughByteCount)
        workerMessages[peer, default: WorkerPart()].append(message, because: cause)
    }

    /// Sends a worker something in a frame of its own.
    mutating func sendToWorkerApart(_ peer: PeerID, _ message: consuming WorkerBoundMessage) {
        noteWorker(peer, byteCount: message.roughByteCount)
        workerMessages[peer, default: WorkerPart()].appendApart(message, because: cause)
    }

    /// So many bytes go to a worker.
    private mutating func noteWorker(_ peer: PeerID, byteCount: Int) {
        if workerMessages[peer] == nil { workerPeers.append(peer) }
        self.byteCount += byteCount
    }

    mutating func change(_ topic: Topic, _ key: String) {
        if changedKeys[topic] == nil { topics.append(topic) }
        if changedKeys[topic, default: UniqueList()].append(key) { byteCount += RoughSize.message + key.utf8.count }
    }

    mutating func ask(_ request: SnapshotRequest) {
        if snapshots.append(request) { byteCount += RoughSize.feed }
    }

    mutating func proceed(_ key: SnapshotKey) {
        if continued.append(key) { byteCount += RoughSize.feed }
    }

    mutating func bookmark(_ topic: Topic) {
        if bookmarks.append(topic) { byteCount += RoughSize.feed }
    }

    /// What is closed now. Of the snapshots only the first so many, since each may bring a topic up: the others stay for the next turn.
    mutating func take(snapshots limit: Int) -> GatheredTurn {
        var taken = exchange(&self, with: GatheredTurn())
        cause = taken.cause
        if taken.snapshots.elements.count > limit {
            // Those that stay are moved: to ask for each anew would cost as much as there are, in each of the turns that they wait for.
            swap(&snapshots, &taken.snapshots)
            taken.snapshots = UniqueList(snapshots.takeFirst(limit))
            byteCount = snapshots.elements.count * RoughSize.feed
        }
        return taken
    }
}

/// A turn that is closed: what leaves once its row is durable, and all rows before it, and while the front is known to be the writer.
struct ClosedTurn {
    let turn: TurnNumber
    /// What is sent with it.
    let decided: DecisionMark
    /// When the row was handed over.
    var submittedAt = MonotonicTime(nanoseconds: 0)
    /// The row that is not durable yet, kept because a commit in doubt needs the very same bytes again; nil: nothing has to become durable.
    var row: JournalRow?
    /// Bundles of ended jobs that are read once it is durable.
    var bundlesToRead: [BundleNumber] = []
    var frames: [OutgoingFrame] = []
    var publications: [(frame: [UInt8], bytes: [UInt8])] = []
    /// How many of both have left: authority may run out between two frames.
    private(set) var sentFrames = 0
    private(set) var sentPublications = 0
    /// Bytes for each client, roughly.
    var byteCounts: [PeerID: Int] = [:]
    /// Bytes of parts of snapshots, for all clients.
    var snapshotByteCount = 0

    init(_ turn: TurnNumber, decided: DecisionMark) {
        self.turn = turn
        self.decided = decided
    }

    /// Its row is durable: it is not kept any longer.
    mutating func takeRow() -> JournalRow? { exchange(&row, with: nil) }

    /// The next frame to leave, counted as sent; nil: all have left, and their memory is used for those of the turn's next part.
    mutating func takeFrame() -> OutgoingFrame? {
        guard sentFrames < frames.count else {
            frames.removeAll(keepingCapacity: true)
            sentFrames = 0
            return nil
        }
        defer { sentFrames += 1 }
        return frames[sentFrames]
    }

    /// The same for what is published.
    mutating func takePublication() -> (frame: [UInt8], bytes: [UInt8])? {
        guard sentPublications < publications.count else {
            publications.removeAll(keepingCapacity: true)
            sentPublications = 0
            return nil
        }
        defer { sentPublications += 1 }
        return publications[sentPublications]
    }

    /// Whether something of it has not left.
    var hasUnsent: Bool { sentFrames < frames.count || sentPublications < publications.count }
}

/// Writes the live state as slices, one with each row, so that no turn pays for all of it.
struct CheckpointWriter {
    /// How far the next checkpoint is.
    private enum Phase {
        /// Too little was written since the last one. Moves to near.
        case idle
        /// Ended jobs leave the state before it. Moves to prepared when they have.
        case near
        /// Nothing keeps it from beginning. Moves to running with the next row that may have a slice.
        case prepared
        /// Its slices are written. Moves to idle with the last one. Whoever prepares meanwhile has it begin again.
        case running(TurnNumber, CheckpointCursor)
    }

    private var phase = Phase.idle
    private var bytesSinceLast = 0

    /// Whether it is near at least, so that turns go on though nobody asks for anything.
    var isUnderWay: Bool {
        switch phase {
        case .idle: false
        case .near, .prepared, .running: true
        }
    }

    /// Whether a slice goes with the next row.
    var hasSlice: Bool {
        switch phase {
        case .idle, .near: false
        case .prepared, .running: true
        }
    }

    /// Whether ended jobs are to leave the state before the next one: enough has been written since the last.
    func isDue(after byteCount: Int) -> Bool {
        switch phase {
        case .idle, .near: bytesSinceLast >= byteCount
        case .prepared, .running: false
        }
    }

    /// The next one is being prepared.
    mutating func prepare(isReady: Bool) { phase = isReady ? .prepared : .near }

    mutating func note(byteCount: Int, entries: Int) { bytesSinceLast += Self.weight(byteCount: byteCount, entries: entries) }

    /// What an entry counts beside its bytes: a restart takes some 10 us for each, however short it is, and as long for so many bytes of long ones.
    private static let entryWeight = 256

    private static func weight(byteCount: Int, entries: Int) -> Int { byteCount + entries * entryWeight }

    /// A row of an earlier epoch was read, with so many entries: rows of the log came since the newest whole checkpoint, whose slices are read first. So
    /// one is due after as much as while serving, however often the front is killed between.
    mutating func noteRestored(_ row: RestoredRow, entries: Int) {
        bytesSinceLast = row.isSlice ? 0 : bytesSinceLast + Self.weight(byteCount: row.entries.count, entries: entries)
    }

    /// The slice that goes with this turn's row; nil: none.
    mutating func slice(
        of machine: FrontMachine, at turn: TurnNumber, _ settings: LoopSettings, _ codec: some EnvelopeCodec
    ) -> JournalRow.Slice? {
        switch phase {
        case .idle, .near: return nil
        case .prepared:
            // From its beginning on, not from its end: rows written beside its slices stand behind it in the log, and a restart reads them.
            bytesSinceLast = 0
            let (entries, cursor) = machine.turn.state.beginCheckpoint(
                machine.turn.settings.durability, byteLimit: settings.sliceByteLimit)
            phase = .running(turn, cursor)
            return JournalRow.Slice(checkpoint: turn, entries: codec.encode(entries), isLast: false)
        case .running(let checkpoint, var cursor):
            // It is changed in place: its lists are as long as there are sessions and feeds.
            phase = .idle
            let entries = cursor.takeSlice(of: machine.turn.state, chunkLimit: settings.sliceChunks, byteLimit: settings.sliceByteLimit)
            let isLast = cursor.isDone
            if !isLast { phase = .running(checkpoint, cursor) }
            return JournalRow.Slice(checkpoint: checkpoint, entries: codec.encode(entries), isLast: isLast)
        }
    }
}
