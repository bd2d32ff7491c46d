//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Something that can be loaded, cancelled and reset, and that can be watched meanwhile.
///
/// Everything is isolated to the main actor. Views and decorators work with any conforming type, local or remote: take `some Loadable<Value>` in
/// your own code, and it works with a plain loader, a stack of decorators and a remote one alike.
@MainActor
public protocol Loadable<Value> {
    /// What a successful load gives.
    associatedtype Value: Hashable & Sendable

    /// The current state and all later ones. It begins with the current state; every type of this library lets any number of
    /// observers iterate it, each with its own buffer of the newest state.
    var state: any AsyncSequence<LoadingState<Value>, Never> { get }

    /// The state now.
    var currentState: LoadingState<Value> { get }

    /// Whether ``cancel()`` was called and ``reset()`` not yet.
    var isCanceled: Bool { get }

    /// Loads. Returns when the load has ended, or at once where a decorator defers it.
    func load() async

    /// Cancels what runs, forgets what was loaded, drops late results. Afterwards the state is `idle`.
    func reset()

    /// Cancels what runs and returns to the last state that was not `loading`.
    func cancel()
}

extension Loadable {
    /// Loads, unless the current state is `loading`: the duplicate call is dropped and returns at once.
    public func loadIfNotLoading() async {
        guard !currentState.isLoading else { return }
        await load()
    }
}

/// A loader whose `load()` may return before the load was made.
///
/// ``DebouncingLoadable`` is one; the other decorators pass on what they wrap. Conform when your own loader only accepts work in
/// `load()` and does it later while its state is not `loading` yet: ``RetryableLoader`` then knows that a returned call is not an outcome.
@MainActor
public protocol DeferringLoadable: Loadable {
    /// Whether a load was accepted whose outcome has not been published.
    var isLoadPending: Bool { get }
}

extension Loadable {
    /// Whether a load was accepted that will be made later; false for loaders that never defer.
    var hasPendingLoad: Bool {
        (self as? any DeferringLoadable)?.isLoadPending ?? false
    }
}
