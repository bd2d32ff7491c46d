//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FeedSettings
import FileCache
import Model
import Synchronization
import WorkerKit

/// Makes a list of a JSON text as it arrives: the items of each part are cut out, mapped and written before the next part is read.
///
/// Parsing and writing are calls of their own, so that neither holds up the other's threads.
final class ListIngest: Sendable {
    private struct Text {
        var scanner: JSONScanner
        var itemCount = 0
        var undatedCount = 0
    }

    private let text: Mutex<Text>
    private let writer: Mutex<ListWriter>
    private let share = Mutex<MemoryShare?>(nil)
    private let mapper: ItemMapper
    private let firstSeen: WallTime?

    /// - Parameters:
    ///   - items: where the array is.
    ///   - firstSeen: creation date of items that bring none; nil leaves it open.
    /// - Throws: the cache's errors.
    init(cache: FileCache, items: JSONPointer, mapping: ItemMapping, firstSeen: WallTime?) throws {
        text = Mutex(Text(scanner: JSONScanner(items: items)))
        writer = Mutex(try cache.makeListWriter(durability: .cached))
        mapper = ItemMapper(mapping)
        self.firstSeen = firstSeen
    }

    /// Keeps the memory that was granted for the list until it is finished or given up.
    func hold(_ share: MemoryShare) { self.share.withLock { $0 = share } }

    /// Reads the next part.
    ///
    /// - Returns: the items that end in it.
    /// - Throws: `JSONFault` for data that is not as configured.
    func parse(_ part: [UInt8]) throws -> [ListItem] {
        try text.withLock { text in
            var items: [ListItem] = []
            var undatedCount = 0
            let earlierCount = text.itemCount
            try text.scanner.push(part) { element in
                var item = try mapper.item(from: element, position: earlierCount + items.count)
                if item.createdAt == nil {
                    undatedCount += 1
                    item.createdAt = firstSeen
                }
                items.append(item)
            }
            text.itemCount += items.count
            text.undatedCount += undatedCount
            return items
        }
    }

    /// Adds the items of a part. Blocks while it writes.
    /// - Throws: the cache's errors.
    func write(_ items: [ListItem]) throws {
        try writer.withLock { writer in
            for item in items { try writer.append(item) }
        }
    }

    /// Ends the text and adds the list to the cache. Blocks.
    ///
    /// - Returns: the list, and whether items in it lack a creation date.
    func finish(_ stop: StopFlag = StopFlag()) throws -> (list: ObjectReference, isUndated: Bool) {
        let undatedCount = try text.withLock { text in
            try text.scanner.finish()
            return text.undatedCount
        }
        let list = try writer.withLock { try $0.finish { _ in !stop.isRaised } }
        // What comes next asks anew for all that it needs: who held this meanwhile could wait for ever.
        share.withLock { $0 = nil }
        return (list, undatedCount > 0 && firstSeen == nil)
    }
}
