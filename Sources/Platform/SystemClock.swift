//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// Reads the clocks of the system. Machines never call it: time is given to them.
public enum SystemClock {
    /// Nanoseconds of the monotonic clock, which stands still while the machine sleeps. Only differences mean something.
    public static func monotonicNanoseconds() -> Int64 {
        gantry_clock_nanoseconds(Int32(gantry_clock_monotonic))
    }

    /// Nanoseconds since the machine started, sleep included. This is the clock of leases and of `KillTimer`.
    public static func bootNanoseconds() -> Int64 {
        gantry_clock_nanoseconds(Int32(gantry_clock_boot))
    }

    /// Milliseconds since 1970-01-01 UTC. It may jump in both directions.
    public static func wallMilliseconds() -> Int64 {
        gantry_clock_nanoseconds(Int32(gantry_clock_wall)) / 1_000_000
    }

    /// Nanoseconds of processor time that the calling thread has had.
    public static func threadNanoseconds() -> Int64 {
        gantry_clock_nanoseconds(Int32(gantry_clock_thread))
    }

    /// Lets the calling thread do nothing for so long. For threads that may wait, and for what nothing else tells of.
    public static func pause(for length: Duration) {
        gantry_pause(length.waitMilliseconds)
    }
}
