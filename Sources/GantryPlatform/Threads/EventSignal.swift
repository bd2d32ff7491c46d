//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform

/// Wakes a thread that polls: any thread signals, the owner of the poller drains.
///
/// Signals add up to one: after `drain` everything that was appended before the signals must be looked at.
package final class EventSignal: Sendable {
    /// For a poller; readable while signaled. Open as long as this object lives.
    package let fileDescriptor: Int32

    /// Makes a signal that is not set.
    /// - Throws: `tooManyOpen`.
    package init() throws(SystemError) {
        fileDescriptor = try checked(gantry_eventfd(), "making an event descriptor; raise the limit of open files")
    }

    deinit {
        gantry_close(fileDescriptor)
    }

    /// Sets the signal. Never blocks; any thread may call it.
    package func signal() {
        // It cannot fail: the descriptor is ours, open, and a full counter counts as signaled.
        let code = gantry_eventfd_signal(fileDescriptor)
        precondition(code == 0, "an event descriptor was closed by somebody else")
    }

    /// Takes the signal back.
    /// - Returns: whether it was set.
    @discardableResult
    package func drain() -> Bool {
        gantry_eventfd_drain(fileDescriptor) > 0
    }
}

/// Counts signals, for threads that wait for them.
///
/// A wait with a limit goes by the monotonic clock: whoever sets the clock of the machine neither prolongs it nor cuts it short. On Linux that
/// of `DispatchSemaphore` goes by the wall clock, so sources do not use it.
package final class MonotonicSemaphore: Sendable {
    private let handle = gantry_semaphore_make()

    /// A semaphore without a signal.
    package init() {}

    deinit {
        gantry_semaphore_free(handle)
    }

    /// Lets one thread go on that waits, or the next one that would. Never blocks; any thread may call it.
    package func signal() { gantry_semaphore_signal(handle) }

    /// Waits for a signal and takes it.
    package func wait() { gantry_semaphore_wait(handle) }

    /// Waits for a signal and takes it, at most so long; with zero only one that is there already.
    /// - Returns: false when the time is over.
    package func wait(upTo limit: Duration) -> Bool { wait(until: Self.deadline(after: limit)) }

    /// Waits until something is so, which is looked at first and then after each signal, at most so long.
    /// - Returns: whether it is so.
    package func wait(upTo limit: Duration, until isSo: () -> Bool) -> Bool {
        let deadline = Self.deadline(after: limit)
        while !isSo() {
            guard wait(until: deadline) else { return isSo() }
        }
        return true
    }

    private func wait(until nanoseconds: Int64) -> Bool { gantry_semaphore_wait_until(handle, nanoseconds) == 1 }

    private static func deadline(after limit: Duration) -> Int64 {
        let (sum, isOver) = SystemClock.monotonicNanoseconds().addingReportingOverflow(max(limit, .zero).wholeNanoseconds)
        return isOver ? .max : sum
    }
}
