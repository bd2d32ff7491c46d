//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import FrontCore

@Suite("Where arguments and results lie")
struct BlobArenaTests {
    private let chunkByteCount = 1 << 18

    @Test("a chunk is filled to its last byte")
    func full() {
        var arena = BlobArena()
        let first = arena.store(Array(repeating: 1, count: 1), 0..<1)
        let rest = arena.store(Array(repeating: 2, count: chunkByteCount - 1), 0..<chunkByteCount - 1)
        let next = arena.store([3], 0..<1)
        #expect((first.chunk, rest.chunk, next.chunk) == (0, 0, 1))
    }

    @Test("a blob is moved out of a chunk that is mostly dead, and of no other")
    func moved() {
        var arena = BlobArena()
        let (kept, dead) = (
            arena.store(Array(repeating: 1, count: 100_000), 0..<100_000), arena.store(Array(repeating: 2, count: 150_000), 0..<150_000)
        )
        let other = arena.store(Array(repeating: 3, count: 100_000), 0..<100_000)
        #expect(other.chunk == 1)
        #expect(arena.moved(kept).chunk == 0 && arena.liveByteCount == 350_000)
        arena.release(dead)
        let copy = arena.moved(kept)
        #expect(copy.chunk == 1)
        #expect(Array(arena[copy]) == Array(repeating: 1, count: 100_000))
        #expect(arena.liveByteCount == 200_000)
    }
}
