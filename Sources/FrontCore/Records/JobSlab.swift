//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The records of all jobs, found by id without a table: ids are dense, so chunk and place follow from the number.
struct JobSlab {
    /// Jobs of one chunk: it takes 26 KB, which one old job that stays keeps from being given back.
    private static let chunkSize = 256
    /// Chunks up to which empty ones at the beginning stay: to close so short a gap is worth nothing.
    private static let leastChunks = 64
    /// So many empty ones at the beginning go whatever comes behind them: ids that were handed out long ago keep no more than 50 KB.
    private static let mostEmptyChunks = 4_096
    /// Chunks of one group: groups are counted from number 0 of all chunks.
    private static let groupSize: UInt64 = 1_024
    /// Those without jobs have no memory of their own.
    private var chunks: [[JobRecord]] = []
    private var liveCounts: [UInt16] = []
    /// How many chunks of each group have jobs: one old job and one new may be hundreds of thousands of chunks apart, which nobody looks at.
    private var usedCounts: [UInt16] = []
    /// Number of the first chunk.
    private var base: UInt64 = 0
    /// How many jobs there are.
    private(set) var count = 0

    /// No job that is there has a lower id, and room from there on is kept; nil: none is.
    var lowest: UInt64? { count == 0 ? nil : base * UInt64(Self.chunkSize) }

    /// Whether there is a job of that id.
    func contains(_ id: UInt64) -> Bool {
        let chunk = id / UInt64(Self.chunkSize)
        guard id != 0, chunk >= base, chunk - base < UInt64(chunks.count) else { return false }
        let index = Int(chunk - base)
        return !chunks[index].isEmpty && chunks[index][Int(id % UInt64(Self.chunkSize))].id == id
    }

    /// The record of a job that exists.
    subscript(id: UInt64) -> JobRecord {
        // Lends the record: most readers want one field of it, and a copy is some hundred bytes.
        _read { yield chunks[Int(id / UInt64(Self.chunkSize) - base)][Int(id % UInt64(Self.chunkSize))] }
        _modify { yield &chunks[Int(id / UInt64(Self.chunkSize) - base)][Int(id % UInt64(Self.chunkSize))] }
    }

    /// Adds a job whose id is not there yet.
    mutating func insert(_ record: JobRecord) {
        let chunk = record.id / UInt64(Self.chunkSize)
        // Else a journal whose first job lies far behind the last one that was here would have the gap filled with chunks.
        if count == 0, chunk < base || chunk - base >= UInt64(chunks.count) { begin(at: chunk) }
        if chunk < base {
            let missing = Int(base - chunk)
            chunks.insert(contentsOf: repeatElement([], count: missing), at: 0)
            liveCounts.insert(contentsOf: repeatElement(0, count: missing), at: 0)
            let groups = Int(base / Self.groupSize - chunk / Self.groupSize)
            usedCounts.insert(contentsOf: repeatElement(0, count: groups), at: 0)
            base = chunk
        }
        let index = Int(chunk - base)
        while chunks.count <= index {
            chunks.append([])
            liveCounts.append(0)
        }
        while usedCounts.count <= group(of: index) { usedCounts.append(0) }
        if chunks[index].isEmpty {
            chunks[index] = Array(repeating: JobRecord(), count: Self.chunkSize)
            usedCounts[group(of: index)] += 1
        }
        chunks[index][Int(record.id % UInt64(Self.chunkSize))] = record
        liveCounts[index] += 1
        count += 1
    }

    /// Without jobs there is nothing to keep room for: the first one may be far from where the last one was.
    private mutating func begin(at chunk: UInt64) {
        chunks.removeAll(keepingCapacity: true)
        liveCounts.removeAll(keepingCapacity: true)
        usedCounts.removeAll(keepingCapacity: true)
        base = chunk
    }

    /// Removes a job that exists; whole empty chunks are given back.
    mutating func remove(_ id: UInt64) {
        let index = Int(id / UInt64(Self.chunkSize) - base)
        // The place itself shows that no job has it, by the id 0: walks over a chunk look at nothing else.
        chunks[index][Int(id % UInt64(Self.chunkSize))] = JobRecord()
        liveCounts[index] -= 1
        count -= 1
        guard liveCounts[index] == 0 else { return }
        chunks[index] = []
        usedCounts[group(of: index)] -= 1
        trim()
    }

    /// Ids of the jobs from `id` on, those of at most so many chunks at a time; `next` is where to go on, nil at the end. Chunks without jobs cost
    /// nothing.
    func ids(from id: UInt64, chunkLimit: Int) -> (ids: [UInt64], next: UInt64?) {
        var found: [UInt64] = []
        var looked = 0
        var chunk = firstUsed(from: Int(max(id / UInt64(Self.chunkSize), base) - base))
        while let index = chunk, looked < chunkLimit {
            for record in chunks[index] where record.id >= max(id, 1) { found.append(record.id) }
            looked += 1
            chunk = firstUsed(from: index + 1)
        }
        return (found, chunk.map { (base + UInt64($0)) * UInt64(Self.chunkSize) })
    }

