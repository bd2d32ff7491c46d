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
///
/// With `executeFirstImmediately`:
///
/// ```text
/// calls   c c c               c           c = load()
/// runs    R               R               not before a quiet interval has passed
/// ```
@MainActor
public final class DebouncingLoadable<Base: Loadable>: DeferringLoadable {
    private let wrapped: Base
    private let output: StateOutput<Base.Value>
    private let timeline: Timeline
    private var machine: DebounceMachine
    private var mirror: StateMirror?
    private var timer: Task<Void, Never>?
    /// Runs of the wrapped load that neither have ended nor were cancelled or reset, oldest first.
    private var runs: [UInt64] = []
    private var lastRun: UInt64 = 0
    private var trailing: [UInt64: Task<Void, Never>] = [:]

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
    public var state: any AsyncSequence<LoadingState<Base.Value>, Never> { output.states }

    /// The state now; never behind the wrapped loader's.
    public var currentState: LoadingState<Base.Value> { output.reading(wrapped.currentState) }

    /// Whether the wrapped loader is cancelled.
    public var isCanceled: Bool { wrapped.isCanceled }

    /// Whether a run is due or executing.
    public var isLoadPending: Bool { machine.isPending || !runs.isEmpty || wrapped.hasPendingLoad }

    /// Asks for a load; returns at once unless the call runs immediately.
    public func load() async {
        guard !Task.isCancelled else { return }
        switch machine.called(at: timeline.now()) {
        case .runNow: await run(nextRun())
        case .wait(let deadline): startTimer(until: deadline)
        case .join: break
        }
    }

    /// Drops the pending run and cancels the wrapped loader.
    public func cancel() {
        machine.cancelled()
        dropTimer()
        wrapped.cancel()
        dropRuns()
        follow()
    }

    /// Drops the pending run, opens the gate and resets the wrapped loader.
    public func reset() {
        machine.reset()
        dropTimer()
        wrapped.reset()
        dropRuns()
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
            let number = nextRun()
            trailing[number] = Task {
                await run(number)
                trailing[number] = nil
            }
            return nil
        case .wait(let deadline):
            return deadline
        case .stop:
            return nil
        }
    }

    /// Counts a run as outstanding from now on.
    private func nextRun() -> UInt64 {
        lastRun += 1
        runs.append(lastRun)
        return lastRun
    }

    private func run(_ number: UInt64) async {
        await wrapped.load()
        runs.removeAll { $0 == number }
        // Also when the state is the same as before: an outer decorator waits for this end.
        output.publish(wrapped.currentState)
    }

    private func dropTimer() {
        timer?.cancel()
        timer = nil
    }

    /// What executes is not waited for: a fetch that does not react to cancellation must not look like work outstanding.
    private func dropRuns() {
        for run in trailing.values { run.cancel() }
        trailing = [:]
        runs = []
    }

    private func follow() {
        output.follow(wrapped.currentState, isPending: wrapped.hasPendingLoad)
    }
}
