//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension FileCache {
    /// Makes an order of a list: sorted, filtered, or both.
    ///
    /// Text sorts by its NFC lower-cased code points, numbers and dates by value; a field with values of several types has truth values first,
    /// then numbers, dates and texts. Missing values come last in both directions. Ties go by creation date (missing last), then by the id's
    /// UTF-8 bytes, ascending in both directions. The same list, order and filter always give the same object.
    ///
    /// - Parameters:
    ///   - list: the list to order.
    ///   - order: by what; nil keeps the list's own order.
    ///   - filter: text that the title or a text field must contain, compared like sorted text; empty keeps all items.
    ///   - durability: of the order; it can always be made again.
    ///   - progress: called with the part done (0 to 1) every few thousand items; answering false stops with `cancelled`.
    /// - Throws: `cancelled`; `damaged` when the list is; `full`, `notWritable`, `ioFailed`.
    /// - Complexity: O(n log n) time; memory within `CacheLimits.sortByteCount` and a few hundred KiB, whatever the list's size.
    public func sort(
        _ list: ListReader, by order: SortOrder?, filter: String = "", durability: Durability = .cached,
        progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(FileCacheError) -> ObjectReference {
        let meter = WorkMeter(progress)
        var writer = try OrderWriter(folder: folder, list: list.digest, durability: durability, meter)
        var sorter = ListSorter(list: list, order: order, filter: filter, limits: limits, folder: folder, meter: meter)
        try sorter.sort(into: &writer)
        return try writer.finish()
    }
}
