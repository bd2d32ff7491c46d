//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The values of a ``StateRelay``: the current one first, later ones after it.
///
/// The sequence may be iterated any number of times, also at the same time: each iterator has a buffer of its own, so observers never
/// take values from each other. A slow iterator may miss values in between, never the last. When the relay is gone the sequence is empty.
public struct StateSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// The sequence never fails.
    public typealias Failure = Never

    private weak let relay: StateRelay<Element>?

    init(relay: StateRelay<Element>) {
        self.relay = relay
    }

    /// Attaches a new observer; it is attached before this call returns, so no later value is missed.
    public func makeAsyncIterator() -> AsyncStream<Element>.Iterator {
        guard let relay else { return AsyncStream { $0.finish() }.makeAsyncIterator() }
        return relay.makeStream().makeAsyncIterator()
    }
}
