//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Waiting jobs: one lane for each loader and priority, each in order of rank because ranks only grow within a priority.
struct JobLanes {
    private static let priorities = 10
    /// What the records of jobs in these lanes name as their line.
    private let place: JobRecord.Place
    private var lanes: [JobLine] = []
    /// A bit for each priority that has a waiting job, by loader.
    private var occupied: [UInt16] = []
    /// How many jobs wait in all lanes.
    private(set) var count = 0

    init(place: JobRecord.Place) { self.place = place }

    var isEmpty: Bool { count == 0 }

    /// Puts a job where its rank belongs.
    mutating func insert(_ id: UInt64, in slab: inout JobSlab) {
        let (loader, priority) = (Int(slab[id].loader), Int(slab[id].priority))
        while occupied.count <= loader {
            occupied.append(0)
            lanes.append(contentsOf: repeatElement(JobLine(), count: Self.priorities))
        }
        lanes[loader * Self.priorities + priority].insert(id, in: &slab)
        occupied[loader] |= 1 << UInt16(priority)
        slab[id].place = place
        count += 1
    }

    /// Takes a waiting job out.
    mutating func remove(_ id: UInt64, in slab: inout JobSlab) {
        let (loader, priority) = (Int(slab[id].loader), Int(slab[id].priority))
        lanes[loader * Self.priorities + priority].remove(id, in: &slab)
        if lanes[loader * Self.priorities + priority].isEmpty { occupied[loader] &= ~(1 << UInt16(priority)) }
        slab[id].place = .nowhere
        count -= 1
    }

    /// The oldest waiting job of a loader by rank; 0: none.
    func first(ofLoader loader: Int, in slab: JobSlab) -> UInt64 {
        guard loader < occupied.count, occupied[loader] != 0 else { return 0 }
        var best: UInt64 = 0
        var bits = occupied[loader]
        while bits != 0 {
            let priority = bits.trailingZeroBitCount
            bits &= bits - 1
            let head = lanes[loader * Self.priorities + priority].first
            if best == 0 || (slab[head].rank, head) < (slab[best].rank, best) { best = head }
        }
        return best
    }

    /// Whether a loader has a waiting job.
    func hasWaiting(loader: Int) -> Bool { loader < occupied.count && occupied[loader] != 0 }

    /// How many waiting jobs of the loader stand before a rank; looks at no more than `bound` jobs.
    func countBefore(rank: Int64, id: UInt64, loader: Int, in slab: JobSlab, bound: Int) -> Int? {
        guard loader < occupied.count else { return 0 }
        var found = 0
        for priority in 0..<Self.priorities {
            var job = lanes[loader * Self.priorities + priority].first
            while job != 0, (slab[job].rank, job) < (rank, id) {
                found += 1
                guard found < bound else { return nil }
                job = slab[job].next
            }
        }
        return found
    }
}
