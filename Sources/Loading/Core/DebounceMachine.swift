//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Decides when debounced calls run. Times are durations since any fixed moment.
struct DebounceMachine {
    enum State: Equatable {
        /// Nothing is pending. A call moves to `pending`, or runs and moves to `closed` when the first call runs immediately.
        case open
        /// A run started recently: a call before `until` moves to `pending`, a later one runs now.
        case closed(until: Duration)
        /// One run is due at `deadline`; each call moves the deadline. Moves to `open` or `closed` when the timer ends.
        case pending(deadline: Duration)
    }

    enum CallAction: Equatable {
        /// Run the wrapped load in this call.
        case runNow
        /// Set the timer to this time and return.
        case wait(until: Duration)
        /// A timer is set already; it will ask again. Return.
        case join
    }

    enum TimerAction: Equatable {
        /// Run the wrapped load.
        case run
        /// Later calls moved the deadline: set the timer again.
        case wait(until: Duration)
        /// The pending run was dropped meanwhile.
        case stop
    }

    let interval: Duration
    let runsFirstImmediately: Bool
    private(set) var state: State = .open
    private var isTimerSet = false

    init(interval: Duration, runsFirstImmediately: Bool) {
        self.interval = max(interval, .zero)
        self.runsFirstImmediately = runsFirstImmediately
    }

    /// Whether a run is due.
    var isPending: Bool {
        if case .pending = state { true } else { false }
    }

    mutating func called(at now: Duration) -> CallAction {
        switch state {
        case .open where runsFirstImmediately:
            state = .closed(until: now + interval)
            return .runNow
        case .closed(let until) where now >= until:
            state = .closed(until: now + interval)
            return .runNow
        case .open, .closed, .pending:
            state = .pending(deadline: now + interval)
            guard !isTimerSet else { return .join }
            isTimerSet = true
            return .wait(until: now + interval)
        }
    }

    mutating func timerEnded(at now: Duration) -> TimerAction {
        switch state {
        case .pending(let deadline) where now >= deadline:
            isTimerSet = false
            // The gate stays shut for a whole interval after this run as well, or the next call would run right behind it.
            state = runsFirstImmediately ? .closed(until: now + interval) : .open
            return .run
        case .pending(let deadline):
            return .wait(until: deadline)
        case .open, .closed:
            isTimerSet = false
            return .stop
        }
    }

    /// `cancel()`: the pending run is dropped, the gate stays as it is. The driver drops its timer.
    mutating func cancelled() {
        isTimerSet = false
        if case .pending(let deadline) = state { state = runsFirstImmediately ? .closed(until: deadline) : .open }
    }

    /// `reset()`: the pending run is dropped and the gate is open. The driver drops its timer.
    mutating func reset() {
        isTimerSet = false
        state = .open
    }
}
