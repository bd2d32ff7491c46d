//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import Testing

@testable import FrontCore

@Suite("What journal entries know of themselves")
struct EntryTests {
    private static let noon = WallTime(milliseconds: 1_700_000_000_000)
    private let session = SessionID(9)
    private let worker = WorkerID(5)

    private static func accepted(_ count: Int, byteCount: Int = 2) -> JournalEntry {
        let arguments = PackedBytes(repeating: Array(repeating: 7, count: byteCount), count: count)
        return .jobsAccepted(
            JournalEntry.AcceptedJobs(
                first: JobID(1), acceptedAt: noon, rankTime: 0, submitter: .session(SessionID(9)), loader: "slow", reportsOutcomes: true,
                arguments: arguments))
    }

    private static func ended(_ count: Int, byteCount: Int = 2) -> JournalEntry {
        var ended = JournalEntry.EndedJobs(at: noon)
        ended.jobs = Array(1...UInt64(count))
        ended.states = Array(repeating: .succeeded, count: count)
        ended.results = PackedBytes(repeating: Array(repeating: 7, count: byteCount), count: count)
        return .ended(ended)
    }

    private static func granted(_ count: Int) -> JournalEntry {
        var granted = JournalEntry.GrantedJobs(worker: WorkerID(5), at: noon)
        (granted.jobs, granted.leases) = (Array(1...UInt64(count)), Array(1...UInt64(count)))
        return .granted(granted)
    }

    private var registered: JournalEntry {
        let registration = WorkerMessage.Registration(
            name: "w", processID: 1, slots: 4, prefetch: 0, loaders: [LoaderDeclaration(name: "slow")])
        return .workerRegistered(JournalEntry.WorkerRegistered(worker, RegistrationNumber(1), registration))
    }

    /// Whether an entry is written with durability memory; it does not compile without a kind.
    private static func isWritten(_ entry: JournalEntry) -> Bool {
        switch entry {
        case .jobsAccepted, .feedJobAccepted, .granted, .attemptsEnded, .ended, .cancelRequested, .termsChanged, .jobsStored,
            .replyRetained, .sessionOpened, .sessionEnded, .endedBundled, .jobsDue, .jobDelayed, .jobReplaced, .uniqueKeysFreed,
            .uniqueKeysStored, .crashesForgiven, .jobsLogged, .repeatsStored:
            false
        case .workerRegistered, .workerLost, .feedChanged, .feedForgotten, .viewChanged, .viewForgotten, .idsReserved, .countsStored,
            .epochBegan, .bundlesForgotten, .workLeft, .limitChanged, .pauseChanged, .tokensChanged, .loadersOffered:
            true
        }
    }

    @Test("what is of jobs, sessions and replies is left out with durability memory, all else is written", arguments: EntrySizeTests.golden)
    func memoryMode(_ entry: JournalEntry) {
        #expect(entry.traits.survivesMemoryMode == Self.isWritten(entry))
    }

    @Test("entries of many jobs have about as many bytes as they say", arguments: [1_000, 20_000])
    func sizes(count: Int) {
        let entries = [
            Self.accepted(count, byteCount: 50), Self.ended(count, byteCount: 50), Self.granted(count),
            .attemptsEnded(
                JournalEntry.AttemptsEnded(
                    jobs: (1...UInt64(count)).map {
                        JournalEntry.EndedAttempt(job: JobID($0), attempts: 2, crashCount: 1, isSuspected: true)
                    },
                    cause: .workerLost)),
        ]
        for entry in entries {
            let (answered, real) = (Double(entry.traits.roughByteCount), Double(WireCodec().encode([entry]).count))
            #expect(answered > 0.8 * real && answered < 1.3 * real, "\(answered) said, \(real) written")
        }
    }

    @Test("what a checkpoint stored is changed by no entry up to its turn, and by every later one")
    func stored() throws {
        let key = try #require(FeedKey(text: "items"))
        let base: [JournalEntry] = [
            .sessionOpened(JournalEntry.SessionOpened(session, label: "x")), registered,
            .feedChanged(JournalEntry.FeedChanged(FeedState(key: key), isAskedFor: false)),
            .viewChanged(JournalEntry.ViewChanged(key, ViewState(name: "shared"))),
        ]
        let ends: [JournalEntry] = [
            .sessionEnded(JournalEntry.SessionEnded(session)), .workerLost(JournalEntry.WorkerLost(worker)),
            .viewForgotten(JournalEntry.ViewForgotten(key, "shared")),
            .feedForgotten(JournalEntry.FeedForgotten(key)),
        ]
        for (turn, isLeft) in [(UInt64(8), true), (9, true), (10, false)] {
            var front = FrontHarness().machine
            front.restore(base, of: TurnNumber(9), isSlice: true)
            front.restore([Self.accepted(1)], of: TurnNumber(9), isSlice: true)
            front.restore(ends, of: TurnNumber(turn), isSlice: false)
            #expect((front.state.sessions[session] != nil) == isLeft, "\(turn)")
            #expect((front.state.workers.index(of: worker) != nil) == isLeft, "\(turn)")
            #expect((front.state.feeds[key] != nil) == isLeft, "\(turn)")
            #expect((front.state.feeds[key]?.views.count ?? 0 > 0) == isLeft, "\(turn)")
        }
    }
}
