//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedLoaders
import GantryFeedSettings
import GantryFileCache
import GantryModel
import GantryWorker
import Synchronization

/// Makes a list of a JSON text as it arrives: the items of each part are cut out, mapped and written before the next part is read.
///
/// Parsing and writing are calls of their own, so that neither holds up the other's threads.
final class ListIngest: Sendable {
    private struct Text {
        var scanner: JSONScanner
        var itemCount = 0
    }

    private let text: Mutex<Text>
    private let output: ListOutput
    private let mapper: ItemMapper

    /// - Parameters:
    ///   - items: where the array is.
    ///   - firstSeen: creation date of items that bring none; nil leaves it open.
    /// - Throws: the cache's errors.
    init(cache: FileCache, items: JSONPointer, mapping: ItemMapping, firstSeen: WallTime?) throws {
        text = Mutex(Text(scanner: JSONScanner(items: items)))
        output = try ListOutput(in: cache, firstSeen: firstSeen)
        mapper = ItemMapper(mapping)
    }

    /// Keeps the memory that was granted for the list until it is finished or given up.
    func hold(_ share: MemoryShare) { output.hold(share) }

    /// Reads the next part.
    ///
    /// - Returns: the items that end in it.
    /// - Throws: `JSONFault` for data that is not as configured.
    func parse(_ part: [UInt8]) throws -> [ListItem] {
        try text.withLock { text in
            var items: [ListItem] = []
            let earlierCount = text.itemCount
            try text.scanner.push(part) { items.append(try mapper.item(from: $0, position: earlierCount + items.count)) }
            text.itemCount += items.count
            return items
        }
    }

    /// Adds the items of a part. Blocks while it writes.
    /// - Throws: the cache's errors.
    func write(_ items: [ListItem]) throws { try output.append(items) }

    /// Ends the text and adds the list to the cache. Blocks.
    func finish(_ stop: StopFlag) throws -> FetchedList {
        try text.withLock { try $0.scanner.finish() }
        return try output.finish(stop)
    }
}

/// Gathers a JSON text of bounded size and checks its grammar as it arrives.
final class JSONIngest: Sendable {
    private struct State {
        var scanner = JSONScanner(items: nil)
        var bytes: [UInt8] = []
        var share: MemoryShare?
    }

    private let state = Mutex(State())

    /// Up to this size a text goes into a result, which keeps nothing but its bytes.
    private static let smallByteCount = MessageBounds.payloadByteCount

    /// Keeps the memory that was granted for the text as long as the text is kept, and sets it aside: an array that grows takes twice its size for a
    /// moment.
    func hold(_ share: MemoryShare) {
        state.withLock { state in
            state.share = share
            state.bytes.reserveCapacity(share.byteCount)
        }
    }

    /// Reads the next part.
    /// - Throws: `JSONFault` at the first byte that cannot be.
    func append(_ part: [UInt8]) throws {
        try state.withLock { state in
            try state.scanner.push(part) { _ in }
            state.bytes.append(contentsOf: part)
        }
    }

    /// The whole text, without a byte order mark.
    /// - Throws: `JSONFault` when it is not complete or no UTF-8.
    func finish() throws -> [UInt8] {
        try state.withLock { state in
            try state.scanner.finish()
            guard Self.isText(state.bytes) else { throw JSONFault("the JSON is not in UTF-8") }
            if state.bytes.starts(with: JSONScanner.byteOrderMark) { state.bytes.removeFirst(JSONScanner.byteOrderMark.count) }
            guard state.bytes.count <= Self.smallByteCount else { return state.bytes }
            // Not the same array: room for far more may have been set aside.
            return state.bytes.map { $0 }
        }
    }

    /// Looks at the bytes where they are: a copy would take as much again.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        do {
            _ = try UTF8Span(validating: bytes.span)
            return true
        } catch {
            return false
        }
    }
}
