//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import Journal

@Suite("What the journal says of a full disk, and of a commit in doubt")
struct JournalWriterTests {
    /// A disk with room for inserts after so many that find none, where the commit of some turn is in doubt the first time.
    private final class Log: JournalLog {
        var failures: Int
        var doubted: TurnNumber?
        /// Whether that row is there all the same.
        var isDoubtedThere = false
        var inserted: [TurnNumber] = []
        /// Of each try whether old rows were to be dropped with it.
        var cuts: [Bool] = []
        let path = "log"

        init(failures: Int = 0) { self.failures = failures }

        func records(from turn: TurnNumber) throws(JournalError) -> [JournalRecord] { [] }

        func entries(of bundle: BundleNumber) -> [UInt8]? { [UInt8(bundle.rawValue)] }

        func insert(
            _ record: JournalRecord, bundles: EndedBundles, head: JournalHead?, cutBelow: TurnNumber?
        ) throws(JournalFault) -> JournalCommit {
            cuts.append(cutBelow != nil)
            guard failures == 0 else {
                failures -= 1
                throw .full
            }
            if record.row.turn == doubted {
                doubted = nil
                if isDoubtedThere { inserted.append(record.row.turn) }
                throw .inDoubt
            }
            if inserted.contains(record.row.turn) { return JournalCommit(.alreadyThere) }
            inserted.append(record.row.turn)
            return JournalCommit(.written)
        }

        func cut(below checkpoint: TurnNumber) throws(JournalFault) -> (isDone: Bool, walByteCount: Int) { (true, 0) }

        func emptyWAL() throws(JournalFault) {}
    }

    private struct Ballast: JournalBallast {
        func make() -> Bool { false }
        func release() {}
    }

    @Test("after a commit in doubt nothing is written before that turn comes again, and then all in order", arguments: [false, true])
    func inDoubt(isThere: Bool) {
        let (mailbox, log) = (JournalMailbox(), Log())
        (log.doubted, log.isDoubtedThere) = (TurnNumber(1), isThere)
        var writer = JournalWriter(
            mailbox: mailbox, log: log, ballast: Ballast(), head: JournalHead(front: FrontID(1), epoch: Epoch(1)), lastTurn: .none,
            ballastIsHeld: true, onEvent: {})
        // The loop has handed over the second and third row when it hears of the first.
        for turn in [1, 2, 3, 1, 2, 3] as [UInt64] { mailbox.submit(JournalRow(turn: TurnNumber(turn), entries: [UInt8(turn)])) }
        for _ in 0..<6 { _ = writer.step() }
        #expect(log.inserted == [1, 2, 3].map { TurnNumber($0) })
        var events: [JournalEvent] = []
        while let event = mailbox.nextEvent() { events.append(event) }
        #expect(events == [.inDoubt(TurnNumber(1))] + [1, 2, 3].map { .durable(TurnNumber($0)) })
    }

    private func events(failures: Int, ballastIsHeld: Bool) -> [JournalEvent] {
        let mailbox = JournalMailbox()
        let log = Log(failures: failures)
        var writer = JournalWriter(
            mailbox: mailbox, log: log, ballast: Ballast(), head: JournalHead(front: FrontID(1), epoch: Epoch(1)), lastTurn: .none,
            ballastIsHeld: ballastIsHeld, onEvent: {})
        mailbox.submit(JournalRow(turn: TurnNumber(1), entries: [1]))
        for _ in 0..<failures + 1 { _ = writer.step() }
        #expect(log.inserted == [TurnNumber(1)])
        var events: [JournalEvent] = []
        while let event = mailbox.nextEvent() { events.append(event) }
        return events
    }

    @Test("a row that fits once the reserve is given up was no cause to wait: full is said once")
    func fits() {
        #expect(events(failures: 1, ballastIsHeld: true) == [.full, .durable(TurnNumber(1))])
    }

    @Test("without the whole reserve a row is tried once more when what little is held is given up: that is no cause to say full again")
    func littleBallast() {
        #expect(events(failures: 1, ballastIsHeld: false) == [.full, .durable(TurnNumber(1))])
    }

