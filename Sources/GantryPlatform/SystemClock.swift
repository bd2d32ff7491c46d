//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform

/// Reads the clocks of the system. Machines never call it: time is given to them.
package enum SystemClock {
    /// Nanoseconds of the monotonic clock, which stands still while the machine sleeps. Only differences mean something.
    package static func monotonicNanoseconds() -> Int64 {
        gantry_clock_nanoseconds(Int32(gantry_clock_monotonic))
    }

    /// Nanoseconds since the machine started, sleep included. This is the clock of leases and of `KillTimer`.
    package static func bootNanoseconds() -> Int64 {
        gantry_clock_nanoseconds(Int32(gantry_clock_boot))
    }

    /// Milliseconds since 1970-01-01 UTC. It may jump in both directions.
    package static func wallMilliseconds() -> Int64 {
        gantry_clock_nanoseconds(Int32(gantry_clock_wall)) / 1_000_000
    }

    /// Nanoseconds of processor time that the calling thread has had.
    package static func threadNanoseconds() -> Int64 {
        gantry_clock_nanoseconds(Int32(gantry_clock_thread))
    }

    /// Lets the calling thread do nothing for so long. For threads that may wait, and for what nothing else tells of.
    package static func pause(for length: Duration) {
        gantry_pause(length.waitMilliseconds)
    }
}

/// Random numbers of the kernel, good enough for identifiers and keys.
package enum SystemRandom {
    /// 64 random bits.
    /// - Throws: the system's error where `getrandom` is forbidden; nothing else can fail.
    package static func next() throws(SystemError) -> UInt64 {
        var value: UInt64 = 0
        try checked(unsafe gantry_random(&value), "reading random bits; allow the getrandom system call")
        return value
    }
}

extension Duration {
    /// Whole nanoseconds, kept within `Int64`.
    var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }

    /// Whole milliseconds, rounded up, kept within 0 and about 31 years.
    var waitMilliseconds: Int64 {
        let nanoseconds = min(max(wholeNanoseconds, 0), 1_000_000_000_000_000_000)
        return (nanoseconds + 999_999) / 1_000_000
    }
}
