//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import Synchronization

/// Threads for calls that may block for as long as they like: each call has a thread of its own, at most so many run at a time.
///
/// ```swift
/// try await archives.run { _ in try FileManager.default.subpathsOfDirectory(atPath: path).count }
/// ```
///
/// No call ever waits for another one: beyond the limit it is refused at once. A task that is cancelled stops waiting at that moment, whatever its
/// call does; the call is *abandoned*: it is asked to stop by its ``StopFlag``, and keeps its place among the limit until it returns. So threads
/// that hang for ever are bounded.
///
/// Most loaders need no pool of their own: ``JobContext/blocking(_:)`` uses the worker's. Make one where calls of one kind, to a disk or a name
/// server that may hang, must not take the places of all others.
public final class BlockingPool: Sendable {
    /// What is going on in a pool.
    package struct Counts: Hashable, Sendable {
        /// Calls that have not returned, abandoned ones included.
        package var running = 0
        /// Calls that go on though nobody waits for them any more.
        package var abandoned = 0

        package init(running: Int = 0, abandoned: Int = 0) { (self.running, self.abandoned) = (running, abandoned) }
    }

    private struct State {
        var counts = Counts()
        var idle: [CallThread] = []
    }

    /// The limit unless said otherwise, 128: twice the most slots that a worker has. If each slot makes one call at a time, half of them can hang before a job is refused.
    public static let usualLimit = 2 * MessageBounds.slots

    /// Threads that stay when they have nothing to do: a transfer makes a call for each part, and starting a thread takes longer than most of these.
    private static let idleLimit = 8

    private let name: String
    private let limit: Int
    private let refusal: @Sendable (Counts) -> LoaderFailure
    private let state = Mutex(State())

    /// A pool without threads; they start with the calls.
    ///
    /// - Parameters:
    ///   - name: of the threads, for the system's tools, which show 15 bytes; also in the text of a refusal.
    ///   - limit: most calls at a time, at least 1.
    public convenience init(name: String, limit: Int = BlockingPool.usualLimit) {
        self.init(name: name, limit: limit) { counts in
            LoaderFailure(
                .busy,
                "\(counts.running) calls of \(name) run (limit \(limit)), \(counts.abandoned) of them for jobs that were cancelled: "
                    + "find out what they wait for, then retry in 10 s", retryable: true)
        }
    }

    /// A pool that says in its own words what hangs.
    ///
    /// - Parameter refusal: what a call beyond the limit fails with.
    package init(name: String, limit: Int, refusal: @escaping @Sendable (Counts) -> LoaderFailure) {
        (self.name, self.limit, self.refusal) = (name, max(limit, 1), refusal)
    }

    deinit {
        for thread in state.withLock({ $0.idle }) { thread.end() }
    }

    /// What is going on now.
    package var counts: Counts { state.withLock { $0.counts } }

    /// Makes a call and waits for its return or for the task's cancellation, whichever comes first.
    ///
    /// - Parameter body: runs on a thread where it may block; gets a flag that is raised when the task is cancelled.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; `CancellationError` at once when the task is cancelled, without a call when it was before; `LoaderFailure` with
    ///   `busy`, retryable, when the limit is reached or the system has no thread left.
    public func run<Value: Sendable>(_ body: @escaping @Sendable (StopFlag) throws -> Value) async throws -> Value {
        try await run(among: nil, body)
    }

