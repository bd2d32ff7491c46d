//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The records of all jobs, found by id without a table: ids are dense, so chunk and place follow from the number.
struct JobSlab {
    private static let chunkSize = 256
    private var chunks: [[JobRecord]] = []
    private var liveCounts: [Int] = []
    /// Number of the first chunk.
    private var base: UInt64 = 0
    /// How many jobs there are.
    private(set) var count = 0

    /// Whether there is a job of that id.
    func contains(_ id: UInt64) -> Bool {
        let chunk = id / UInt64(Self.chunkSize)
        guard id != 0, chunk >= base, chunk - base < UInt64(chunks.count) else { return false }
        let index = Int(chunk - base)
        return liveCounts[index] > 0 && chunks[index][Int(id % UInt64(Self.chunkSize))].id == id
    }

    /// The record of a job that exists.
    subscript(id: UInt64) -> JobRecord {
        // Lends the record: most readers want one field of it, and a copy is 120 bytes.
        _read { yield chunks[Int(id / UInt64(Self.chunkSize) - base)][Int(id % UInt64(Self.chunkSize))] }
        _modify { yield &chunks[Int(id / UInt64(Self.chunkSize) - base)][Int(id % UInt64(Self.chunkSize))] }
    }

    /// Adds a job whose id is not there yet.
    mutating func insert(_ record: JobRecord) {
        let chunk = record.id / UInt64(Self.chunkSize)
        if chunks.isEmpty { base = chunk }
        if chunk < base {
            let missing = Int(base - chunk)
            chunks.insert(contentsOf: repeatElement([], count: missing), at: 0)
            liveCounts.insert(contentsOf: repeatElement(0, count: missing), at: 0)
            base = chunk
        }
        let index = Int(chunk - base)
        while chunks.count <= index {
            chunks.append([])
            liveCounts.append(0)
        }
        if chunks[index].isEmpty { chunks[index] = Array(repeating: JobRecord(), count: Self.chunkSize) }
        chunks[index][Int(record.id % UInt64(Self.chunkSize))] = record
        liveCounts[index] += 1
        count += 1
    }

    /// Removes a job that exists; whole empty chunks are given back.
    mutating func remove(_ id: UInt64) {
        let index = Int(id / UInt64(Self.chunkSize) - base)
        chunks[index][Int(id % UInt64(Self.chunkSize))] = JobRecord()
        liveCounts[index] -= 1
        count -= 1
        guard liveCounts[index] == 0 else { return }
        chunks[index] = []
        trim()
    }

    /// Ids of the jobs from `id` on, at most `limit` looked-at chunks at a time; `next` is where to go on, nil at the end.
    func ids(from id: UInt64, chunkLimit: Int) -> (ids: [UInt64], next: UInt64?) {
        var found: [UInt64] = []
        let first = max(id / UInt64(Self.chunkSize), base)
        var chunk = first
        while chunk - base < UInt64(chunks.count), chunk - first < UInt64(chunkLimit) {
            for record in chunks[Int(chunk - base)] where record.id >= max(id, 1) { found.append(record.id) }
            chunk += 1
        }
        return (found, chunk - base < UInt64(chunks.count) ? chunk * UInt64(Self.chunkSize) : nil)
    }

    /// Jobs below `id`, newest first, until `visit` returns false.
    ///
    /// - Returns: the places looked at, also those that no job has: what the walk has cost.
    @discardableResult
    func visit(below id: UInt64?, _ visit: (JobRecord) -> Bool) -> Int {
        let end = id.map { $0 / UInt64(Self.chunkSize) < base ? 0 : $0 / UInt64(Self.chunkSize) - base + 1 } ?? UInt64(chunks.count)
        var looked = 0
        for records in chunks.prefix(Int(min(end, UInt64(chunks.count)))).reversed() {
            looked += 1
            for record in records.reversed() {
                looked += 1
                guard record.id != 0, record.id < id ?? .max else { continue }
                guard visit(record) else { return looked }
            }
        }
        return looked
    }

    /// Empty chunks at the beginning go once there are many, so that ids may grow for ever.
    private mutating func trim() {
        guard chunks.count > 64, chunks[0].isEmpty else { return }
        var leading = 0
        while leading < chunks.count - 1, liveCounts[leading] == 0 { leading += 1 }
        guard leading * 2 >= chunks.count || leading > 4_096 else { return }
        chunks.removeFirst(leading)
        liveCounts.removeFirst(leading)
        base += UInt64(leading)
    }
}
