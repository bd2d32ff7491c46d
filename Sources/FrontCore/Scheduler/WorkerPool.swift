//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Workers that offer the same loaders in the same way: to a job each of them is as good as another, save for its load.
///
/// It has one heap of loaders whose jobs wait for any of them and one of members with room, so that a place that becomes free wakes the first of
/// a thousand loaders and looks at no other.
struct WorkerPool {
    /// What makes workers alike.
    struct Key: Hashable {
        var kind: WorkerRoom.Kind
        /// Indexes of the loaders' names, ascending.
        var loaders: [Int]
    }

    /// The order in which members get jobs: by load, then by index.
    struct Turn: Comparable {
        var load: Int
        var worker: Int

        // Ties go by index, never by a table's order: the same events have to choose the same worker.
        static func < (one: Turn, two: Turn) -> Bool { one.load != two.load ? one.load < two.load : one.worker < two.worker }
    }

    let key: Key
    /// Indexes of the workers, ascending.
    private(set) var members: [Int] = []
    /// Members with room for a job.
    var roomy = IndexedHeap<Turn>()
    /// Those of them that hold nothing.
    var idle = IndexedHeap<Turn>()
    /// Loaders whose jobs wait for a member, by the first of them.
    var waiting = IndexedHeap<RankKey>()
    /// The same for suspected jobs.
    var suspects = IndexedHeap<RankKey>()
    /// Members that offer free slots to waiting jobs, and the count of those slots.
    var offering = 0
    var slotsOffered = 0
    /// Members that run a suspected job.
    var alone = 0
    /// How suspected jobs and others take turns here.
    var share = SuspectShare()

    init(_ key: Key) { self.key = key }

    mutating func join(_ worker: Int) { members.insert(worker, at: members.firstIndex { $0 > worker } ?? members.count) }

    mutating func leave(_ worker: Int) { members.removeAll { $0 == worker } }
}

/// What the scheduler knows of a worker.
struct KnownWorker {
    var room = WorkerRoom()
    /// At most two: what it runs in slots, and what it takes ahead.
    var pools: [Int] = []
    var isKnown = false
}

/// What a worker can take, as the scheduler needs to know it: set again after each change.
struct WorkerRoom: Equatable {
    /// The two kinds of places that a job can have at a worker.
    enum Kind: Hashable {
        /// A slot: the job runs at once.
        case slot
        /// A place ahead: a bulk job lies at the worker until its turn comes.
        case ahead

        /// How many jobs of a lane go to the same worker before others are looked at: bulk ones are worth no look each.
        var jobsAtOnce: Int {
            switch self {
            case .slot: 1
            case .ahead: Self.bulkJobsAtOnce
            }
        }

        /// So many bulk jobs run for less than a few milliseconds: no smaller rank of another lane waits for long behind them.
        private static var bulkJobsAtOnce: Int { 64 }
    }

    /// It is registered and does not drain: jobs may wait for it.
    var isOffering = false
    /// It takes jobs now.
    var isTaking = false
    /// It runs a suspected job that is to be alone there for so long from its grant on, see `SuspectRuns`; nil: it runs none.
    var aloneFor: Duration?
    /// Jobs that it holds.
    var held = 0
    var slots = 0
    var slotsTaken = 0
    var placesAhead = 0
    var takenAhead = 0

    /// Whether it takes nothing beside what it runs.
    var isAlone: Bool { aloneFor != nil }

    /// How many further jobs it can hold.
    func free(_ kind: Kind) -> Int {
        switch kind {
        case .slot: slots - slotsTaken
        case .ahead: placesAhead - takenAhead
        }
    }

    /// How finely a worker's share of taken slots is counted: finer than any number of slots that matters.
    private static let loadParts = 1_024

    /// What it has to do already: the next job goes where this is least.
    func load(_ kind: Kind) -> Int {
        switch kind {
        // In parts of its slots, so that a small worker is not filled before a large one.
        case .slot: slotsTaken * Self.loadParts / max(1, slots)
        // Their number says how long the next one waits, however many there is room for.
        case .ahead: takenAhead
        }
    }
}

/// The pools of workers: by which loaders they are found, and which of them have a waiting job and room for it.
struct SchedulerPools {
    private var all: [WorkerPool] = []
    /// Places of pools that are no more.
    private var free: [Int] = []
    private var indexes: [WorkerPool.Key: Int] = [:]
    /// By a loader's index the pools whose workers offer it.
    private var offers: [[Int]] = []
    /// Pools with a waiting job and a member with room, by their first job.
    private var ready = IndexedHeap<RankKey>()
    /// Pools with suspected jobs. There are as many as kinds of workers.
    private var suspectPools: [Int] = []
    /// Loaders that are paused: their jobs stand in their lanes, and in no pool.
    private var paused: Set<Int> = []
    /// Whether all are.
    private(set) var areAllPaused = false
    /// Of each of them the loader of its first suspected job.
    var firstSuspects: [Int] { withSuspects.compactMap { self[$0].suspects.top?.item } }
    /// What the work has cost since it was asked for last, in looks at loaders and pools.
    private var looks = 0

