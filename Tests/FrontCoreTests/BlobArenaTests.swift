//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("Where arguments and results lie")
struct BlobArenaTests {
    private let chunkByteCount = 1 << 18

    @Test("a chunk is filled to its last byte")
    func full() {
        var arena = BlobArena()
        let first = arena.store(Array(repeating: 1, count: 1)[...])
        let rest = arena.store(Array(repeating: 2, count: chunkByteCount - 1)[...])
        let next = arena.store([3])
        #expect((first.chunk, rest.chunk, next.chunk) == (0, 0, 1))
    }

    @Test("as much is stored as goes: the chunks of what went take the next blobs")
    func reused() {
        var arena = BlobArena()
        let bytes = Array(repeating: UInt8(1), count: 200_000)
        var alive = [arena.store(bytes[...])]
        for _ in 0..<100 {
            alive.append(arena.store(bytes[...]))
            arena.release(alive.removeFirst())
            #expect(alive[0].chunk < 2 && arena.byteCount == 200_000)
        }
    }

    @Test("the longest argument that the journal holds has a reference")
    func longest() {
        let blob = BlobReference(chunk: 3, offset: 0, byteCount: MessageBounds.journaledPayloadByteCount)
        #expect((blob.chunk, blob.offset, blob.byteCount) == (3, 0, MessageBounds.journaledPayloadByteCount))
    }

    @Test("a blob is moved out of a chunk that is mostly dead, and of no other")
    func moved() {
        var arena = BlobArena()
        let (kept, dead) = (
            arena.store(Array(repeating: 1, count: 100_000)[...]), arena.store(Array(repeating: 2, count: 150_000)[...])
        )
        let other = arena.store(Array(repeating: 3, count: 100_000)[...])
        #expect(other.chunk == 1)
        #expect(arena.moved(kept).chunk == 0 && arena.liveByteCount == 350_000)
        arena.release(dead)
        let copy = arena.moved(kept)
        #expect(copy.chunk == 1)
        #expect(Array(arena[copy]) == Array(repeating: 1, count: 100_000))
        #expect(arena.liveByteCount == 200_000)
    }

    @Test("a blob is read as it was stored, wherever it was moved to, and all of them go again", arguments: 1...20)
    func blobs(seed: Int) {
        var random = SplitMix64(mixing: UInt64(seed))
        var arena = BlobArena()
        var known: [(blob: BlobReference, bytes: [UInt8])] = []
        for _ in 0..<800 {
            let length = [0, 0, 1, 255, 256, 65_536, 300_000].randomElement(using: &random) ?? 0
            let bytes = Array(repeating: UInt8(truncatingIfNeeded: random.next()), count: length)
            known.append((arena.store(bytes[...]), bytes))
            if random.next() % 3 == 0 { arena.release(known.remove(at: Int(random.next() % UInt64(known.count))).blob) }
            let one = Int(random.next() % UInt64(known.count + 1))
            if one < known.count { known[one].blob = arena.moved(known[one].blob) }
        }
        for (blob, bytes) in known { #expect(Array(arena[blob]) == bytes) }
        #expect(arena.liveByteCount == known.reduce(0) { $0 + $1.bytes.count })
        for (blob, _) in known { arena.release(blob) }
        #expect(arena.liveByteCount == 0)
    }

    @Test("a reference has its three numbers, up to the largest of each")
    func reference() {
        let (chunk, offset, byteCount) = ((1 << 20) - 1, (1 << 18) - 1, (1 << 26) - 1)
        for (one, two, three) in [(0, 0, 0), (chunk, 0, 1), (0, offset, 1), (1, 0, byteCount), (chunk, offset, byteCount)] {
            let blob = BlobReference(chunk: one, offset: two, byteCount: three)
            #expect((blob.chunk, blob.offset, blob.byteCount) == (one, two, three))
        }
    }

    @Test("results of jobs that end together lie in one chunk: where the one that is being filled has too little room for all, in the next")
    func together() {
        var arena = BlobArena()
        _ = arena.store(Array(repeating: 1, count: 200_000)[...])
        var results = EndedResults(Array(repeating: 2, count: 50_000) + Array(repeating: 3, count: 50_000))
        let blobs = [0..<50_000, 50_000..<50_000, 50_000..<100_000].map { results.take($0, into: &arena) }
        #expect(blobs.map(\.byteCount) == [50_000, 0, 50_000])
        #expect(blobs[0].chunk == 1 && blobs[0].offset == 0 && blobs[2].chunk == 1 && blobs[2].offset == 50_000)
        #expect(arena[blobs[0]].allSatisfy { $0 == 2 } && arena[blobs[2]].allSatisfy { $0 == 3 })
    }

    @Test("an end leaves the argument where it lies, and results of jobs that end together are copied together")
    func cheapest() {
        var state = FrontState()
        let now = WallTime(milliseconds: 1)
        let accepted = JournalEntry.AcceptedJobs(
            first: JobID(1), acceptedAt: now, rankTime: 1, submitter: .front, loader: "slow", arguments: [[1, 2], [], [3], [], []])
        state.apply(.jobsAccepted(accepted))
        let before = (1...5).map { state.jobs[$0].argument }
        var ended = JournalEntry.EndedJobs(at: now)
        for id in 1...UInt64(5) { ended.append(id, .cancelled) }
        ended.results = PackedBytes((1...5).map { $0 == 1 ? [] : [UInt8($0), UInt8($0)] })
        state.apply(.ended(ended))
        #expect((1...5).map { state.jobs[$0].argument } == before)
        let second = state.jobs[2].result
        #expect((3...5).map { state.jobs[$0].result.offset } == [2, 4, 6].map { second.offset + $0 })
        #expect((1...5).map { state.jobs.argument(of: state.jobs[$0]) } == [[1, 2], [], [3], [], []])
        #expect((1...5).map { state.jobs.result(of: state.jobs[$0]) } == [[], [2, 2], [3, 3], [4, 4], [5, 5]])
    }
}
