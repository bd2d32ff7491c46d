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
    public func makeAsyncIterator() -> Iterator { Iterator(relay) }

    /// One observer of a relay. It frees its place when it is let go of.
    public struct Iterator: AsyncIteratorProtocol {
        /// The iteration never fails.
        public typealias Failure = Never

        private final class Place: Sendable {
            let observer: StateObserver<Element>
            private let number: UInt64
            private weak let relay: StateRelay<Element>?

            init(_ relay: StateRelay<Element>) {
                (number, observer) = relay.attach()
                self.relay = relay
            }

            deinit {
                relay?.detach(number)
            }
        }

        private let place: Place?

        init(_ relay: StateRelay<Element>?) {
            place = relay.map(Place.init)
        }

        /// The newest value that was not read, as soon as there is one; nil when the relay has ended or the task is cancelled.
        /// - Parameter actor: where the caller is and stays.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await place?.observer.next(isolation: actor)
        }
    }
}
