//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FileCache
import Model

/// The readers that were used last, kept open: at most so many, and at most so many bytes of block sums.
///
/// An open file keeps its room on the disk after it was collected, so readers that nobody uses are closed.
struct RecentReaders<Reader> {
    private struct Entry {
        let digest: ObjectDigest
        let reader: Reader
        let byteCount: Int
        var usedAt: MonotonicTime
    }

    /// Readers that are open at most.
    static var limit: Int { 32 }
    /// Bytes that they hold together at most; one alone may hold more.
    static var byteLimit: Int { 16 << 20 }

    /// Oldest use first.
    private var entries: [Entry] = []

    var count: Int { entries.count }

    /// The reader of an object, if it is open.
    mutating func reader(of digest: ObjectDigest, at now: MonotonicTime) -> Reader? {
        guard let index = entries.firstIndex(where: { $0.digest == digest }) else { return nil }
        var entry = entries.remove(at: index)
        entry.usedAt = now
        entries.append(entry)
        return entry.reader
    }

    /// Keeps a reader open, and closes those that were not used for longest to make room for it.
    mutating func keep(_ reader: Reader, of digest: ObjectDigest, byteCount: Int, at now: MonotonicTime) {
        forget(digest)
        entries.append(Entry(digest: digest, reader: reader, byteCount: byteCount, usedAt: now))
        var held = entries.reduce(0) { $0 + $1.byteCount }
        while entries.count > Self.limit || held > Self.byteLimit, entries.count > 1 { held -= entries.removeFirst().byteCount }
    }

    /// Closes the reader of an object.
    mutating func forget(_ digest: ObjectDigest) { entries.removeAll { $0.digest == digest } }

    /// Closes what was not used since then.
    mutating func closeUnused(since instant: MonotonicTime) { entries.removeAll { $0.usedAt < instant } }
}
