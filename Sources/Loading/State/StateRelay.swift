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
    public var observerCount: Int {
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
