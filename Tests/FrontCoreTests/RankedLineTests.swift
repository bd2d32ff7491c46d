//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Lines in order of rank")
struct RankedLineTests {
    /// A line, and the same jobs in a plain sorted list.
    private struct World {
        var slab = JobSlab()
        var line: RankedLine
        var plain: [RankKey] = []
        var nextID: UInt64 = 1

        /// Small blocks and nodes make a high tree of few jobs.
        init(isSmall: Bool = false) { line = isSmall ? RankedLine(blocks: BlockTree(blockSize: 4, fanOut: 4)) : RankedLine() }

        var ids: [UInt64] {
            var found: [UInt64] = []
            var job = line.first
            while job != 0 {
                found.append(job)
                job = slab[job].next
            }
            return found
        }

        mutating func insert(rank: Int64) {
            let id = nextID
            nextID += 1
            slab.insert(JobRecord(id: id, rank: Rank(milliseconds: rank)))
            line.insert(id, .lane, in: &slab)
        }

        mutating func insertInBoth(rank: Int64) {
            let key = RankKey(rank: Rank(milliseconds: rank), id: nextID)
            insert(rank: rank)
            plain.insert(key, at: plain.firstIndex { key < $0 } ?? plain.count)
        }

        mutating func remove(at index: Int) {
            let id = plain.remove(at: index).id
            line.remove(id, in: &slab)
            slab.remove(id)
        }
    }

    @Test("whatever is put in and taken out, order and positions are those of a sorted list", arguments: 0..<24)
    func likeASortedList(seed: UInt64) {
        var numbers = SplitMix64(mixing: seed)
        var world = World(isSmall: seed % 8 < 6)
        // Ranks close together make many equal ones; some seeds grow at the end, some shrink from the front.
        let spread = [3, 50, 5_000][Int(seed % 3)] as Int64
        for round in 0..<3_000 {
            let isGrowing = (round / 700) % 2 == 0
            if world.plain.isEmpty || Int.random(in: 0..<10, using: &numbers) < (isGrowing ? 8 : 2) {
                let isAtEnd = seed % 2 == 0 && Bool.random(using: &numbers)
                world.insertInBoth(rank: isAtEnd ? Int64(10_000 + round) : Int64.random(in: 0..<spread, using: &numbers))
            } else {
                let isFront = seed % 4 < 2 && Bool.random(using: &numbers)
                world.remove(at: isFront ? 0 : Int.random(in: world.plain.indices, using: &numbers))
            }
            guard round % 50 == 0 else { continue }
            #expect(world.ids == world.plain.map(\.id))
            #expect(world.line.count == world.plain.count)
            for _ in 0..<8 {
                let rank = Rank(milliseconds: .random(in: -1...spread, using: &numbers))
                let key = RankKey(rank: rank, id: UInt64.random(in: 0..<3_000, using: &numbers))
                #expect(world.line.countBefore(key, in: world.slab) == world.plain.count { $0 < key })
            }
        }
        while !world.plain.isEmpty { world.remove(at: Int.random(in: world.plain.indices, using: &numbers)) }
        #expect(world.line.isEmpty && world.line.first == 0)
        world.insertInBoth(rank: 1)
        #expect(world.ids == world.plain.map(\.id))
    }

