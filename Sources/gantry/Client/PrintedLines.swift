//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Synchronization

/// How many lines several readers have printed together; whoever prints holds the lock, so lines never mix.
final class PrintedLines: Sendable {
    let count = Mutex(0)
    /// Who reads which topic: by the one that is published, the one that was named.
    private let named = Mutex<[Topic: Topic]>([:])

    /// Whether a topic is printed under another name already.
    func isTaken(_ topic: Topic, by name: Topic) -> Bool {
        named.withLock { named in
            guard let first = named[topic] else {
                named[topic] = name
                return false
            }
            return first != name
        }
    }
}
