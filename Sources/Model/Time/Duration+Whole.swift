//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Lengths of time as whole numbers, for what is stored or sent with a unit in its name. Peers say numbers of any size, so none of these overflows:
/// what does not fit is the least or the greatest number that does.
extension Duration {
    /// Whole nanoseconds; less than one is cut.
    @inlinable public var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }

    /// Whole milliseconds, rounded down: -0.5 ms is -1.
    @inlinable public var wholeMilliseconds: Int64 {
        let (quotient, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return Int64(clamping: rest < 0 ? quotient - 1 : quotient)
    }

    /// Whole milliseconds, rounded up: who waits so long has waited long enough.
    @inlinable public var millisecondsRoundedUp: Int64 {
        let (quotient, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return Int64(clamping: rest > 0 ? quotient + 1 : quotient)
    }

    /// Seconds and parts of them, about.
    @inlinable public var inSeconds: Double { Double(attoseconds) / 1e18 }

    /// Seconds and parts of them, as near as nanoseconds come; what is beyond the whole nanoseconds of an `Int64` is the last of them, some 292
    /// years, and what is no number is none.
    @inlinable public init(clampingSeconds seconds: Double) {
        let nanoseconds = (seconds * 1e9).rounded()
        guard abs(nanoseconds) < 9.2e18 else {
            self = .nanoseconds(nanoseconds.isNaN ? 0 : nanoseconds < 0 ? Int64.min : Int64.max)
            return
        }
        self = .nanoseconds(Int64(nanoseconds))
    }

    /// So many times as long; stays at the longest there is instead of overflowing.
    @inlinable public func multiplied(by count: Int64) -> Duration {
        let (product, isTooLong) = attoseconds.multipliedReportingOverflow(by: Int128(count))
        guard isTooLong else { return Duration(attoseconds: product) }
        return Duration(attoseconds: (attoseconds < 0) == (count < 0) ? .max : .min)
    }
}
