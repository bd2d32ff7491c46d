//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFeedSettings
import GantryFileCache
import GantryModel
import GantryWorker
import Synchronization
import TestSupport
import Testing

@testable import GantryFeedLoaders

@Suite("Loaders that write a feed", .timeLimit(.minutes(5)))
struct FeedLoaderTests {
    let bench: LoaderBench

    init() throws { bench = try LoaderBench() }

    /// A loader whose load is a closure.
    private struct Written: FeedLoader {
        let name = "cities"
        var itemLimit = 1_000
        var details: [String: String] = [:]
        let write: @Sendable (FeedLoad, FeedItems) async throws -> Void

        func load(_ feed: FeedLoad, into items: FeedItems) async throws { try await write(feed, items) }
        func detail(of id: String, in feed: FeedLoad) async throws -> String? { details[id] }
    }

    private func loader(
        _ itemLimit: Int = 1_000, resources: LoaderResources = LoaderResources(), details: [String: String] = [:],
        _ write: @escaping @Sendable (FeedLoad, FeedItems) async throws -> Void = { _, _ in }
    ) -> FeedLoaderJobs {
        FeedLoaderJobs(Written(itemLimit: itemLimit, details: details, write: write), cache: bench.cache, resources: resources)
    }

    private func settings(_ json: String = "{}", givesDetails: Bool = false) -> LoaderSettings {
        LoaderSettings(
            source: .loader(LoaderSource(name: "cities", settings: json, givesDetails: givesDetails)),
            item: ItemMapping(written: [("population", .number), ("capital", .boolean)]))
    }

    private func work(
        _ operation: FeedOperation = .load, _ settings: LoaderSettings? = nil, _ change: (inout FeedWork) -> Void = { _ in }
    ) throws -> FeedWork {
        try bench.work(operation, settings ?? self.settings(), key: "things?country=de", change)
    }

    @Test(
        "items come as they were written, in their order, dated by the job, with the order of the view; a second run gives the same objects"
    )
    func written() async throws {
        let loader = loader { _, items in
            items.expectedCount = 4
            try await items.add(FeedItem(id: "b", title: "Berlin", fields: ["population": .number(3_700_000), "capital": .bool(true)]))
            try await items.add(
                FeedItem(
                    id: "a", createdAt: WallTime(milliseconds: 1), dueAt: WallTime(milliseconds: 2), description: "old", icon: "/a.png",
                    fields: ["population": .number(250_000), "river": .text("Wurm")]))
        }
        let work = try work { $0.sort = SortOrder(field: "population") }
        let result = try await bench.run(loader, work)
        let items = try bench.items(result.content)
        #expect(items.map(\.id) == ["b", "a"] && items.map(\.title) == ["Berlin", "a"])
        #expect(items.map(\.createdAt) == [LoaderBench.acceptedAt, WallTime(milliseconds: 1)])
        #expect(items.allSatisfy { $0.origin == .source })
        #expect(items[1]["dueAt"] == .date(WallTime(milliseconds: 2)) && items[1]["description"] == .text("old"))
        #expect(items[1]["icon"] == .text("/a.png") && items[1]["river"] == .text("Wurm"))
        #expect(result.source == .network)
        let order = try #require(result.order)
        #expect(try bench.cache.openOrder(order.digest).positions(offset: 0, limit: 9) == [1, 0])
        #expect(try await bench.run(loader, work) == result)
        let reports = bench.reports.withLock { $0 }
        #expect(reports.contains(JobProgress(percent: 50, completed: 2, total: 4, unit: "items")))
    }

