//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Joins calls that come close together into one load of the wrapped loader.
///
/// ```swift
/// let debounced = await DebouncingLoadable(
///     wrapping: baseLoader,
///     debounceInterval: 0.5,
///     executeFirstImmediately: false
/// )
/// ```
///
/// 1. Not immediate: every ``load()`` restarts the timer and returns at once. When the timer ends the wrapped load runs, once.
/// 2. Immediate first: a call after a whole quiet interval runs now and is awaited. Calls during the interval join in one run, an interval
///    after the last of them. That run closes the gate for another interval.
/// 3. A new call never cancels a run that is executing.
/// 4. ``cancel()`` drops the pending run and is passed on. ``reset()`` does so too, and opens the gate.
/// 5. A pending run dies with the debouncer.
@MainActor
public final class DebouncingLoadable<Base: Loadable>: DeferringLoadable {
    /// What the wrapped loader loads.
    public typealias Value = Base.Value

    private let wrapped: Base
    private let output: StateOutput<Value>
    private let timeline: Timeline
    private var machine: DebounceMachine
    private var mirror: StateMirror?
    private var timer: Task<Void, Never>?
    private var trailing: [UInt64: Task<Void, Never>] = [:]
    private var lastTrailing: UInt64 = 0
    private var runCount = 0

    /// Wraps a loader.
    /// - Parameters:
    ///   - wrapping: the loader to debounce.
    ///   - debounceInterval: seconds of quiet before a load; negative and undefined values become 0, the largest is 10^9.
    ///   - executeFirstImmediately: whether a call after a quiet interval loads at once.
    ///   - clock: the clock that times the interval.
    public init(
        wrapping: Base, debounceInterval: Double = 0.3, executeFirstImmediately: Bool = false,
        clock: any Clock<Duration> = ContinuousClock()
    ) async {
        wrapped = wrapping
        output = StateOutput(wrapping.currentState)
        timeline = Timeline(clock)
        let seconds = debounceInterval.isNaN ? 0 : min(max(debounceInterval, 0), 1e9)
        machine = DebounceMachine(interval: .seconds(seconds), runsFirstImmediately: executeFirstImmediately)
        mirror = StateMirror(of: wrapping) { [weak self] in self?.follow() }
    }

    isolated deinit {
        timer?.cancel()
    }

    /// The current state and all later ones, for any number of observers.
    public var state: any AsyncSequence<LoadingState<Value>, Never> { output.states }

    /// The state now.
    public var currentState: LoadingState<Value> { output.current }

    /// Whether the wrapped loader is cancelled.
    public var isCanceled: Bool { wrapped.isCanceled }

    /// Whether a run is due or executing.
    public var isLoadPending: Bool { machine.isPending || runCount > 0 || wrapped.hasPendingLoad }

    /// Asks for a load; returns at once unless the call runs immediately.
    public func load() async {
        guard !Task.isCancelled else { return }
        switch machine.called(at: timeline.now()) {
        case .runNow: await run()
        case .wait(let deadline): startTimer(until: deadline)
        case .join: break
        }
    }

    /// Drops the pending run and cancels the wrapped loader.
    public func cancel() {
        machine.canceled()
        dropTimer()
        wrapped.cancel()
        cancelTrailing()
        follow()
    }

    /// Drops the pending run, opens the gate and resets the wrapped loader.
    public func reset() {
        machine.reset()
        dropTimer()
        wrapped.reset()
        cancelTrailing()
        output.publish(wrapped.currentState)
    }

    private func startTimer(until deadline: Duration) {
        timer = Task { [weak self, timeline] in
            var next: Duration? = deadline
            while let deadline = next {
                do { try await timeline.sleep(deadline) } catch { return }
                next = Task.isCancelled ? nil : self?.timerEnded()
            }
        }
    }

    /// Runs what is due; returns the time to wake again, if any.
    private func timerEnded() -> Duration? {
        switch machine.timerEnded(at: timeline.now()) {
        case .run:
            lastTrailing += 1
            let number = lastTrailing
            trailing[number] = Task {
                await run()
                trailing[number] = nil
            }
            return nil
        case .wait(let deadline):
            return deadline
        case .stop:
            return nil
        }
    }

    private func run() async {
        runCount += 1
        await wrapped.load()
        runCount -= 1
        // Also when the state is the same as before: an outer decorator waits for this end.
        output.publish(wrapped.currentState)
    }

    private func dropTimer() {
        timer?.cancel()
        timer = nil
    }

    private func cancelTrailing() {
        for run in trailing.values { run.cancel() }
        trailing = [:]
    }

    private func follow() {
        output.follow(wrapped.currentState, isPending: wrapped.hasPendingLoad)
    }
}
