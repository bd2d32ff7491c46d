//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

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
    private(set) var withSuspects: [Int] = []
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
    var firstLoader: Int? { ready.top.flatMap { all[$0.item].waiting.top?.item } }

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
        withSuspects.removeAll { $0 == pool }
        free.append(pool)
    }

    /// Puts a loader into a pool where its first job belongs; nil: takes it out.
    mutating func place(_ group: LaneGroup, in pool: Int, _ head: RankKey?) {
        looks += 1
        let loader = group.loader
        if group.isSuspect {
            let wasEmpty = all[pool].suspects.isEmpty
            looks += head.map { all[pool].suspects.set(loader, to: $0) } ?? all[pool].suspects.remove(loader)
            guard wasEmpty != all[pool].suspects.isEmpty else { return }
            if wasEmpty { withSuspects.append(pool) } else { withSuspects.removeAll { $0 == pool } }
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
