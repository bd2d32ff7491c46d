//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import FrontCore
import GantryModel
import GantryWire

/// The front's loop on sockets, a journal and clocks in memory; every row is durable as soon as it is written.
final class LoopHarness: FrontTransport, TurnJournal, FrontClock {
    var loop: FrontLoop<LoopHarness, LoopHarness, LoopHarness, WireCodec>!
    private let codec = WireCodec()
    private var time = FrontTime(monotonic: MonotonicTime(nanoseconds: 1_000_000_000), wall: WallTime(milliseconds: 1_700_000_000_000))
    private var arrived: [FrontChannel: Deque<ReceivedFrame>] = [:]
    private var events: [JournalEvent] = []
    /// The deadline of the last wait.
    private(set) var deadline: MonotonicTime?
    /// What was sent to a peer since it was last taken.
    private var sent: [(peer: PeerID, bytes: [UInt8])] = []
    private var published: [Publication] = []
    /// Processes whose end the loop wants to know.
    private(set) var watched: [ProcessIdentity] = []
    private var ended: [ProcessIdentity] = []
    /// What was written, and what an earlier life wrote and is still to be read.
    /// Bundles of ended jobs, and those that were read.
    var bundles: [BundleNumber: [UInt8]] = [:]
    private(set) var bundlesRead: [BundleNumber] = []
    private(set) var rows: [RestoredRow] = []
    private(set) var slices: [RestoredRow] = []
    private var earlier: [RestoredRow]
    private let millisecondsToReadRow: Int64
    private let readFault: (any Error)?
    /// The life of the front.
    let epoch: Epoch
    /// While true, rows are not durable until `release`.
    var holdsRows = false
    /// Rows under way, oldest first, as they were handed over.
    private(set) var held: [JournalRow] = []
    /// Until when the journal knows the front to be the writer.
    var authority = MonotonicTime.distantFuture
    /// What becomes of a frame for a peer; sent unless told otherwise.
    var results: [PeerID: SendResult] = [:]
    /// How long it takes to hand a frame to a socket.
    var millisecondsToSend: Int64 = 0
    /// How many frames were to be sent to a peer, whatever became of them.
    private(set) var frameCounts: [PeerID: Int] = [:]

    /// A front that has taken over what an earlier one wrote; each row takes so long to read.
    init(
        after earlier: LoopHarness? = nil, millisecondsToReadRow: Int64 = 0, readFault: (any Error)? = nil,
        checkpointByteCount: Int = .max, loop settings: LoopSettings = LoopSettings(),
        _ change: (inout FrontSettings) -> Void = { _ in }
    ) throws {
        self.earlier = earlier?.rows ?? []
        (rows, bundles) = (self.earlier, earlier?.bundles ?? [:])
        self.millisecondsToReadRow = millisecondsToReadRow
        self.readFault = readFault
        if let earlier { time = earlier.time }
        epoch = earlier.map { $0.epoch.advanced() } ?? Epoch(5)
        var front = FrontSettings(front: FrontID(1), epoch: epoch, sessionKey: SessionKey(1, epoch.rawValue))
        front.feeds = [FeedDefinition(name: "items", sourceLoader: "http")]
        front.refusesUnknownLoaders = false
        change(&front)
        var settings = settings
        settings.checkpointByteCount = min(settings.checkpointByteCount, checkpointByteCount)
        loop = FrontLoop(front: front, loop: settings, transport: self, journal: self, clock: self, codec: codec)
        try loop.restore()
    }

    /// So many turns; a decision, its row and its sending may take one each.
    func turn(_ count: Int = 3) throws { for _ in 0..<count { try loop.turn() } }

    func pass(milliseconds: Int64) {
        time.monotonic = time.monotonic.advanced(by: .milliseconds(milliseconds))
        time.wall = time.wall.advanced(by: .milliseconds(milliseconds))
    }

    /// Somebody sets the wall clock.
    func setWallClock(milliseconds: Int64) { time.wall = time.wall.advanced(by: .milliseconds(milliseconds)) }

    /// The journal says something.
    func journalSays(_ event: JournalEvent) { events.append(event) }

    /// The oldest row under way is durable.
    func release() {
        guard !held.isEmpty else { return }
        events.append(.durable(held.removeFirst().turn))
    }

    func client(_ peer: PeerID, _ session: SessionID, _ messages: ClientMessage...) { client(peer, session, messages) }

    func client(_ peer: PeerID, _ session: SessionID, _ messages: [ClientMessage]) {
        let bytes = codec.encode(ClientEnvelope(session: session, messages: messages))
        arrived[.clients, default: []].append(ReceivedFrame(peer: peer, principal: .everything, bytes: bytes))
    }

