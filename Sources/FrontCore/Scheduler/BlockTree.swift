//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A lane's order as blocks of up to 64 neighbors, in a tree that counts them: what finds a place in a line of any length in a few looks.
///
/// The jobs themselves are linked through their records (`JobLine`); a block only says with which job it begins and how many follow. So an
/// index over a million jobs takes half a byte for each, and nothing is allocated for one. Blocks are the leaves of a B+-tree whose inner
/// entries hold the count of all jobs under them. The first key of an inner entry bounds what stands
/// under it from below, except at the head of a node, where everything smaller goes too.
struct BlockTree {
    /// A block, or a node of the level below.
    private struct Entry {
        /// The block's first job; of a node: nothing under it comes before.
        var first: RankKey
        /// Jobs under it.
        var count: Int
        /// The node that it stands for; a block has none.
        var child = -1
    }

    /// Jobs that came to the last block, and that left the first one, since the tree counted.
    ///
    /// Most jobs do nothing else: without a way down for each, they cost next to nothing. Whatever needs the counts settles them first.
    private struct Ends {
        var came = 0
        /// How many more find a place in the last block.
        var mayCome = 0
        var left = 0
        /// How many more can leave the first block without making it empty.
        var mayLeave = 0
        /// The first job of those that have not left.
        var first = RankKey(rank: .zero, id: 0)
    }

    /// What a block held before it took a job in.
    struct Block {
        var first: UInt64
        var count: Int
    }

    /// Jobs of one block at most.
    let blockSize: Int
    /// Entries of one node at most.
    private let fanOut: Int
    private var nodes: [[Entry]] = [[]]
    private var unused: [Int] = []
    private var root = 0
    /// Levels above the leaves.
    private var height = 0
    /// What the counts do not know yet.
    private var ends = Ends()
    /// Entries looked at or moved: what the work has cost.
    private(set) var looks = 0

    /// - Parameters:
    ///   - blockSize: Jobs of one block: to walk along 64 links takes about as long as the way down the tree.
    ///   - fanOut: Entries of one node: with 64 three levels hold 16 million jobs, and to move half of them costs less than another level.
    init(blockSize: Int = 64, fanOut: Int = 64) {
        self.blockSize = blockSize
        self.fanOut = fanOut
    }

    /// Nodes that it has memory for.
    var nodeCount: Int { nodes.count }

    /// Adds a job behind all others. A full last block is left full: lines that only grow at their end are packed.
    mutating func append(_ key: RankKey) {
        if ends.mayCome == 0 {
            flush()
            guard let last = nodes[spine(last: true)].last, last.count < blockSize else {
                insert(Entry(first: key, count: 1), isNew: true)
                ends.mayCome = blockSize - 1
                return
            }
            ends.mayCome = blockSize - last.count
        }
        ends.mayCome -= 1
        ends.came += 1
    }

    /// Counts a job into the block where it belongs; the tree is not empty.
    /// - Returns: the block without it. The job stands before its first one, or among the others.
    mutating func add(_ key: RankKey) -> Block {
        flushAndForget()
        let (leaf, place) = countIn(key)
        let entry = nodes[leaf][place]
        // It stands at the head of its node, where everything smaller goes, too.
        if key < entry.first { nodes[leaf][place].first = key }
        return Block(first: entry.first.id, count: entry.count - 1)
    }

    /// Divides a block to which a job was added just now: its `count` last jobs, from `key` on, are one of their own.
    mutating func split(at key: RankKey, count: Int) {
        insert(Entry(first: key, count: count), isNew: false)
    }

    /// Counts a job out; `next` stands behind it, and none before it if `isFirst`.
    mutating func remove(_ key: RankKey, next: RankKey, isFirst: Bool) {
        if isFirst, ends.mayLeave > 0 || findLeaving() {
            ends.mayLeave -= 1
            ends.left += 1
            ends.first = next
            return
        }
        flushAndForget()
        remove(key, next: next, under: root, level: height)
        // A node with one entry finds nothing: the way down is as long as the jobs need, not as they once did.
        while height > 0, nodes[root].count == 1 {
            let old = root
            root = nodes[old][0].child
            release(old)
            height -= 1
        }
    }

    /// The jobs in the blocks before the one where a key belongs, and that block; nil: there is none.
    mutating func block(of key: RankKey) -> (before: Int, block: Block)? {
        flush()
        guard !nodes[root].isEmpty else { return nil }
        var (node, before) = (root, 0)
        for level in 0...height {
            let place = place(of: key, in: node)
            for index in 0..<place { before += nodes[node][index].count }
            looks += place
            guard level < height else { return (before, Block(first: nodes[node][place].first.id, count: nodes[node][place].count)) }
            node = nodes[node][place].child
        }
        return nil
    }

    /// The last entry of a node that does not begin behind a key, or its first.
    private mutating func place(of key: RankKey, in node: Int) -> Int {
        var looked = 0
        let behind = nodes[node].firstPlace { entry in
            looked += 1
            return key < entry.first
        }
        looks += looked
        return max(0, behind - 1)
    }

    /// Looks how many jobs may leave the first block.
    /// - Returns: whether one may.
    private mutating func findLeaving() -> Bool {
        flush()
        ends.mayLeave = max(0, (nodes[spine(last: false)].first?.count ?? 0) - 1)
        return ends.mayLeave > 0
    }

