//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("On whose behalf jobs are accepted")
struct SubmitterTests {
    private static let noon = WallTime(milliseconds: 1_700_000_000_000)

    private static func accepted(_ submitter: Submitter) -> JournalEntry {
        .jobsAccepted(
            JournalEntry.AcceptedJobs(
                first: JobID(1), acceptedAt: noon, rankTime: 0, submitter: submitter, loader: "slow", reportsOutcomes: true,
                arguments: [[1]]))
    }

    private static let names: [(Submitter, session: UInt64, label: String)] = [
        (.session(SessionID(9)), 9, "cli 4711 on host"), (.schedule("nightly"), 0, "schedule nightly"), (.parent(JobID(7)), 0, "job 7"),
        (.front, 0, ""),
    ]

    @Test("jobs are accepted without session and request, and say whom they are of", arguments: names)
    func labels(submitter: Submitter, session: UInt64, label: String) {
        var front = FrontHarness().machine
        let opened = JournalEntry.sessionOpened(JournalEntry.SessionOpened(SessionID(9), label: "cli 4711 on host"))
        front.restore([opened, Self.accepted(submitter)], of: TurnNumber(1), isSlice: false)
        let record = front.state.jobs[1]
        #expect(record.session == session && record.state == .waiting && front.state.jobs.terms(of: record).asker.label == label)
        #expect(front.state.sessions[SessionID(9)]?.replies.isEmpty == true)
    }

    @Test("a submit is accepted by one entry and answered by another, in one row")
    func twoEntries() throws {
        var front = FrontHarness()
        front.open()
        let job = front.submit(2)
        let place = try #require(front.entries.firstIndex { if case .jobsAccepted = $0 { true } else { false } })
        guard case .replyRetained(let kept) = front.entries[place + 1] else { return #expect(Bool(false), "no reply is kept") }
        #expect(kept.session == front.session && kept.reply.reply == .jobsAccepted(first: job, count: 2))
    }

    @Test("after a restart replies are forgotten that the client had said it has, and no others")
    func marks() {
        var front = FrontHarness()
        front.open()
        for number in 1...3 {
            _ = front.send(
                .submit(
                    ClientMessage.Submit(
                        number: RequestNumber(UInt64(number)), lowestUnanswered: RequestNumber(UInt64(max(1, number - 1))), loader: "slow",
                        arguments: [[1]])))
        }
        let kept = front.restarted().machine.state.sessions[front.session]?.replies.map(\.number.rawValue)
        #expect(kept == [2, 3])
    }
}
