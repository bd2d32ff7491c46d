//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Jobs in order of rank: put in, taken out and counted anywhere in a time that hardly grows with their number.
struct RankedLine {
    private var line = JobLine()
    private var blocks: BlockTree
    /// Links followed, beside what the tree looks at.
    private var links = 0

    init(blocks: BlockTree = BlockTree()) { self.blocks = blocks }

    /// Id of the first job; 0: empty.
    var first: UInt64 { line.first }
    var isEmpty: Bool { line.isEmpty }
    var count: Int { line.count }
    /// Nodes that it has memory for; a short line needs one.
    var nodeCount: Int { blocks.nodeCount }
    /// What all the work on it has cost, in looks at jobs and entries.
    var looks: Int { links + blocks.looks }

    /// Puts a job where its rank belongs; `place` names the kind of line.
    mutating func insert(_ id: UInt64, _ place: JobRecord.Place, in slab: inout JobSlab) {
        let key = slab.key(of: id)
        guard line.last != 0, key < slab.key(of: line.last) else {
            blocks.append(key)
            return line.append(id, place, in: &slab)
        }
        let block = blocks.add(key)
        var (behind, passed) = (block.first, 0)
        while passed < block.count, slab.key(of: behind) < key {
            behind = slab[behind].next
            passed += 1
        }
        links += passed + 1
        line.insert(id, place, before: behind, in: &slab)
        if block.count >= blocks.blockSize { split(beginningWith: passed == 0 ? id : block.first, count: block.count + 1, in: slab) }
    }

    /// Takes a job out that stands in it.
    mutating func remove(_ id: UInt64, in slab: inout JobSlab) {
        let next = slab[id].next
        blocks.remove(slab.key(of: id), next: next == 0 ? RankKey(rank: .zero, id: 0) : slab.key(of: next), isFirst: id == line.first)
        line.remove(id, in: &slab)
    }

    /// How many jobs stand before a key.
    mutating func countBefore(_ key: RankKey, in slab: JobSlab) -> Int {
        if line.last != 0, slab.key(of: line.last) < key {
            links += 1
            return line.count
        }
        guard let (before, block) = blocks.block(of: key) else { return 0 }
        var (job, passed) = (block.first, 0)
        while passed < block.count, slab.key(of: job) < key {
            job = slab[job].next
            passed += 1
        }
        links += passed + 1
        return before + passed
    }

    private mutating func split(beginningWith first: UInt64, count: Int, in slab: JobSlab) {
        var middle = first
        for _ in 0..<count / 2 { middle = slab[middle].next }
        links += count / 2
        blocks.split(at: slab.key(of: middle), count: count - count / 2)
    }
}

/// Where a job stands among others: by rank, and among equal ranks by its number, so that no two are alike.
struct RankKey: Comparable, Hashable {
    var rank: Rank
    var id: UInt64

    static func < (one: RankKey, two: RankKey) -> Bool { one.rank != two.rank ? one.rank < two.rank : one.id < two.id }
}

extension JobSlab {
    /// Where a job belongs in its lane.
    func key(of id: UInt64) -> RankKey { RankKey(rank: self[id].rank, id: id) }
}
