//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// An instant of a clock that never goes back and counts while the machine sleeps (CLOCK_BOOTTIME). For leases and time-outs.
///
/// Usable from inline for the compiler: without that, generic code of other modules looks its conformance up at run time, in each heap of
/// deadlines, which took 3 % of a small turn.
@frozen @usableFromInline
package struct MonotonicTime: InstantProtocol {
    /// Nanoseconds since an arbitrary start.
    @usableFromInline package let nanoseconds: Int64

    /// An instant, in nanoseconds since the clock's arbitrary start.
    @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Later than every deadline that is ever set.
    @usableFromInline package static let distantFuture = MonotonicTime(nanoseconds: .max)

    /// Earlier instants are smaller.
    @inlinable package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The instant a length of time later, less than a nanosecond cut; stays at the end of time instead of overflowing.
    @inlinable package func advanced(by duration: Duration) -> Self {
        // The same as `addingClamped`, which other modules could not inline.
        let distance = duration.wholeNanoseconds
        let (sum, isBeyond) = nanoseconds.addingReportingOverflow(distance)
        return Self(nanoseconds: isBeyond ? (distance < 0 ? .min : .max) : sum)
    }

    /// The length of time from this instant to another; negative if that is earlier.
    @inlinable package func duration(to other: Self) -> Duration { .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds) }

    /// The length of time since another instant; negative if that is later.
    @inlinable package func duration(since earlier: Self) -> Duration { earlier.duration(to: self) }
}

/// The two clocks of the front, read together once a turn.
@frozen
package struct FrontTime: Hashable, Sendable {
    /// For leases, heartbeats and time-outs.
    package var monotonic: MonotonicTime
    /// For ranks, freshness and what people see.
    package var wall: WallTime

    /// Joins the two readings.
    package init(monotonic: MonotonicTime, wall: WallTime) {
        self.monotonic = monotonic
        self.wall = wall
    }

    /// By how much the wall clock was set since an earlier reading of both: what it shows beside the time that has passed.
    package func duration(setSince earlier: FrontTime) -> Duration {
        wall.duration(since: earlier.wall) - monotonic.duration(since: earlier.monotonic)
    }
}

/// Sums and differences of what clocks show, in their units. Journals and peers say numbers of any size, and none of them may end a process, or make
/// the beginning of time of its end: what is beyond all numbers is the last one on that side.
extension Int64 {
    /// The sum, or the last number on its side.
    @usableFromInline package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the last number on its side.
    package func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }
}

/// Lengths of time as whole numbers, for what is stored or sent with a unit in its name. Peers say numbers of any size, so none of these overflows:
/// what does not fit is the least or the greatest number that does.
extension Duration {
    /// Whole nanoseconds; less than one is cut.
    @usableFromInline package var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }

    /// Whole milliseconds, rounded down: -0.5 ms is -1.
    @usableFromInline package var wholeMilliseconds: Int64 {
        let (quotient, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return Int64(clamping: rest < 0 ? quotient - 1 : quotient)
    }

    /// Whole milliseconds, rounded up, so that a wait of this length is long enough.
    package var millisecondsRoundedUp: Int64 {
        let (quotient, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return Int64(clamping: rest > 0 ? quotient + 1 : quotient)
    }

    /// Seconds and parts of them, about.
    package var inSeconds: Double { Double(attoseconds) / 1e18 }

    /// The seconds for people: `2 s`, `0.25 s`.
    package var line: String {
        // As a number of attoseconds a whole one may be a little more or less as a floating one.
        let milliseconds = wholeMilliseconds
        let isWhole = self == .milliseconds(milliseconds)
        if isWhole, milliseconds % 1_000 == 0 { return "\(milliseconds / 1_000) s" }
        return (isWhole ? "\(Double(milliseconds) / 1_000)" : "\(inSeconds)") + " s"
    }

    /// The same in the largest unit of which a long one is a whole number: `10 min`, `1 h`.
    package var longLine: String {
        guard let written = asWritten, ["d", "h", "m"].contains(written.unit) else { return line }
        return "\(written.number) \(written.unit == "m" ? "min" : written.unit)"
    }

    /// As people write it in a configuration, in the largest unit of which it is a whole number: 7 and `d`. Nil: it is less than a millisecond.
    package var asWritten: (number: Int64, unit: String)? {
        let milliseconds = wholeMilliseconds
        let units: KeyValuePairs<String, Int64> = ["d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1]
        guard milliseconds > 0, let unit = units.first(where: { milliseconds % $0.value == 0 }) else { return nil }
        return (milliseconds / unit.value, unit.key)
    }

    /// Seconds and parts of them, as near as nanoseconds come; what is beyond the whole nanoseconds of an `Int64` is the last of them, some 292
    /// years, and what is no number is none.
    package init(clampingSeconds seconds: Double) {
        let nanoseconds = (seconds * 1e9).rounded()
        guard abs(nanoseconds) < 9.2e18 else {
            self = .nanoseconds(nanoseconds.isNaN ? 0 : nanoseconds < 0 ? Int64.min : Int64.max)
            return
        }
        self = .nanoseconds(Int64(nanoseconds))
    }

    /// So many times as long; stays at the longest there is instead of overflowing.
    package func multiplied(by count: Int64) -> Duration {
        let (product, isTooLong) = attoseconds.multipliedReportingOverflow(by: Int128(count))
        guard isTooLong else { return Duration(attoseconds: product) }
        return Duration(attoseconds: (attoseconds < 0) == (count < 0) ? .max : .min)
    }
}

/// The clock of lengths of time that outlast a front, in milliseconds: a delay goes on while no front runs, and no step of the wall clock
/// moves its end.
///
/// It is the boot clock of the machine, which another boot starts again: then this one goes on from the latest time that an entry has said, so
/// that what was left of a length begins anew, for nobody knows how long the machine was off.
package struct LengthClock: Hashable, Sendable {
    /// The boot that it goes by; empty: unknown, which no other boot is equal to.
    package private(set) var bootID: String
    /// What it shows more than the boot clock.
    package private(set) var offset: Int64
    /// The latest time that an entry has said.
    package private(set) var level: Int64

    /// A clock as it was stored; one of no boot yet shows 0 when it begins.
    package init(bootID: String = "", offset: Int64 = 0, level: Int64 = 0) {
        (self.bootID, self.offset, self.level) = (bootID, offset, level)
    }

    /// An epoch begins in a boot of the machine.
    package mutating func begin(_ epoch: JournalEntry.EpochBegan) {
        if epoch.bootID.isEmpty || epoch.bootID != bootID {
            (bootID, offset) = (epoch.bootID, level.subtractingClamped(epoch.bootMilliseconds))
        }
        note(epoch.bootMilliseconds.addingClamped(offset))
    }

    /// An entry says what it showed.
    package mutating func note(_ time: Int64) { level = max(level, time) }

    /// What it shows; never less than an entry has said.
    package func time(at now: MonotonicTime) -> Int64 {
        max(level, now.duration(since: MonotonicTime(nanoseconds: 0)).wholeMilliseconds.addingClamped(offset))
    }

    /// When it shows a time, by the boot clock, rounded so that it is not early.
    package func instant(of time: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(by: .milliseconds(max(0, time.subtractingClamped(offset))))
    }
}
