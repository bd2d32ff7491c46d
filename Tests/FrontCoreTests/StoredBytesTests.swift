//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("Bytes that jobs and views take")
struct StoredBytesTests {
    private static let noon = WallTime(milliseconds: 1_700_000_000_000)

    /// A machine with two jobs that wait, one that failed and one that was cancelled, which left something, and a detail.
    private func machine() throws -> FrontMachine {
        let accepted = JournalEntry.AcceptedJobs(
            first: JobID(1), acceptedAt: Self.noon, rankTime: 0, submitter: .session(SessionID(9)), loader: "slow",
            arguments: PackedBytes(repeating: [UInt8](repeating: 7, count: 10), count: 4))
        var ended = JournalEntry.EndedJobs(at: Self.noon)
        (ended.jobs, ended.states) = ([3, 4], [.failed, .cancelled])
        ended.results = [[], [1, 2, 3, 4, 5]]
        ended.failures = [Indexed(index: 0, value: Failure(code: .invalidData, text: "no list", attempts: 1))]
        let key = try #require(FeedKey(text: "items"))
        var view = ViewState(name: "shared")
        view.detail = .loaded([1, 2, 3])
        var machine = FrontHarness().machine
        machine.restore(
            [
                .jobsAccepted(accepted), .ended(ended), .feedChanged(JournalEntry.FeedChanged(FeedState(key: key), isAskedFor: false)),
                .viewChanged(JournalEntry.ViewChanged(key, view)),
            ], of: TurnNumber(1), isSlice: false)
        return machine
    }

    @Test("are counted as what is there, of each kind by itself")
    func counted() throws {
        let machine = try machine()
        let ended = ByEndedKind { kind in
            switch kind {
            case .succeeded: 0
            case .cancelled: 10 + 5
            case .failed: 10 + "no list".utf8.count
            }
        }
        #expect(machine.state.bytes == StoredBytes(queued: 20, ended: ended, details: 3))
        #expect(machine.state.miscount == nil)
        #expect(machine.state.retainedAmounts(marks: [:]).argumentByteCount == 20)
    }

    @Test(
        "a count that drifted is seen beside what it counts, and beside the replay of the journal",
        arguments: [0, 1, 2, 3, 4])
    func drifted(_ kind: Int) throws {
        let sound = try machine()
        let paths: [WritableKeyPath<StoredBytes, Int>] = [
            \.queued, \.ended[.succeeded], \.ended[.cancelled], \.ended[.failed], \.details,
        ]
        var noted = sound.state.bytes
        noted[keyPath: paths[kind]] += 1
        #expect(noted.miscount(sound.state.recountedBytes)?.contains("counted") == true)
        #expect(DurableImage.agree(sound.state, sound.state, marks: [:], withJobs: true))
        var off = sound.state.image
        off.bytes[keyPath: paths[kind]] += 1
        #expect(off.difference(from: sound.state.image, withJobs: true)?.contains("bytes") == true)
        #expect(sound.state.image.difference(from: sound.state.image, withJobs: true) == nil)
    }
}
