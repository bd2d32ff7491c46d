//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFeedSettings
import GantryFileCache
import GantryModel
import GantryWorker
import Testing

@testable import GantryFeedLoaders

@Suite("Lists made by hand", .timeLimit(.minutes(5)))
struct ListLoaderTests {
    let bench: LoaderBench
    let loader: ListLoader

    init() throws {
        bench = try LoaderBench()
        loader = ListLoader(cache: bench.cache)
    }

    private func work(
        _ operation: FeedOperation, item: String = "", id: String? = nil, content: ObjectReference? = nil, sort: String? = nil
    ) throws -> FeedWork {
        try bench.work(operation, .manual) {
            $0.item = Array(item.utf8)
            $0.itemID = id
            $0.content = content
            $0.sort = sort.map { SortOrder(field: $0) }
        }
    }

    private var twoItems: [ListItem] {
        [
            ListItem(id: "b", title: "B", createdAt: WallTime(milliseconds: 1)),
            ListItem(id: "a", title: "A", createdAt: WallTime(milliseconds: 2)),
        ]
    }

    @Test("create appends an item with an id from the job, dated by its acceptance, with the view's order")
    func create() async throws {
        let content = try bench.list(twoItems)
        let item = #"{"title":"C \u00fc","price":2.5,"dueAt":"2026-11-21T09:30:00Z","description":null}"#
        let result = try await bench.run(loader, work(.create, item: item, content: content, sort: "title"), job: 42)
        #expect(result.itemID == "local-42")
        #expect(result.source == .manual)
        let made = try #require(try bench.items(result.content).last)
        #expect(made.id == "local-42")
        #expect(made.title == "C ü")
        #expect(made.origin == .manual)
        #expect(made.createdAt == LoaderBench.acceptedAt)
        #expect(made["price"] == .number(2.5))
        #expect(made["dueAt"] == WallTime(readingRFC3339: "2026-11-21T09:30:00Z").map { .date($0) })
        #expect(made["description"] == nil)
        let order = try #require(result.order)
        #expect(try bench.cache.openOrder(order.digest).positions(offset: 0, limit: 9) == [1, 0, 2])
        let again = try await bench.run(loader, work(.create, item: item, content: content, sort: "title"), job: 42)
        #expect(again.content == result.content)
        let first = try await bench.run(loader, work(.create, item: #"{"title":"only"}"#))
        #expect(try bench.items(first.content).map(\.title) == ["only"])
    }

    @Test(
        "an item that cannot be is refused with what is wrong",
        arguments: [
            ("", FailureCode.invalidData, "the JSON text is empty"),
            (#"{"title":"a","price":1,"price":2}"#, .invalidData, "\"price\" twice"),
            ("[1]", .invalidData, "the item is not a JSON object"), ("{}", .invalidData, "no title"),
            (#"{"title":"  "}"#, .invalidData, "no title"), (#"{"title":"x","size":1}"#, .unknownField, "size"),
            (#"{"title":"x","price":"dear"}"#, .invalidData, "price"),
            (#"{"title":"x","dueAt":"2026-02-30T00:00:00Z"}"#, .invalidData, "dueAt"),
            (#"{"title":"x","createdAt":"yesterday"}"#, .invalidData, "field \"createdAt\" is not an RFC 3339 date"),
            (#"{"title":"\ud800"}"#, .invalidData, "no title"), (#"{"title":"x","id":"mine"}"#, .invalidData, "leave \"id\" out"),
            (#"{"title":"x","id":"local-7"}"#, .invalidData, "a new item gets its id from the feed"),
            (#"{"title":5}"#, .invalidData, "the item's title is not a text"), (#"{"title":null}"#, .invalidData, "no title"),
            (#"{"title":"x","icon":"javascript:alert(1)"}"#, .invalidData, "field \"icon\" is not the address of an image"),
        ])
    func refused(item: String, code: FailureCode, says: String) async throws {
        let failure = await bench.failure(loader, try work(.create, item: item))
        #expect(failure?.code == code)
        #expect(failure?.text.contains(says) == true, "\(failure?.text ?? "no failure")")
    }

    @Test("update replaces an item at its place and marks it as edited")
    func update() async throws {
        let content = try bench.list(twoItems)
        let result = try await bench.run(loader, work(.update, item: #"{"id":"b","title":"B2"}"#, id: "b", content: content))
        let items = try bench.items(result.content)
        #expect(items.map(\.title) == ["B2", "A"])
        #expect(items.first?.origin == .edited)
        #expect(items.first?.createdAt == WallTime(milliseconds: 1))
        #expect(result.source == .manual)
        #expect(await bench.failure(loader, try work(.update, item: #"{"title":"x"}"#, id: "z", content: content))?.code == .unknownItem)
        #expect(await bench.failure(loader, try work(.update, item: #"{"title":"x"}"#, id: "z"))?.code == .unknownItem)
        let renamed = await bench.failure(loader, try work(.update, item: #"{"title":"x","id":"a"}"#, id: "b", content: content))
        #expect(renamed?.text.contains("ids never change") == true)
    }

    @Test("merge keeps the hand's items and says whether the selected one is still there")
    func merge() async throws {
        let content = try bench.list(twoItems + [ListItem(id: "local-1", title: "mine", origin: .manual)])
        var work = try work(.merge, id: "b", content: content, sort: "title")
        work.source = try bench.list([ListItem(id: "a", title: "A2")])
        let result = try await bench.run(loader, work)
        #expect(try bench.items(result.content).map(\.title) == ["A2", "mine"])
        #expect(try bench.items(result.content).first?.createdAt == WallTime(milliseconds: 2))
        #expect(!result.selectionFound)
        #expect(result.order != nil)
        work.source = nil
        #expect(await bench.failure(loader, work)?.code == .invalidData)
    }

    @Test("sort makes the order of a view, or none, and looks for the selected item")
    func sort() async throws {
        let content = try bench.list(twoItems)
        let sorted = try await bench.run(loader, work(.sort, id: "a", content: content, sort: "title"))
        let order = try #require(sorted.order)
        #expect(try bench.cache.openOrder(order.digest).positions(offset: 0, limit: 9) == [1, 0])
        #expect(sorted.selectionFound)
        #expect(sorted.content == nil)
        let plain = try await bench.run(loader, work(.sort, id: "gone", content: content))
        #expect(plain.order == nil)
        #expect(!plain.selectionFound)
    }

    @Test("the detail is the item as JSON, an object above 64 KiB")
    func detail() async throws {
        let long = String(repeating: "x", count: 70_000)
        let content = try bench.list(twoItems + [ListItem(id: "long", title: long)])
        let small = try await bench.run(loader, work(.detail, id: "a", content: content))
        #expect(String(decoding: small.detail, as: UTF8.self) == #"{"id":"a","title":"A","createdAt":"1970-01-01T00:00:00.002Z"}"#)
        let large = try #require(try await bench.run(loader, work(.detail, id: "long", content: content)).detailObject)
        #expect(try bench.cache.readBytes(large.digest, limit: 1 << 20).count > 70_000)
        #expect(await bench.failure(loader, try work(.detail, id: "z", content: content))?.code == .unknownItem)
    }

    @Test("a content that is gone from the cache is a failure of storage")
    func missingContent() async throws {
        let digest = ObjectDigest(words: (1, 2, 3, 4))
        let content = ObjectReference(digest: digest, byteCount: 1, itemCount: 1)
        #expect(await bench.failure(loader, try work(.sort, content: content, sort: "title"))?.code == .storageFailed)
    }

    @Test("a list that cannot be put in its place gives up no dates: only a content that is damaged counts as none")
    func folderInPlace() throws {
        let content = try bench.list([ListItem(id: "a", title: "A", createdAt: WallTime(milliseconds: 2))])
        let fetched = try bench.list([ListItem(id: "a", title: "A2")])
        let feed = try work(.load, content: content)
        let job = JobContext(job: JobID(7), grantedAt: LoaderBench.acceptedAt, feedWork: feed) { _ in }
        let list = try ListWork(cache: bench.cache, job: job, work: feed, stop: StopFlag())
        let made = try list.dated(fetched).digest
        #expect(try bench.cache.openList(made).page(offset: 0, limit: 9).map(\.createdAt) == [WallTime(milliseconds: 2)])
        func place(of object: ObjectDigest) -> String { "\(bench.path)/objects/\("\(object)".prefix(2))/\("\(object)".dropFirst(2))" }
        try FileManager.default.removeItem(atPath: place(of: made))
        try FileManager.default.createDirectory(atPath: place(of: made), withIntermediateDirectories: false)
        let error = #expect(throws: FileCacheError.self) { try list.dated(fetched) }
        #expect(error?.code == .folderInPlace && error?.digest == made)
        try FileManager.default.removeItem(atPath: place(of: made))
        try FileManager.default.removeItem(atPath: place(of: content.digest))
        #expect(try list.dated(fetched).digest != made)
    }
}
