//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import TestSupport
import Testing

@testable import Journal

@Suite("Rounds through the write-ahead log")
struct WALRoundTests {
    /// Notes what is done, in order; each commit adds as much as it is told to.
    private final class Log: JournalLog {
        let walByteCount: Int
        var acts: [String] = []
        let path = "log"

        init(walByteCount: Int) { self.walByteCount = walByteCount }

        func records(from turn: TurnNumber) throws(JournalError) -> [JournalRecord] { [] }

        func entries(of bundle: BundleNumber) -> [UInt8]? { nil }

        func insert(
            _ record: JournalRecord, bundles: EndedBundles, head: JournalHead?, cutBelow: TurnNumber?
        ) throws(JournalFault) -> JournalCommit {
            acts.append("row \(record.row.turn)")
            return JournalCommit(.written, walByteCount: walByteCount)
        }

        func cut(below checkpoint: TurnNumber) throws(JournalFault) -> (isDone: Bool, walByteCount: Int) { (true, 0) }

        func emptyWAL() throws(JournalFault) { acts.append("emptied") }
    }

    private struct Ballast: JournalBallast {
        func make() -> Bool { true }
        func release() {}
    }

    private typealias Writer = JournalWriter<Log, Ballast>

    private func writer(_ log: Log, _ mailbox: JournalMailbox) -> Writer {
        Writer(
            mailbox: mailbox, log: log, ballast: Ballast(), head: JournalHead(front: FrontID(1), epoch: Epoch(1)), lastTurn: .none,
            ballastIsHeld: true, onEvent: {})
    }

    private func row(_ turn: UInt64) -> JournalRow { JournalRow(turn: TurnNumber(turn), entries: []) }

    @Test("while rows wait a round ends at 4 MiB, behind the commit that filled it, and no earlier")
    func busy() {
        let (log, mailbox) = (Log(walByteCount: 1 << 20), JournalMailbox())
        var writer = writer(log, mailbox)
        for turn in UInt64(1)...9 { mailbox.submit(row(turn)) }
        for _ in 1...9 { #expect(writer.step() == .step) }
        #expect(
            log.acts == [
                "row 1", "row 2", "row 3", "row 4", "emptied", "row 5", "row 6", "row 7", "row 8", "emptied", "row 9",
            ])
    }

    @Test("in the quiet half a MiB is enough, once nothing has come for a moment")
    func quiet() {
        let (log, mailbox) = (Log(walByteCount: 300 << 10), JournalMailbox())
        var writer = writer(log, mailbox)
        mailbox.submit(row(1))
        #expect(writer.step() == .step)
        #expect(writer.step() == .sleep, "too little is there")
        mailbox.submit(row(2))
        #expect(writer.step() == .step)
        #expect(writer.step() == .pause(WALRound.quiet))
        // It did not stay quiet: the pause begins anew.
        mailbox.submit(row(3))
        #expect(writer.step() == .step)
        #expect(writer.step() == .pause(WALRound.quiet))
        #expect(log.acts == ["row 1", "row 2", "row 3"])
        #expect(writer.step() == .step)
        #expect(log.acts == ["row 1", "row 2", "row 3", "emptied"])
        #expect(writer.step() == .sleep)
    }

    @Test("the file of the write-ahead log stays short however much is written")
    func fileStaysShort() throws {
        let folder = try TemporaryFolder()
        let journal = try RunningJournal(folder.path)
        try journal.start()
        let bytes = [UInt8](repeating: 7, count: 100_000)
        var longest = 0
        for turn in UInt64(1)...150 {
            #expect(journal.commit(turn, bytes) == .durable(TurnNumber(turn)))
            let size = try FileManager.default.attributesOfItem(atPath: folder.path + "/journal.sqlite-wal")[.size] as? Int
            longest = max(longest, size ?? 0)
        }
        // The last row of a round may begin just below the limit.
        #expect(longest <= WALRound.byteLimit + 2 * bytes.count, "\(longest)")
        #expect(longest > WALRound.byteLimit / 2, "rounds of \(longest) bytes are too short to be worth their syncs")
        try journal.journal.close()
    }
}