    func worker(_ peer: PeerID, _ envelope: WorkerEnvelope, of process: ProcessIdentity? = nil) {
        let frame = ReceivedFrame(peer: peer, principal: Principal(process: process, rights: .work), bytes: codec.encode(envelope))
        arrived[.workers, default: []].append(frame)
    }

    /// A message that is no envelope; nil: it has other frames than one.
    func send(_ bytes: [UInt8]?, from peer: PeerID, on channel: FrontChannel) {
        arrived[channel, default: []].append(ReceivedFrame(peer: peer, principal: .everything, bytes: bytes))
    }

    func subscribe(_ topic: Topic, isWanted: Bool = true) {
        arrived[.subscriptions, default: []].append(ReceivedFrame(peer: .none, bytes: [isWanted ? 1 : 0] + topic.frame))
    }

    /// Frames that lie in the socket of a channel.
    func unread(_ channel: FrontChannel) -> Int { arrived[channel]?.count ?? 0 }

    /// The frames that went to a client, with their sizes.
    func takeSent(to peer: PeerID) throws -> [(envelope: FrontEnvelope, byteCount: Int)] {
        defer { sent.removeAll { $0.peer == peer } }
        return try sent.filter { $0.peer == peer }.map { (try codec.decodeFront($0.bytes), $0.bytes.count) }
    }

    /// What went to a worker.
    func takeSent(toWorker peer: PeerID) throws -> [WorkerBoundMessage] {
        defer { sent.removeAll { $0.peer == peer } }
        return try sent.filter { $0.peer == peer }.flatMap { try codec.decodeWorkerBound($0.bytes).messages }
    }

    /// What went to a worker, frame by frame.
    func takeEnvelopes(toWorker peer: PeerID) throws -> [WorkerBoundEnvelope] {
        defer { sent.removeAll { $0.peer == peer } }
        return try sent.filter { $0.peer == peer }.map { try codec.decodeWorkerBound($0.bytes) }
    }

    /// The messages in those.
    func takeFrames(toWorker peer: PeerID) throws -> [[WorkerBoundMessage]] { try takeEnvelopes(toWorker: peer).map(\.messages) }

    func takePublished() -> [Publication] {
        defer { published.removeAll() }
        return published
    }

    func wait(until deadline: MonotonicTime?) { self.deadline = deadline }

    func receive(_ channel: FrontChannel) -> ReceivedFrame? {
        arrived[channel]?.popFirst()
    }

    func send(_ bytes: [UInt8], to peer: PeerID) -> SendResult {
        let result = results[peer] ?? .sent
        frameCounts[peer, default: 0] += 1
        if result == .sent { sent.append((peer, bytes)) }
        pass(milliseconds: millisecondsToSend)
        return result
    }

    func publish(_ bytes: [UInt8], under topicFrame: [UInt8]) {
        if let publication = try? codec.decodePublication(bytes) { published.append(publication) }
    }

    func watch(_ process: ProcessIdentity) { watched.append(process) }

    func unwatch(_ process: ProcessIdentity) { watched.removeAll { $0 == process } }

    func takeEndedProcess() -> ProcessIdentity? { ended.popLast() }

    /// The kernel says that a process has ended.
    func processEnds(_ process: ProcessIdentity) { ended.append(process) }

    func nextRestored() throws -> RestoredRow? {
        if let readFault { throw readFault }
        guard !earlier.isEmpty else { return nil }
        pass(milliseconds: millisecondsToReadRow)
        return earlier.removeFirst()
    }

    func append(_ row: JournalRow) {
        rows.append(RestoredRow(turn: row.turn, entries: row.entries, isSlice: false))
        if let slice = row.slice { keep(slice, of: row.turn) }
        for bundle in row.bundles.made { bundles[bundle.number] = bundle.entries }
        for number in row.bundles.forgotten { bundles[number] = nil }
        if holdsRows { held.append(row) } else { events.append(.durable(row.turn)) }
    }

    func read(_ bundle: BundleNumber) {
        bundlesRead.append(bundle)
        if !holdsRows { events.append(.bundle(bundle, entries: bundles[bundle])) }
    }

    /// A checkpoint that is whole takes the place of the rows before its turn.
    private func keep(_ slice: JournalRow.Slice, of turn: TurnNumber) {
        if slice.checkpoint == turn { slices.removeAll() }
        slices.append(RestoredRow(turn: turn, entries: slice.entries, isSlice: true))
        guard slice.isLast else { return }
        rows = slices + rows.filter { !$0.isSlice && $0.turn >= slice.checkpoint }
    }

    func nextEvent() -> JournalEvent? { events.isEmpty ? nil : events.removeFirst() }

    func now() -> FrontTime { time }
}
