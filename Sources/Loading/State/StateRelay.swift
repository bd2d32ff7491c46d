//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

/// One current value and any number of observers of it.
///
/// ```swift
/// let relay = StateRelay(0)
/// Task { for await value in relay.stream { print(value) } }   // prints 0 at once, later values after it
/// relay.update(1)
/// ```
///
/// 1. A new observer receives the current value at once and later values after it, in order.
/// 2. Each observer has a buffer of its own that holds the newest value. A slow observer may miss values in between, never the last.
/// 3. ``update(_:)`` never waits for an observer.
/// 4. An observer that ends frees its place. ``finish()``, and the end of the relay itself, end all observers after the last value.
///
/// A relay may be used from any thread.
public final class StateRelay<Value: Sendable>: Sendable {
    private struct Storage {
        var value: Value
        var observers: [(number: UInt64, observer: StateObserver<Value>)] = []
        var nextNumber: UInt64 = 0
        var isFinished = false
    }

    private let storage: Mutex<Storage>

    /// Creates a relay that holds a first value.
    public init(_ initial: Value) {
        storage = Mutex(Storage(value: initial))
    }

    deinit {
        finish()
    }

    /// The newest value.
    public var currentValue: Value {
        storage.withLock { $0.value }
    }

    /// How many observers are attached now.
    package var observerCount: Int {
        storage.withLock { $0.observers.count }
    }

    /// The current value and all later ones. Each iteration of the sequence is an observer of its own; the sequence does not keep the relay alive.
    public var stream: StateSequence<Value> {
        StateSequence(relay: self)
    }

    /// Sets the value and hands it to all observers, without waiting for any of them.
    /// - Complexity: O(n) in the number of observers.
    public func update(_ value: Value) {
        storage.withLock { storage in
            storage.value = value
            for (_, observer) in storage.observers { observer.offer(value) }
        }
    }

    /// Ends all observers once they have read the last value. Observers that come later receive the last value and end.
    public func finish() {
        let observers = storage.withLock { storage in
            storage.isFinished = true
            defer { storage.observers = [] }
            return storage.observers
        }
        for (_, observer) in observers { observer.end() }
    }

    /// A new observer, whose place is freed by its number.
    func attach() -> (number: UInt64, observer: StateObserver<Value>) {
        storage.withLock { storage in
            let observer = StateObserver(storage.value)
            storage.nextNumber += 1
            if storage.isFinished { observer.end() } else { storage.observers.append((storage.nextNumber, observer)) }
            return (storage.nextNumber, observer)
        }
    }

    func detach(_ number: UInt64) {
        storage.withLock { storage in
            if let index = storage.observers.firstIndex(where: { $0.number == number }) { storage.observers.remove(at: index) }
        }
    }
}

/// One observer's place at a relay: the newest value that it has not read, or who waits for one.
///
/// A reader is resumed where it waits, without a detour over another executor: a value costs an observer on the main actor one turn.
final class StateObserver<Value: Sendable>: Sendable {
    private typealias Reader = CheckedContinuation<Value?, Never>

    private struct Storage {
        var unread: Value?
        var hasEnded = false
        /// In the order of asking; more than one only when an iterator was copied.
        var readers: [Reader] = []
    }

    private let storage: Mutex<Storage>

    init(_ value: Value) {
        storage = Mutex(Storage(unread: value))
    }

    /// Hands the value to who waits, or keeps it in the place of an older one.
    func offer(_ value: Value) {
        let reader = storage.withLock { storage -> Reader? in
            guard !storage.hasEnded else { return nil }
            guard storage.readers.isEmpty else { return storage.readers.removeFirst() }
            storage.unread = value
            return nil
        }
        reader?.resume(returning: value)
    }

    /// No value comes any more; one that was not read can still be read.
    func end() {
        let readers = storage.withLock { storage in
            storage.hasEnded = true
            defer { storage.readers = [] }
            return storage.readers
        }
        for reader in readers { reader.resume(returning: nil) }
    }

    /// The newest value that was not read, as soon as there is one; nil at the end, which comes with the cancellation of a reader too.
    func next(isolation: isolated (any Actor)?) async -> Value? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let answer = storage.withLock { storage -> Value?? in
                    if let unread = storage.unread.take() { return .some(unread) }
                    if storage.hasEnded { return .some(nil) }
                    storage.readers.append(reader)
                    return nil
                }
                if let answer { reader.resume(returning: answer) }
            }
        } onCancel: {
            end()
        }
    }
}

/// The values of a ``StateRelay``: the current one first, later ones after it.
///
/// The sequence may be iterated any number of times, also at the same time: each iterator has a buffer of its own, so observers never
/// take values from each other. A slow iterator may miss values in between, never the last. When the relay is gone the sequence is empty.
public struct StateSequence<Element: Sendable>: AsyncSequence, Sendable {
    private weak let relay: StateRelay<Element>?

    init(relay: StateRelay<Element>) {
        self.relay = relay
    }

    /// Attaches a new observer; it is attached before this call returns, so no later value is missed.
    public func makeAsyncIterator() -> Iterator { Iterator(relay) }

    /// One observer of a relay. It frees its place when it is let go of.
    public struct Iterator: AsyncIteratorProtocol {
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
