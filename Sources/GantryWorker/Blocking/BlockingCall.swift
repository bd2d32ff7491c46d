//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

/// One call that may block, and the task that waits for it. Whichever comes first ends the waiting: the call's return or the task's cancellation.
final class BlockingCall<Value: Sendable>: Sendable {
    typealias Waiter = CheckedContinuation<Value, any Error>

    private enum Phase {
        /// Nobody waits yet. Moves to waiting, abandoned.
        case new
        /// A task waits for the call's return. Moves to returned, abandoned.
        case waiting(Waiter)
        /// The task was cancelled; the call's result is for nobody. Final.
        case abandoned
        /// The call has returned. Final.
        case returned
    }

    /// Asks the call to end.
    let stop = StopFlag()
    private let phase = Mutex(Phase.new)

    /// A task begins to wait; false: it was cancelled before, and nothing is to be started.
    func wait(_ waiter: Waiter) -> Bool {
        let isCancelled = phase.withLock { phase in
            if case .abandoned = phase { return true }
            phase = .waiting(waiter)
            return false
        }
        if isCancelled { waiter.resume(throwing: CancellationError()) }
        return !isCancelled
    }

    /// The task was cancelled: it waits no longer.
    /// - Parameter note: called if the call goes on without anybody waiting for it, before it can return.
    func abandon(_ note: () -> Void) {
        stop.raise()
        let waiter = phase.withLock { phase -> Waiter? in
            switch phase {
            case .new:
                phase = .abandoned
                return nil
            case .waiting(let waiter):
                phase = .abandoned
                note()
                return waiter
            case .abandoned, .returned: return nil
            }
        }
        waiter?.resume(throwing: CancellationError())
    }

    /// The call has returned.
    /// - Returns: the waiting caller; nil: it was abandoned.
    func takeWaiter() -> Waiter? {
        phase.withLock { phase in
            guard case .waiting(let waiter) = phase else { return nil }
            phase = .returned
            return waiter
        }
    }
}
