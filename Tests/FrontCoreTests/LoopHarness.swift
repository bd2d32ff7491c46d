//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model
import Wire

/// The front's loop on sockets, a journal and clocks in memory; every row is durable as soon as it is written.
final class LoopHarness: FrontTransport, TurnJournal, FrontClock {
    private(set) var loop: FrontLoop<LoopHarness, LoopHarness, LoopHarness, WireCodec>?
    private let codec = WireCodec()
    private var time = FrontTime(monotonic: MonotonicTime(nanoseconds: 1_000_000_000), wall: WallTime(milliseconds: 1_700_000_000_000))
    private var arrived: [FrontChannel: [ReceivedFrame]] = [:]
    private var events: [JournalEvent] = []
    /// The deadline of the last wait.
    private(set) var deadline: MonotonicTime?
    /// What was sent to a peer since it was last taken.
    private var sent: [(peer: PeerID, bytes: [UInt8])] = []
    private var published: [Publication] = []
    /// What was written, and what an earlier life wrote and is still to be read.
    private(set) var rows: [RestoredRow] = []
    private var slices: [RestoredRow] = []
    private var earlier: [RestoredRow]
    private let millisecondsToReadRow: Int64
    /// The life of the front.
    let epoch: Epoch

    /// A front that has taken over what an earlier one wrote; each row takes so long to read.
    init(
        after earlier: LoopHarness? = nil, millisecondsToReadRow: Int64 = 0, checkpointByteCount: Int = .max,
        _ change: (inout FrontSettings) -> Void = { _ in }
    ) throws {
        self.earlier = earlier?.rows ?? []
        self.millisecondsToReadRow = millisecondsToReadRow
        if let earlier { time = earlier.time }
        epoch = earlier.map { $0.epoch.advanced() } ?? Epoch(5)
        var settings = FrontSettings(front: FrontID(1), epoch: epoch, sessionKey: SessionKey(1, epoch.rawValue))
        settings.feeds = [FeedDefinition(name: "items", sourceLoader: "http")]
        change(&settings)
        var bounds = LoopSettings()
        bounds.checkpointByteCount = checkpointByteCount
        let loop = FrontLoop(front: settings, loop: bounds, transport: self, journal: self, clock: self, codec: codec)
        self.loop = loop
        try loop.restore()
    }

    /// So many turns; a decision, its row and its sending may take one each.
    func turn(_ count: Int = 3) throws { for _ in 0..<count { try loop?.turn() } }

    func pass(milliseconds: Int64) { time.monotonic = time.monotonic.adding(milliseconds: milliseconds) }

    func client(_ peer: PeerID, _ session: SessionID, _ messages: ClientMessage...) {
        let bytes = codec.encode(ClientEnvelope(session: session, messages: messages))
        arrived[.clients, default: []].append(ReceivedFrame(peer: peer, bytes: bytes))
    }

    func worker(_ peer: PeerID, _ envelope: WorkerEnvelope) {
        arrived[.workers, default: []].append(ReceivedFrame(peer: peer, bytes: codec.encode(envelope)))
    }

    func subscribe(_ topic: Topic) {
        arrived[.subscriptions, default: []].append(ReceivedFrame(peer: .none, bytes: [1] + topic.frame))
    }

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
    func takeFrames(toWorker peer: PeerID) throws -> [[WorkerBoundMessage]] {
        defer { sent.removeAll { $0.peer == peer } }
        return try sent.filter { $0.peer == peer }.map { try codec.decodeWorkerBound($0.bytes).messages }
    }

    func takePublished() -> [Publication] {
        defer { published.removeAll() }
        return published
    }

    func wait(until deadline: MonotonicTime?) { self.deadline = deadline }

    func receive(_ channel: FrontChannel) -> ReceivedFrame? {
        arrived[channel]?.isEmpty == false ? arrived[channel]?.removeFirst() : nil
    }

    func send(_ bytes: [UInt8], to peer: PeerID) -> SendResult {
        sent.append((peer, bytes))
        return .sent
    }

    func publish(_ bytes: [UInt8], under topicFrame: [UInt8]) {
        if let publication = try? codec.decodePublication(bytes) { published.append(publication) }
    }

    func nextRestored() throws -> RestoredRow? {
        guard !earlier.isEmpty else { return nil }
        pass(milliseconds: millisecondsToReadRow)
        return earlier.removeFirst()
    }

    func append(_ row: JournalRow) {
        rows.append(RestoredRow(turn: row.turn, facts: row.facts, isSlice: false))
        if let slice = row.slice { keep(slice, of: row.turn) }
        events.append(.durable(row.turn))
    }

    /// A checkpoint that is whole takes the place of the rows before its turn.
    private func keep(_ slice: JournalRow.Slice, of turn: TurnNumber) {
        if slice.checkpoint == turn { slices.removeAll() }
        slices.append(RestoredRow(turn: turn, facts: slice.facts, isSlice: true))
        guard slice.isLast else { return }
        rows = slices + rows.filter { !$0.isSlice && $0.turn >= slice.checkpoint }
    }

    func nextEvent() -> JournalEvent? { events.isEmpty ? nil : events.removeFirst() }

    func now() -> FrontTime { time }
}