    /// The same for a call that is counted until it returns, be it abandoned.
    package func run<Value: Sendable>(
        among calls: OpenCalls?, _ body: @escaping @Sendable (StopFlag) throws -> Value
    ) async throws -> Value {
        let call = BlockingCall<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                guard call.wait(waiter) else { return }
                // Before the task can go on: it waits for those that are counted.
                calls?.begin()
                do {
                    try start { thread in
                        let result = Result {
                            try call.stop.check()
                            return try body(call.stop)
                        }
                        let waiter = call.takeWaiter()
                        self.returned(thread, wasAbandoned: waiter == nil)
                        calls?.end()
                        waiter?.resume(with: result)
                    }
                } catch {
                    calls?.end()
                    if let waiter = call.takeWaiter() {
                        waiter.resume(throwing: error)
                    } else {
                        // Cancelled in this very moment: what was counted as abandoned was never begun.
                        state.withLock { $0.counts.abandoned -= 1 }
                    }
                }
            }
        } onCancel: {
            call.abandon { self.state.withLock { $0.counts.abandoned += 1 } }
        }
    }

    private func start(_ call: @escaping @Sendable (CallThread) -> Void) throws {
        let (idle, full) = state.withLock { state -> (CallThread?, Counts?) in
            guard state.counts.running < limit else { return (nil, state.counts) }
            state.counts.running += 1
            return (state.idle.popLast(), nil)
        }
        // Behind the lock: who words it may ask for the counts, or cancel the task.
        if let full { throw refusal(full) }
        do {
            let thread = try idle ?? CallThread.start(name: name)
            thread.make { call(thread) }
        } catch {
            state.withLock { $0.counts.running -= 1 }
            throw LoaderFailure(.busy, "the worker cannot start a thread (\(error)): retry later", retryable: true, cause: error)
        }
    }

    private func returned(_ thread: CallThread, wasAbandoned: Bool) {
        let stays = state.withLock { state in
            state.counts.running -= 1
            if wasAbandoned { state.counts.abandoned -= 1 }
            guard state.idle.count < Self.idleLimit else { return false }
            state.idle.append(thread)
            return true
        }
        if !stays { thread.end() }
    }
}

/// The calls of one job that have not returned: as long as there is one, the job still runs.
package final class OpenCalls: Sendable {
    private struct State {
        var count = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    /// A call is about to be made.
    func begin() { state.withLock { $0.count += 1 } }

    /// A call has returned, or could not be made.
    func end() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count -= 1
            guard state.count == 0 else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits until all have returned; one waits at a time.
    package func wait() async {
        await withCheckedContinuation { waiter in
            let isOpen = state.withLock { state in
                if state.count > 0 { state.waiter = waiter }
                return state.count > 0
            }
            if !isOpen { waiter.resume() }
        }
    }
}

/// Says to work on another thread that its task has been cancelled.
public final class StopFlag: Sendable {
    private let flag = Atomic(false)

    /// A flag that is not raised.
    public init() {}

    /// Whether the work is to end.
    public var isRaised: Bool { flag.load(ordering: .relaxed) }

    /// Asks the work to end.
    package func raise() { flag.store(true, ordering: .relaxed) }

    /// Ends the work between two of its steps.
    /// - Throws: `CancellationError` when the flag is raised.
    public func check() throws(CancellationError) {
        if isRaised { throw CancellationError() }
    }
}

/// One call that may block, and the task that waits for it. Whichever comes first ends the waiting: the call's return or the task's cancellation.
final class BlockingCall<Value: Sendable>: Sendable {
    typealias Waiter = CheckedContinuation<Value, any Error>

    private enum Phase {
        /// Nobody waits yet. Moves to waiting, abandoned.
        case new
        /// A task waits for the call's return. Moves to returned, abandoned.
        case waiting(Waiter)
        /// The task was cancelled; the call's result is for nobody. Final.
        case abandoned
        /// The call has returned. Final.
        case returned
    }

    /// Asks the call to end.
    let stop = StopFlag()
    private let phase = Mutex(Phase.new)

    /// A task begins to wait; false: it was cancelled before, and nothing is to be started.
    func wait(_ waiter: Waiter) -> Bool {
        let isCancelled = phase.withLock { phase in
            if case .abandoned = phase { return true }
            phase = .waiting(waiter)
            return false
        }
        if isCancelled { waiter.resume(throwing: CancellationError()) }
        return !isCancelled
    }

    /// The task was cancelled: it waits no longer.
    /// - Parameter note: called if the call goes on without anybody waiting for it, before it can return.
    func abandon(_ note: () -> Void) {
        stop.raise()
        let waiter = phase.withLock { phase -> Waiter? in
            switch phase {
            case .new:
                phase = .abandoned
                return nil
            case .waiting(let waiter):
                phase = .abandoned
                note()
                return waiter
            case .abandoned, .returned: return nil
            }
        }
        waiter?.resume(throwing: CancellationError())
    }

    /// The call has returned.
    /// - Returns: the waiting caller; nil: it was abandoned.
    func takeWaiter() -> Waiter? {
        phase.withLock { phase in
            guard case .waiting(let waiter) = phase else { return nil }
            phase = .returned
            return waiter
        }
    }
}
