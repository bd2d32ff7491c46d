//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Loads again after a failure, a limited number of times, waiting longer each time.
///
/// ```swift
/// let retryable = RetryableLoader(
///     base: loader,
///     maxAttempts: 3
/// )
/// ```
///
/// 1. One load makes at most `maxAttempts` attempts in total. The count belongs to the load: the next load begins at one.
/// 2. Before attempt n >= 2 it waits 2^(n-2) seconds, see ``RetryBackoff``, and shows `loading` with "Retrying… (attempt n of m)".
///    The failures in between are not shown.
/// 3. Cancellation is never retried. ``cancel()``, ``reset()`` and cancelling the calling task end the wait at once; no further attempt follows.
/// 4. `await load()` lasts through the retries when the wrapped load has its outcome when it returns. When the wrapped load was deferred (a
///    ``DebouncingLoadable`` inside) it returns at once and goes on in the background, until a newer load replaces it.
/// 5. A load that succeeds ends the waits of the loads that started before it.
/// 6. A wait in the background dies with the loader.
///
/// Change the waits with a ``RetryBackoff``:
///
/// ```swift
/// let patient = RetryableLoader(
///     base: loader,
///     maxAttempts: 10,
///     backoff: RetryBackoff(cap: .seconds(30), jitter: 0.5)
/// )
/// ```
@MainActor
public final class RetryableLoader<Base: Loadable>: DeferringLoadable {
    private let wrapped: Base
    private let output: StateOutput<Base.Value>
    private let timeline: Timeline
    private let random: @MainActor () -> Double
    private var machine: RetryMachine<Base.Value>
    private var mirror: StateMirror?
    /// Waits of callers, and of loads whose callers were answered already.
    private var waits: [UInt64: Task<Void, Never>] = [:]
    private var background: [UInt64: Task<Void, Never>] = [:]

    /// Wraps a loader.
    /// - Parameters:
    ///   - wrapping: the loader to retry.
    ///   - maxAttempts: attempts of one load in total; values below 1 become 1. The default is 3.
    ///   - backoff: how long to wait before further attempts.
    ///   - clock: the clock that times the waits.
    ///   - random: gives numbers in 0..<1; they shorten the waits when the back-off has jitter.
    public init(
        wrapping: Base, maxAttempts: Int = 3, backoff: RetryBackoff = RetryBackoff(),
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @MainActor () -> Double = { Double.random(in: 0..<1) }
    ) {
        wrapped = wrapping
        output = StateOutput(wrapping.currentState)
        timeline = Timeline(clock)
        self.random = random
        machine = RetryMachine(maxAttempts: maxAttempts, backoff: backoff, settled: wrapping.currentState)
        mirror = StateMirror(of: wrapping) { [weak self] in self?.wrappedChanged() }
    }

    /// Wraps a loader: the same as `init(wrapping:)` under the other label.
    /// - Parameters:
    ///   - base: the loader to retry.
    ///   - maxAttempts: attempts of one load in total; values below 1 become 1. The default is 3.
    ///   - backoff: how long to wait before further attempts.
    ///   - clock: the clock that times the waits.
    ///   - random: gives numbers in 0..<1; they shorten the waits when the back-off has jitter.
    public convenience init(
        base: Base, maxAttempts: Int = 3, backoff: RetryBackoff = RetryBackoff(),
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @MainActor () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.init(wrapping: base, maxAttempts: maxAttempts, backoff: backoff, clock: clock, random: random)
    }

    isolated deinit {
        for task in background.values { task.cancel() }
    }

    /// The current state and all later ones, for any number of observers.
    public var state: any AsyncSequence<LoadingState<Base.Value>, Never> { output.states }

    /// The state now; never behind the wrapped loader's.
    public var currentState: LoadingState<Base.Value> { output.reading(machine.state(over: wrapped.currentState)) }

    /// Whether the wrapped loader is cancelled.
    public var isCanceled: Bool { wrapped.isCanceled }

    /// Whether the wrapped loader has accepted a load that it makes later.
    public var isLoadPending: Bool { wrapped.hasPendingLoad }

    /// Loads, and again after failures; see the rules of the class.
    public func load() async {
        guard !Task.isCancelled else { return }
        let load = machine.started(over: wrapped.currentState)
        dropEndedTasks()
        await attempt(load)
    }

    /// Ends all waits, cancels the wrapped loader and returns to the last state that was not `loading`.
    public func cancel() {
        machine.cancelled()
        dropEndedTasks()
        wrapped.cancel()
        show()
    }

    /// Ends all waits and resets the wrapped loader.
    public func reset() {
        machine.reset()
        dropEndedTasks()
        wrapped.reset()
        output.publish(machine.shown(over: wrapped.currentState))
    }

    /// Makes attempts until the load has ended or goes on in the background.
    private func attempt(_ load: UInt64) async {
        while true {
            await wrapped.load()
            let action = machine.returned(
                load, showing: wrapped.currentState, isPending: wrapped.hasPendingLoad, isCanceled: Task.isCancelled, random: random())
            dropEndedTasks()
            show()
            switch action {
            case .finish, .watch: return
            case .wait(let delay): guard await backOff(load, for: delay) else { return }
            }
        }
    }

    /// Waits; true when the attempt is to be made.
    private func backOff(_ load: UInt64, for delay: Duration) async -> Bool {
        let deadline = timeline.now() + delay
        let sleep = Task { [timeline] in
            // Cancellation is told by the machine, which has dropped the load then.
            _ = try? await timeline.sleep(deadline)
        }
        waits[load] = sleep
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        waits[load] = nil
        if Task.isCancelled { machine.withdrawn(load) }
        let isDue = machine.backoffEnded(load, over: wrapped.currentState)
        if !isDue { show() }
        return isDue
    }

    private func wrappedChanged() {
        let waits = machine.changed(to: wrapped.currentState, isPending: wrapped.hasPendingLoad, random: random())
        for wait in waits { retryInBackground(wait.load, after: wait.delay) }
        show()
    }

    /// Nobody waits for it, so the wait itself must not keep the loader alive.
    private func retryInBackground(_ load: UInt64, after delay: Duration) {
        let deadline = timeline.now() + delay
        background[load] = Task { [weak self, timeline] in
            do { try await timeline.sleep(deadline) } catch { return }
            if !Task.isCancelled { await self?.retry(load) }
        }
    }

    private func retry(_ load: UInt64) async {
        // What executes is no wait any more: it is not cut off with the waits.
        background[load] = nil
        if machine.backoffEnded(load, over: wrapped.currentState) { await attempt(load) }
    }

    /// The machine says which loads live; waits of the others end. An attempt that executes is not cut off: its outcome is ignored.
    private func dropEndedTasks() {
        for (load, sleep) in waits where !machine.isLive(load) { sleep.cancel() }
        for load in background.keys where !machine.isLive(load) { background.removeValue(forKey: load)?.cancel() }
    }

    private func show() {
        output.follow(machine.shown(over: wrapped.currentState), isPending: wrapped.hasPendingLoad)
    }
}
