//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Platform
import Synchronization

/// Names of objects on their way from another thread to the one that turns the loop. What finds no room comes again with the next page that is asked
/// for.
final class ObjectMailbox: Sendable {
    private static let limit = 64

    private let objects = Mutex<[ObjectDigest]>([])

    /// Puts a name in, once, and wakes the loop. Any thread may call it.
    func put(_ object: ObjectDigest, wake: EventSignal) {
        objects.withLock { if $0.count < Self.limit, !$0.contains(object) { $0.append(object) } }
        wake.signal()
    }

    /// Empties it.
    func take() -> [ObjectDigest] {
        objects.withLock { objects in
            defer { objects = [] }
            return objects
        }
    }
}
