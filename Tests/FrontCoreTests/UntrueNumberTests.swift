//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import Testing

@testable import FrontCore

/// A checksum says that a row is as it was written, not that a front wrote it.
@Suite("Numbers of a journal that cannot be true")
struct UntrueNumberTests {
    /// The last numbers of each kind, and those about which one that was meant for less goes wrong.
    private static let values: [UInt64] = [
        0, 1 << 40, JournalBounds.number, JournalBounds.number + 1, 1 << 63 - 1, 1 << 63, .max - 1, .max,
    ]

    /// What a journal holds before the row in question: a worker, a session, feeds and jobs in all states.
    private static let before: [JournalEntry] = {
        var world = FeedWorld()
        let keys = ["items?parameter=sample", "todos"].compactMap { FeedKey(text: $0) }
        for key in keys { _ = world.front.ask(.feed(key, .load)) }
        world.rest()
        for outcome in [Outcome.failed, .succeeded, .succeeded] {
            world.worker.end(world.front.run(1, on: &world.worker).rawValue, outcome, in: &world.front)
        }
        _ = world.front.ask(.feed(keys[1], .create(item: [1])))
        _ = world.front.run(2, loader: "slow", on: &world.worker)
        _ = world.front.submit(3, loader: "nobody offers it")
        return world.front.entries
    }()

    /// Rows of earlier lives, and what a front does with them; nil: it serves. Whatever traps ends the tests.
    /// - Parameter isSlice: Whether a checkpoint wrote the row in question.
    private static func damage(of row: [UInt8], isSlice: Bool, behind before: [JournalEntry]) -> String? {
        var front = FrontHarness { $0.bounds.retention[.succeeded].count = 100 }
        front.machine = FrontMachine(settings: front.settings, now: front.now)
        do throws(CodecError) {
            try front.machine.restore(before, turn: TurnNumber(1), isSlice: isSlice)
            try front.machine.restore(WireCodec().decodeEntries(row), turn: TurnNumber(2), isSlice: isSlice)
            try front.machine.restore([], turn: TurnNumber(3), isSlice: false)
        } catch { return error.reason }
        serve(&front)
        return nil
    }

    private static func encode(_ entries: [JournalEntry]) -> [UInt8] { WireCodec().encode(entries) }

    /// One life of a front on what it has read: work of all kinds, a checkpoint, and much later what is due by time.
    private static func serve(_ front: inout FrontHarness) {
        var actions: [FrontAction] = []
        front.machine.start(at: front.now, into: &actions)
        front.open()
        var worker = WorkerHarness(9)
        worker.register(with: &front)
        let job = front.run(2, on: &worker)
        worker.take(worker.endAll(in: &front))
        _ = front.ask(.job(.explain(job)))
        _ = front.ask(.job(.list(JobQuery())))
        if let key = FeedKey(text: "todos") { _ = front.ask(.feed(key, .load)) }
        worker.take(front.settle())
        front.handle(.checkpointNears(isNew: true))
        _ = WireCodec().encode(front.machine.wholeCheckpoint)
        for milliseconds: Int64 in [10_000, 10 * 86_400_000] {
            front.pass(milliseconds: milliseconds)
            for _ in 0..<4 { worker.take(front.settle()) }
        }
    }

    @Test(
        "every number of every entry at its ends: the front serves on, or says that the row is damaged; nothing traps or fills the memory",
        arguments: EntrySizeTests.golden, [true, false])
    func everyNumber(entry: JournalEntry, isSlice: Bool) {
        // A checkpoint begins with nothing, a log goes on with something.
        let damaged = RowNumbers.variants(of: Self.encode([entry]), Self.values).count {
            Self.damage(of: $0.bytes, isSlice: isSlice, behind: isSlice ? [] : Self.before) != nil
        }
        #expect(damaged > 0)
    }

    private static func accepted(_ first: UInt64) -> JournalEntry {
        .jobsAccepted(
            JournalEntry.AcceptedJobs(
                first: JobID(first), acceptedAt: WallTime(milliseconds: 1), rankTime: 1, submitter: .front, loader: "noop",
                arguments: [[1], [2]]))
    }

    private static func counts(nextJob: UInt64) -> JournalEntry {
        .countsStored(
            JournalEntry.CountsStored(
                JobCounts(), nextJob: JobID(nextJob), nextLease: LeaseID(1), nextRegistrationNumber: RegistrationNumber(1), lastRankTime: 1)
        )
    }

