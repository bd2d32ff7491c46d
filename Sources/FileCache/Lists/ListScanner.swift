//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Walks over all items of a list in order, reading large chunks.
struct ListScanner {
    private var window: ListWindow
    private var position = 0

    init(_ list: ListReader) { window = ListWindow(list) }

    /// The next item with its position and place; nil at the end.
    mutating func next() throws(FileCacheError) -> (item: EncodedItem, position: UInt32, place: UInt64)? {
        guard position < window.list.count else { return nil }
        let (item, start) = try window.item(at: position)
        guard let place = OrderEntry.Place(offset: start, byteCount: item.range.count) else {
            throw .damaged(window.list.digest, "an item is larger than its bound")
        }
        defer { position += 1 }
        return (item, UInt32(position), place.packed)
    }
}
