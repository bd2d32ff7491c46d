//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

/// Lets at most a number of loads of the wrapped loader run at once; later calls wait in the order they came.
///
/// ```swift
/// let limited = ConcurrencyLimitingLoadable(
///     wrapping: loader,
///     concurrencyLimit: 3
/// )
/// ```
///
/// 1. Never more than the limit at once. A permit that is given back goes straight to the first in the line: none is lost, none is made,
///    and a newcomer never overtakes.
/// 2. A waiting call whose task is cancelled leaves at once, without running and without taking a permit.
/// 3. ``cancel()`` and ``reset()`` free all waiting calls at once and are passed on.
/// 4. When `await load()` returns, ``currentState`` shows the outcome already.
/// 5. A permit lasts as long as the wrapped `load()`. With a ``DebouncingLoadable`` inside, that call only accepts the work: the permit then
///    covers the hand-off and does not bound the loads.
@MainActor
public final class ConcurrencyLimitingLoadable<Base: Loadable>: DeferringLoadable {
    private let wrapped: Base
    private let limits: (concurrency: Int, waiting: Int)
    private let output: StateOutput<Base.Value>
    private var mirror: StateMirror?
    /// Counts cancels and resets: a permit that was on its way during one of them is given back unused.
    private var lifetime: UInt64 = 0
    /// The newest call that found no place in the line, and what the wrapped loader showed then: shown until that changes.
    private var refusal: (failure: HashableError, over: LoadingState<Base.Value>)?
    let permits: PermitQueue

    /// Wraps a loader.
    /// - Parameters:
    ///   - wrapping: the loader to limit.
    ///   - concurrencyLimit: how many loads may run at once; values below 1 become 1.
    ///   - waiterLimit: how many calls may wait; one more shows a ``ConcurrencyLimitError``. The default is 10,000.
    public init(wrapping: Base, concurrencyLimit: Int, waiterLimit: Int = 10_000) {
        wrapped = wrapping
        limits = (max(1, concurrencyLimit), max(0, waiterLimit))
        output = StateOutput(wrapping.currentState)
        permits = PermitQueue(limit: concurrencyLimit, waiterLimit: waiterLimit)
        mirror = StateMirror(of: wrapping) { [weak self] in self?.follow() }
    }

    /// The current state and all later ones, for any number of observers.
    public var state: any AsyncSequence<LoadingState<Base.Value>, Never> { output.states }

    /// The state now; never behind the wrapped loader's.
    public var currentState: LoadingState<Base.Value> { output.reading(shown) }

    /// Whether the wrapped loader is cancelled.
    public var isCanceled: Bool { wrapped.isCanceled }

    /// Whether the wrapped loader has accepted a load that it makes later.
    public var isLoadPending: Bool { wrapped.hasPendingLoad }

    /// Loads when a permit is there; returns when the wrapped `load()` has returned, or when the call was freed without a permit.
    public func load() async {
        guard !Task.isCancelled else { return }
        let lifetime = lifetime
        switch permits.request() {
        case .granted:
            break
        case .waits(let waiter):
            guard await permits.wait(for: waiter) == .granted else { return }
        case .refused:
            let error = ConcurrencyLimitError(
                .tooManyWaiting, concurrencyLimit: limits.concurrency, waiterLimit: limits.waiting)
            refusal = (HashableError(error), wrapped.currentState)
            output.publish(shown)
            return
        }
        defer { permits.release() }
        guard !Task.isCancelled, lifetime == self.lifetime else { return }
        refusal = nil
        await wrapped.load()
        follow()
    }

    /// Frees all waiting calls and cancels the wrapped loader.
    public func cancel() {
        lifetime += 1
        permits.withdrawAll()
        refusal = nil
        wrapped.cancel()
        follow()
    }

    /// Frees all waiting calls and resets the wrapped loader.
    public func reset() {
        lifetime += 1
        permits.withdrawAll()
        refusal = nil
        wrapped.reset()
        output.publish(shown)
    }

    private var shown: LoadingState<Base.Value> {
        let state = wrapped.currentState
        if let refusal, refusal.over == state { return .failure(refusal.failure) }
        return state
    }

    private func follow() {
        if let refusal, refusal.over != wrapped.currentState { self.refusal = nil }
        output.follow(shown, isPending: wrapped.hasPendingLoad)
    }
}

/// The permits of one limiter and the tasks that wait for them. A waiter leaves from whatever thread cancels it, at once.
final class PermitQueue: Sendable {
    enum Request {
        case granted
        case refused
        case waits(PermitMachine.WaiterID)
    }

    enum Outcome {
        case granted
        case withdrawn
    }

    private struct Storage {
        var machine: PermitMachine
        var waiters: [PermitMachine.WaiterID: CheckedContinuation<Outcome, Never>] = [:]
        /// Outcomes of waiters that have not begun to wait.
        var early: [PermitMachine.WaiterID: Outcome] = [:]

        mutating func settle(_ waiter: PermitMachine.WaiterID, _ outcome: Outcome) -> CheckedContinuation<Outcome, Never>? {
            let continuation = waiters.removeValue(forKey: waiter)
            if continuation == nil { early[waiter] = outcome }
            return continuation
        }
    }

    private let storage: Mutex<Storage>

    init(limit: Int, waiterLimit: Int) {
        storage = Mutex(Storage(machine: PermitMachine(limit: limit, waiterLimit: waiterLimit)))
    }

    /// Permits held now.
    var held: Int { storage.withLock { $0.machine.held } }

    /// How many wait now.
    var waiterCount: Int { storage.withLock { $0.machine.waiterCount } }

    /// Asks for a permit and takes a place in the line when there is none. Does not wait, so the order of calls is the order of the line.
    func request() -> Request {
        switch storage.withLock({ $0.machine.requested() }) {
        case .grant: .granted
        case .wait(let waiter): .waits(waiter)
        case .refuse: .refused
        }
    }

    /// Waits for the permit asked for, or until the waiter is withdrawn or its task cancelled.
    func wait(for waiter: PermitMachine.WaiterID, isolation: isolated (any Actor)? = #isolation) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Outcome? = storage.withLock { storage in
                    if let early = storage.early.removeValue(forKey: waiter) { return early }
                    storage.waiters[waiter] = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            withdraw(waiter)
        }
    }

    /// Gives a permit back; it goes to the first in the line.
    func release() {
        let next = storage.withLock { storage -> CheckedContinuation<Outcome, Never>? in
            switch storage.machine.released() {
            case .keep: nil
            case .handOver(let waiter): storage.settle(waiter, .granted)
            }
        }
        next?.resume(returning: .granted)
    }

    /// Everybody who waits leaves without a permit.
    func withdrawAll() {
        let leaving = storage.withLock { storage in
            storage.machine.withdrewAll().compactMap { storage.settle($0, .withdrawn) }
        }
        for continuation in leaving { continuation.resume(returning: .withdrawn) }
    }

    private func withdraw(_ waiter: PermitMachine.WaiterID) {
        let leaving = storage.withLock { storage -> CheckedContinuation<Outcome, Never>? in
            switch storage.machine.withdrew(waiter) {
            case .leave: storage.settle(waiter, .withdrawn)
            case .ignore: nil
            }
        }
        leaving?.resume(returning: .withdrawn)
    }
}