    /// Notes in the tree what was added at its end and taken from its front.
    private mutating func flush() {
        if ends.came > 0 { spine(last: true, adding: ends.came) }
        ends.came = 0
        guard ends.left > 0 else { return }
        let leaf = spine(last: false, adding: -ends.left)
        nodes[leaf][0].first = ends.first
        ends.left = 0
    }

    /// The same before blocks change: what the first and the last one can take has to be looked at again.
    private mutating func flushAndForget() {
        flush()
        ends = Ends()
    }

    /// Goes down to the first or the last leaf, and adds to all counts on the way.
    @discardableResult
    private mutating func spine(last isLast: Bool, adding change: Int = 0) -> Int {
        var node = root
        looks += height + 1
        for level in 0...height where !nodes[node].isEmpty {
            let place = isLast ? nodes[node].count - 1 : 0
            nodes[node][place].count += change
            if level < height { node = nodes[node][place].child }
        }
        return node
    }

    /// Counts a job in on the whole way to the block where it belongs.
    private mutating func countIn(_ key: RankKey) -> (leaf: Int, place: Int) {
        var node = root
        for _ in 0..<height {
            let place = place(of: key, in: node)
            nodes[node][place].count += 1
            node = nodes[node][place].child
        }
        let place = place(of: key, in: node)
        nodes[node][place].count += 1
        return (node, place)
    }

    /// Puts a block behind the one where its first job belongs. `isNew`: its jobs were in none; otherwise they leave that one.
    private mutating func insert(_ block: Entry, isNew: Bool) {
        guard let sibling = insert(block, isNew: isNew, under: root, level: height) else { return }
        let old = Entry(first: nodes[root][0].first, count: total(of: root), child: root)
        root = makeNode([old, sibling])
        height += 1
    }

    /// - Returns: the node's new neighbor, if it had to be divided.
    private mutating func insert(_ block: Entry, isNew: Bool, under node: Int, level: Int) -> Entry? {
        guard !nodes[node].isEmpty else {
            nodes[node].append(block)
            return nil
        }
        let place = place(of: block.first, in: node)
        if level > 0 {
            if isNew { nodes[node][place].count += block.count }
            guard let sibling = insert(block, isNew: isNew, under: nodes[node][place].child, level: level - 1) else { return nil }
            nodes[node][place].count -= sibling.count
            nodes[node].insert(sibling, at: place + 1)
        } else {
            if !isNew { nodes[node][place].count -= block.count }
            nodes[node].insert(block, at: place + 1)
        }
        looks += nodes[node].count - place
        guard nodes[node].count > fanOut else { return nil }
        // What grows at its end goes on there: the node before stays full.
        let middle = isNew ? nodes[node].count - 1 : nodes[node].count / 2
        return divide(node, at: middle)
    }

    private mutating func divide(_ node: Int, at middle: Int) -> Entry {
        let sibling = makeNode(nodes[node][middle...])
        nodes[node].removeSubrange(middle...)
        looks += fanOut
        return Entry(first: nodes[sibling][0].first, count: total(of: sibling), child: sibling)
    }

    private mutating func remove(_ key: RankKey, next: RankKey, under node: Int, level: Int) {
        let place = place(of: key, in: node)
        nodes[node][place].count -= 1
        if level > 0 {
            remove(key, next: next, under: nodes[node][place].child, level: level - 1)
        } else if nodes[node][place].first == key {
            nodes[node][place].first = next
        }
        if nodes[node][place].count == 0 {
            if level > 0 { release(nodes[node][place].child) }
            nodes[node].remove(at: place)
            looks += nodes[node].count - place
        } else if place + 1 >= nodes[node].count || !join(place, in: node, level: level), place > 0 {
            _ = join(place - 1, in: node, level: level)
        }
    }

    /// Makes one of an entry and the one behind it where both together are half full at most, so that what many removals leave is packed.
    private mutating func join(_ place: Int, in node: Int, level: Int) -> Bool {
        let (one, two) = (nodes[node][place], nodes[node][place + 1])
        if level == 0 {
            guard one.count + two.count <= blockSize / 2 else { return false }
        } else {
            guard nodes[one.child].count + nodes[two.child].count <= fanOut / 2 else { return false }
            // At the head of its node a separator may be too high: nothing was looked for before it there.
            if level > 1 { nodes[two.child][0].first = two.first }
            nodes[one.child].append(contentsOf: nodes[two.child])
            looks += nodes[two.child].count
            release(two.child)
        }
        nodes[node][place].count += two.count
        nodes[node].remove(at: place + 1)
        looks += nodes[node].count - place
        return true
    }

    private mutating func total(of node: Int) -> Int {
        looks += nodes[node].count
        return nodes[node].reduce(0) { $0 + $1.count }
    }

    private mutating func makeNode(_ entries: some Collection<Entry>) -> Int {
        guard let node = unused.popLast() else {
            nodes.append(Array(entries))
            return nodes.count - 1
        }
        nodes[node].append(contentsOf: entries)
        return node
    }

    /// A node that nothing stands under any more is the next new one: it keeps its memory.
    private mutating func release(_ node: Int) {
        nodes[node].removeAll(keepingCapacity: true)
        unused.append(node)
    }
}
