//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryFeedSettings
package import GantryFileCache
package import GantryModel
package import GantryWorker
import Synchronization

/// What every loader of a feed can do with lists of the cache. All calls block.
package struct ListWork: Sendable {
    let cache: FileCache
    let job: JobContext
    let work: FeedWork
    let settings: LoaderSettings
    let stop: StopFlag

    /// Reads the settings that came with the work.
    /// - Throws: `LoaderFailure` when they cannot be read.
    init(cache: FileCache, job: JobContext, work: FeedWork, stop: StopFlag) throws(LoaderFailure) {
        (self.cache, self.job, self.work, self.stop) = (cache, job, work, stop)
        settings = try work.loaderSettings()
    }

    /// Does a whole work once its memory is there, on a thread that may wait.
    package static func run<Value: Sendable>(
        on cache: FileCache, with resources: LoaderResources, _ job: JobContext, _ work: FeedWork,
        _ body: @escaping @Sendable (ListWork) throws -> Value
    ) async throws -> Value {
        let share = try await LoadMemory(work).reserve(cache.limits, of: resources, job, work)
        return try await run(on: cache, with: resources, job, work, holding: share, body)
    }

    /// Does a part of the work with memory that is there, on a thread that may wait.
    package static func run<Value: Sendable>(
        on cache: FileCache, with resources: LoaderResources, _ job: JobContext, _ work: FeedWork, holding share: MemoryShare,
        _ body: @escaping @Sendable (ListWork) throws -> Value
    ) async throws -> Value {
        try await resources.withFiles { stop in
            // A call that was abandoned keeps its memory until it has really ended.
            try withExtendedLifetime(share) { try body(ListWork(cache: cache, job: job, work: work, stop: stop)) }
        }
    }

    /// Does the operation; a load gives the content that is there.
    package func run() throws -> FeedResult {
        switch work.operation {
        case .load: try load()
        case .merge: try merge()
        case .create: try create()
        case .update: try update()
        case .sort: try sort()
        case .detail: try detail()
        }
    }

    /// Makes the order of the work's view and looks for its selected item in a new content.
    package func finish(_ content: ObjectReference, source: ContentSource) throws -> FeedResult {
        var result = FeedResult(source: source)
        result.content = content
        try addOrder(of: content, to: &result)
        return result
    }

    private func load() throws -> FeedResult {
        if let content = work.content { return try finish(content, source: .cache) }
        return try finish(cache.makeListWriter(durability: .persistent).finish(), source: .cache)
    }

    private func merge() throws -> FeedResult {
        guard let source = work.source else {
            throw LoaderFailure(.invalidData, "the merge of \(work.key) names no fetched source: refresh the feed")
        }
        let merged = try cache.merge(
            source: source.digest, into: work.content?.digest, firstSeen: work.acceptedAt, durability: .persistent,
            progress: progress("merging"))
        return try finish(merged, source: .network)
    }

    private func create() throws -> FeedResult {
        let id = "local-\(job.job.rawValue)"
        var item = try ManualItem.read(work.item, id: id, isNew: true, mapping: settings.item)
        item.createdAt = work.acceptedAt
        item.origin = .manual
        let made = try cache.create(item, in: work.content?.digest, durability: .persistent, progress: progress("saving"))
        var result = try finish(made, source: .manual)
        result.itemID = id
        return result
    }

    private func update() throws -> FeedResult {
        let (content, id) = try target()
        let item = try ManualItem.read(work.item, id: id, isNew: false, mapping: settings.item)
        do {
            let made = try cache.update(item, in: content.digest, durability: .persistent, progress: progress("saving"))
            return try finish(made, source: .manual)
        } catch let error as FileCacheError where error.code == .unknownItem {
            throw unknownItem(id)
        }
    }

    private func sort() throws -> FeedResult {
        var result = FeedResult(source: .cache)
        if let content = work.content { try addOrder(of: content, to: &result) } else { result.selectionFound = work.itemID == nil }
        return result
    }

    private func detail() throws -> FeedResult {
        let (content, id) = try target()
        let list = try cache.openList(content.digest)
        guard let position = try list.index(ofID: id) else { throw unknownItem(id) }
        return try detail(ItemJSON.encode(list.item(at: position)), source: .cache)
    }

    /// The detail of an item inside the result, or as an object when it is over 64 KiB.
    package func detail(_ json: [UInt8], source: ContentSource) throws -> FeedResult {
        var result = FeedResult(source: source)
        if json.count <= MessageBounds.payloadByteCount {
            result.detail = json
        } else {
            result.detailObject = try cache.add(json, durability: .cached)
        }
        return result
    }

    /// Fails unless the content has the work's item.
    package func requireItem() throws {
        let (content, id) = try target()
        guard try cache.openList(content.digest).index(ofID: id) != nil else { throw unknownItem(id) }
    }

    private func target() throws(LoaderFailure) -> (content: ObjectReference, id: String) {
        guard let id = work.itemID else { throw LoaderFailure(.unknownItem, "no item of \(work.key) is named: name one by its id") }
        guard let content = work.content else { throw unknownItem(id) }
        return (content, id)
    }

    private func unknownItem(_ id: String) -> LoaderFailure {
        LoaderFailure(
            .unknownItem, "\(work.key) has no item \"\(id.prefix(60))\": refresh it or choose another",
            arguments: ["item", String(id.prefix(60))])
    }

    private func addOrder(of content: ObjectReference, to result: inout FeedResult) throws {
        let list = try cache.openList(content.digest)
        if let id = work.itemID { result.selectionFound = try list.index(ofID: id) != nil }
        guard work.sort != nil || !work.filter.isEmpty else { return }
        let doing = work.sort == nil ? "filtering" : work.filter.isEmpty ? "sorting" : "sorting and filtering"
        result.order = try cache.sort(list, by: work.sort, filter: work.filter, durability: .cached, progress: progress(doing))
    }

    /// Reports how far long work of the cache is, and stops it when the job is cancelled.
    func progress(_ message: String) -> (Double) -> Bool {
        { part in
            job.report(JobProgress(percent: UInt8(max(0, min(part, 1)) * 100), message: message))
            return !stop.isRaised
        }
    }
}

