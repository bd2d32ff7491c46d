//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryFileCache
public import GantryModel
import GantryWorker

/// One item of a feed, as a loader writes it.
public struct FeedItem: Hashable, Sendable {
    /// Unique in its feed, and the same in each load: selections and edits are kept by it. 1 to 1,024 bytes.
    public var id: String
    /// What lists show; may be empty.
    public var title: String
    /// When the item was made; nil: when the feed had it first.
    public var createdAt: WallTime?
    /// When the item is due.
    public var dueAt: WallTime?
    /// A longer text.
    public var description: String?
    /// The address of an image: an http or https URL, or a relative path.
    public var icon: String?
    /// The further fields by name. Views can be sorted by those that the configuration declares, and those have the declared type.
    public var fields: [String: FieldValue]

    /// An item; its title is its id unless said otherwise.
    public init(
        id: String, title: String? = nil, createdAt: WallTime? = nil, dueAt: WallTime? = nil, description: String? = nil,
        icon: String? = nil, fields: [String: FieldValue] = [:]
    ) {
        (self.id, self.title) = (id, title ?? id)
        (self.createdAt, self.dueAt) = (createdAt, dueAt)
        (self.description, self.icon, self.fields) = (description, icon, fields)
    }
}

extension FeedItem {
    /// An item that a feed keeps, as a loader would write it.
    package init(_ item: ListItem) {
        self.init(id: item.id, title: item.title, createdAt: item.createdAt)
        for field in item.fields {
            switch (ItemPart(rawValue: field.name), field.value) {
            case (.dueAt, .date(let date)): dueAt = date
            case (.description, .text(let text)): description = text
            case (.icon, .text(let address)): icon = address
            case (_, let value): fields[field.name] = value
            }
        }
    }
}

/// Makes the items that a feed keeps of those that a loader writes: checks what the configuration says of them.
struct FeedItemReader: Sendable {
    private let types: [String: FieldType]

    init(_ mapping: ItemMapping) {
        types = Dictionary(mapping.fields.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
    }

    /// Before anything is made of the item, so that one with far too many fields costs nothing.
    /// - Throws: `tooLarge` naming the item.
    func checkFieldCount(of item: FeedItem) throws(LoaderFailure) {
        let count = item.fields.count + (item.dueAt == nil ? 0 : 1) + (item.description == nil ? 0 : 1) + (item.icon == nil ? 0 : 1)
        guard count > ListItem.fieldCountLimit else { return }
        throw LoaderFailure(
            .tooLarge, "item \"\(item.id.prefix(60))\" is too large: it has \(count) fields (limit \(ListItem.fieldCountLimit))")
    }

    /// - Throws: `JSONFault` naming the item, for a field whose name or type cannot be, and for an icon that is no address.
    func item(from item: FeedItem) throws(JSONFault) -> ListItem {
        var fields: [ListItem.Field] = []
        fields.reserveCapacity(item.fields.count + 3)
        for (name, value) in item.fields {
            guard !ItemPart.names.contains(name) else {
                throw fault(
                    item, "has \"\(name)\" among its fields, and that is a part of every item: choose another name, or set that part")
            }
            if let type = types[name], !value.fits(type) {
                throw fault(item, "has \(value.kind) in \"\(name)\", and the configuration says \(type.rawValue): correct one of the two")
            }
            fields.append(ListItem.Field(name: name, value: value))
        }
        if let dueAt = item.dueAt { fields.append(ListItem.Field(name: ItemPart.dueAt.rawValue, value: .date(dueAt))) }
        if let description = item.description {
            fields.append(ListItem.Field(name: ItemPart.description.rawValue, value: .text(description)))
        }
        if let icon = try icon(of: item) { fields.append(ListItem.Field(name: ItemPart.icon.rawValue, value: icon)) }
        return ListItem(id: item.id, title: item.title, createdAt: item.createdAt, fields: fields)
    }

    private func icon(of item: FeedItem) throws(JSONFault) -> FieldValue? {
        guard let icon = item.icon else { return nil }
        do throws(JSONFault) { return try ImageAddress.read(.text(icon)) } catch {
            throw fault(item, "has an icon that \(error.context): correct it, or leave it out")
        }
    }

    private func fault(_ item: FeedItem, _ what: String) -> JSONFault { JSONFault("item \"\(item.id.prefix(60))\" \(what)") }
}

extension FieldValue {
    fileprivate func fits(_ type: FieldType) -> Bool {
        switch (self, type) {
        case (.bool, .boolean), (.number, .number), (.date, .date), (.text, .string): true
        case (.bool, _), (.number, _), (.date, _), (.text, _): false
        }
    }

    /// What it is, with an article.
    fileprivate var kind: String {
        switch self {
        case .bool: "a truth value"
        case .number: "a number"
        case .date: "a date"
        case .text: "a text"
        }
    }
}

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
