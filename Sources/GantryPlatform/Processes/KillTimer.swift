//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform

/// Lets the kernel kill this process with SIGKILL at a time, also when it hangs or is stopped.
///
/// A worker moves the time with each renewal of its leases; if it stops renewing, nothing it runs outlives its lease. The
/// clock is `SystemClock.bootNanoseconds()`. Any thread may use it. Dropping it disarms.
package struct KillTimer: ~Copyable, Sendable {
    private let timer: Int64

    /// Makes a timer that is not armed.
    /// - Throws: the system's error when it has no timer left.
    package init() throws(SystemError) {
        var made: Int64 = 0
        try checked(unsafe gantry_kill_timer_create(&made), "making a kill timer; raise the limit of pending signals")
        timer = made
    }

    deinit {
        gantry_kill_timer_delete(timer)
    }

    /// Kills the process at this time; a time that is over kills at once. Replaces an earlier time.
    /// - Parameter bootNanoseconds: a time of `SystemClock.bootNanoseconds()`; below 1 counts as 1.
    /// - Throws: `invalidArgument` for a time the kernel cannot hold.
    package borrowing func arm(atBootNanoseconds bootNanoseconds: Int64) throws(SystemError) {
        try checked(gantry_kill_timer_set(timer, max(bootNanoseconds, 1), 1), "arming the kill timer")
    }

    /// Kills the process after this time. Replaces an earlier time.
    /// - Parameter wait: at least a nanosecond is waited.
    /// - Throws: `invalidArgument` for a time the kernel cannot hold.
    package borrowing func arm(after wait: Duration) throws(SystemError) {
        try checked(gantry_kill_timer_set(timer, max(wait.wholeNanoseconds, 1), 0), "arming the kill timer")
    }

    /// Takes the time back; the process lives on.
    /// - Throws: the system's error; it has no cause of its own.
    package borrowing func disarm() throws(SystemError) {
        try checked(gantry_kill_timer_set(timer, 0, 0), "disarming the kill timer")
    }
}
