//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import Synchronization

/// Whether a thread is at its work, of which at most one runs at a time; can be waited for with a bound, which joining a thread cannot.
final class ThreadRun: Sendable {
    private let isRunning = Mutex(false)
    private let ended = MonotonicSemaphore()

    /// Before the thread starts. False: one runs already.
    func begin() -> Bool {
        isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
    }

    /// At the end of the thread's body, or when it did not start.
    func end() {
        isRunning.withLock { $0 = false }
        ended.signal()
    }

    /// Waits until none runs; false: one still does after so long.
    func wait(atMost limit: Duration) -> Bool {
        // Signals of earlier runs may be left.
        ended.wait(upTo: limit) { !isRunning.withLock { $0 } }
    }
}
