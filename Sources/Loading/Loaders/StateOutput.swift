//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Observation

/// The state that a loader shows: one current value, its observers, and the Observation framework's view of it.
@MainActor
@Observable
final class StateOutput<Value: Hashable & Sendable> {
    /// The state shown now.
    private(set) var current: LoadingState<Value>
    /// Whether the wrapped loader had work outstanding when it was looked at last.
    @ObservationIgnored private var wasPending = false
    @ObservationIgnored private let relay: StateRelay<LoadingState<Value>>

    init(_ initial: LoadingState<Value> = .idle) {
        current = initial
        relay = StateRelay(initial)
    }

    /// The current state and all later ones, for any number of observers.
    var states: StateSequence<LoadingState<Value>> { relay.stream }

    /// Shows a state, also when it equals the one before: a second load may end like the first.
    func publish(_ state: LoadingState<Value>) {
        current = state
        relay.update(state)
    }

    /// Shows a state unless it is shown already. When deferred work has just ended the state is shown in any case, so that an outer
    /// decorator learns of an end that looks like the beginning.
    func follow(_ state: LoadingState<Value>, isPending: Bool = false) {
        let hasEnded = wasPending && !isPending
        wasPending = isPending
        if state != current || hasEnded { publish(state) }
    }
}
