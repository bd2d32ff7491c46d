//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FeedSettings
import FileCache
import Model
import Synchronization
import WorkerKit

/// Makes a list of a JSON text as it arrives: each item is cut out, mapped and written before the next one is read.
final class ListIngest: Sendable {
    private struct State {
        var scanner: JSONScanner
        let writer: ListWriter
        var undatedCount = 0
        var share: MemoryShare?
    }

    private let state: Mutex<State>
    private let mapper: ItemMapper
    private let firstSeen: WallTime?

    /// - Parameters:
    ///   - items: where the array is.
    ///   - firstSeen: creation date of items that bring none; nil leaves it open.
    /// - Throws: the cache's errors.
    init(cache: FileCache, items: JSONPointer, mapping: ItemMapping, firstSeen: WallTime?) throws {
        state = Mutex(State(scanner: JSONScanner(items: items), writer: try cache.makeListWriter(durability: .cached)))
        mapper = ItemMapper(mapping)
        self.firstSeen = firstSeen
    }

    /// Keeps the memory that was granted for the list until it is finished or given up.
    func hold(_ share: MemoryShare) { state.withLock { $0.share = share } }

    /// Reads the next part. Blocks while it writes.
    ///
    /// - Returns: how many items there are so far.
    /// - Throws: `JSONFault` for data that is not as configured; the cache's errors.
    func append(_ part: [UInt8]) throws -> Int {
        try state.withLock { state in
            let writer = state.writer
            var undatedCount = 0
            try state.scanner.push(part) { element in
                var item = try mapper.item(from: element, position: writer.count)
                if item.createdAt == nil {
                    undatedCount += 1
                    item.createdAt = firstSeen
                }
                try writer.append(item)
            }
            state.undatedCount += undatedCount
            return writer.count
        }
    }

    /// Ends the text and adds the list to the cache. Blocks.
    ///
    /// - Returns: the list, and whether items in it lack a creation date.
    func finish(_ stop: StopFlag = StopFlag()) throws -> (list: ObjectReference, isUndated: Bool) {
        try state.withLock { state in
            try state.scanner.finish()
            let list = try state.writer.finish { _ in !stop.isRaised }
            // What comes next asks anew for all that it needs: who held this meanwhile could wait for ever.
            state.share = nil
            return (list, state.undatedCount > 0 && firstSeen == nil)
        }
    }
}
