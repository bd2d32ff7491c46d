//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Synchronization

/// One observed topic and everybody who reads it.
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

    /// Tells every reader that no more comes.
    func finish() {
        let readers = contents.withLock { $0.readers }
        for reader in readers { reader.finish() }
    }
}
