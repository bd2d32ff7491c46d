//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// A thread that can be waited for once. Dropping it lets the thread run on alone.
public struct JoinableThread: ~Copyable, Sendable {
    private let number: UInt64

    init(number: UInt64) {
        self.number = number
    }

    deinit {
        gantry_thread_detach(number)
    }

    /// Waits until the thread's body has returned. A thread must not wait for itself.
    public consuming func join() {
        let number = number
        discard self
        let code = gantry_thread_join(number)
        precondition(code == 0, "a thread waits for itself or was joined before")
    }
}
