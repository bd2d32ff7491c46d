//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FileCache
import Model
import Synchronization

/// Reads pages, and keeps the lists that were read last open. Several threads may read at the same time: none waits for another's disk.
final class PageReader: Sendable {
    private struct Shelf {
        var lists = RecentReaders<ListReader>()
        var orders = RecentReaders<OrderReader>()
        /// Objects that could not be read since they were last taken.
        var suspects: [ObjectDigest] = []
    }

    private let cache: FileCache
    private let shelf = Mutex(Shelf())
    /// About so many bytes of items in one page; the rest is on the next one.
    private static let replyByteCount = 1 << 19
    /// The largest item that a page has: a client's socket takes as much, and room for the envelope.
    private static let itemByteCount = MessageBounds.frameByteCount

    init(cache: FileCache) { self.cache = cache }

    /// Gives the objects that could not be read, once.
    func takeSuspects() -> [ObjectDigest] {
        shelf.withLock { shelf in
            defer { shelf.suspects.removeAll() }
            return shelf.suspects
        }
    }

    /// Whether files are kept open.
    var hasOpenFiles: Bool { shelf.withLock { $0.lists.count + $0.orders.count > 0 } }

    /// Closes files that were not read since then.
    func closeUnused(since instant: MonotonicTime) {
        shelf.withLock { shelf in
            shelf.lists.closeUnused(since: instant)
            shelf.orders.closeUnused(since: instant)
        }
    }

    /// The page that is asked for, or why there is none.
    /// - Parameter now: the time of the clock by which files that nobody reads are closed.
    func page(_ request: PageRequest, at now: MonotonicTime = MonotonicTime(nanoseconds: 0)) -> PageReply {
        do throws(FileCacheError) { return try read(request, at: now) } catch {
            guard error.reportsDamage else { return PageReply(number: request.number, failure: Failure(error, of: request)) }
            forget(error.digest ?? request.content)
        }
        // Once more by another handle: another file may have the name by now.
        do throws(FileCacheError) { return try read(request, at: now) } catch {
            if error.reportsDamage {
                let object = error.digest ?? request.content
                shelf.withLock { $0.suspects.append(object) }
                forget(object)
            }
            return PageReply(number: request.number, failure: Failure(error, of: request))
        }
    }

    private func read(_ request: PageRequest, at now: MonotonicTime) throws(FileCacheError) -> PageReply {
        guard !request.readsBytes else { return try readBytes(request) }
        let list = try list(request.content, at: now)
        let limit = Int(request.limit)
        let order: OrderReader? = if let digest = request.order { try self.order(digest, at: now) } else { nil }
        let count = order?.count ?? list.count
        let offset = Int(min(request.offset, UInt64(count)))
        let items: [ListItem]
        if let order {
            items = try list.page(order: order, offset: offset, limit: limit)
        } else {
            items = try list.page(offset: offset, limit: limit)
        }
        return fitting(items, PageReply(number: request.number, itemCount: UInt64(count)), from: offset)
    }

    /// A part of a stored detail. It is opened for each part: few details are that large, and most are read once.
    private func readBytes(_ request: PageRequest) throws(FileCacheError) -> PageReply {
        let (bytes, byteCount) = try cache.readPart(request.content, offset: request.offset, count: Int(request.limit))
        var reply = PageReply(number: request.number, itemCount: byteCount)
        reply.data = bytes
        return reply
    }

    private func forget(_ object: ObjectDigest) {
        shelf.withLock { shelf in
            shelf.lists.forget(object)
            shelf.orders.forget(object)
        }
    }

    /// As many items as a frame holds. An item that no frame holds is told by name, so that the reader can go on behind it.
    private func fitting(_ items: [ListItem], _ empty: PageReply, from offset: Int) -> PageReply {
        var reply = empty
        var byteCount = 0
        for item in items {
            let text = ItemJSON.encode(item)
            byteCount += text.count + 8
            guard text.count <= Self.itemByteCount else {
                if reply.items.isEmpty { reply.failure = tooLarge(item, text.count, at: offset) }
                break
            }
            guard reply.items.isEmpty || byteCount <= Self.replyByteCount else { break }
            reply.items.append(text)
        }
        return reply
    }

    private func tooLarge(_ item: ListItem, _ byteCount: Int, at position: Int) -> Failure {
        let id = String(item.id.prefix(60))
        let text =
            "item \"\(id)\" at \(position) has \(byteCount) bytes as JSON (limit \(Self.itemByteCount)): read on from \(position + 1), "
            + "and shorten it at the source"
        return Failure(code: .tooLarge, text: text, arguments: ["item", id, "next", String(position + 1)])
    }

    private func list(_ digest: ObjectDigest, at now: MonotonicTime) throws(FileCacheError) -> ListReader {
        if let reader = shelf.withLock({ $0.lists.reader(of: digest, at: now) }) { return reader }
        let reader = try cache.openList(digest)
        shelf.withLock { $0.lists.keep(reader, of: digest, byteCount: reader.heldByteCount, at: now) }
        return reader
    }

    private func order(_ digest: ObjectDigest, at now: MonotonicTime) throws(FileCacheError) -> OrderReader {
        if let reader = shelf.withLock({ $0.orders.reader(of: digest, at: now) }) { return reader }
        let reader = try cache.openOrder(digest)
        shelf.withLock { $0.orders.keep(reader, of: digest, byteCount: reader.heldByteCount, at: now) }
        return reader
    }
}
