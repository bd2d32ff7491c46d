//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWorker
import Synchronization
import TestSupport
import Testing

@Suite("Calls that block", .timeLimit(.minutes(5)))
struct BlockingPoolTests {
    private struct Unreadable: Error, Equatable {}

    private func pool(_ limit: Int) -> BlockingPool {
        BlockingPool(name: "test", limit: limit) { LoaderFailure(.busy, "\($0.running) run, \($0.abandoned) hang", retryable: true) }
    }

    @Test("calls give their results and errors, on threads that are used again")
    func results() async throws {
        let calls = pool(1)
        for number in 0..<20 { #expect(try await calls.run { _ in number } == number) }
        await #expect(throws: Unreadable()) { try await calls.run { _ in throw Unreadable() } }
        #expect(calls.counts == .init())
    }

    @Test("a task that is cancelled stops waiting though its call hangs; the call keeps its place until it returns")
    func abandoned() async throws {
        let (calls, gate) = (pool(2), Gate())
        let task = Task {
            try await calls.run { stop in
                gate.pass()
                return stop.isRaised
            }
        }
        await gate.arrived(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(calls.counts == .init(running: 1, abandoned: 1))
        #expect(try await calls.run { _ in 5 } == 5)
        gate.open()
    }

    /// Ends a stream when nobody has it any more: a pool drops the result of a call once it counts the call no more.
    private final class Token: Sendable {
        private let dropped: AsyncStream<Void>.Continuation

        init(_ dropped: AsyncStream<Void>.Continuation) { self.dropped = dropped }

        deinit { dropped.finish() }
    }

    @Test("an abandoned call that returns is counted no more, and gives its place back")
    func returned() async throws {
        let (calls, gate) = (pool(1), Gate())
        let (drops, input) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await calls.run { _ in
                gate.pass()
                return Token(input)
            }
        }
        await gate.arrived(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        gate.open()
        for await _ in drops {}
        #expect(calls.counts == .init())
        #expect(try await calls.run { _ in 5 } == 5)
    }

    @Test("a call that is cancelled while it is refused is not counted as one that goes on")
    func cancelledWhileRefused() async throws {
        let gate = Gate()
        let task = Mutex<Task<Int, any Error>?>(nil)
        let calls = BlockingPool(name: "test", limit: 1) { _ in
            task.withLock { $0 }?.cancel()
            return LoaderFailure(.busy, "full", retryable: true)
        }
        async let first: Void = calls.run { _ in gate.pass() }
        await gate.arrived(1)
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let refused = Task {
            await starts.first { _ in true }
            return try await calls.run { _ in 3 }
        }
        task.withLock { $0 = refused }
        start.yield()
        await #expect(throws: CancellationError.self) { try await refused.value }
        #expect(calls.counts == .init(running: 1))
        gate.open()
        try await first
    }

    @Test("a task that was cancelled before never makes its call")
    func cancelledBefore() async throws {
        let calls = pool(1)
        let gate = Gate()
        let task = Task {
            await gate.arrived(1)
            return try await calls.run { _ in Issue.record("the call was made") }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(calls.counts == .init())
    }

    @Test("beyond the limit a call is refused at once, with the counts")
    func refused() async throws {
        let (calls, gate) = (pool(2), Gate())
        async let first: Void = calls.run { _ in gate.pass() }
        async let second: Void = calls.run { _ in gate.pass() }
        await gate.arrived(2)
        let failure = await #expect(throws: LoaderFailure.self) { try await calls.run { _ in 3 } }
        #expect(failure?.text == "2 run, 0 hang")
        gate.open()
        _ = try await (first, second)
        #expect(try await calls.run { _ in 3 } == 3)
    }

    @Test("a job's calls that hang after its cancel are counted, and refuse the calls of others as busy with the pool's name")
    func jobs() async throws {
        let (pool, gate) = (BlockingPool(name: "archives", limit: 1), Gate())
        let raised = AsyncStream.makeStream(of: Bool.self)
        let job = JobContext(job: JobID(1), grantedAt: WallTime(milliseconds: 0), pool: pool)
        let task = Task {
            try await job.blocking { stop in
                gate.pass()
                raised.continuation.yield(stop.isRaised)
            }
        }
        await gate.arrived(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let failure = await #expect(throws: LoaderFailure.self) { try await job.blocking { _ in 3 } }
        #expect(failure?.code == .busy && failure?.retryable == true)
        #expect(failure?.text.hasPrefix("1 calls of archives run (limit 1), 1 of them for jobs that were cancelled: find out what") == true)
        gate.open()
        #expect(await raised.stream.first { _ in true } == true)
    }
}
