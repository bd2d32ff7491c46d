//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryWire
import Journal
import TestSupport
import Testing

@testable import FrontService

@Suite("A front that starts", .timeLimit(.minutes(5)))
struct FrontStartTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A front, and what it says.
    private struct Trial: Sendable {
        let front: FrontService<WireCodec, SQLiteJournalOpener>
        let notices: AsyncStream<String>
        let feed: AsyncStream<String>.Continuation

        /// Runs it on a thread of its own; once it serves it is told to stop. Returns whether it did.
        func run() async throws -> Bool {
            try await onOwnThread {
                defer { feed.finish() }
                var hasServed = false
                try front.run { _ in
                    hasServed = true
                    front.stop()
                }
                return hasServed
            }
        }
    }

    private func make(_ prefix: String, token: SharedToken? = nil) throws -> Trial {
        let (notices, feed) = AsyncStream.makeStream(of: String.self)
        let ends = prefix == "tcp" ? (1...4).map { _ in "tcp://127.0.0.1:*" } : (1...4).map { "ipc://\(folder.path)/run/\($0)" }
        var settings = FrontServiceSettings(
            folder: folder.path, endpoints: FrontEndpoints(requests: ends[0], changes: ends[1], workers: ends[2], pages: ends[3]))
        settings.token = token
        // A busy machine may not come to the next step of a test for longer than a front waits usually.
        settings.journalWait = .seconds(600)
        settings.onNotice = { feed.yield($0) }
        return Trial(front: try FrontService(settings: settings, codec: WireCodec()), notices: notices, feed: feed)
    }

    private func hold() throws -> SQLiteJournal {
        try SQLiteJournal.open(folder: folder.path + "/journal", wallSeconds: 1, newFrontID: FrontID(1), ballastByteCount: 1 << 16)
    }

    @Test("waits for who has the journal open, and says so; a second front is refused at once meanwhile, for the data folder is locked")
    func heldJournal() async throws {
        let holder = try hold()
        let first = try make("ipc")
        async let hasServed = first.run()
        var waiting = first.notices.makeAsyncIterator()
        let notice = await waiting.next()
        #expect(notice?.contains("the front waits, up to 600 s, for whoever reads or copies \(folder.path)/journal/journal.sqlite") == true)
        let second = try make("ipc").front
        let refusal = #expect(throws: FrontServiceError.self) { try second.run { _ in } }
        #expect(refusal?.code == .conflict && refusal?.summary.hasPrefix("another front (process ") == true)
        try holder.close()
        #expect(try await hasServed)
    }

    @Test("ends when it is told to while it waits")
    func stopped() async throws {
        let holder = try hold()
        let first = try make("ipc")
        async let hasServed = first.run()
        var waiting = first.notices.makeAsyncIterator()
        _ = await waiting.next()
        first.front.stop()
        #expect(try await !hasServed)
        try holder.close()
    }

    @Test("a journal that stays in use ends the front with a code after which it is started again, and damage ends it at once")
    func gracePeriod() throws {
        let holder = try hold()
        let inUse = try #require(#expect(throws: JournalError.self) { try hold() })
        try holder.close()
        var wait = JournalWait(upTo: .seconds(10))
        guard case .again(let notice?) = wait.next(after: inUse, at: MonotonicTime(nanoseconds: 5)) else {
            Issue.record("it is not waited for")
            return
        }
        #expect(notice.hasSuffix("fuser \(inUse.path)"))
        #expect(wait.next(after: inUse, at: MonotonicTime(nanoseconds: 9_999_000_000)) == .again(notice: nil))
        guard case .end(let last) = wait.next(after: inUse, at: MonotonicTime(nanoseconds: 10_000_000_005)) else {
            Issue.record("it is waited for without end")
            return
        }
        #expect(last.code == .journalFailed && inUse.mayPass)
        guard case .end(let damage) = wait.next(after: CocoaError(.fileReadCorruptFile), at: MonotonicTime(nanoseconds: 5)) else {
            Issue.record("damage is waited for")
            return
        }
        #expect(damage.code == .storage)
    }

    @Test("a front that could not start holds its folder no longer, though it is still there", arguments: ["objects/00", "run/address"])
    func unlocked(obstacle: String) async throws {
        // An object without its journal, or a folder that stands where a file is to be removed.
        let path = "\(folder.path)/\(obstacle)"
        try FileManager.default.createDirectory(atPath: path + "/full", withIntermediateDirectories: true)
        let first = try make("ipc").front
        #expect(throws: FrontServiceError.self) { try first.run { _ in } }
        try FileManager.default.removeItem(atPath: path)
        #expect(try await make("ipc").run())
        withExtendedLifetime(first) {}
    }

    @Test("over TCP it serves nobody without a token, and serves although it cannot note where it is found")
    func tcp() async throws {
        let open = try make("tcp").front
        let refusal = #expect(throws: FrontServiceError.self) { try open.run { _ in } }
        #expect(refusal?.code == .token, "\(String(describing: refusal))")
        try FileManager.default.createDirectory(atPath: folder.path + "/run/address/full", withIntermediateDirectories: true)
        let known = try make("tcp", token: RunToken.ensure(in: folder.path).shared)
        #expect(try await known.run())
        var reported = known.notices.makeAsyncIterator()
        let notice = await reported.next()
        #expect(notice?.contains("--connect tcp://127.0.0.1:") == true, "\(notice ?? "")")
    }
}