    @Test("a row that does not fit even then is told by a second full, and by no third")
    func waits() {
        #expect(events(failures: 5, ballastIsHeld: true) == [.full, .full, .durable(TurnNumber(1))])
    }

    @Test("without a reserve the journal begins with full, and says it again for a row that does not fit")
    func withoutBallast() {
        #expect(events(failures: 3, ballastIsHeld: false) == [.full, .full, .durable(TurnNumber(1))])
    }

    /// A ballast file that finds room after so many tries that find none.
    private final class LateBallast: JournalBallast {
        var failures: Int

        init(failures: Int) { self.failures = failures }

        func make() -> Bool {
            failures -= 1
            return failures < 0
        }

        func release() {}
    }

    @Test("the ballast file is made again after a pause, and where there is no room for it after another")
    func madeAgain() {
        let (mailbox, log) = (JournalMailbox(), Log(failures: 1))
        var writer = JournalWriter(
            mailbox: mailbox, log: log, ballast: LateBallast(failures: 1), head: JournalHead(front: FrontID(1), epoch: Epoch(1)),
            lastTurn: .none, ballastIsHeld: true, onEvent: {})
        mailbox.submit(JournalRow(turn: TurnNumber(1), entries: [1]))
        let pause = JournalWriter<Log, LateBallast>.Next.pause(.milliseconds(250))
        let steps = (0..<7).map { _ in writer.step() }
        // It is given up, the row fits; no room for it; room for it.
        #expect(steps == [.step, .step, pause, .step, pause, .step, .sleep])
        var events: [JournalEvent] = []
        while let event = mailbox.nextEvent() { events.append(event) }
        #expect(events == [.full, .durable(TurnNumber(1)), .roomAgain])
    }

    @Test("old rows are dropped with a row's first try alone: one that found the disk full has to fit", arguments: [false, true])
    func cutWithFirst(ballastIsHeld: Bool) {
        let (mailbox, log) = (JournalMailbox(), Log(failures: 3))
        var head = JournalHead(front: FrontID(1), epoch: Epoch(1))
        (head.checkpoint, head.checkpointEnd) = (TurnNumber(3), TurnNumber(4))
        var writer = JournalWriter(
            mailbox: mailbox, log: log, ballast: Ballast(), head: head, lastTurn: TurnNumber(9), ballastIsHeld: ballastIsHeld, onEvent: {})
        for turn in [10, 11] as [UInt64] { mailbox.submit(JournalRow(turn: TurnNumber(turn), entries: [])) }
        for _ in 0..<5 { _ = writer.step() }
        #expect(log.cuts == [true, false, false, false, true])
    }

    @Test("bundles are read one a step, while rows come and while the disk is full: neither waits for the other")
    func bundles() {
        let (mailbox, log) = (JournalMailbox(), Log(failures: 3))
        var writer = JournalWriter(
            mailbox: mailbox, log: log, ballast: Ballast(), head: JournalHead(front: FrontID(1), epoch: Epoch(1)), lastTurn: .none,
            ballastIsHeld: true, onEvent: {})
        for turn in [1, 2] as [UInt64] { mailbox.submit(JournalRow(turn: TurnNumber(turn), entries: [UInt8(turn)])) }
        for number in [7, 8, 9] as [UInt64] { mailbox.ask(for: BundleNumber(number)) }
        var steps: [[JournalEvent]] = []
        for _ in 0..<5 {
            _ = writer.step()
            var events: [JournalEvent] = []
            while let event = mailbox.nextEvent() { events.append(event) }
            steps.append(events)
        }
        func read(_ number: UInt64) -> JournalEvent { .bundle(BundleNumber(number), entries: [UInt8(number)]) }
        #expect(steps == [[read(7), .full], [read(8)], [read(9), .full], [.durable(TurnNumber(1))], [.durable(TurnNumber(2))]])
        mailbox.ask(for: BundleNumber(5))
        #expect(writer.step() == .step)
        #expect(mailbox.nextEvent() == read(5))
    }
}
