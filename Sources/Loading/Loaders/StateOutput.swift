//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Observation

/// The state that a loader shows: one current value, its observers, and the Observation framework's view of it.
///
/// The Observation framework calls back in the middle of a change, and what it calls may load, cancel or reset. So it is told after the
/// change is complete; whatever it does then is a change of its own, behind the one that it was told of.
@MainActor
@Observable
final class StateOutput<Value: Hashable & Sendable> {
    /// Whether the wrapped loader had work outstanding when it was looked at last.
    @ObservationIgnored private var wasPending = false
    @ObservationIgnored private let relay: StateRelay<LoadingState<Value>>

    init(_ initial: LoadingState<Value> = .idle) {
        relay = StateRelay(initial)
    }

    /// The state shown now.
    var current: LoadingState<Value> { reading(relay.currentValue) }

    /// The current state and all later ones, for any number of observers.
    var states: StateSequence<LoadingState<Value>> { relay.stream }

    /// A state that this output shows or is about to show: who reads it is told when the output changes.
    func reading(_ state: LoadingState<Value>) -> LoadingState<Value> {
        access(keyPath: \.current)
        return state
    }

    /// Shows a state, also when it equals the one before: a second load may end like the first.
    func publish(_ state: LoadingState<Value>) {
        relay.update(state)
        withMutation(keyPath: \.current) {}
    }

    /// Shows a state unless it is shown already. When deferred work has just ended the state is shown in any case, so that an outer
    /// decorator learns of an end that looks like the beginning.
    func follow(_ state: LoadingState<Value>, isPending: Bool = false) {
        let hasEnded = wasPending && !isPending
        wasPending = isPending
        if state != relay.currentValue || hasEnded { publish(state) }
    }
}

/// Follows the state of a wrapped loader and tells its decorator that something changed.
///
/// A wrapped loader's sequence is iterated exactly once, so loaders whose `state` bears only one iteration work too. The value of the
/// sequence is only a signal: it may be older than what the decorator has read already, so `currentState` is read instead.
@MainActor
final class StateMirror {
    private let following: Task<Void, Never>

    /// - Parameter changed: reads the wrapped loader's current state; must not keep the decorator alive.
    init<Wrapped: Loadable>(of wrapped: Wrapped, changed: @escaping @MainActor () -> Void) {
        let states = wrapped.state
        following = Task { @MainActor in
            for await _ in states { changed() }
        }
    }

    deinit {
        following.cancel()
    }
}
