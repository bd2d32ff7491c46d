//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

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
