//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Decides what a plain loader shows while any number of its loads run, end, are cancelled or come late.
struct LoadMachine<Value: Hashable & Sendable> {
    /// A load's place in the order of starting; never used twice by one machine.
    typealias LoadID = UInt64

    enum StartAction: Equatable {
        /// Run the fetch under this number and show the state.
        case run(LoadID)
        /// The loader was cancelled and not reset.
        case ignore
    }

    enum StateAction: Equatable {
        /// Show this state.
        case publish(LoadingState<Value>)
        /// Nothing to show, for this reason.
        case ignore(IgnoredReason)
    }

    enum IgnoredReason: Equatable {
        /// The load was cancelled, reset, or has ended already.
        case ended
        /// A load that started later has published.
        case superseded
        /// Progress without a running load.
        case noLoadRunning
        /// The load ended without anything to show: another one still runs, or nothing had been shown.
        case nothingToShow
    }

    /// The state shown now.
    private(set) var shown: LoadingState<Value> = .idle
    /// Cancelled and not reset: no load starts.
    private(set) var isCanceled = false
    /// The last state that was not loading; a cancelled load returns to it.
    private var settled: LoadingState<Value> = .idle
    /// Loads that may still publish, in the order of starting.
    private var running: [LoadID] = []
    private var lastStarted: LoadID = 0
    private var lastPublished: LoadID = 0

    /// Whether a load has neither ended nor been cancelled.
    func isRunning(_ load: LoadID) -> Bool { running.contains(load) }

    mutating func started() -> StartAction {
        guard !isCanceled else { return .ignore }
        lastStarted += 1
        running.append(lastStarted)
        show(.loading(nil))
        return .run(lastStarted)
    }

    /// A fetch ended with a value or a failure.
    mutating func finished(_ load: LoadID, with outcome: LoadingState<Value>) -> StateAction {
        guard remove(load) else { return .ignore(.ended) }
        // Loads end in any order; the one that was started last knows the newest, so an older one changes nothing.
        guard load > lastPublished else { return restoreIfNothingRuns(otherwise: .superseded) }
        lastPublished = load
        return show(outcome)
    }

    /// A fetch ended by cancellation, or its caller was cancelled.
    mutating func withdrawn(_ load: LoadID) -> StateAction {
        guard remove(load) else { return .ignore(.ended) }
        return restoreIfNothingRuns(otherwise: .nothingToShow)
    }

    /// `cancel()`: every running load ends now.
    mutating func cancelled() -> StateAction {
        isCanceled = true
        running = []
        return restoreIfNothingRuns(otherwise: .nothingToShow)
    }

    /// `reset()`: every running load ends now and what was loaded is forgotten.
    mutating func reset() -> StateAction {
        isCanceled = false
        running = []
        return show(.idle)
    }

    /// `updateState(_:)` from inside a load, or from a subclass that drives its state itself (`load` absent).
    mutating func updated(_ state: LoadingState<Value>, by load: LoadID?) -> StateAction {
        guard !isCanceled else { return .ignore(.ended) }
        if let load {
            guard running.contains(load) else { return .ignore(.ended) }
            // Progress of an older load would jump back and forth beside that of the newest.
            guard load == running.last, load > lastPublished else { return .ignore(.superseded) }
        } else if running.isEmpty, lastStarted > 0, state.isLoading {
            // Nobody would ever end this loading.
            return .ignore(.noLoadRunning)
        }
        return show(state)
    }

    private mutating func remove(_ load: LoadID) -> Bool {
        guard let index = running.firstIndex(of: load) else { return false }
        running.remove(at: index)
        return true
    }

    private mutating func restoreIfNothingRuns(otherwise reason: IgnoredReason) -> StateAction {
        // A load that is older than what is shown can end without a word, and the loading state would then stay for ever.
        let canPublish = running.last.map { $0 > lastPublished } ?? false
        guard shown.isLoading, !canPublish else { return .ignore(reason) }
        return show(settled)
    }

    @discardableResult
    private mutating func show(_ state: LoadingState<Value>) -> StateAction {
        shown = state
        if !state.isLoading { settled = state }
        return .publish(state)
    }
}
