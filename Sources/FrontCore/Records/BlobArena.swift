//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

/// Arguments and results of jobs, one blob behind the other in large chunks: no allocation a job, memory back when a chunk's last blob is freed.
struct BlobArena {
    /// One chunk and how many blobs in it are alive.
    private struct Chunk {
        var bytes: [UInt8] = []
        var liveCount = 0
        var liveByteCount = 0
    }

    // 18 bits of a `BlobReference` say where in a chunk a blob begins.
    private static let chunkByteCount = 1 << 18
    /// Empty chunks that keep their memory for the next blobs: 4 MiB in all, so that a queue that grows and shrinks a little allocates nothing, and
    /// one that was long once gives the rest back.
    private static let keptChunks = 16
    private var chunks: [Chunk] = [Chunk()]
    private var current = 0
    private var free: [Int] = []
    /// Bytes in all chunks, and those of them that belong to a blob.
    private(set) var byteCount = 0
    private(set) var liveByteCount = 0
    /// Blobs that were given back so far.
    private(set) var releasedCount: UInt64 = 0

    /// Whether more than half of the memory is kept by blobs that are small beside their chunks: they are to be moved together. Four chunks are
    /// not worth moving.
    var isSparse: Bool { byteCount > 2 * liveByteCount + 4 * Self.chunkByteCount }

    /// Copies a blob out of a chunk of which more than half is dead; the reference to the copy, else the same one.
    mutating func moved(_ blob: BlobReference) -> BlobReference {
        // The chunk that is being filled takes the copies: from itself it would only grow.
        guard blob.byteCount > 0, blob.chunk != current else { return blob }
        let chunk = chunks[blob.chunk]
        guard chunk.liveByteCount * 2 < chunk.bytes.count else { return blob }
        let copy = store(self[blob])
        drop(blob)
        return copy
    }

    private mutating func keep(_ count: Int, in chunk: Int) {
        chunks[chunk].liveCount += 1
        chunks[chunk].liveByteCount += count
        liveByteCount += count
    }

    /// Where the bytes of many blobs were copied to at once.
    struct Run {
        fileprivate let chunk: Int
        fileprivate let offset: Int
    }

    /// Copies `source`, which is no part of the chunk that is being filled.
    mutating func store(_ source: ArraySlice<UInt8>) -> BlobReference {
        guard !source.isEmpty else { return .empty }
        makeRoom(for: source.count)
        let offset = chunks[current].bytes.count
        chunks[current].bytes.append(contentsOf: source)
        byteCount += source.count
        keep(source.count, in: current)
        return BlobReference(chunk: current, offset: offset, byteCount: source.count)
    }

    /// Copies all of `source`, for blobs that are its parts: a copy for each costs more than its bytes do.
    ///
    /// Those that nobody takes go with the others of their chunk.
    /// - Returns: where they lie; nil: they are too many for one chunk, each is to be stored by itself.
    mutating func storeAll(_ source: [UInt8]) -> Run? {
        guard source.count <= Self.chunkByteCount else { return nil }
        makeRoom(for: source.count)
        let offset = chunks[current].bytes.count
        chunks[current].bytes.append(contentsOf: source)
        byteCount += source.count
        return Run(chunk: current, offset: offset)
    }

    /// One blob: `range` of `source`, which lies at `run` already if there is one.
    mutating func take(_ range: Range<Int>, of source: [UInt8], at run: Run?) -> BlobReference {
        guard !range.isEmpty else { return .empty }
        guard let run else { return store(source[range]) }
        keep(range.count, in: run.chunk)
        return BlobReference(chunk: run.chunk, offset: run.offset + range.lowerBound, byteCount: range.count)
    }

    /// The bytes of a blob, not a copy: release it before anything is stored, or the chunk is copied.
    subscript(blob: BlobReference) -> ArraySlice<UInt8> {
        chunks[blob.chunk].bytes[blob.offset..<blob.offset + blob.byteCount]
    }

    /// Gives the bytes back; the reference is not used again.
    mutating func release(_ blob: BlobReference) {
        guard blob.byteCount > 0 else { return }
        releasedCount += 1
        drop(blob)
    }

