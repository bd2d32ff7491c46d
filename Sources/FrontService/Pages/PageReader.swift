//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFileCache
import GantryModel
import GantryPlatform
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
    private static let replyByteCount = MessageBounds.halfFrameByteCount
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

    /// As many items as a frame holds. An item that no frame holds is named in the failure, so that the reader can go on after it.
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

/// The readers that were used last, kept open: at most so many, and at most so many bytes of block sums.
///
/// An open file keeps its room on the disk after it was collected, so readers that nobody uses are closed.
struct RecentReaders<Reader> {
    private struct Entry {
        let digest: ObjectDigest
        let reader: Reader
        let byteCount: Int
        var usedAt: MonotonicTime
    }

    /// Readers that are open at most.
    static var limit: Int { 32 }
    /// Bytes that they hold together at most; one alone may hold more.
    static var byteLimit: Int { 16 << 20 }

    /// Oldest use first.
    private var entries: [Entry] = []

    var count: Int { entries.count }

    /// The reader of an object, if it is open.
    mutating func reader(of digest: ObjectDigest, at now: MonotonicTime) -> Reader? {
        guard let index = entries.firstIndex(where: { $0.digest == digest }) else { return nil }
        var entry = entries.remove(at: index)
        entry.usedAt = now
        entries.append(entry)
        return entry.reader
    }

    /// Keeps a reader open, and closes those that were not used for longest to make room for it.
    mutating func keep(_ reader: Reader, of digest: ObjectDigest, byteCount: Int, at now: MonotonicTime) {
        forget(digest)
        entries.append(Entry(digest: digest, reader: reader, byteCount: byteCount, usedAt: now))
        var held = entries.reduce(0) { $0 + $1.byteCount }
        while entries.count > Self.limit || held > Self.byteLimit, entries.count > 1 { held -= entries.removeFirst().byteCount }
    }

    /// Closes the reader of an object.
    mutating func forget(_ digest: ObjectDigest) { entries.removeAll { $0.digest == digest } }

    /// Closes what was not used since then.
    mutating func closeUnused(since instant: MonotonicTime) { entries.removeAll { $0.usedAt < instant } }
}

extension Failure {
    /// Why a page could not be read, for a client: it knows objects by name, and not the words of the front's cache. The front's folder is
    /// named only when it is missing: somebody has to put it back.
    init(_ error: FileCacheError, of request: PageRequest) {
        let object = "object \(error.digest ?? request.content)"
        switch error.code {
        case .notFound:
            let text = "\(object) is not in the cache: it has been replaced, or never was; read the view's state again"
            self.init(code: .unknownItem, text: text, retryable: true)
        case .mismatch:
            let text =
                "\(object) does not fit the request: content and order belong together, bytes are those of a stored detail"
            self.init(code: .invalidData, text: text)
        case .away:
            self.init(code: .storageFailed, text: "\(object) cannot be read now: \(error.sentence)", retryable: true)
        default:
            let text = "\(object) cannot be read now, \(Self.cause(of: error)): ask again"
            self.init(code: .storageFailed, text: text, retryable: true)
        }
    }

    /// Why there is no page of a list of a user's own whose file is not there.
    init(awaited object: ObjectDigest) {
        let minutes = SuspectObjects.gracePeriod.wholeMilliseconds / 60_000
        let text =
            "object \(object) cannot be read now, its file is missing: put it back and ask again; after \(minutes) minutes the version before takes its "
            + "place"
        self.init(code: .storageFailed, text: text, retryable: true)
    }

    /// What keeps the front from reading.
    private static func cause(of error: FileCacheError) -> String {
        switch error.code {
        case .folderInPlace: "there is a folder in place of its file (gantry doctor names it)"
        case .damaged: "its bytes are not what its name says"
        case .notReadable: "the front may not open it"
        case .exhausted: "the front has no descriptor or memory left"
        default: error.systemError == 0 ? "the front's disk fails" : "the front's disk fails (system error \(error.systemError))"
        }
    }

    /// Why a request for a page is not taken.
    init(_ unreadable: UnreadablePageRequest) {
        self.init(code: .invalidData, text: "\(unreadable.error.description); see PROTOCOL.md, sections 8 and 14")
    }
}

/// Reads pages, each on a thread on which nothing else waits: a read of a disk that does not answer holds up only itself. How many are read at a
/// time is for the caller to say.
final class PageThreads: Sendable {
    /// A page that was read, or why it was not.
    struct Answer: Sendable {
        let client: PageClient
        let reply: PageReply
    }

    private struct State {
        var answers: [Answer] = []
        var idle: [CallThread] = []
        var readingCount = 0
        var hasEnded = false
    }

    /// Threads that stay when there is nothing to read.
    private let idleLimit: Int
    private let wake: EventSignal
    private let read: @Sendable (PageRequest) -> PageReply
    private let state = Mutex(State())
    /// Signaled for each read that ends after `end` was called.
    private let hasRead = MonotonicSemaphore()

    /// - Parameters:
    ///   - wake: is signaled after each answer.
    ///   - read: reads a page; may block for as long as it likes.
    init(idleLimit: Int, wake: EventSignal, read: @escaping @Sendable (PageRequest) -> PageReply) {
        (self.idleLimit, self.wake, self.read) = (idleLimit, wake, read)
    }

    /// Reads a page; its answer is among those that are taken later.
    /// - Throws: the system's error when it has no thread left.
    func begin(_ request: PageRequest, for client: PageClient) throws(SystemError) {
        let idle = state.withLock { $0.idle.popLast() }
        let thread = if let idle { idle } else { try CallThread.start(name: "page") }
        state.withLock { $0.readingCount += 1 }
        thread.make { [self] in
            let reply = read(request)
            let (stays, isAwaited) = state.withLock { state in
                state.answers.append(Answer(client: client, reply: reply))
                state.readingCount -= 1
                let stays = !state.hasEnded && state.idle.count < idleLimit
                if stays { state.idle.append(thread) }
                return (stays, state.hasEnded)
            }
            if !stays { thread.end() }
            wake.signal()
            if isAwaited { hasRead.signal() }
        }
    }

    /// Gives the answers that have come since they were last taken.
    func takeAnswers() -> [Answer] {
        state.withLock { state in
            defer { state.answers.removeAll() }
            return state.answers
        }
    }

    /// Ends the threads and waits for the reads, at most so long: those that hang are left behind.
    func end(atMost limit: Duration) {
        let idle = state.withLock { state in
            state.hasEnded = true
            defer { state.idle.removeAll() }
            return state.idle
        }
        for thread in idle { thread.end() }
        _ = hasRead.wait(upTo: limit) { state.withLock { $0.readingCount == 0 } }
    }
}
