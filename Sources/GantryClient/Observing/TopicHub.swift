//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel
import Synchronization

/// One observed topic and all its readers.
final class TopicHub: Sendable {
    private struct Contents {
        var state: TopicState
        var readers: [TopicMailbox] = []
    }

    private let contents: Mutex<Contents>

    init(_ topic: Topic) { contents = Mutex(Contents(state: TopicState(topic: topic))) }

    /// Takes an event over and gives the state to every reader.
    func take(_ update: TopicUpdate) {
        contents.withLock { contents in
            contents.state.apply(update)
            for reader in contents.readers { reader.put(contents.state) }
        }
    }

    /// The topic cannot be observed: gives every reader the reason as its last state.
    func fail(_ error: ClientError) {
        let readers = contents.withLock { contents in
            (contents.state.failure, contents.state.isVerified) = (error, false)
            for reader in contents.readers { reader.put(contents.state) }
            return contents.readers
        }
        for reader in readers { reader.finish() }
    }

    /// Adds a reader, which begins with the state as it is.
    func add(_ mailbox: TopicMailbox) {
        contents.withLock { contents in
            contents.readers.append(mailbox)
            if contents.state.isLoaded { mailbox.put(contents.state) }
        }
    }

    /// Takes a reader away; true when it was the last.
    func remove(_ mailbox: TopicMailbox) -> Bool {
        contents.withLock { contents in
            contents.readers.removeAll { $0 === mailbox }
            return contents.readers.isEmpty
        }
    }

    /// Ends the sequence of every reader.
    func finish() {
        let readers = contents.withLock { $0.readers }
        for reader in readers { reader.finish() }
    }
}

/// What one reader of a topic has not read yet: at most `limit` states, the newest always among them.
final class TopicMailbox: Sendable {
    private struct Contents {
        var states: Deque<TopicState> = []
        var reader: CheckedContinuation<TopicState?, Never>?
        var isFinished = false
    }

    private let contents = Mutex(Contents())
    private let limit: Int

    /// A mailbox for at least one state.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Puts a newer state in; when it is full the newest takes the place of the one before.
    func put(_ state: TopicState) {
        let reader = contents.withLock { contents -> CheckedContinuation<TopicState?, Never>? in
            guard !contents.isFinished else { return nil }
            if let reader = contents.reader {
                contents.reader = nil
                return reader
            }
            if contents.states.count >= limit { contents.states.removeLast() }
            contents.states.append(state)
            return nil
        }
        reader?.resume(returning: state)
    }

    /// No more states come; what is there can still be read.
    func finish() {
        let reader = contents.withLock { contents in
            defer { contents.reader = nil }
            contents.isFinished = true
            return contents.reader
        }
        reader?.resume(returning: nil)
    }

    /// The next state; nil at the end and when the reading task is cancelled, which ends the reading.
    func next() async -> TopicState? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = contents.withLock { contents -> TopicState?? in
                    if let first = contents.states.popFirst() { return .some(first) }
                    if contents.isFinished || contents.reader != nil { return .some(nil) }
                    contents.reader = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            finish()
        }
    }
}