    private mutating func drop(_ blob: BlobReference) {
        let index = blob.chunk
        chunks[index].liveCount -= 1
        chunks[index].liveByteCount -= blob.byteCount
        liveByteCount -= blob.byteCount
        // The chunk that is being filled stays, however empty: the next blob goes there.
        guard chunks[index].liveCount == 0, index != current else { return }
        byteCount -= chunks[index].bytes.count
        if free.count < Self.keptChunks { chunks[index].bytes.removeAll(keepingCapacity: true) } else { chunks[index].bytes = [] }
        free.append(index)
    }

    private mutating func makeRoom(for byteCount: Int) {
        if chunks[current].bytes.count + byteCount > Self.chunkByteCount, !chunks[current].bytes.isEmpty { open() }
    }

    private mutating func open() {
        if chunks[current].liveCount == 0 {
            byteCount -= chunks[current].bytes.count
            chunks[current].bytes.removeAll(keepingCapacity: true)
        } else if let index = free.popLast() {
            current = index
        } else {
            current = chunks.count
            chunks.append(Chunk())
        }
        chunks[current].bytes.reserveCapacity(Self.chunkByteCount)
    }
}

/// Where the argument or the result of a job lies in the arena, in eight bytes: every record has two.
struct BlobReference: Equatable {
    /// A chunk is filled up to 256 KiB, so 18 bits say where in it a blob begins; what is larger has a chunk of its own and begins with it. No
    /// message and no row of the journal brings more than 26 bits count. So 20 bits are left for the chunk, enough for 256 GiB.
    private static let offsetBits: UInt64 = 18
    private static let countBits: UInt64 = 26

    /// Nothing is stored.
    static let empty = Self(bits: 0)

    /// From the top: chunk, offset, byte count.
    let bits: UInt64

    /// What another reference had.
    init(bits: UInt64) { self.bits = bits }

    init(chunk: Int, offset: Int, byteCount: Int) {
        precondition(byteCount >> Self.countBits == 0 && offset >> Self.offsetBits == 0, "\(byteCount) bytes at \(offset) are no blob")
        bits = (UInt64(chunk) << Self.offsetBits | UInt64(offset)) << Self.countBits | UInt64(byteCount)
    }

    /// Index of the chunk.
    var chunk: Int { Int(bits >> (Self.offsetBits + Self.countBits)) }

    /// First byte in the chunk.
    var offset: Int { Int(bits >> Self.countBits & (1 << Self.offsetBits - 1)) }

    /// How many bytes; 0: nothing is stored.
    var byteCount: Int { Int(bits & (1 << Self.countBits - 1)) }
}

/// Blobs that lie one behind the other in the arena, to be copied together: a copy for each costs more than its bytes do.
struct BlobRun {
    private var blob = BlobReference.empty
    /// Byte count of each.
    private var lengths: [UInt32] = []

    /// Adds a blob, if it lies right behind the others or has no bytes.
    mutating func join(_ next: BlobReference) -> Bool {
        if next.byteCount > 0 {
            if blob.byteCount == 0 {
                blob = next
            } else {
                guard next.chunk == blob.chunk, next.offset == blob.offset + blob.byteCount else { return false }
                blob = BlobReference(chunk: blob.chunk, offset: blob.offset, byteCount: blob.byteCount + next.byteCount)
            }
        }
        lengths.append(UInt32(next.byteCount))
        return true
    }

    /// Adds a row for each blob to `target`, and begins anew.
    mutating func move(from arena: BlobArena, to target: inout PackedBytes) {
        target.append(lengths: lengths[...], of: arena[blob])
        blob = .empty
        lengths.removeAll(keepingCapacity: true)
    }
}

/// The results of jobs that end together, on their way into the arena: all at once, as soon as the first one is met.
struct EndedResults {
    private let bytes: [UInt8]
    private var run: BlobArena.Run?
    private var isStored = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The blob of one of them.
    mutating func take(_ range: Range<Int>, into arena: inout BlobArena) -> BlobReference {
        guard !range.isEmpty else { return .empty }
        if !isStored { (run, isStored) = (arena.storeAll(bytes), true) }
        return arena.take(range, of: bytes, at: run)
    }
}
