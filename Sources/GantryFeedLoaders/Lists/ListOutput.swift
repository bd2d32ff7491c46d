//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryFileCache
package import GantryModel
package import GantryWorker
import Synchronization

/// A list that has been written for a load.
package struct FetchedList: Hashable, Sendable {
    package let list: ObjectReference
    /// Whether items in it lack a creation date.
    package let isUndated: Bool
}

/// A list that is being written for a load, part by part; nothing of it stays unless it is finished.
package final class ListOutput: Sendable {
    private struct Writing: ~Copyable {
        let writer: ListWriter
        var undatedCount = 0
    }

    private let writing: Mutex<Writing>
    private let share = Mutex<MemoryShare?>(nil)
    private let firstSeen: WallTime?

    /// Begins a list. Blocks.
    ///
    /// - Parameter firstSeen: creation date of items that bring none; nil leaves it open.
    /// - Throws: the cache's errors.
    package init(in cache: FileCache, firstSeen: WallTime?) throws {
        self.firstSeen = firstSeen
        writing = Mutex(Writing(writer: try cache.makeListWriter(durability: .cached)))
    }

    /// Keeps the memory that was granted for the list until it is finished or given up.
    package func hold(_ share: MemoryShare) { self.share.withLock { $0 = share } }

    /// Adds items at the end. Blocks while it writes.
    /// - Throws: the cache's errors.
    package func append(_ items: [ListItem]) throws {
        try writing.withLock { writing in
            for var item in items {
                if item.createdAt == nil {
                    writing.undatedCount += 1
                    item.createdAt = firstSeen
                }
                try writing.writer.append(item)
            }
        }
    }

    /// Adds the list to the cache. Blocks.
    /// - Throws: the cache's errors; `cancelled` once the flag is raised.
    package func finish(_ stop: StopFlag) throws -> FetchedList {
        let fetched = try writing.withLock { writing in
            let list = try writing.writer.finish { _ in !stop.isRaised }
            return FetchedList(list: list, isUndated: writing.undatedCount > 0 && firstSeen == nil)
        }
        // What comes next asks anew for all that it needs: who held this meanwhile could wait for ever.
        share.withLock { $0 = nil }
        return fetched
    }
}

extension FeedWork {
    /// The creation date of items that a load brings without one; nil: the content may know an older one.
    package var firstSeen: WallTime? { content == nil ? acceptedAt : nil }
}

extension ListWork {
    /// The result of a load whose list has just been written, in its place and with the order of the work's view.
    package func finish(_ fetched: FetchedList) throws -> FeedResult {
        try finish(fetched.isUndated ? dated(fetched.list) : fetched.list, source: .network)
    }
}

extension LoaderFailure {
    /// Names where data came from in front of what is wrong with it.
    package static func naming<Value: Sendable>(_ source: String, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let fault as JSONFault {
            throw LoaderFailure(.invalidData, "\(source): \(fault.context)", cause: fault)
        } catch var failure as LoaderFailure where failure.code == .invalidData || failure.code == .tooLarge {
            failure.context = "\(source): \(failure.context)"
            throw failure
        }
    }
}
