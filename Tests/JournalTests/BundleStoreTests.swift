//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GRDB
import GantryModel
import TestSupport
import Testing

@testable import Journal

@Suite("Bundles of ended jobs in the journal's file")
struct BundleStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func row(_ turn: UInt64, made: [(UInt64, [UInt8])] = [], forgotten: [UInt64] = []) -> JournalRow {
        var row = JournalRow(turn: TurnNumber(turn), entries: [UInt8(turn)])
        row.bundles = EndedBundles(
            made: made.map { EndedBundles.Bundle(BundleNumber($0.0), entries: $0.1) }, forgotten: forgotten.map { BundleNumber($0) })
        return row
    }

    /// What a bundle holds, read on the journal's thread.
    private func entries(_ number: UInt64, of running: RunningJournal) -> [UInt8]? {
        running.journal.read(BundleNumber(number))
        guard case .bundle(BundleNumber(number), let entries)? = running.nextEvent() else {
            Issue.record("no bundle was read")
            return nil
        }
        return entries
    }

    @Test("a bundle is there with its row, in the next life too, until a row forgets it")
    func life() throws {
        let first = try RunningJournal(folder.path)
        try first.start()
        first.journal.append(row(1, made: [(1, [1, 2, 3]), (2, Array(repeating: 7, count: 300_000))]))
        #expect(first.nextEvent() == .durable(TurnNumber(1)))
        #expect(entries(1, of: first) == [1, 2, 3])
        #expect(entries(3, of: first) == nil)
        try first.journal.close()

        let next = try RunningJournal(folder.path)
        #expect(try next.restored().map(\.entries) == [[1]])
        try next.start()
        #expect(entries(2, of: next)?.count == 300_000)
        next.journal.append(row(2, forgotten: [2]))
        #expect(next.nextEvent() == .durable(TurnNumber(2)))
        #expect(entries(2, of: next) == nil)
        #expect(entries(1, of: next) == [1, 2, 3])
        try next.journal.close()
    }

    @Test("a row that comes again changes no bundle, and one that is fenced makes none")
    func again() throws {
        let first = try RunningJournal(folder.path, wallSeconds: 100)
        try first.start()
        for turn in [1, 2, 1] as [UInt64] {
            first.journal.append(turn == 1 ? row(1, made: [(1, [5])]) : row(2, forgotten: [1]))
            #expect(first.nextEvent() == .durable(TurnNumber(turn)))
        }
        #expect(entries(1, of: first) == nil)
        try first.journal.recordTakeover(by: Epoch(101))
        first.journal.append(row(3, made: [(4, [5])]))
        #expect(first.nextEvent() == .fenced)
        try first.journal.close()
        let next = try RunningJournal(folder.path, wallSeconds: 200)
        try next.start()
        #expect(entries(4, of: next) == nil)
        try next.journal.close()
    }

    @Test("a bundle with a flipped bit is not taken for one")
    func flipped() throws {
        let first = try RunningJournal(folder.path)
        try first.start()
        for turn in 1...3 as ClosedRange<UInt64> {
            first.journal.append(row(turn, made: [(turn, [1, 2, 3])]))
            _ = first.nextEvent()
        }
        first.journal.append(row(4, forgotten: [3]))
        _ = first.nextEvent()
        try first.journal.close()
        let file = try DatabaseQueue(path: folder.path + "/journal.sqlite")
        try file.write { try $0.execute(sql: "UPDATE bundle SET entries = x'010203FF' WHERE number = 1") }
        try file.close()
        let scratch = try TemporaryFolder()
        /// A row says which bundle its turn has made; the third one is forgotten, and no reading of it is lost.
        func entries(_ row: [UInt8]) -> [JournalEntry] {
            guard row.count == 1, row[0] < 4 else { return [.bundlesForgotten(JournalEntry.BundlesForgotten([BundleNumber(3)]))] }
            var bundle = JournalEntry.EndedBundled(BundleNumber(UInt64(row[0])), .succeeded)
            bundle.jobs = [UInt64(row[0]) * 10, UInt64(row[0]) * 10 + 4]
            return [.endedBundled(bundle)]
        }
        let lost = try JournalCheck.look(at: folder.path, copyingTo: scratch.path) { entries($0) }
        #expect(lost == .endedJobsLost([JournalCheck.LostBundle(BundleNumber(1), jobCount: 2, 10...14)]))
        let next = try RunningJournal(folder.path)
        try next.start()
        #expect(self.entries(1, of: next) == nil)
        try next.journal.close()
    }
}
