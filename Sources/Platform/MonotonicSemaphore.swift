//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// Counts signals, for threads that wait for them.
///
/// A wait with a limit goes by the monotonic clock: whoever sets the clock of the machine neither prolongs it nor cuts it short. On Linux that
/// of `DispatchSemaphore` goes by the wall clock, so sources do not use it.
public final class MonotonicSemaphore: Sendable {
    private let handle = gantry_semaphore_make()

    /// A semaphore without a signal.
    public init() {}

    deinit {
        gantry_semaphore_free(handle)
    }

    /// Lets one thread go on that waits, or the next one that would. Never blocks; any thread may call it.
    public func signal() { gantry_semaphore_signal(handle) }

    /// Waits for a signal and takes it.
    public func wait() { gantry_semaphore_wait(handle) }

    /// Waits for a signal and takes it, at most so long; with zero only one that is there already.
    /// - Returns: false when the time is over.
    public func wait(upTo limit: Duration) -> Bool { wait(until: Self.deadline(after: limit)) }

    /// Waits until something is so, which is looked at first and then after each signal, at most so long.
    /// - Returns: whether it is so.
    public func wait(upTo limit: Duration, until isSo: () -> Bool) -> Bool {
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
