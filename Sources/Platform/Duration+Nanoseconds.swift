//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Duration {
    /// Whole nanoseconds, kept within `Int64`.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLarge else { return seconds < 0 ? .min : .max }
        let (sum, isOver) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isOver ? (seconds < 0 ? .min : .max) : sum
    }

    /// Whole milliseconds, rounded up, kept within 0 and about 31 years.
    var waitMilliseconds: Int64 {
        let nanoseconds = min(max(wholeNanoseconds, 0), 1_000_000_000_000_000_000)
        return (nanoseconds + 999_999) / 1_000_000
    }
}