    private static func reserved(_ jobs: UInt64) -> JournalEntry {
        .idsReserved(JournalEntry.IDsReserved(jobs: JobID(jobs), leases: LeaseID(1)))
    }

    @Test("a job may be some way above what was handed out before it, and the next one some way above the oldest, and no further")
    func apart() {
        let (step, span) = (JournalBounds.jobStep, JournalBounds.jobSpan)
        func fault(_ entries: JournalEntry...) -> String? {
            let front = FrontHarness()
            var machine = FrontMachine(settings: front.settings, now: front.now)
            do throws(CodecError) { try machine.restore(entries, turn: TurnNumber(1), isSlice: true) } catch { return error.reason }
            return nil
        }
        #expect(fault(Self.accepted(step)) == nil)
        #expect(fault(Self.accepted(step + 1)) == "it names job \(step + 2), and the next one was 1")
        // Whatever was reserved may have been handed out.
        #expect(fault(Self.reserved(1 << 40), Self.accepted(1 << 40)) == nil)
        #expect(fault(Self.counts(nextJob: 1 << 40), Self.accepted(1 << 40 - 1_000)) == nil)
        func apart(_ oldest: UInt64, _ next: UInt64) -> String {
            "room is kept from job \(oldest) to job \(next), and no front keeps so much"
        }
        #expect(fault(Self.counts(nextJob: 1 << 40), Self.accepted(1)) == apart(1, 1 << 40))
        #expect(fault(Self.accepted(1), Self.counts(nextJob: span)) == nil)
        // Its record stands in a chunk whose first place is number 0.
        for far in [Self.counts(nextJob: span + 1), Self.reserved(span + 1)] {
            #expect(fault(Self.accepted(1), far) == apart(0, span + 1))
        }
        #expect(fault(Self.accepted(0)) == "it adds a job 0, and the first is 1")
    }

    @Test("what a front that serves accepts is no damage to the next one: far above the oldest job there are none, until it is forgotten")
    func served() {
        let limit = JournalBounds.servedJobSpan
        var front = FrontHarness { $0.bounds.retention[.cancelled].count = 0 }
        let before = [Self.counts(nextJob: limit - 1), Self.accepted(1)]
        front.machine = FrontMachine(settings: front.settings, now: front.now)
        front.machine.restore(before, of: TurnNumber(1), isSlice: true)
        front.entries = []
        var actions: [FrontAction] = []
        front.machine.start(at: front.now, into: &actions)
        front.open()
        #expect(front.machine.state.jobs.jobTooOld(for: 1) == nil)
        guard case .refused(let failure, let pause)? = front.askSubmit(2) else {
            Issue.record("accepted")
            return
        }
        #expect(failure.code == .busy && pause > .zero && failure.text.contains("since job 1,") && failure.text.contains("cancel it"))
        var next = FrontMachine(settings: front.settings, now: front.now)
        next.restore(before + front.entries, of: TurnNumber(1), isSlice: true)
        #expect(next.state.jobs.contains(1))
        // The two of the entry leave: there is nothing to be far from.
        for job: UInt64 in 1...2 { _ = front.ask(.job(.cancel(JobID(job)))) }
        front.settle()
        #expect(!front.machine.state.jobs.contains(1) && !front.machine.state.jobs.contains(2))
        #expect(front.submit(2) == JobID(limit - 1))
    }

    @Test("in a row nothing that is counted or dated is beyond what JSON can say, and what others choose may be anything")
    func numbers() throws {
        let names = [
            (JournalEntry.workerLost(JournalEntry.WorkerLost(WorkerID(.max))), true),
            (.sessionEnded(JournalEntry.SessionEnded(SessionID(.max))), true),
        ]
        let epochs = [JournalBounds.number, JournalBounds.number + 1].map { number in
            (
                JournalEntry.epochBegan(JournalEntry.EpochBegan(epoch: Epoch(number), bootID: "", bootMilliseconds: 0)),
                number == JournalBounds.number
            )
        }
        let times = [-Int64(JournalBounds.number), -Int64(JournalBounds.number) - 1].map { time -> (JournalEntry, Bool) in
            let cancel = JournalEntry.CancelRequested(JobID(1), by: "", at: WallTime(milliseconds: time))
            return (JournalEntry.cancelRequested(cancel), time == -Int64(JournalBounds.number))
        }
        for (entry, isTrue) in names + epochs + times {
            let entries = try? WireCodec().decodeEntries(Self.encode([entry]))
            #expect((entries == [entry]) == isTrue, "\(entry)")
        }
    }
}
