//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontService
import GantryModel
import GantryWire
import Synchronization
import TestSupport
import Testing

@Suite("A front on another kind of journal", .timeLimit(.minutes(5)))
struct OtherJournalTests {
    /// A journal in memory that another front takes over as soon as this one serves.
    private final class LostJournal: FrontJournal {
        let frontID: FrontID
        let epoch: Epoch
        var authority: MonotonicTime { .distantFuture }
        private let opener: LostJournals
        private let events = Mutex<[JournalEvent]>([])

        init(frontID: FrontID, epoch: Epoch, opener: LostJournals) { (self.frontID, self.epoch, self.opener) = (frontID, epoch, opener) }

        func nextRestored() throws -> RestoredRow? { nil }

        func append(_ row: JournalRow) {}

        func read(_ bundle: BundleNumber) {}

        func nextEvent() -> JournalEvent? { events.withLock { $0.popLast() } }

        func start(onEvent: @escaping @Sendable () -> Void) throws {
            events.withLock { $0.append(.fenced) }
            onEvent()
        }

        func close() throws { throw opener.fault }
    }

    private struct LostJournals: JournalOpener {
        struct Unreachable: PassingFault { let mayPass: Bool }

        let place = "elsewhere"
        let ballastByteCount = 1
        var fault = Unreachable(mayPass: true)
        var isReachable = true

        func byteCounts() -> (journal: UInt64, ballast: UInt64)? { nil }

        func damage(of turn: TurnNumber, _ cause: ErrorCause) -> any Error { fault }

        func open(wallSeconds: UInt64, newFrontID: FrontID) throws -> LostJournal {
            guard isReachable else { throw fault }
            return LostJournal(frontID: newFrontID, epoch: Epoch(wallSeconds), opener: self)
        }
    }

    private func run(_ opener: LostJournals) async throws -> (hasServed: Bool, error: FrontServiceError?) {
        let folder = try TemporaryFolder()
        let ends = (1...4).map { "ipc://\(folder.path)/run/\($0)" }
        let settings = FrontServiceSettings(
            folder: folder.path, endpoints: FrontEndpoints(requests: ends[0], changes: ends[1], workers: ends[2], pages: ends[3]))
        let front = try FrontService(settings: settings, codec: WireCodec(), journal: opener)
        return try await onOwnThread {
            var hasServed = false
            do throws(FrontServiceError) { try front.run { _ in hasServed = true } } catch { return (hasServed, error) }
            return (hasServed, nil)
        }
    }

    @Test("serves, and ends as soon as the journal says that another front has taken over")
    func fenced() async throws {
        let ending = try await run(LostJournals())
        #expect(ending.hasServed && ending.error?.code == .conflict)
    }

    @Test("one that cannot be opened ends the front, with the code that tells whether another start may succeed", arguments: [true, false])
    func unreachable(mayPass: Bool) async throws {
        let ending = try await run(LostJournals(fault: .init(mayPass: mayPass), isReachable: false))
        #expect(!ending.hasServed && ending.error?.code == (mayPass ? .journalFailed : .storage))
    }
}
