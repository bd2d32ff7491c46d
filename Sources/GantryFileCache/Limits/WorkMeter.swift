//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Tells a caller how far long work is, and ends the work once the caller no longer wants it.
///
/// Work asks it once a block of 64 KiB or a few thousand steps: a cancel is then noticed within milliseconds however large the list is, and
/// the question costs nothing beside the sum of a block. One owner at a time.
final class WorkMeter {
    /// Gets the part done, 0 to 1, and answers whether to go on.
    typealias Progress = (Double) -> Bool

    private let goesOn: Progress
    private var span = 0.0...1.0
    private var part = 0.0

    init(_ goesOn: @escaping Progress = { _ in true }) { self.goesOn = goesOn }

    /// What follows is this span of the whole work.
    func begin(_ span: ClosedRange<Double>) {
        self.span = span
        part = max(part, span.lowerBound)
    }

    /// So many steps of the span are done.
    ///
    /// - Throws: `cancelled` when the caller wants it no longer.
    func reach(_ steps: Int, of count: Int) throws(FileCacheError) {
        let done = min(1, Double(steps) / Double(max(count, 1)))
        part = max(part, span.lowerBound + (span.upperBound - span.lowerBound) * done)
        try check()
    }

    /// Comparisons of a sort after which its caller is asked: a few milliseconds, so that a stop is felt at once and the asking is not.
    static let comparisonsBetweenLooks = 1 << 16

    /// Asks whether to go on, at the part that was reached last.
    ///
    /// - Throws: `cancelled` when the caller wants it no longer.
    func check() throws(FileCacheError) {
        guard goesOn(part) else { throw FileCacheError(.cancelled, "the work was stopped by its caller") }
    }
}

extension Array {
    /// Sorts, asking the meter now and then: millions of ids or keys take seconds.
    mutating func sort(asking meter: WorkMeter, by precedes: (Element, Element) -> Bool) throws(FileCacheError) {
        var comparisons = 0
        do {
            try sort { left, right in
                comparisons &+= 1
                if comparisons.isMultiple(of: WorkMeter.comparisonsBetweenLooks) { try meter.check() }
                return precedes(left, right)
            }
        } catch let error as FileCacheError {
            throw error
        } catch {
            throw FileCacheError(.ioFailed, "sorting ended with \(error)")
        }
    }
}
