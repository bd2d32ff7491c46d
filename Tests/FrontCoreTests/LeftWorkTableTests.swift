//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("every state of work that is left with everything that can happen to it")
struct LeftWorkTableTests {
    /// What is left before: nothing, or all from job 9 on; `beside`: another list of the same kind is left, and nothing of this one.
    enum Start: CaseIterable {
        case absent, left, beside
    }

    /// What happens then. `restored`: an entry of an earlier epoch says it.
    enum Event: CaseIterable {
        case leave, leaveFurther, finish, finishBeside, take, restored, restoredEnd
    }

    /// What becomes of each start by each event, in the order of `Event`: what comes next of it, and the entries that are written. To finish what
    /// is not left writes nothing, and so does to leave it where it stands already.
    static let table: [Start: [String]] = [
        .absent: [
            "9 -: 1", "5 -: 1", "- -", "- -", "- -", "5 -", "- -",
        ],
        .left: [
            "9 -", "5 -: 1", "- -: 1", "9 -", "9 -", "5 -", "- -",
        ],
        .beside: [
            "9 4: 1", "5 4: 1", "- 4", "- -: 1", "- 4", "5 4", "- 4",
        ],
    ]

    /// Two lists of each kind.
    static let works: [(JournalEntry.WorkLeft.Work, beside: JournalEntry.WorkLeft.Work)] = {
        func damage(_ byte: UInt8) -> JournalEntry.WorkLeft.Work { .damage(ObjectDigest(words: (UInt64(byte), 2, 3, 4))) }
        func loss(_ id: UInt64) -> JournalEntry.WorkLeft.Work { .loss(JournalEntry.LostWorker(WorkerID(id), .workerLost)) }
        func reset(_ name: String) -> [JournalEntry.WorkLeft.Work] { FeedKey(text: name).map { [.reset($0, by: "test")] } ?? [] }
        func bulk(_ number: UInt64) -> JournalEntry.WorkLeft.Work {
            .bulk(JournalEntry.BulkActionWork(number, JobQuery(), .cancel, by: JobTerms.Asker(label: "test")))
        }
        return [(damage(1), damage(2)), (loss(1), loss(2)), (bulk(1), bulk(2))] + zip(reset("items"), reset("todos")).map { ($0, $1) }
    }()

    private static let since = WallTime(milliseconds: 7)

    @Test("each start with each event, of each kind of work", arguments: Start.allCases, 0..<4)
    func rows(start: Start, kind: Int) throws {
        let (work, beside) = try #require(Self.works.count == 4 ? Self.works[kind] : nil)
        let row = Event.allCases.map { event in
            var turn = FrontHarness().machine.turn
            if start == .left { turn.leave(work, since: Self.since, at: .job(JobID(9))) }
            if start == .beside { turn.leave(beside, since: Self.since, at: .job(JobID(4))) }
            var actions = FrontActions()
            turn.context.begin(turn.context.event.advanced(), at: turn.now, &actions)
            var taken: [JournalEntry.WorkLeft] = []
            switch event {
            case .leave: turn.leave(work, since: Self.since, at: .job(JobID(9)))
            case .leaveFurther: turn.leave(work, since: Self.since, at: .job(JobID(5)))
            case .finish: turn.finish(work)
            case .finishBeside: turn.finish(beside)
            case .take: taken = turn.takeWork(paused: [:])
            case .restored: turn.restoreSlice(JournalEntry.WorkLeft(work, since: Self.since, at: .job(JobID(5))))
            case .restoredEnd: turn.restoreSlice(JournalEntry.WorkLeft(work, since: Self.since, at: nil))
            }
            turn.context.end(&actions)
            let next = [work, beside].map { work -> String in
                guard case .job(let job)? = turn.state.left[work]?.cursor else { return "-" }
                return "\(job)"
            }
            let written = actions.count { if case .record = $0.action { true } else { false } }
            // What is counted, listed and found is the same.
            let left = turn.state.left
            let count = next.count { $0 != "-" }
            #expect(left.count == count && left.all.count == count && left.mostOfAKind == count && left.isEmpty == (count == 0))
            #expect(
                (left.first(where: { _ in true }) == nil) == (count == 0) && taken == (event == .take ? left.all : []),
                "\(start) and \(event)")
            return next.joined(separator: " ") + (written == 0 ? "" : ": \(written)")
        }
        #expect(row == Self.table[start], "\(start)")
    }
}

extension FrontTurn {
    fileprivate mutating func restoreSlice(_ left: JournalEntry.WorkLeft) {
        do throws(CodecError) { try restore([.workLeft(left)], of: TurnNumber(3), isSlice: true) } catch { Issue.record(error) }
    }
}
