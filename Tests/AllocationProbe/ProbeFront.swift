//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import CAllocations
import FrontCore
import GantryModel
import GantryPackedColumns
import GantryWire

/// The front's loop between one client and one worker in memory, with a journal that keeps nothing; counts what turns allocate.
final class ProbeFront: FrontTransport, TurnJournal, FrontClock {
    private let codec = WireCodec()
    private let client = PeerID(7)
    private let worker = PeerID(1_001)
    private var loop: FrontLoop<ProbeFront, ProbeFront, ProbeFront, WireCodec>?
    private var time = FrontTime(monotonic: MonotonicTime(nanoseconds: 1_000_000_000), wall: WallTime(milliseconds: 1_700_000_000_000))
    private var arrived: [(channel: FrontChannel, frame: ReceivedFrame)] = []
    private var durable: TurnNumber?
    private var toClient: [[UInt8]] = []
    private var toWorker: [[UInt8]] = []
    private var session = SessionID.none
    private var registrationNumber = RegistrationNumber.none
    private var request: UInt64 = 0
    private var report: UInt64 = 0
    /// What turns asked for so far.
    private(set) var allocations: UInt64 = 0

    /// A front with an open session and an attached worker.
    init() throws {
        var loop = FrontLoop(
            front: FrontSettings(front: FrontID(1), epoch: Epoch(5), sessionKey: SessionKey(1, 2)), transport: self, journal: self,
            clock: self, codec: codec)
        try loop.restore()
        self.loop = consume loop
        send(ClientMessage.hello(.init(label: "probe")))
        var registration = WorkerMessage.Registration(
            name: "probe", processID: 1, slots: 2, prefetch: 4_096, loaders: [LoaderDeclaration(name: "noop", isBulk: true)])
        registration.secret = Array(repeating: 1, count: 32)
        report(.register(registration))
        try turn()
        session = try toClient.first.map { try codec.decodeFront($0).session } ?? .none
        for case .registered(let registered) in try takeToWorker() { registrationNumber = registered.registrationNumber }
        toClient.removeAll()
    }

    /// Takes `count` jobs from submit to outcome.
    func run(_ count: Int) throws {
        request += 1
        let number = RequestNumber(request)
        send(
            .submit(
                .init(
                    number: number, lowestUnanswered: number, loader: "noop", reportsOutcomes: true,
                    arguments: PackedBytes(repeating: Array(repeating: 0x78, count: 64), count: count))))
        try turn()
        var ended = 0
        while ended < count {
            for case .grant(let grant) in try takeToWorker() {
                report += 1
                var outcome = WorkerMessage.Ended(report: report)
                (outcome.jobs, outcome.leases) = (grant.jobs, grant.leases)
                outcome.outcomes = Array(repeating: .succeeded, count: grant.jobs.count)
                outcome.results = grant.arguments
                report(.ended(outcome))
                ended += grant.jobs.count
            }
            try turn()
        }
        toClient.removeAll(keepingCapacity: true)
        time.monotonic = time.monotonic.advanced(by: .milliseconds(1))
    }

    private func send(_ message: ClientMessage) {
        let bytes = codec.encode(ClientEnvelope(session: session, messages: [message]))
        arrived.append((.clients, ReceivedFrame(peer: client, principal: .everything, bytes: bytes)))
    }

    private func report(_ message: WorkerMessage) {
        let envelope = WorkerEnvelope(worker: WorkerID(1), epoch: Epoch(5), registrationNumber: registrationNumber, messages: [message])
        arrived.append((.workers, ReceivedFrame(peer: worker, principal: .everything, bytes: codec.encode(envelope))))
    }

    /// What went to the worker; takes the renewed attachment along.
    private func takeToWorker() throws -> [WorkerBoundMessage] {
        defer { toWorker.removeAll(keepingCapacity: true) }
        return try toWorker.flatMap { try codec.decodeWorkerBound($0).messages }
    }

    /// Decision, row and sending take a turn each.
    private func turn() throws {
        let before = allocation_count()
        for _ in 0..<3 { try loop?.turn() }
        allocations += allocation_count() - before
    }

    func wait(until deadline: MonotonicTime?) {}

    func receive(_ channel: FrontChannel) -> ReceivedFrame? {
        guard arrived.first?.channel == channel else { return nil }
        return arrived.removeFirst().frame
    }

    func send(_ bytes: [UInt8], to peer: PeerID) -> SendResult {
        if peer == client { toClient.append(bytes) } else { toWorker.append(bytes) }
        return .sent
    }

    func publish(_ bytes: [UInt8], under topicFrame: [UInt8]) {}

    func watch(_ process: ProcessIdentity) {}

    func unwatch(_ process: ProcessIdentity) {}

    func takeEndedProcess() -> ProcessIdentity? { nil }

    var authority: MonotonicTime { .distantFuture }

    func nextRestored() throws -> RestoredRow? { nil }

    func append(_ row: JournalRow) { durable = row.turn }

    func read(_ bundle: BundleNumber) {}

    func nextEvent() -> JournalEvent? {
        defer { durable = nil }
        return durable.map { .durable($0) }
    }

    func now() -> FrontTime { time }
}
