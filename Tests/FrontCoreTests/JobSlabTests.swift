//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Records of jobs")
struct JobSlabTests {
    @Test("a worker may list nothing for as long as it likes: what it missed has a last number")
    func missed() {
        var record = JobRecord(id: 1)
        #expect((0..<300).map { _ in record.noteMissed() }.max() == .max)
        #expect(record.missed == .max)
    }

    @Test("a page from an old mark looks at what is below it, not at all that is newer")
    func oldMark() {
        var slab = JobSlab()
        for id: UInt64 in 1...20_000 {
            slab.insert(JobRecord(id: id))
        }
        var seen: [UInt64] = []
        let looked = slab.visit(below: 3) { record in
            seen.append(record.id)
            return true
        }
        #expect(seen == [2, 1] && looked <= 300)
        #expect(slab.visit(below: nil) { $0.id > 19_990 } <= 300)
        #expect(slab.visit(below: .max) { _ in false } <= 300)
        #expect(slab.visit(below: 0) { _ in true } <= 300)
    }

    @Test("jobs a hundred million numbers apart are found without a look at what is between them")
    func farApart() {
        var slab = JobSlab()
        func insert(_ id: UInt64) {
            slab.insert(JobRecord(id: id))
        }
        let (old, new): ([UInt64], [UInt64]) = ([7, 300], [100_000_300, 100_000_900])
        for id in old + new { insert(id) }
        var next: UInt64? = 1
        var parts: [[UInt64]] = []
        while let from = next {
            let part = slab.ids(from: from, chunkLimit: 2)
            parts.append(part.ids)
            next = part.next
        }
        #expect(parts == [old, new])
        var seen: [UInt64] = []
        let looked = slab.visit(below: nil) { record in
            seen.append(record.id)
            return true
        }
        #expect(seen == new.reversed() + old.reversed() && looked <= 4 * 257)
        // What came first is gone, and something older comes back, as from a checkpoint.
        for id in old { slab.remove(id) }
        #expect(slab.ids(from: 1, chunkLimit: 2).ids == new && slab.ids(from: 1, chunkLimit: 2).next == nil)
        insert(5)
        #expect(slab.ids(from: 1, chunkLimit: 9).ids == [5] + new)
        #expect(slab.ids(from: 0, chunkLimit: 0).ids.isEmpty && slab.ids(from: .max, chunkLimit: 9).next == nil)
    }

    @Test("when all jobs are gone the next one has its place, and older ones are not known")
    func emptied() {
        var slab = JobSlab()
        func record(_ id: UInt64) -> JobRecord {
            JobRecord(id: id)
        }
        for id: UInt64 in 1...40_000 { slab.insert(record(id)) }
        for id: UInt64 in 1...40_000 { slab.remove(id) }
        slab.insert(record(40_001))
        #expect(slab.contains(40_001) && !slab.contains(40_000) && !slab.contains(1))
        #expect(slab[40_001].id == 40_001)
        // However far it is from where the last one was, room is kept from there on.
        slab.remove(40_001)
        #expect(slab.lowest == nil && slab.ids(from: 0, chunkLimit: 9).ids.isEmpty && slab.visit(below: nil) { _ in true } == 0)
        for id: UInt64 in [1 << 30, 7] {
            slab.insert(record(id))
            #expect(slab.lowest == id / 256 * 256 && slab[id].id == id && slab.ids(from: 0, chunkLimit: 9).ids == [id])
            slab.remove(id)
        }
    }

    @Test("empty chunks at the beginning go once they are as many as those behind them, or more than 4,096")
    func leadingChunks() {
        func slab(_ chunks: some Sequence<UInt64>) -> JobSlab {
            var slab = JobSlab()
            for chunk in chunks { slab.insert(JobRecord(id: chunk * 256 + 1)) }
            return slab
        }
        var dense = slab(0..<128)
        for chunk: UInt64 in 0..<63 { dense.remove(chunk * 256 + 1) }
        #expect(dense.lowest == 0)
        dense.remove(63 * 256 + 1)
        #expect(dense.lowest == 64 * 256 && dense.count == 64)
        // So few chunks stay as they are.
        dense.remove(64 * 256 + 1)
        #expect(dense.lowest == 64 * 256 && dense.count == 63)
        for (second, lowest): (UInt64, UInt64) in [(4_096, 0), (4_097, 4_097 * 256)] {
            var sparse = slab([0, second, 20_000])
            sparse.remove(1)
            #expect(sparse.lowest == lowest && sparse.contains(second * 256 + 1) && sparse.contains(20_000 * 256 + 1))
        }
    }

    @Test("a checkpoint stores none of the flags that are of one life, and each of the others where an entry has it")
    func storedFlags() {
        let oneLife: [JobRecord.Flags] = [.isSeen, .isBulk, .isStopping, .mayHaveNeighbors]
        for flag in oneLife { #expect(flag.stored.isEmpty, "\(flag)") }
        let durable: [(JobRecord.Flags, JournalEntry.StoredJobs.Flags)] = [
            (.reportsOutcome, .reportsOutcome), (.suspected, .suspected), (.isFeedJob, .isFeedJob),
        ]
        for (flag, stored) in durable { #expect(flag.stored == stored && JobRecord.Flags(stored) == flag) }
        let all = oneLife + durable.map(\.0)
        #expect(
            Set(all.map(\.rawValue)).count == 7 && all.reduce(0) { $0 | $1.rawValue } == 127,
            "no two have one bit, and each bit is looked at")
    }

    @Test("groups of chunks without jobs hide none of the jobs below them")
    func emptyGroups() {
        var slab = JobSlab()
        // The first number of a group of 1,024 chunks of 256, with two groups below it in which nobody is.
        let first: UInt64 = 3 * 1_024 * 256
        for id in [7, first] { slab.insert(JobRecord(id: id)) }
        var seen: [UInt64] = []
        slab.visit(below: nil) { record in
            seen.append(record.id)
            return true
        }
        #expect(seen == [first, 7])
    }
}
