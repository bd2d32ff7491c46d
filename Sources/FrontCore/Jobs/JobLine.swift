//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
