//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import Synchronization

/// Whether a thread is at its work, of which at most one runs at a time; can be waited for with a bound, which joining a thread cannot.
final class ThreadRun: Sendable {
    private let isRunning = Mutex(false)
    private let ended = DispatchSemaphore(value: 0)

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
    func wait(atMost limit: DispatchTimeInterval) -> Bool {
        let deadline = DispatchTime.now() + limit
        // Signals of earlier runs may be left.
        while isRunning.withLock({ $0 }) {
            guard ended.wait(timeout: deadline) == .success else { return false }
        }
        return true
    }
}