    /// Jobs below `id`, newest first, until `visit` returns false.
    ///
    /// - Returns: the places looked at, also those that no job has: what the walk has cost.
    @discardableResult
    func visit(below id: UInt64?, _ visit: (JobRecord) -> Bool) -> Int {
        let end = id.map { $0 / UInt64(Self.chunkSize) < base ? 0 : $0 / UInt64(Self.chunkSize) - base + 1 } ?? UInt64(chunks.count)
        var looked = 0
        var chunk = lastUsed(before: Int(min(end, UInt64(chunks.count))))
        while let index = chunk {
            looked += 1
            for record in chunks[index].reversed() {
                looked += 1
                guard record.id != 0, record.id < id ?? .max else { continue }
                guard visit(record) else { return looked }
            }
            chunk = lastUsed(before: index)
        }
        return looked
    }

    /// The group of a chunk that is there, as its place among the groups.
    private func group(of index: Int) -> Int { Int((base + UInt64(index)) / Self.groupSize - base / Self.groupSize) }

    /// The place of a group's first chunk; below 0: that is no longer there.
    private func start(of group: Int) -> Int { (Int(base / Self.groupSize) + group) * Int(Self.groupSize) - Int(base) }

    /// The first chunk from a place on that has jobs; nil: none has.
    private func firstUsed(from index: Int) -> Int? {
        var index = index
        while index < chunks.count {
            let group = group(of: index)
            let end = min(start(of: group + 1), chunks.count)
            if usedCounts[group] > 0, let found = (index..<end).first(where: { liveCounts[$0] > 0 }) { return found }
            index = end
        }
        return nil
    }

    /// The last chunk before a place that has jobs; nil: none has.
    private func lastUsed(before end: Int) -> Int? {
        var end = end
        while end > 0 {
            let group = group(of: end - 1)
            let first = max(0, start(of: group))
            if usedCounts[group] > 0, let found = (first..<end).last(where: { liveCounts[$0] > 0 }) { return found }
            end = first
        }
        return nil
    }

    /// Empty chunks at the beginning go once there are many, so that ids may grow for ever.
    private mutating func trim() {
        guard chunks.count > Self.leastChunks, chunks[0].isEmpty else { return }
        var leading = 0
        while leading < chunks.count - 1, liveCounts[leading] == 0 { leading += 1 }
        // All chunks behind are moved for it, so enough must be gone.
        guard leading * 2 >= chunks.count || leading > Self.mostEmptyChunks else { return }
        chunks.removeFirst(leading)
        liveCounts.removeFirst(leading)
        usedCounts.removeFirst(group(of: leading))
        base += UInt64(leading)
    }
}

/// A line of jobs, linked through their records.
struct JobLine {
    /// Id of the first job; 0: empty.
    private(set) var first: UInt64 = 0
    /// Id of the last job; 0: empty.
    private(set) var last: UInt64 = 0
    /// How many jobs stand in it.
    private(set) var count = 0

    var isEmpty: Bool { first == 0 }

    /// Puts a job at the end; `place` says which line this is.
    mutating func append(_ id: UInt64, _ place: JobRecord.Place, in slab: inout JobSlab) {
        slab[id].stand(place, between: last, and: 0)
        if last == 0 { first = id } else { slab[last].link(next: id) }
        last = id
        count += 1
    }

    /// Puts a job before one that stands in it; before none, 0: at the end.
    mutating func insert(_ id: UInt64, _ place: JobRecord.Place, before behind: UInt64, in slab: inout JobSlab) {
        guard behind != 0 else { return append(id, place, in: &slab) }
        let before = slab[behind].previous
        slab[id].stand(place, between: before, and: behind)
        slab[behind].link(previous: id)
        if before == 0 { first = id } else { slab[before].link(next: id) }
        count += 1
    }

    /// Puts its jobs into another order; `place` says which line this is.
    mutating func sort(_ place: JobRecord.Place, in slab: inout JobSlab, by areInOrder: (JobRecord, JobRecord) -> Bool) {
        var ids: [UInt64] = []
        ids.reserveCapacity(count)
        var next = first
        while next != 0 {
            ids.append(next)
            next = slab[next].next
        }
        ids.sort { areInOrder(slab[$0], slab[$1]) }
        self = JobLine()
        for id in ids { append(id, place, in: &slab) }
    }

    /// Takes a job out that stands in it; it stands nowhere then.
    mutating func remove(_ id: UInt64, in slab: inout JobSlab) {
        let (before, behind) = slab[id].stepOut()
        if before == 0 { first = behind } else { slab[before].link(next: behind) }
        if behind == 0 { last = before } else { slab[behind].link(previous: before) }
        count -= 1
    }
}