    /// The pool in a place that `index(of:)` or `make` has named.
    subscript(pool: Int) -> WorkerPool {
        _read { yield all[pool] }
        _modify { yield &all[pool] }
    }

    /// The pools whose workers offer a loader.
    func offering(_ loader: Int) -> [Int] { loader < offers.count ? offers[loader] : [] }

    /// The loader whose first job is before those of all others for which a worker has room; nil: nothing that waits finds room.
    var firstLoader: Int? { areAllPaused ? nil : ready.top.flatMap { all[$0.item].waiting.top?.item } }

    /// Pools with suspected jobs that may be granted.
    var withSuspects: [Int] { areAllPaused ? [] : suspectPools }

    /// Whether no job of a loader is granted.
    func isPaused(_ loader: Int) -> Bool { areAllPaused || paused.contains(loader) }

    /// A loader is paused, or is no longer; nil: all are.
    /// - Parameter first: The first job of a group; nil: it has none.
    mutating func setPaused(_ loader: Int?, _ isPaused: Bool, first: (LaneGroup) -> RankKey?) {
        // One mark for all: to take each loader out of its pools would cost a look at each.
        guard let loader else { return areAllPaused = isPaused }
        if isPaused { paused.insert(loader) } else { paused.remove(loader) }
        place(loader, in: offering(loader), first: first)
    }

    /// Puts a loader into pools where its first jobs belong.
    mutating func place(_ loader: Int, in pools: [Int], first: (LaneGroup) -> RankKey?) {
        for group in [LaneGroup(loader: loader, isSuspect: false), LaneGroup(loader: loader, isSuspect: true)] {
            for pool in pools { place(group, in: pool, first(group)) }
        }
    }

    /// Where the pool of such workers is; nil: there are none.
    func index(of key: WorkerPool.Key) -> Int? { indexes[key] }

    /// A new pool without members. Its loaders are put into it by `place`.
    mutating func make(_ key: WorkerPool.Key) -> Int {
        let pool = free.popLast() ?? all.count
        if pool == all.count { all.append(WorkerPool(key)) } else { all[pool] = WorkerPool(key) }
        indexes[key] = pool
        for loader in key.loaders {
            while offers.count <= loader { offers.append([]) }
            offers[loader].append(pool)
        }
        return pool
    }

    /// The last member has left.
    mutating func drop(_ pool: Int) {
        let key = all[pool].key
        indexes[key] = nil
        for loader in key.loaders { offers[loader].removeAll { $0 == pool } }
        ready.remove(pool)
        suspectPools.removeAll { $0 == pool }
        free.append(pool)
    }

    /// Puts a loader into a pool where its first job belongs; nil, or a paused one: takes it out.
    mutating func place(_ group: LaneGroup, in pool: Int, _ first: RankKey?) {
        looks += 1
        let loader = group.loader
        let head = paused.contains(loader) ? nil : first
        if group.isSuspect {
            let wasEmpty = all[pool].suspects.isEmpty
            looks += head.map { all[pool].suspects.set(loader, to: $0) } ?? all[pool].suspects.remove(loader)
            guard wasEmpty != all[pool].suspects.isEmpty else { return }
            if wasEmpty { suspectPools.append(pool) } else { suspectPools.removeAll { $0 == pool } }
        } else {
            looks += head.map { all[pool].waiting.set(loader, to: $0) } ?? all[pool].waiting.remove(loader)
            refresh(pool)
        }
    }

    /// Lists a worker among those of a pool with room, or not.
    mutating func note(_ worker: Int, in pool: Int, _ room: WorkerRoom, takesOthers: Bool) {
        looks += 1
        let kind = all[pool].key.kind
        let turn = WorkerPool.Turn(load: room.load(kind), worker: worker)
        let isRoomy = takesOthers && room.isTaking && !room.isAlone && room.free(kind) > 0
        looks += isRoomy ? all[pool].roomy.set(worker, to: turn) : all[pool].roomy.remove(worker)
        looks += isRoomy && room.held == 0 ? all[pool].idle.set(worker, to: turn) : all[pool].idle.remove(worker)
        refresh(pool)
    }

    /// Puts a pool into the ready heap, or takes it out.
    private mutating func refresh(_ pool: Int) {
        if let head = all[pool].waiting.top?.key, !all[pool].roomy.isEmpty {
            looks += ready.set(pool, to: head)
        } else {
            looks += ready.remove(pool)
        }
    }

    /// Whether a worker offers a loader.
    func isOffered(_ loader: Int) -> Bool { offering(loader).contains { all[$0].offering > 0 } }

    /// The slots of the workers that offer a loader.
    func slotsOffered(_ loader: Int) -> Int { offering(loader).reduce(0) { $0 + all[$1].slotsOffered } }

    /// What was looked at since this was asked for last.
    mutating func takeLooks() -> Int {
        defer { looks = 0 }
        return looks
    }
}
