//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import GantryWorker
import Synchronization

/// Makes calls that may block for as long as they like, each on a thread of its own, at most so many at a time.
///
/// No call ever waits for another one: beyond the limit it is refused at once. A task that is cancelled stops waiting at that moment, whatever its
/// call does; the call is *abandoned*: it is asked to stop, and keeps its place among the limit until it returns. So threads that hang for ever are
/// bounded.
final class BlockingCalls: Sendable {
    /// What is going on.
    struct Counts: Hashable, Sendable {
        /// Calls that have not returned, abandoned ones included.
        var running = 0
        /// Calls that go on though nobody waits for them any more.
        var abandoned = 0
    }

    private struct State {
        var counts = Counts()
        var idle: [CallThread] = []
    }

    /// Threads that stay when they have nothing to do: a transfer makes a call for each part, and starting a thread takes longer than most of these.
    private static let idleLimit = 8

    private let name: String
    private let limit: Int
    private let refusal: @Sendable (Counts) -> LoaderFailure
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: of the threads, for the system's tools.
    ///   - limit: most calls at a time.
    ///   - refusal: what a call beyond the limit fails with.
    init(name: String, limit: Int, refusal: @escaping @Sendable (Counts) -> LoaderFailure) {
        (self.name, self.limit, self.refusal) = (name, limit, refusal)
    }

    deinit {
        for thread in state.withLock({ $0.idle }) { thread.end() }
    }

    /// What is going on now.
    var counts: Counts { state.withLock { $0.counts } }

    /// Makes a call and waits for its return or for the task's cancellation, whichever comes first.
    ///
    /// - Parameter body: gets a flag that is raised when the task is cancelled.
    /// - Throws: what `body` throws; `CancellationError` at once when the task is cancelled; the refusal when the limit is reached.
    func run<Value: Sendable>(_ body: @escaping @Sendable (StopFlag) throws -> Value) async throws -> Value {
        let call = BlockingCall<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                guard call.wait(waiter) else { return }
                do {
                    try start { thread in
                        let result = Result {
                            if call.stop.isRaised { throw CancellationError() }
                            return try body(call.stop)
                        }
                        let waiter = call.takeWaiter()
                        self.returned(thread, wasAbandoned: waiter == nil)
                        waiter?.resume(with: result)
                    }
                } catch {
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
        let idle = try state.withLock { state in
            guard state.counts.running < limit else { throw refusal(state.counts) }
            state.counts.running += 1
            return state.idle.popLast()
        }
        do {
            let thread = try idle ?? CallThread.start(name: name)
            thread.make { call(thread) }
        } catch {
            state.withLock { $0.counts.running -= 1 }
            throw LoaderFailure(.busy, "the worker cannot start a thread (\(error)): retry later", retryable: true)
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