    @Test("the load knows its feed: parameters, settings, attempt, job and what was there before")
    func load() async throws {
        struct Settings: Decodable {
            var files: [String]
            var limit: Int
            var isStrict: Bool
        }
        let loader = loader { feed, items in
            let settings: Settings = try feed.settings()
            let before = feed.previousItemCount.map(String.init) ?? "nothing"
            let parameters = "\(feed.parameter("country") ?? "none") \(feed.parameter("size") ?? "none")"
            try await items.add(FeedItem(id: "\(feed.job) \(feed.attempt) \(before) \(parameters) \(settings)"))
        }
        let settings = settings(#"{"files":["a","b"],"limit":7,"isStrict":true}"#)
        let first = try await bench.run(loader, work(.load, settings))
        let again = try await bench.run(loader, work(.load, settings) { $0.content = first.content })
        let ids = try bench.items(first.content).map(\.id) + bench.items(again.content).map(\.id)
        #expect(ids.map { String($0.prefix(20)) } == ["7 1 nothing de none ", "7 1 1 de none Settin"])
        #expect(ids[0].contains(#"files: ["a", "b"], limit: 7, isStrict: true"#))
    }

    @Test("a refresh keeps the creation date that an item had, and takes what the source no longer has away")
    func refresh() async throws {
        let content = try bench.list([
            ListItem(id: "a", title: "A", createdAt: WallTime(milliseconds: 5)), ListItem(id: "gone", title: "gone"),
        ])
        let loader = loader { _, items in
            try await items.add(FeedItem(id: "new"))
            try await items.add(FeedItem(id: "a"))
        }
        let result = try await bench.run(loader, work { $0.content = content })
        let items = try bench.items(result.content)
        #expect(items.map(\.id) == ["new", "a"])
        #expect(items.map(\.createdAt) == [LoaderBench.acceptedAt, WallTime(milliseconds: 5)])
    }

    @Test("more items than memory may hold go to disk as they come")
    func streamed() async throws {
        let gate = Mutex(0)
        let resources = LoaderResources(memoryByteCount: 1 << 20) { gate.withLock { $0 += 1 } }
        let loader = loader(20_000, resources: resources) { _, items in
            for number in 0..<20_000 { try await items.add(FeedItem(id: "\(number)", title: String(repeating: "x", count: 100))) }
        }
        let result = try await bench.run(loader, work())
        #expect(result.content?.itemCount == 20_000)
        #expect(gate.withLock { $0 } > 40, "each 64 KiB is a call on files")
        #expect(resources.memory.counts.taken == 0)
    }

    @Test(
        "an item that cannot be is refused with its name and what to do, whatever the loader makes of the error",
        arguments: [
            (FeedItem(id: "", title: "Ulm"), FailureCode.invalidData, "an item titled \"Ulm\" has an empty id: give each item an id"),
            (FeedItem(id: String(repeating: "i", count: 1_025)), .tooLarge, "is too large: its id has 1025 bytes (limit 1024)"),
            (FeedItem(id: "ulm", title: String(repeating: "t", count: 1 << 21)), .tooLarge, "item \"ulm\" is too large: one text has"),
            (
                FeedItem(id: "ulm", fields: ["population": .text("many")]), .invalidData,
                "item \"ulm\" has a text in \"population\", and the configuration says number: correct one of the two"
            ),
            (FeedItem(id: "ulm", fields: ["capital": .number(1)]), .invalidData, "item \"ulm\" has a number in \"capital\""),
            (FeedItem(id: "ulm", fields: ["population": .number(.nan)]), .invalidData, "of item \"ulm\" is not a finite number"),
            (FeedItem(id: "ulm", fields: ["title": .text("x")]), .invalidData, "item \"ulm\" has \"title\" among its fields"),
            (FeedItem(id: "ulm", fields: ["": .bool(true)]), .invalidData, "item \"ulm\" has a field without a name"),
            (FeedItem(id: "ulm", icon: "javascript:1"), .invalidData, "item \"ulm\" has an icon that is not the address of an image"),
            (FeedItem(id: "a"), .invalidData, "items 1 and 2 have the same id"),
        ])
    func refused(item: FeedItem, code: FailureCode, says: String) async throws {
        let loader = loader { _, items in
            try await items.add(FeedItem(id: "a"))
            try? await items.add(item)
            try? await items.add(FeedItem(id: "z"))
        }
        let failure = await bench.failure(loader, try work())
        #expect(failure?.code == code && failure?.retryable == false)
        #expect(failure?.text.hasPrefix("loader cities: ") == true && failure?.text.contains(says) == true, "\(failure?.text ?? "none")")
    }

    @Test("far too many fields are refused at once with the item's name; 20,000 are no work, and come sorted")
    func manyFields() async throws {
        func item(_ count: Int, dueAt: WallTime? = nil) -> FeedItem {
            let fields = (0..<count).map { ("f\($0)", FieldValue.bool(true)) }
            return FeedItem(id: "ulm", dueAt: dueAt, fields: Dictionary(uniqueKeysWithValues: fields))
        }
        for (large, count) in [(item(70_000), 70_000), (item(65_535, dueAt: WallTime(milliseconds: 0)), 65_536)] {
            let failure = await bench.failure(loader { _, items in try await items.add(large) }, try work())
            #expect(failure?.code == .tooLarge && failure?.retryable == false)
            #expect(failure?.text == "loader cities: item \"ulm\" is too large: it has \(count) fields (limit 65535)")
        }
        let many = item(20_000, dueAt: WallTime(milliseconds: 1))
        let start = ContinuousClock.now
        let made = try FeedItemReader(ItemMapping(written: [])).item(from: many)
        // Set one by one they took minutes.
        #expect(ContinuousClock.now - start < .seconds(10))
        let names = made.fields.map(\.name)
        #expect(names.count == 20_001 && names == names.sorted() && names.first == "dueAt")
    }

    @Test("one item above the loader's limit fails the load; a limit above the worker's memory fails it before it begins")
    func limits() async throws {
        let write: @Sendable (FeedLoad, FeedItems) async throws -> Void = { _, items in
            for number in 0..<3 { try await items.add(FeedItem(id: "\(number)")) }
        }
        #expect(try await bench.run(loader(3, write), work()).content?.itemCount == 3)
        let many = await bench.failure(loader(2, write), try work())
        #expect(many?.code == .tooLarge && many?.text == "loader cities: it writes more than 2 items: write fewer, or raise its itemLimit")
        let began = Mutex(false)
        let resources = LoaderResources(memoryByteCount: 47)
        let large = await bench.failure(loader(1, resources: resources) { _, _ in began.withLock { $0 = true } }, try work())
        #expect(large?.code == .tooLarge && large?.text.contains("loader cities needs up to 48 bytes of memory") == true)
        #expect(large?.text.contains("the loader's itemLimit") == true)
        #expect(!began.withLock { $0 })
    }

    @Test("a cancel ends the load at once and leaves nothing: while it waits, while it adds, and where it ignores it")
    func cancelled() async throws {
        let waits = Gate()
        for ignoresCancel in [false, true] {
            let resources = LoaderResources()
            let loader = loader(resources: resources) { _, items in
                try await items.add(FeedItem(id: "a"))
                try? await resources.withFiles { _ in waits.pass() }
                if !ignoresCancel { try await items.add(FeedItem(id: "b")) }
            }
            let task = Task { [bench] in try await bench.run(loader, work()) }
            await waits.arrived(1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(resources.memory.counts.taken == 0)
        }
        waits.open()
        #expect(try bench.cache.byteCount() == 0)
    }

    @Test("an item that is added when the load has ended is refused")
    func late() async throws {
        let output = try ListOutput(in: bench.cache, firstSeen: nil)
        let job = JobContext(job: JobID(1), grantedAt: LoaderBench.acceptedAt)
        let items = FeedItems(Written { _, _ in }, FeedItemReader(ItemMapping(written: [])), output, LoaderResources(), job)
        _ = try await items.finish()
        await #expect(throws: LoaderFailure.self) { try await items.add(FeedItem(id: "a")) }
    }

    @Test("a setting whose value cannot be held is said in one sentence")
    func unheldSettings() async throws {
        struct Settings: Decodable {
            enum Color: String, Decodable { case gray }
            var limit: Int?
            var color: Color?
            var seal: URL?
        }
        let loader = loader { feed, _ in _ = try feed.settings(Settings.self) }
        for (json, reason) in [
            (#"{"limit":1.5}"#, "it has a value that its field cannot hold, such as 1.5 for a whole number"),
            (#"{"color":"red"}"#, #"field "color" has a value that is not allowed"#),
            (#"{"seal":""}"#, #"field "seal" has a value that is not allowed"#),
        ] {
            let failure = await bench.failure(loader, try work(.load, settings(json)))
            #expect(failure?.code == .invalidData)
            #expect(failure?.text.contains("does not fit: \(reason); correct them") == true, "\(failure?.text ?? "none")")
        }
    }

    @Test("settings that do not fit are named by their place; the loader's own failure stays as it is")
    func badSettings() async throws {
        struct Settings: Decodable {
            struct File: Decodable { var path: String }
            var files: [File]
        }
        let loader = loader { feed, _ in _ = try feed.settings(Settings.self) }
        for (json, reason) in [
            ("{}", #"field "files" is missing"#), (#"{"files":[{"path":"a"},{}]}"#, #"field "files[1].path" is missing"#),
            (#"{"files":7}"#, #"field "files" is not an array"#),
        ] {
            let failure = await bench.failure(loader, try work(.load, settings(json)))
            #expect(failure?.code == .invalidData)
            #expect(failure?.text.contains("source.settings of feed things does not fit: \(reason)") == true, "\(failure?.text ?? "none")")
        }
        let own = LoaderFailure(.unreachable, "the census is closed: come again on Monday", retryable: true)
        #expect(await bench.failure(self.loader { _, _ in throw own }, try work()) == own)
        let other = LoaderSettings(source: .loader(LoaderSource(name: "rivers")), item: ItemMapping(written: []))
        let wrong = await bench.failure(loader, try work(.load, other))
        #expect(wrong?.code == .invalidData && wrong?.text.contains("the source of feed things is not the loader cities") == true)
    }

    @Test("the detail is the item, or what the loader says of it")
    func detail() async throws {
        let content = try bench.list([ListItem(id: "a", title: "A"), ListItem(id: "b", title: "B"), ListItem(id: "c", title: "C")])
        let loader = loader(details: ["a": #"{"mayor":"Ada"}"#, "c": "none"])
        func detail(_ id: String, own: Bool = true) throws -> FeedWork {
            try work(.detail, settings(givesDetails: own)) { ($0.content, $0.itemID) = (content, id) }
        }
        #expect(try await bench.run(loader, detail("a")).detail == Array(#"{"mayor":"Ada"}"#.utf8))
        #expect(try await bench.run(loader, detail("a")).source == .network)
        #expect(try await bench.run(loader, detail("b")).detail == Array(#"{"id":"b","title":"B"}"#.utf8))
        #expect(try await bench.run(loader, detail("a", own: false)).detail == Array(#"{"id":"a","title":"A"}"#.utf8))
        let wrong = await bench.failure(loader, try detail("c"))
        #expect(wrong?.code == .invalidData)
        #expect(wrong?.text.hasPrefix("loader cities: the detail of item \"c\": invalid JSON at byte") == true, "\(wrong?.text ?? "none")")
        #expect(await bench.failure(loader, try detail("z"))?.code == .unknownItem)
    }

    @Test("what a worker asks of its loaders reaches the loader: to prepare, and to shut down")
    func prepared() async throws {
        struct Prepared: FeedLoader {
            let name = "cities"
            let calls: Recorder
            func load(_ feed: FeedLoad, into items: FeedItems) async throws {}
            func prepare() async throws { calls.add("prepare") }
            func shutdown() async { calls.add("shutdown") }
        }
        final class Recorder: Sendable {
            let words = Mutex<[String]>([])
            func add(_ word: String) { words.withLock { $0.append(word) } }
        }
        let calls = Recorder()
        for loader in [any Loader].feeds(Prepared(calls: calls), cache: bench.cache) {
            try await loader.prepare()
            await loader.shutdown()
        }
        #expect(calls.words.withLock { $0 } == ["prepare", "shutdown"])
    }

    @Test("a worker with such loaders has list, too, and no job but a feed's is done")
    func offered() async throws {
        let loaders: [any Loader] = .feeds(Written { _, _ in }, cache: bench.cache)
        #expect(loaders.map(\.name) == ["cities", LoaderName.list])
        let worker = try? Worker(
            WorkerConfiguration(endpoint: "ipc:///tmp/x", name: "w"), loaders: .feeds(Written { _, _ in }, cache: bench.cache))
        #expect(worker != nil)
        await #expect(throws: LoaderFailure(.invalidData, "the loader cities works for feeds only: use gantry feed")) {
            try await loaders[0].run(JobContext(job: JobID(1), grantedAt: LoaderBench.acceptedAt))
        }
    }
}
