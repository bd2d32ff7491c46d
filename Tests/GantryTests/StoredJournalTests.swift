//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import FrontCore
import GRDB
import GantryModel
import GantryWire
import Journal
import TestSupport
import Testing

/// A journal that a front of each format has written, from `Scripts/stored-journal`: whatever is changed afterwards, it is read as what it was.
@Suite("A stored journal")
struct StoredJournalTests {
    /// The formats of which one is stored.
    private static func formats() throws -> [Int] {
        try FileManager.default.contentsOfDirectory(atPath: CheckoutFolder.file("Protocol/golden").path).compactMap { name in
            name.wholeMatch(of: /journal-(\d+)\.sql/).flatMap { Int($0.1) }
        }
        .sorted()
    }

    /// The front's state behind its last row, as a restart of a front reads it; no time passes for it.
    private func restored(format: Int) throws -> FrontMachine {
        let folder = try TemporaryFolder()
        let file = try DatabaseQueue(path: folder.path + "/journal.sqlite")
        let script = try CheckoutFolder.text("Protocol/golden/journal-\(format).sql")
        try file.writeWithoutTransaction { try $0.execute(sql: script) }
        try file.close()
        let journal = try SQLiteJournal.open(folder: folder.path, wallSeconds: 1, newFrontID: FrontID(1), ballastByteCount: 1)
        var machine = FrontMachine(
            settings: FrontSettings(front: .none, epoch: .none, sessionKey: SessionKey(0, 0)),
            now: FrontTime(monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(milliseconds: 0)))
        while let row = try journal.nextRestored() {
            try machine.restore(WireCodec().decodeEntries(row.entries), turn: row.turn, isSlice: row.isSlice)
        }
        try journal.close()
        return machine
    }

    private func job(_ number: UInt64, of machine: FrontMachine) -> String? {
        guard case .job(let job)? = machine.item(ItemKey.job, of: .job(JobID(number))) else { return nil }
        let feed = [job.feed?.text, job.operation.map { "\($0)" }].compactMap(\.self)
        let options = [job.options.tagLine, job.options.limitLine, job.options.uniqueKey?.text].compactMap(\.self)
        let end = [job.failure.map { "\($0.code)" }, job.cancel == nil ? nil : "a cancel"].compactMap(\.self)
        return (["\(job.loader) \(job.state) \(job.options.priority) \(job.attempts)"] + feed + options + end).joined(separator: ", ")
    }

    @Test("of the present format there is one")
    func present() throws {
        #expect(try Self.formats().contains(Int(JournalRecord.format)))
        #expect(
            try Self.formats().allSatisfy { $0 >= Int(JournalRecord.oldestFormat) },
            "one that is not read any more is refused: see OldJournal")
    }

    @Test("gives the jobs, the limit, the pause and the lists that its front had", arguments: try StoredJournalTests.formats())
    func state(format: Int) throws {
        let machine = try restored(format: format)
        let jobs = (1...11).map { job($0, of: machine) }
        #expect(
            jobs == [
                "sleep succeeded 5 1, tag nightly", "sleep failed 5 1, invalidData",
                "missing waiting 9 0, tags nightly, shop, limit api:2, key",
                "missing cancelled 2 0, a cancel", "missing scheduled 5 0", "http succeeded 5 1, todos, load",
                "list succeeded 5 1, todos, merge",
                "list succeeded 7 1, todos, sort", "list succeeded 5 1, todos, create", "list succeeded 7 1, todos, detail", nil,
            ])
        guard case .counts(let counts)? = machine.item(ItemKey.counts, of: .jobs) else {
            Issue.record("no counts")
            return
        }
        #expect([counts.waiting, counts.scheduled, counts.succeeded, counts.failed, counts.cancelled] == [1, 1, 6, 1, 1])
        guard case .limit(let limit)? = machine.item(ItemKey.limit(named: "api"), of: .limits),
            case .pause(let pause)? = machine.item(ItemKey.pause(of: .loader("sleep")), of: .pauses)
        else {
            Issue.record("no limit, or no pause")
            return
        }
        #expect(limit.rule == LimitRule(capacity: 2) && limit.waiting == 1 && pause.until == nil)
        let todos = try #require(FeedKey(text: "todos"))
        guard case .feed(let feed)? = machine.item(ItemKey.feed, of: .feed(todos)),
            case .view(let view)? = machine.item(ItemKey.view, of: .view(todos, "shared"))
        else {
            Issue.record("no feed, or no view")
            return
        }
        #expect(feed.content?.object.itemCount == 31 && feed.content?.isPersistent == true)
        #expect(view.sort?.field == "title" && view.selection == "local-9" && view.revision?.content == feed.content?.object)
    }
}
