//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
