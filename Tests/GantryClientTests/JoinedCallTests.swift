//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import PackedColumns
import Synchronization
import Testing

@testable import GantryClient

@Suite("Calls that wait for the end of one job", .timeLimit(.minutes(5)))
struct JoinedCallTests {
    /// A desk that several tasks touch, and how many calls wait there.
    private final class SharedCalls: Sendable {
        let calls = Mutex(ClientCalls(place: "/d/run/requests"))
        let waiting = AsyncStream.makeStream(of: Void.self)

        func wait(_ callID: CallID) async -> Result<Answer, ClientError> {
            await withCheckedContinuation { continuation in
                calls.withLock {
                    _ = $0.wait(
                        callID, continuation, command: .close, awaitsOutcome: true, now: JoinedCallTests.start, limit: nil)
                }
                waiting.continuation.yield()
            }
        }

        func take(_ notice: ClientNotice) {
            let resumptions = calls.withLock { calls in
                var resumptions: [ClientCalls.Resumption] = []
                calls.take(notice, at: JoinedCallTests.start, into: &resumptions)
                return resumptions
            }
            for (continuation, result) in resumptions { continuation.resume(returning: result) }
        }
    }

    private static let start = MonotonicTime(nanoseconds: 0)

    @Test("one that joins a job hears of its end, though the other one leaves between a turn and its notices")
    func race() async throws {
        let shared = SharedCalls()
        let (one, two) = shared.calls.withLock { ($0.makeCallID(), $0.makeCallID()) }
        async let first = shared.wait(one)
        async let second = shared.wait(two)
        var count = 0
        for await _ in shared.waiting.stream {
            count += 1
            if count == 2 { break }
        }
        _ = shared.calls.withLock { $0.takeCommands() }
        shared.take(.accepted(one, first: JobID(7), count: 1, .new))
        // The loop has read that the second call has joined; its notice waits for the lock.
        if let (continuation, result) = shared.calls.withLock({ $0.cancel(one, at: Self.start) }) { continuation.resume(returning: result) }
        shared.take(.accepted(two, first: JobID(7), count: 1, .joined))
        #expect(!shared.calls.withLock { $0.takeCommands() }.contains(.forgetOutcome(JobID(7))))
        shared.take(.ended(.init(jobs: [7], states: [.succeeded], results: [[]])))
        _ = await first
        guard case .ended(JobID(7), .succeeded, _) = try await second.get() else { return #expect(Bool(false)) }
    }

    @Test("a call that left while its acceptance was on its way leaves no outcome awaited, except where another call waits for it")
    func leftBeforeAcceptance() async {
        let shared = SharedCalls()
        let (one, two) = shared.calls.withLock { ($0.makeCallID(), $0.makeCallID()) }
        async let first = shared.wait(one)
        async let second = shared.wait(two)
        var waiting = shared.waiting.stream.makeAsyncIterator()
        for _ in 1...2 { _ = await waiting.next() }
        shared.take(.accepted(one, first: JobID(7), count: 1, .new))
        if let (continuation, result) = shared.calls.withLock({ $0.cancel(two, at: Self.start) }) { continuation.resume(returning: result) }
        _ = shared.calls.withLock { $0.takeCommands() }
        shared.take(.accepted(two, first: JobID(7), count: 1, .joined))
        #expect(shared.calls.withLock { $0.takeCommands() } == [])
        shared.take(.accepted(two, first: JobID(8), count: 2, .new))
        #expect(shared.calls.withLock { $0.takeCommands() } == [.forgetOutcome(JobID(8)), .forgetOutcome(JobID(9))])
        shared.take(.ended(.init(jobs: [7], states: [.succeeded], results: [[]])))
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
