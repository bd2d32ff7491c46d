//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GRDB
import GantryModel
import TestSupport
import Testing

@testable import Journal

/// What a checkpoint has made needless is dropped, and nobody waits for it.
@Suite("Dropping old rows")
struct CutTests {
    /// Notes what is done, in order; the second step of a cut is its last.
    private final class Log: JournalLog {
        var acts: [String] = []
        private var cuts = 0
        let path = "log"

        func records(from turn: TurnNumber) throws(JournalError) -> [JournalRecord] { [] }

        func entries(of bundle: BundleNumber) -> [UInt8]? { nil }

        func insert(
            _ record: JournalRecord, bundles: EndedBundles, head: JournalHead?, cutBelow: TurnNumber?
        ) throws(JournalFault) -> JournalCommit {
            acts.append(cutBelow == nil ? "row" : "row and cut")
            return JournalCommit(.written)
        }

        func cut(below checkpoint: TurnNumber) throws(JournalFault) -> (isDone: Bool, walByteCount: Int) {
            acts.append("cut")
            cuts += 1
            return (cuts == 2, 0)
        }

        func emptyWAL() throws(JournalFault) { acts.append("emptied") }
    }

    private struct Ballast: JournalBallast {
        func make() -> Bool { true }
        func release() {}
    }

    @Test("while rows come old ones go in their commits; a cut of its own begins once nothing has come for a moment")
    func busy() {
        let (log, mailbox) = (Log(), JournalMailbox())
        var head = JournalHead(front: FrontID(1), epoch: Epoch(1))
        (head.checkpoint, head.checkpointEnd) = (TurnNumber(3), TurnNumber(4))
        var writer = JournalWriter(
            mailbox: mailbox, log: log, ballast: Ballast(), head: head, lastTurn: TurnNumber(9), ballastIsHeld: true, onEvent: {})
        for turn in UInt64(10)...12 {
            mailbox.submit(JournalRow(turn: TurnNumber(turn), entries: []))
            #expect(writer.step() == .step)
            #expect(writer.step() == .pause(WALRound.quiet))
        }
        #expect(log.acts == ["row and cut", "row and cut", "row and cut"])
        #expect(writer.step() == .step)
        #expect(writer.step() == .step)
        #expect(log.acts.suffix(2) == ["cut", "cut"])
        #expect(writer.step() == .sleep)
    }

    @Test("a dropped row costs the write-ahead log next to nothing, and no more than is counted", arguments: [300, 12_000, 100_000])
    func cost(rowByteCount: Int) throws {
        let folder = try TemporaryFolder()
        let store = try JournalStore(folder: folder.path, format: Int(JournalRecord.format), migrations: [])
        let head = try store.beginEpoch(wallSeconds: 9, newFrontID: FrontID(1))
        let entries = [UInt8](repeating: 7, count: rowByteCount)
        func insert(_ turn: UInt64, cutBelow: TurnNumber?) throws -> JournalCommit {
            let row = JournalRow(turn: TurnNumber(turn), entries: entries)
            return try store.insert(
                JournalRecord(row: row, previous: TurnNumber(turn - 1), epoch: head.epoch), bundles: EndedBundles(), head: nil,
                cutBelow: cutBelow)
        }
        for turn in UInt64(1)...400 { _ = try insert(turn, cutBelow: nil) }
        var (counted, written) = (0, 0)
        for turn in UInt64(401)...420 {
            try store.emptyWAL()
            counted += try insert(turn, cutBelow: TurnNumber(350)).walByteCount
            written += try store.queue.writeWithoutTransaction { try $0.checkpoint(.passive).walFrameCount } * (store.pageByteCount + 24)
        }
        #expect(written <= counted)
        #expect(written < 20 * (rowByteCount + 9 * store.pageByteCount), "what is dropped is not written again")
        try store.emptyWAL()
        let cut = try store.cut(below: TurnNumber(350))
        let frames = try store.queue.writeWithoutTransaction { try $0.checkpoint(.passive).walFrameCount }
        #expect(frames * (store.pageByteCount + 24) <= cut.walByteCount)
        #expect(!cut.isDone || rowByteCount < 100_000)
        try store.close()
    }
}
