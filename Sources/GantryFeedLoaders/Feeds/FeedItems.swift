//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFileCache
import GantryModel
import GantryWorker

/// Where a loader writes the items of a feed. They go to disk as they come, so memory grows with their number, not with their size.
///
/// One task at a time adds: tasks that fetch in parallel return what they have, and the one that waits for them adds it. Once an item was refused the
/// load fails, whatever the loader makes of the error.
public final class FeedItems {
    /// Bytes of texts that are gathered before they go to disk, about.
    private static let batchByteCount = 64 << 10
    /// What an item takes beside its texts, about; so many small ones are few enough, too.
    private static let itemByteCount = 64

    /// How many items are expected in all, where that is known: observers then see a percentage.
    public var expectedCount: Int?
    /// How many items have been added.
    public private(set) var count = 0

    private let source: String
    private let itemLimit: Int
    private let reader: FeedItemReader
    private let output: ListOutput
    private let resources: LoaderResources
    private let job: JobContext
    private var batch: [ListItem] = []
    private var batchByteCount = 0
    private var failure: (any Error)?
    private var hasEnded = false

    init(_ loader: any FeedLoader, _ reader: FeedItemReader, _ output: ListOutput, _ resources: LoaderResources, _ job: JobContext) {
        (source, itemLimit) = ("loader \(loader.name)", loader.itemLimit)
        (self.reader, self.output, self.resources, self.job) = (reader, output, resources, job)
    }

    /// Adds an item at the end. Waits where many have come since the last that went to disk.
    ///
    /// - Throws: `invalidData` or `tooLarge` naming the item, `storageFull`, `storageFailed`; `CancellationError` as soon as the load is cancelled.
    public func add(_ item: FeedItem) async throws {
        try await noting {
            try Task.checkCancellation()
            guard !self.hasEnded else {
                throw LoaderFailure(.loaderFailed, "an item was added after its load had ended: await all that adds")
            }
            guard self.count < self.itemLimit else {
                throw LoaderFailure(.tooLarge, "it writes more than \(self.itemLimit) items: write fewer, or raise its itemLimit")
            }
            try self.reader.checkFieldCount(of: item)
            let made = try self.reader.item(from: item)
            self.batch.append(made)
            self.batchByteCount += Self.itemByteCount + made.textByteCount
            self.count += 1
            if self.batchByteCount >= Self.batchByteCount { try await self.write() }
        }
        report()
    }

    /// Ends the list and adds it to the cache.
    func finish() async throws -> FetchedList {
        try await noting {
            try await self.write()
            self.hasEnded = true
            return try await self.resources.withFiles { [output = self.output] stop in try output.finish(stop) }
        }
    }

    private func write() async throws {
        guard !batch.isEmpty else { return }
        let items = batch
        (batch, batchByteCount) = ([], 0)
        try await resources.withFiles { [output] _ in try output.append(items) }
    }

    /// Remembers the first error: a list with a hole in it is never given.
    private func noting<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        if let failure { throw failure }
        do {
            return try await LoaderFailure.naming(source, body)
        } catch {
            failure = error
            throw error
        }
    }

    private func report() {
        let percent = expectedCount.flatMap { $0 > 0 ? UInt8(min(count * 100 / $0, 100)) : nil }
        job.report(
            JobProgress(percent: percent, completed: UInt64(count), total: expectedCount.map { UInt64(max($0, 0)) }, unit: "items"))
    }
}

extension ListItem {
    fileprivate var textByteCount: Int {
        fields.reduce(id.utf8.count + title.utf8.count) { sum, field in
            if case .text(let text) = field.value { return sum + field.name.utf8.count + text.utf8.count }
            return sum + field.name.utf8.count + 8
        }
    }
}