    @Test("thinned out again and again, a line stays in order and its positions stay right", arguments: [false, true])
    func thinnedOut(isSmall: Bool) {
        var numbers = SplitMix64(mixing: 77)
        var world = World(isSmall: isSmall)
        for round in 0..<6 {
            for rank in 0..<4_000 { world.insert(rank: Int64(rank * 10 + round)) }
            world.plain = world.ids.map { world.slab.key(of: $0) }
            #expect(world.plain == world.plain.sorted())
            while world.plain.count > 40 { world.remove(at: Int.random(in: world.plain.indices, using: &numbers)) }
            #expect(world.ids == world.plain.map(\.id))
            for (index, key) in world.plain.enumerated() { #expect(world.line.countBefore(key, in: world.slab) == index) }
        }
    }

    @Test("a line keeps no more memory however many jobs have passed through it, at its ends and in its middle")
    func memory() {
        var world = World(isSmall: true)
        for rank in 0..<200 { world.insertInBoth(rank: Int64(rank)) }
        var counts: [Int] = []
        for round in 0..<2_000 {
            world.insertInBoth(rank: Int64(200 + round))
            world.remove(at: 0)
            if round % 1_000 == 999 { counts.append(world.line.nodeCount) }
        }
        #expect(counts[0] < 30 && counts[1] == counts[0], "\(counts)")

        (world, counts) = (World(isSmall: true), [])
        var numbers = SplitMix64(mixing: 77)
        for round in 0..<8 {
            for rank in 0..<400 { world.insert(rank: Int64(rank * 100 + round)) }
            world.plain = world.ids.map { world.slab.key(of: $0) }
            while world.plain.count > 40 { world.remove(at: Int.random(in: world.plain.indices, using: &numbers)) }
            counts.append(world.line.nodeCount)
        }
        #expect(counts[7] * 4 < counts[1] * 5, "\(counts)")
    }

    @Test("two blocks that are half full together become one, and before that they stay two")
    func packed() {
        var tree = BlockTree(blockSize: 4, fanOut: 4)
        let keys = (0...8).map { RankKey(rank: Rank(milliseconds: Int64($0)), id: UInt64($0)) }
        for key in keys.dropFirst() { tree.append(key) }
        for id in [2, 3, 4, 6, 7] { tree.remove(keys[id], next: keys[id + 1], isFirst: false) }
        let apart = tree.block(of: keys[5])
        #expect(apart?.before == 1 && apart?.block.first == 5 && apart?.block.count == 2)
        tree.remove(keys[8], next: keys[0], isFirst: false)
        let joined = tree.block(of: keys[5])
        #expect(joined?.before == 0 && joined?.block.first == 1 && joined?.block.count == 2)
    }

    @Test("two nodes that are half full together become one, whose memory the next new one takes; before that they stay two")
    func packedNodes() {
        for (gone, nodeCount) in [(5...12, 4), (5...16, 3)] {
            var tree = BlockTree(blockSize: 4, fanOut: 4)
            let keys = (0...36).map { RankKey(rank: Rank(milliseconds: Int64($0)), id: UInt64($0)) }
            // Five blocks: four in the first node, one in the second.
            for key in keys[1...17] { tree.append(key) }
            #expect(tree.nodeCount == 3)
            for id in gone { tree.remove(keys[id], next: keys[id + 1], isFirst: false) }
            for key in keys[18...36] { tree.append(key) }
            #expect(tree.nodeCount == nodeCount, "without \(gone)")
            let last = tree.block(of: keys[36])
            #expect(last?.before == 32 - gone.count && last?.block.first == 33 && last?.block.count == 4)
        }
    }

    @Test("to put a job into the middle, take it out and tell its position costs as much with twice as many jobs")
    func cost() {
        var world = World()
        var costs: [Int] = []
        for count in [500_000, 1_000_000] {
            while world.line.count < count { world.insert(rank: Int64(world.nextID) * 2) }
            var numbers = SplitMix64(mixing: 5)
            let before = world.line.looks
            for _ in 0..<200 {
                let rank = Int64.random(in: 1..<Int64(count), using: &numbers) * 2 + 1
                world.insert(rank: rank)
                let id = world.nextID - 1
                _ = world.line.countBefore(world.slab.key(of: id), in: world.slab)
                world.line.remove(id, in: &world.slab)
                world.slab.remove(id)
            }
            costs.append(world.line.looks - before)
        }
        #expect(costs[0] / 200 < 600, "looks each: \(costs[0] / 200)")
        #expect(Double(costs[1]) < 1.3 * Double(costs[0]), "\(costs)")
    }

    @Test("however many jobs come at the same place in the middle, the next one costs as much")
    func growingInTheMiddle() {
        var world = World()
        for number in 0..<20_000 { world.insert(rank: number % 2 == 0 ? 1 : Int64(2 + number)) }
        let before = world.line.looks
        for _ in 0..<100 { world.insert(rank: 1) }
        #expect((world.line.looks - before) / 100 < 200, "\((world.line.looks - before) / 100)")
    }

    @Test("at the end and from the front a job costs less than a look, however many stand between")
    func ends() {
        var world = World()
        for _ in 0..<100_000 { world.insert(rank: Int64(world.nextID)) }
        let before = world.line.looks
        for _ in 0..<10_000 {
            world.insert(rank: Int64(world.nextID))
            let id = world.line.first
            world.line.remove(id, in: &world.slab)
            world.slab.remove(id)
        }
        // Each comes and goes.
        #expect(world.line.looks - before < 2 * 10_000, "\(world.line.looks - before)")
        // Whatever comes behind the last one stands behind all, and that is seen there.
        let behind = RankKey(rank: Rank(milliseconds: .max), id: 1)
        let looks = world.line.looks
        #expect(world.line.countBefore(behind, in: world.slab) == 100_000)
        #expect(world.line.looks == looks + 1)
        var empty = World()
        #expect(empty.line.countBefore(behind, in: empty.slab) == 0)
    }

    @Test("before all others a job costs a look at where it belongs, and one at the block that it comes to")
    func front() {
        var world = World()
        for rank in [20, 10] as [Int64] { world.insertInBoth(rank: rank) }
        let before = world.line.looks
        for rank in (0..<9).reversed() { world.insertInBoth(rank: Int64(rank)) }
        #expect(world.line.looks - before >= 2 * 9 && world.ids == world.plain.map(\.id))
    }
}

@Suite("Heaps of indexes")
struct IndexedHeapTests {
    @Test("the smallest key is on top, whatever is put in, moved and taken out", arguments: 0..<8)
    func likeASortedList(seed: UInt64) {
        var numbers = SplitMix64(mixing: seed)
        var heap = IndexedHeap<RankKey>()
        var plain: [Int: RankKey] = [:]
        for _ in 0..<4_000 {
            let item = Int.random(in: 0..<60, using: &numbers)
            if Int.random(in: 0..<3, using: &numbers) == 0 {
                heap.remove(item)
                plain[item] = nil
            } else {
                let key = RankKey(rank: Rank(milliseconds: .random(in: 0..<20, using: &numbers)), id: UInt64(item))
                heap.set(item, to: key)
                plain[item] = key
            }
            #expect(heap.top?.key == plain.values.min())
            #expect(heap.count == plain.count && heap.contains(item) == (plain[item] != nil))
        }
    }

    @Test("lanes that come and go take the places of those that went")
    func places() {
        var lanes = LaneTable()
        let places = (0..<1_000).map { loader in
            let place = lanes.lane(for: LaneKey(loader: loader))
            lanes.drop(place)
            return place
        }
        #expect(Set(places) == [0])
        let clients = (1...5_000).map { lanes.lane(for: LaneKey(loader: 1, terms: LaneTerms(client: $0))) }
        #expect(clients == Array(0..<5_000))
        for lane in clients { lanes.drop(lane) }
        #expect(lanes.inUse.isEmpty && lanes.lane(for: LaneKey(loader: 1, terms: LaneTerms(client: 7))) == 0)
    }
}