extension ListWork {
    /// Gives the items of a fetched list that lack a creation date the one they had in the content, or the job's time.
    ///
    /// A content that is gone or damaged counts as none: it is being loaded again for that very reason.
    func dated(_ list: ObjectReference) throws(FileCacheError) -> ObjectReference {
        do {
            return try cache.merge(
                source: list.digest, into: work.content?.digest, firstSeen: work.acceptedAt, durability: .cached,
                progress: progress("merging"))
        } catch {
            // What the merged list cannot be put in place for says nothing of the content.
            let isOfContent = error.digest == nil || error.digest == work.content?.digest
            guard error.reportsDamage || error.code == .mismatch, isOfContent else { throw error }
            return try cache.merge(
                source: list.digest, into: nil, firstSeen: work.acceptedAt, durability: .cached, progress: progress("merging"))
        }
    }
}

extension FeedWork {
    /// The settings that came with the work.
    /// - Throws: `invalidData` when they are not those of this version.
    package func loaderSettings() throws(LoaderFailure) -> LoaderSettings {
        do {
            return try LoaderSettings(json: settings)
        } catch {
            throw LoaderFailure(
                .invalidData, "the settings of feed \(key.name) cannot be read: front and worker must be of the same version",
                cause: error)
        }
    }
}

/// Works on lists that are in the cache: merge, create, update, sort and detail; a load gives the content that is there, or an empty list.
///
/// What it makes of an editable feed's list is synced to disk before it is reported. A second run of a job gives the same objects.
package struct ListLoader: Loader {
    /// `list`.
    package let name = LoaderName.list
    private let cache: FileCache
    private let resources: LoaderResources

    /// A loader over the worker's cache.
    /// - Parameter resources: shared with the worker's other loaders.
    package init(cache: FileCache, resources: LoaderResources = LoaderResources()) {
        self.cache = cache
        self.resources = resources
    }

    /// Does a feed's job; the result of a create is the new item's id.
    /// - Throws: `LoaderFailure` with `unknownItem`, `unknownField`, `invalidData`, `tooLarge`, `storageFull` or `storageFailed`;
    ///   `CancellationError`.
    package func run(_ job: JobContext) async throws -> LoaderResult {
        guard let work = job.feedWork else {
            throw LoaderFailure(.invalidData, "the loader list works for feeds only: use gantry feed")
        }
        let result = try await ListWork.run(on: cache, with: resources, job, work) { try $0.run() }
        return LoaderResult(bytes: Array((result.itemID ?? "").utf8), feed: result)
    }
}

/// How much memory a job on lists that are in the cache can need at most, known before it begins. Everything but merging and sorting needs none that
/// grows.
package struct LoadMemory {
    /// Bytes that a merge holds for an item: 13 for its partner and 16 for its place while that array grows; a sort holds 32 beside the key.
    static let itemByteCount = 32

    /// Whether two lists are joined by id.
    private let merges: Bool
    private let sorts: Bool
    private let content: ObjectReference?
    private let fetched: ObjectReference?

    /// - Parameter fetched: the list that has just been loaded for the work; one with undated items is merged for their dates.
    package init(_ work: FeedWork, fetched: FetchedList? = nil) {
        content = work.content
        self.fetched = fetched?.list ?? work.source
        // A filter alone is a scan, and a detail leaves the order of its view as it is.
        switch work.operation {
        case .merge: (merges, sorts) = (true, work.sort != nil)
        case .load: (merges, sorts) = (fetched?.isUndated == true, work.sort != nil)
        case .create, .update, .sort: (merges, sorts) = (false, work.sort != nil)
        case .detail: (merges, sorts) = (false, false)
        }
    }

    /// The bytes, by the bounds of the cache. Merging has ended before sorting begins.
    package func byteCount(_ limits: CacheLimits) -> Int {
        let lists = merges ? [content, fetched] : [fetched ?? content]
        let items = Self.sum(lists.map { ($0?.itemCount ?? 0) }) * Self.itemByteCount
        let keys = sorts ? min(Self.sum(lists.map { $0?.byteCount ?? 0 }) + items, limits.sortByteCount) : 0
        return merges ? max(items, keys) : keys
    }

    /// Waits until the memory is there; the job's observers see that it waits.
    package func reserve(_ limits: CacheLimits, of resources: LoaderResources, _ job: JobContext, _ work: FeedWork) async throws
        -> MemoryShare
    {
        try await resources.memory.reserve(byteCount(limits), for: "feed \(work.key)") { job.report(JobProgress(message: $0)) }
    }

    /// Bounded, so that nothing can overflow whatever an object says of itself.
    private static func sum(_ counts: [UInt64]) -> Int { counts.reduce(0) { $0 + Int(min($1, 1 << 40)) } }
}

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
