//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import Synchronization

/// Whether a collection runs: at most one does.
final class CollectorRun: Sendable {
    private let isRunning = Mutex(false)
    private let ended = DispatchSemaphore(value: 0)

    /// False: one runs already.
    func begin() -> Bool {
        isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
    }

    func end() {
        isRunning.withLock { $0 = false }
        ended.signal()
    }

    func wait(atMost limit: DispatchTimeInterval) -> Bool {
        let deadline = DispatchTime.now() + limit
        // Signals of earlier collections may be left.
        while isRunning.withLock({ $0 }) {
            guard ended.wait(timeout: deadline) == .success else { return false }
        }
        return true
    }
}
