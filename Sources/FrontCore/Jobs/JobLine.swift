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

    /// Puts a job at the end.
    mutating func append(_ id: UInt64, in slab: inout JobSlab) {
        slab[id].stand(between: last, and: 0)
        if last == 0 { first = id } else { slab[last].next = id }
        last = id
        count += 1
    }

    /// Puts a job before one that stands in it; before none, 0: at the end.
    mutating func insert(_ id: UInt64, before behind: UInt64, in slab: inout JobSlab) {
        guard behind != 0 else { return append(id, in: &slab) }
        let before = slab[behind].previous
        slab[id].stand(between: before, and: behind)
        slab[behind].previous = id
        if before == 0 { first = id } else { slab[before].next = id }
        count += 1
    }

    /// Takes a job out that stands in it.
    mutating func remove(_ id: UInt64, in slab: inout JobSlab) {
        let (before, behind) = (slab[id].previous, slab[id].next)
        if before == 0 { first = behind } else { slab[before].next = behind }
        if behind == 0 { last = before } else { slab[behind].previous = before }
        slab[id].stand(between: 0, and: 0)
        count -= 1
    }
}

extension JobRecord {
    /// Links it to its neighbours; 0: none. At once, for each way to a record costs as much as what it writes there.
    fileprivate mutating func stand(between previous: UInt64, and next: UInt64) {
        self.previous = previous
        self.next = next
    }
}
