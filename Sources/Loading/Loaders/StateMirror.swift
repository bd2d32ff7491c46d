//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
