//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The bounds of objects; at each the writer throws `tooLarge` and nothing is added.
package struct CacheLimits: Hashable, Sendable {
    /// Largest encoded item in bytes; at most 16 MiB - 1, which is what an order entry can say.
    package var itemByteCount: Int
    /// Largest item as JSON text in bytes, with the creation date and the origin that it may get later: escapes make a text up to six times
    /// as long, and the page service can send an item only if it fits into one frame.
    package var itemJSONByteCount: Int
    /// Most items of a list; at most 2^32 - 1. The writer holds 32 bytes an item until it finishes, and half as much again while it sorts.
    package var itemCount: Int
    /// Most content bytes of an object, written or read; at most 2^40 - 1, which is what an order entry can say. An open object holds 32
    /// bytes for each 64 KiB.
    package var objectByteCount: UInt64
    /// Most bytes of sort keys held in memory, at most 2 GiB; beyond it sorted runs go to a nameless file and are merged.
    package var sortByteCount: Int

    /// The defaults: 1 MiB an item, also as JSON, 8,388,608 items, 16 GiB an object, 128 MiB of sort keys.
    package init(
        itemByteCount: Int = 1 << 20, itemJSONByteCount: Int = 1 << 20, itemCount: Int = 1 << 23, objectByteCount: UInt64 = 1 << 34,
        sortByteCount: Int = 128 << 20
    ) {
        self.itemByteCount = min(itemByteCount, Self.largestItem)
        self.itemJSONByteCount = itemJSONByteCount
        self.itemCount = min(itemCount, Int(UInt32.max))
        self.objectByteCount = min(objectByteCount, 1 << 40 - 1)
        // A key's place in a run is said in 32 bits.
        self.sortByteCount = min(sortByteCount, 1 << 31)
    }

    /// What an order entry can say of an item's size: no reader believes more.
    static let largestItem = 1 << 24 - 1
}

/// What happens to an object's bytes before its name is given out.
package enum Durability: Hashable, Sendable {
    /// Can be loaded again: not synced, a power cut may take it (damage is found when it is read).
    case cached
    /// The user's own data: file and folders are synced to disk before `finish()` returns.
    case persistent
}

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
