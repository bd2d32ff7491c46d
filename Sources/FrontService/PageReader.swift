//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FileCache
import Model

/// Reads pages, and keeps the lists that were read last open.
struct PageReader {
    private let cache: FileCache
    private var lists: [ListReader] = []
    private var orders: [OrderReader] = []
    /// Objects that could not be read since they were last taken.
    private var damaged: [ObjectDigest] = []
    private static let openLimit = 32
    private static let replyByteCount = 1 << 19

    init(cache: FileCache) { self.cache = cache }

    /// Gives the objects that could not be read, once.
    mutating func takeDamaged() -> [ObjectDigest] {
        defer { damaged.removeAll() }
        return damaged
    }

    /// The page that is asked for, or why there is none.
    mutating func page(_ request: PageRequest) -> PageReply {
        do throws(FileCacheError) {
            let list = try list(request.content)
            let limit = Int(min(max(request.limit, 1), 1_000))
            let order: OrderReader? = if let digest = request.order { try self.order(digest) } else { nil }
            let count = order?.count ?? list.count
            let offset = Int(min(request.offset, UInt64(count)))
            let items: [ListItem]
            if let order {
                items = try list.page(order: order, offset: offset, limit: limit)
            } else {
                items = try list.page(offset: offset, limit: limit)
            }
            return PageReply(number: request.number, items: fitting(items), itemCount: UInt64(count))
        } catch {
            noteDamage(error, of: request)
            return PageReply(number: request.number, failure: failure(error))
        }
    }

    /// A damaged object is not kept open: the next one of its name may be whole.
    private mutating func noteDamage(_ error: FileCacheError, of request: PageRequest) {
        guard error.code == .damaged || error.code == .notFound else { return }
        let object = error.digest ?? request.content
        damaged.append(object)
        lists.removeAll { $0.digest == object }
        orders.removeAll { $0.digest == object }
    }

    /// As many items as a frame holds.
    private func fitting(_ items: [ListItem]) -> [[UInt8]] {
        var texts: [[UInt8]] = []
        var byteCount = 0
        for item in items {
            let text = ItemJSON.encode(item)
            byteCount += text.count + 8
            guard texts.isEmpty || byteCount <= Self.replyByteCount else { break }
            texts.append(text)
        }
        return texts
    }

    private mutating func list(_ digest: ObjectDigest) throws(FileCacheError) -> ListReader {
        if let index = lists.firstIndex(where: { $0.digest == digest }) { return lists[index] }
        let reader = try cache.openList(digest)
        if lists.count >= Self.openLimit { lists.removeFirst() }
        lists.append(reader)
        return reader
    }

    private mutating func order(_ digest: ObjectDigest) throws(FileCacheError) -> OrderReader {
        if let index = orders.firstIndex(where: { $0.digest == digest }) { return orders[index] }
        let reader = try cache.openOrder(digest)
        if orders.count >= Self.openLimit { orders.removeFirst() }
        orders.append(reader)
        return reader
    }

    private func failure(_ error: FileCacheError) -> Failure {
        let code: FailureCode = error.code == .notFound ? .unknownItem : .storageFailed
        return Failure(code: code, text: "the list cannot be read: \(error)", retryable: true)
    }
}
