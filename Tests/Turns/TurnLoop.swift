//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryWire

/// The front's loop with one client, on sockets and clocks in memory; its journal keeps nothing, and every row is durable at once.
final class TurnLoop: FrontTransport, TurnJournal, FrontClock {
    private var loop: FrontLoop<TurnLoop, TurnLoop, TurnLoop, WireCodec>?
    private let codec = WireCodec()
    private let client = PeerID(7)
    private var session = SessionID.none
    private var arrived: [ReceivedFrame] = []
    private var events: [JournalEvent] = []
    private var sent: [[UInt8]] = []
    let authority = MonotonicTime.distantFuture

    /// Begins to serve, and opens a session.
    func begin() {
        var settings = LoopSettings()
        (settings.topics, settings.snapshots) = (100_000, 100_000)
        let front = FrontSettings(front: FrontID(1), epoch: Epoch(5), sessionKey: SessionKey(1, 2))
        loop = FrontLoop(front: front, loop: settings, transport: self, journal: self, clock: self, codec: codec)
        guard (try? loop?.restore()) != nil else { preconditionFailure("the front does not begin") }
        send([.hello(.init(label: "turns"))])
        repeat { turn() } while sent.isEmpty
        guard let welcome = try? codec.decodeFront(sent[0]) else { preconditionFailure("the front welcomes nobody") }
        session = welcome.session
    }

    /// The client asks for the topics of so many jobs at once, and turns follow until it has all.
    func ask(forSnapshots count: Int) {
        sent.removeAll()
        send((1...count).map { .snapshot(topic: .job(JobID(UInt64($0)))) })
        repeat { turn() } while sent.count < count
    }

    private func send(_ messages: [ClientMessage]) {
        let bytes = codec.encode(ClientEnvelope(session: session, messages: messages))
        arrived.append(ReceivedFrame(peer: client, principal: .everything, bytes: bytes))
    }

    private func turn() { guard (try? loop?.turn()) != nil else { preconditionFailure("the front has ended") } }

    func now() -> FrontTime {
        FrontTime(monotonic: MonotonicTime(nanoseconds: 1_000_000_000), wall: WallTime(milliseconds: 1_700_000_000_000))
    }

    func wait(until deadline: MonotonicTime?) {}

    func receive(_ channel: FrontChannel) -> ReceivedFrame? { channel == .clients ? arrived.popLast() : nil }

    func send(_ bytes: [UInt8], to peer: PeerID) -> SendResult {
        sent.append(bytes)
        return .sent
    }

    func publish(_ bytes: [UInt8], under topicFrame: [UInt8]) {}

    func watch(_ process: ProcessIdentity) {}

    func unwatch(_ process: ProcessIdentity) {}

    func takeEndedProcess() -> ProcessIdentity? { nil }

    func nextRestored() -> RestoredRow? { nil }

    func append(_ row: JournalRow) { events.append(.durable(row.turn)) }

    func read(_ bundle: BundleNumber) {}

    func nextEvent() -> JournalEvent? { events.isEmpty ? nil : events.removeFirst() }
}
