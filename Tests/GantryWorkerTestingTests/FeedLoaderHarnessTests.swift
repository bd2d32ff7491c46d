//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFeedLoaders
import GantryModel
import GantryWorker
import GantryWorkerTesting
import TestSupport
import Testing

@testable import FeedWorkerExample

/// The example of the documentation, whose checks stand there.
@Suite("The harness of loaders of feeds", .timeLimit(.minutes(5)))
struct FeedLoaderHarnessTests {
    private let folder: TemporaryFolder
    /// Those of the example: a file of two towns.
    private let settings: String

    init() throws {
        folder = try TemporaryFolder()
        let file = folder.path + "/towns.txt"
        try "ulm;Ulm;128928\nbonn;Bonn;336465\n".write(toFile: file, atomically: true, encoding: .utf8)
        settings = #"{"file":"\#(file)"}"#
    }

    @Test("the towns of the example are written, and a load ends wherever it is cancelled")
    func towns() async throws {
        let harness = FeedLoaderHarness { _ in Towns() }
        let run = try await harness.load(settings: settings)
        #expect(run.items.map(\.title) == ["Ulm", "Bonn"])
        #expect(run.progress.last?.percent == 100)
        let report = try await harness.cancelAtEachStep(settings: settings)
        #expect(report.fault == nil)
        #expect(run.failure == nil && run.items.map(\.fields) == [["people": .number(128_928)], ["people": .number(336_465)]])
        // Two runs may differ in their steps: a blocking call that returns before its task waits needs no resumption, on a busy machine each.
        #expect(run.stepCount > 0 && report.stepCount > 0 && report.cancelCount > 0)
    }

    /// A loader whose load is a closure.
    private struct Written: FeedLoader {
        let name = "written"
        let write: @Sendable (FeedLoad, FeedItems) async throws -> Void

        func load(_ feed: FeedLoad, into items: FeedItems) async throws { try await write(feed, items) }
    }

    private func harness(_ write: @escaping @Sendable (FeedLoad, FeedItems) async throws -> Void) -> FeedLoaderHarness {
        FeedLoaderHarness { _ in Written(write: write) }
    }

    @Test("the loader knows the feed, and each part of an item comes back")
    func parts() async throws {
        let whole = FeedItem(
            id: "de", title: "Ulm", createdAt: WallTime(milliseconds: 1), dueAt: WallTime(milliseconds: 2), description: "old",
            icon: "/a.png", fields: ["river": .text("Donau")])
        let harness = harness { feed, items in
            var item = whole
            item.id = feed.parameter("country") ?? "none"
            try await items.add(item)
        }
        #expect(try await harness.load("towns?country=de").items == [whole])
        await #expect(throws: LoaderFailure(.invalidData, "\"?\" is no feed: say NAME or NAME?PARAMETER=VALUE")) {
            try await harness.load("?")
        }
    }

    @Test("a failure is returned without items, and an error that a worker would hide is thrown")
    func failures() async throws {
        let run = try await FeedLoaderHarness { _ in Towns() }.load()
        #expect(run.failure?.code == .invalidData && run.failure?.text.contains("field \"file\" is missing") == true)
        #expect(run.items.isEmpty)
        let own = harness { _, items in
            try await items.add(FeedItem(id: "a"))
            throw CocoaError(.fileNoSuchFile)
        }
        await #expect(throws: CocoaError.self) { try await own.load() }
    }

    @Test("the first step at which a load does not end is named, and files of the loader's own are looked at")
    func faults() async throws {
        let hangs = harness { feed, items in
            try await items.add(FeedItem(id: "a"))
            try await feed.blocking { _ in }
            if Task.isCancelled { await Task.detached { for await _ in AsyncStream<Void>.makeStream().stream {} }.value }
        }
        #expect(try await hangs.cancelAtEachStep(within: .milliseconds(20)).fault?.code == .didNotEnd)

        let leaves = FeedLoaderHarness { folder in
            Written { feed, items in
                try "x".write(toFile: folder + "/draft", atomically: false, encoding: .utf8)
                try await feed.blocking { _ in }
                try Task.checkCancellation()
                try FileManager.default.removeItem(atPath: folder + "/draft")
            }
        }
        #expect(try await leaves.cancelAtEachStep(within: .milliseconds(20)).fault?.files == ["draft"])
    }
}
