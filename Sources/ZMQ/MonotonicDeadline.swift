//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import Glibc

/// A moment on the monotonic clock, for waits that are interrupted and go on.
struct MonotonicDeadline {
    let nanoseconds: Int64

    init(after wait: Duration) {
        let (seconds, attoseconds) = max(wait, .zero).components
        let bounded = min(seconds, 1_000_000_000)
        nanoseconds = Self.now() + bounded * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// Whole milliseconds that are left, rounded up so that a waiter never wakes just before its time; 0 when over.
    var remainingMilliseconds: Int {
        let left = nanoseconds - Self.now()
        return left <= 0 ? 0 : Int((left + 999_999) / 1_000_000)
    }

    var timespec: Glibc.timespec {
        Glibc.timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    private static func now() -> Int64 {
        var time = Glibc.timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
