//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing

@testable import Journal

@Suite("What the journal says of a full disk")
struct JournalWriterTests {
    /// A disk with room for so many inserts, after so many that find none.
    private final class Log: JournalLog {
        var failures: Int
        var inserted: [TurnNumber] = []
        let path = "log"

        init(failures: Int) { self.failures = failures }

        func records(from turn: TurnNumber) throws(JournalError) -> [JournalRecord] { [] }

        func insert(_ record: JournalRecord, head: JournalHead?, cutBelow: TurnNumber?) throws(JournalFault) -> JournalCommit {
            guard failures == 0 else {
                failures -= 1
                throw .full
            }
            inserted.append(record.row.turn)
            return JournalCommit(.written)
        }

        func cut(below checkpoint: TurnNumber) throws(JournalFault) -> (isDone: Bool, walByteCount: Int) { (true, 0) }

        func emptyWAL() throws(JournalFault) {}
    }

    private struct Reserve: JournalReserve {
        func make() -> Bool { false }
        func release() {}
    }

    private func events(failures: Int, reserveIsHeld: Bool) -> [JournalEvent] {
        let desk = JournalDesk()
        let log = Log(failures: failures)
        var writer = JournalWriter(
            desk: desk, log: log, reserve: Reserve(), head: JournalHead(front: FrontID(1), epoch: Epoch(1)), lastTurn: .none,
            reserveIsHeld: reserveIsHeld, onEvent: {})
        desk.hand(over: JournalRow(turn: TurnNumber(1), facts: [1]))
        for _ in 0..<failures + 1 { _ = writer.step() }
        #expect(log.inserted == [TurnNumber(1)])
        var events: [JournalEvent] = []
        while let event = desk.nextEvent() { events.append(event) }
        return events
    }

    @Test("a row that fits once the reserve is given up was no cause to wait: full is said once")
    func fits() {
        #expect(events(failures: 1, reserveIsHeld: true) == [.full, .durable(TurnNumber(1))])
    }

    @Test("without the whole reserve a row is tried once more when what little is held is given up: that is no cause to say full again")
    func littleReserve() {
        #expect(events(failures: 1, reserveIsHeld: false) == [.full, .durable(TurnNumber(1))])
    }

    @Test("a row that does not fit even then is told by a second full, and by no third")
    func waits() {
        #expect(events(failures: 5, reserveIsHeld: true) == [.full, .full, .durable(TurnNumber(1))])
    }

    @Test("without a reserve the journal begins with full, and says it again for a row that does not fit")
    func withoutReserve() {
        #expect(events(failures: 3, reserveIsHeld: false) == [.full, .full, .durable(TurnNumber(1))])
    }
}
