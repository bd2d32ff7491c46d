//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Synchronization
import Testing

@testable import GantryClient

@Suite("Calls that wait for the end of one job", .timeLimit(.minutes(5)))
struct JoinedCallTests {
    private static let start = MonotonicTime(nanoseconds: 0)

    /// A call waits for the end of a job, and says so.
    private func wait(
        _ callID: CallID, in shared: SharedCalls, _ waiting: AsyncStream<Void>.Continuation
    ) async -> Result<Answer, ClientError> {
        await withCheckedContinuation { continuation in
            shared.calls.withLock {
                _ = $0.wait(callID, continuation, command: .close, awaitsOutcome: true, now: Self.start, limit: nil)
            }
            waiting.yield()
        }
    }

    @Test("one that joins a job hears of its end, though the other one leaves between a turn and its notices")
    func race() async throws {
        let shared = SharedCalls()
        let (one, two) = shared.calls.withLock { ($0.makeCallID(), $0.makeCallID()) }
        let (waiting, waitingFeed) = AsyncStream.makeStream(of: Void.self)
        async let first = wait(one, in: shared, waitingFeed)
        async let second = wait(two, in: shared, waitingFeed)
        var iterator = waiting.makeAsyncIterator()
        for _ in 0..<2 { await iterator.next() }
        _ = shared.calls.withLock { $0.takeCommands() }
        shared.resume { $0.take(.accepted(one, first: JobID(7), count: 1, .new), at: Self.start, into: &$1) }
        // The loop has read that the second call has joined; its notice waits for the lock.
        if let (continuation, result) = shared.calls.withLock({ $0.cancel(one, at: Self.start) }) { continuation.resume(returning: result) }
        shared.resume { $0.take(.accepted(two, first: JobID(7), count: 1, .joined), at: Self.start, into: &$1) }
        #expect(!shared.calls.withLock { $0.takeCommands() }.contains(.forgetOutcome(JobID(7))))
        shared.resume { $0.take(.ended(.init(jobs: [7], states: [.succeeded], results: [[]])), at: Self.start, into: &$1) }
        _ = await first
        guard case .ended(JobID(7), .succeeded, _) = try await second.get() else { return #expect(Bool(false)) }
    }

    @Test("a call that left while its acceptance was on its way leaves no outcome awaited, except where another call waits for it")
    func leftBeforeAcceptance() async {
        let shared = SharedCalls()
        let (one, two) = shared.calls.withLock { ($0.makeCallID(), $0.makeCallID()) }
        let (waiting, waitingFeed) = AsyncStream.makeStream(of: Void.self)
        async let first = wait(one, in: shared, waitingFeed)
        async let second = wait(two, in: shared, waitingFeed)
        var iterator = waiting.makeAsyncIterator()
        for _ in 1...2 { await iterator.next() }
        func take(_ notice: ClientNotice) { shared.resume { $0.take(notice, at: Self.start, into: &$1) } }
        take(.accepted(one, first: JobID(7), count: 1, .new))
        if let (continuation, result) = shared.calls.withLock({ $0.cancel(two, at: Self.start) }) { continuation.resume(returning: result) }
        _ = shared.calls.withLock { $0.takeCommands() }
        take(.accepted(two, first: JobID(7), count: 1, .joined))
        #expect(shared.calls.withLock { $0.takeCommands() } == [])
        take(.accepted(two, first: JobID(8), count: 2, .new))
        #expect(shared.calls.withLock { $0.takeCommands() } == [.forgetOutcome(JobID(8)), .forgetOutcome(JobID(9))])
        take(.ended(.init(jobs: [7], states: [.succeeded], results: [[]])))
        _ = await (first, second)
    }

    @Test("an outcome is awaited though it is joined in the very turn in which the first call leaves it")
    func joinedWhileLeft() {
        var world = LoopWorld.opened()
        var batch = JobBatch(loader: "noop", reportsOutcomes: true, [[1]])
        world.turn(.submit(CallID(1), batch))
        world.send(.reply(number: RequestNumber(1), .jobsAccepted(first: JobID(7), count: 1)))
        world.turn()
        batch.arguments = [[2]]
        world.turn(.submit(CallID(2), batch))
        world.send(.reply(number: RequestNumber(2), .jobsAccepted(first: JobID(7), count: 1, .joined)))
        world.turn(.forgetOutcome(JobID(7)))
        #expect(!world.loop.session.outcomes.isEmpty)
        world.turn(.forgetOutcome(JobID(7)))
        #expect(world.loop.session.outcomes.isEmpty)
    }
}
