//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Which waiting job is next, and which worker gets it.
///
/// Lanes hold the waiting jobs, each in order of rank; a lane's first job stands for all behind it, and the first of a loader's lanes for the others.
/// Where several clients have waiting jobs of a loader, they take turns, see `LaneTable`. Pools hold the loaders whose jobs wait for a worker of theirs,
/// and their workers with room; those that have both stand in the ready heap, by their first job. Whatever changes moves one lane, loader, worker or
/// pool: a turn costs what has changed, never what waits.
struct Scheduler {
    // Read by the questions in the file beside this one; what changes them stands here.

    var lanes = LaneTable()
    private var workers: [KnownWorker] = []
    var pools = SchedulerPools()
    /// What jobs count in beside workers, and which lanes wait there.
    var limits = LimitTable()
    /// At most one of each pool, and of each worker.
    private(set) var claims: [SuspectClaim] = []
    /// The suspected jobs that run alone.
    private var runs = SuspectRuns()
    /// Loaders that a first worker offers, or none does any more, those that were paused or resumed, and those of paused workers, since that was asked
    /// for last.
    var changedOffers: Set<Int> = []
    /// Feeds, by index, whose lanes show no job, since a group that they are in is paused.
    private var heldFeeds: Set<UInt32> = []
    /// Lanes in which a job came or went, or that are held or no longer, since their first jobs were passed to the pools.
    private var changed = ChangedIndexes()
    /// Lanes by the time at which their first job was accepted.
    private(set) var ages = IndexedHeap<LaneAge>()

    /// Jobs that wait in lanes, suspected ones included, by loader.
    private(set) var waits = LoaderWaits()
    /// All of them.
    var count: Int { waits.total }
    /// What the work has cost since it was asked for last, in looks at jobs, lanes and workers.
    var looks = 0

    /// How often something was refused: each is a mistake of the caller.
    private(set) var refusals = 0

    /// Whether no job waits in a lane.
    var isEmpty: Bool { count == 0 }

    private mutating func refuse(_ reason: SchedulerRefusal) -> SchedulerRefusal {
        refusals += 1
        return reason
    }
}

// MARK: Lines

extension Scheduler {
    /// Puts a waiting job that stands in no line into its lane.
    /// - Parameter terms: What its lane has in common beside the loader.
    @discardableResult
    mutating func insert(_ id: UInt64, _ terms: LaneTerms = LaneTerms(), in slab: inout JobSlab) -> SchedulerRefusal? {
        let job = slab[id]
        guard job.place == .nowhere, job.state == .waiting else { return refuse(.notFree) }
        let key = LaneKey(loader: Int(job.loader), terms: terms, isSuspect: job.flags.contains(.suspected))
        let lane = lanes.lane(for: key)
        lanes[lane].line.insert(id, key.isSuspect ? .suspects : .lane, in: &slab)
        waits.count(key.loader, 1)
        changed.note(lane)
        return nil
    }

    /// Takes a job out of its lane; it has the terms that it came with.
    @discardableResult
    mutating func remove(_ id: UInt64, _ terms: LaneTerms = LaneTerms(), in slab: inout JobSlab) -> SchedulerRefusal? {
        let job = slab[id]
        let isSuspect = job.place == .suspects
        guard isSuspect || job.place == .lane else { return refuse(.notWaiting) }
        let lane = lanes.lane(for: LaneKey(loader: Int(job.loader), terms: terms, isSuspect: isSuspect))
        lanes[lane].line.remove(id, in: &slab)
        waits.count(Int(job.loader), -1)
        changed.note(lane)
        return nil
    }

    /// Moves what waits by the first jobs of lanes: once, however many jobs have come or gone.
    ///
    /// The caller does that after it has changed lines and before it asks for anything.
    mutating func flush(in slab: JobSlab) {
        while let lane = changed.take() {
            looks += lanes[lane].takeLooks()
            let head = lanes[lane].line.isEmpty ? nil : slab.key(of: lanes[lane].line.first)
            let shown = isHeld(lanes[lane].key) ? nil : head
            let wasParked = limits.release(lane, lanes[lane].key, shown, &looks)
            if wasParked || shown == nil || shown != lanes.first(of: lane) { move(lane, to: head, in: slab) }
            if head == nil { lanes.drop(lane) }
        }
        wake(in: slab)
    }

    /// Notes the first job of a lane; nil: it has none. Pools are updated if the first job of its loader has changed.
    private mutating func move(_ lane: Int, to head: RankKey?, in slab: JobSlab) {
        let group = lanes[lane].key.group
        show(head, of: lane)
        guard !group.isSuspect else { return }
        looks += head.map { ages.set(lane, to: LaneAge(acceptedAt: slab[$0.id].acceptedAt, lane: lane)) } ?? ages.remove(lane)
    }
}

// MARK: Limits

extension Scheduler {
    /// Passes the first job of a lane to its group, and the first one of that to the pools; nil: the lane has none, or waits for a limit. A lane that is
    /// held shows none.
    private mutating func show(_ head: RankKey?, of lane: Int) {
        let group = lanes[lane].key.group
        let before = lanes.first(of: group)
        looks += lanes.note(isHeld(lanes[lane].key) ? nil : head, of: lane)
        let after = lanes.first(of: group)
        guard before != after else { return }
        for pool in pools.offering(group.loader) { pools.place(group, in: pool, after) }
    }

    /// Looks again at the lanes that waited for a limit which has room now, at so many at once.
    private mutating func wake(in slab: JobSlab) {
        let most = looks + LimitTable.wakingLooks
        while looks < most, limits.isUsed, let lane = limits.takeWoken(in: slab, lanes, &looks) {
            looks += 1 + limits.unpark(lane, of: lanes[lane].key.group.index)
            if !lanes[lane].line.isEmpty { show(slab.key(of: lanes[lane].line.first), of: lane) }
        }
    }

    /// Whether the first job of a group and that of the client whose turn it is have room; if not, a lane goes where it waits, and another one is first.
    private mutating func findRoom(for group: LaneGroup, in slab: JobSlab) -> Bool {
        guard limits.isUsed, let first = lanes.firstLane(of: group), let next = lanes.nextLane(of: group) else { return true }
        return (first == next || hasRoom(first, in: slab)) && hasRoom(next, in: slab) && isFirstWithRoom(next, in: slab)
    }

    /// Whether no lane of the same client waits where there is room, and stands before this one; if one does, it waits no more.
    private mutating func isFirstWithRoom(_ lane: Int, in slab: JobSlab) -> Bool {
        let key = lanes[lane].key
        guard let head = lanes.first(of: lane), let waiting = limits.firstWaiting(like: key, looks: &looks), waiting.key < head
        else { return true }
        looks += 1 + limits.unpark(waiting.lane, of: key.group.index)
        show(slab.key(of: lanes[waiting.lane].line.first), of: waiting.lane)
        return false
    }

    /// Whether the first job of a lane has room in all its limits; if not, the lane goes where it waits. One that has waited for long reserves what it needs.
    private mutating func hasRoom(_ lane: Int, in slab: JobSlab) -> Bool {
        let key = lanes[lane].key
        guard let head = lanes.first(of: lane), let full = limits.full(Int(key.limitSet), for: head) else { return true }
        limits.makeReservation(lane, key, by: head, in: slab)
        show(nil, of: lane)
        looks += limits.park(lane, key, by: head, at: full, lanes.pass(of: lane))
        limits.passOn(Int(key.limitSet))
        wake(in: slab)
        return false
    }

    /// The same for all suspected jobs; false: the next turn goes on.
    private mutating func findRoomForSuspects(in slab: JobSlab) -> Bool {
        // After each move anew: a lane that is woken meanwhile may stand in a pool that was looked at before.
        let most = looks + LimitTable.wakingLooks
        var loaders = limits.isUsed ? pools.firstSuspects : []
        while let loader = loaders.popLast() {
            guard !findRoom(for: LaneGroup(loader: loader, isSuspect: true), in: slab) else { continue }
            guard limits.mayLook(looks, upTo: most) else { return false }
            loaders = pools.firstSuspects
        }
        return true
    }
}

// MARK: Workers

extension Scheduler {
    /// A worker offers these loaders now, and no others.
    mutating func setOffers(of worker: Int, slot: [Int], ahead: [Int]) {
        while workers.count <= worker { workers.append(KnownWorker()) }
        let room = workers[worker].room
        leavePools(worker)
        workers[worker].isKnown = true
        for key in [WorkerPool.Key(kind: .slot, loaders: slot), WorkerPool.Key(kind: .ahead, loaders: ahead)] where !key.loaders.isEmpty {
            let pool = pools.index(of: key) ?? makePool(key)
            pools[pool].join(worker)
            workers[worker].pools.append(pool)
        }
        change(worker, to: room)
    }

    /// A worker is forgotten.
    @discardableResult
    mutating func removeWorker(_ worker: Int) -> SchedulerRefusal? {
        guard worker < workers.count, workers[worker].isKnown else { return refuse(.unknownWorker) }
        leavePools(worker)
        workers[worker] = KnownWorker()
        return nil
    }

    /// A worker has this room now.
    @discardableResult
    mutating func setRoom(of worker: Int, to room: WorkerRoom) -> SchedulerRefusal? {
        guard worker < workers.count, workers[worker].isKnown else { return refuse(.unknownWorker) }
        if workers[worker].room != room { change(worker, to: room) }
        return nil
    }

    private mutating func change(_ worker: Int, to room: WorkerRoom) {
        let old = workers[worker].room
        workers[worker].room = room
        runs.note(worker, from: old, to: room)
        for index in workers[worker].pools.indices {
            let pool = workers[worker].pools[index]
            let wasOffering = pools[pool].offering > 0
            pools[pool].offering += (room.isOffering ? 1 : 0) - (old.isOffering ? 1 : 0)
            if wasOffering != (pools[pool].offering > 0) {
                changedOffers.formUnion(pools[pool].key.loaders)
                for loader in pools[pool].key.loaders {
                    waits.noteOffer(of: loader, isOffered(loader))
                    if !isOffered(loader) { limits.dropReservations(of: loader) }
                }
            }
            pools[pool].slotsOffered += (room.isOffering ? room.slots : 0) - (old.isOffering ? old.slots : 0)
            pools[pool].alone += (room.isAlone ? 1 : 0) - (old.isAlone ? 1 : 0)
            if old.isAlone, !room.isAlone { runs.endedPools.append(pool) }
            noteRoom(of: worker, in: pool)
        }
    }

    /// Has a pool know the room of a worker. One that is kept for a suspected job takes no others.
    private mutating func noteRoom(of worker: Int, in pool: Int) {
        pools.note(worker, in: pool, workers[worker].room, takesOthers: !isForSuspects(worker))
    }

    private mutating func leavePools(_ worker: Int) {
        change(worker, to: WorkerRoom())
        claims.removeAll { $0.worker == worker }
        for pool in workers[worker].pools {
            pools[pool].leave(worker)
            if pools[pool].members.isEmpty { pools.drop(pool) }
        }
        workers[worker].pools = []
    }

    private mutating func makePool(_ key: WorkerPool.Key) -> Int {
        let pool = pools.make(key)
        for loader in key.loaders { pools.place(loader, in: [pool]) { [lanes] in lanes.first(of: $0) } }
        return pool
    }

    /// Who offers these loaders has changed though the workers that jobs may wait for have not.
    mutating func questionOffers(of loaders: [Int]) { changedOffers.formUnion(loaders) }

    /// No job of a loader is granted any more, or they are again; nil: of any. Then workers are kept for no suspected job either.
    mutating func setPaused(_ loader: Int?, _ isPaused: Bool) {
        pools.setPaused(loader, isPaused) { [lanes] in lanes.first(of: $0) }
        if isPaused { limits.dropReservations(of: loader) }
        if let loader { changedOffers.insert(loader) }
        while loader == nil, isPaused, let claim = claims.first { release(claim) }
    }

    /// No job is granted any more that asks the source of one of these feeds, or they are again. They stay in their lanes, which show none of them
    /// meanwhile: so that costs a look at each lane, however many feeds there are, and nothing for each job.
    mutating func setHeld(_ feeds: [(feed: Int, isHeld: Bool)]) {
        var moved: Set<UInt32> = []
        for (feed, isHeld) in feeds where heldFeeds.contains(UInt32(feed)) != isHeld {
            moved.insert(UInt32(feed))
            if isHeld { heldFeeds.insert(UInt32(feed)) } else { heldFeeds.remove(UInt32(feed)) }
        }
        guard !moved.isEmpty else { return }
        looks += lanes.inUse.count
        for lane in lanes.inUse.filter({ moved.contains(lanes[$0].key.terms.feed) }).sorted() { changed.note(lane) }
    }

    /// Whether a lane shows none of its jobs.
    func isHeld(_ key: LaneKey) -> Bool { !heldFeeds.isEmpty && key.terms.feed != 0 && heldFeeds.contains(key.terms.feed) }
}

// MARK: Turns

extension Scheduler {
    /// The jobs that are next, all of one loader, and the worker that gets them; nil: nothing that waits finds room.
    ///
    /// Nothing is taken: the grant's entry does that, which puts them into the worker's hands and changes its room.
    mutating func next(into jobs: inout [UInt64], in slab: JobSlab) -> Int? {
        // A loader whose lanes all wait for limits leaves the pools: then another one is first.
        let most = looks + LimitTable.wakingLooks
        while let first = pools.firstLoader, !findRoom(for: LaneGroup(loader: first, isSuspect: false), in: slab) {
            guard limits.mayLook(looks, upTo: most) else { return nil }
        }
        guard let loader = pools.firstLoader else { return nil }
        var best: (turn: WorkerPool.Turn, pool: Int)?
        for other in pools.offering(loader) {
            looks += 1
            guard let turn = pools[other].roomy.top?.key, best.map({ turn < $0.turn }) ?? true else { continue }
            best = (turn, other)
        }
        guard let best else { return nil }
        let (kind, group) = (pools[best.pool].key.kind, LaneGroup(loader: loader, isSuspect: false))
        let limit = min(kind.jobsAtOnce, workers[best.turn.worker].room.free(kind))
        // What a limit has room for is shared out to the workers, each of which runs its jobs one after the other.
        let sharers = pools[best.pool].roomy.count
        // Jobs behind the first one pass no lane of their client that waits where there is room: it is looked at for the next ones.
        var bound: RankKey?
        if limit > 1, limits.isUsed, let lane = lanes.nextLane(of: group) {
            bound = limits.firstWaiting(like: lanes[lane].key, looks: &looks)?.key
        }
        looks += lanes.take(limit, of: group, before: bound, room: { max(1, limits.room($0, for: $1) / sharers) }, in: slab, into: &jobs)
        return best.turn.worker
    }

    /// A suspected job, and the worker that was kept for it and holds nothing; nil: none is empty yet.
    mutating func nextSuspect(at now: MonotonicTime, in slab: JobSlab) -> (job: UInt64, worker: Int)? {
        guard !pools.areAllPaused else { return nil }
        guard findRoomForSuspects(in: slab) else { return nil }
        endRuns(at: now)
        for claim in claims { review(claim, at: now) }
        keepWorkers(at: now)
        let empty = claims.filter { workers[$0.worker].room.held == 0 }
        let served = empty.compactMap { claim in pools[claim.pool].suspects.top.map { (head: $0.key, claim: claim) } }
        guard let (head, claim) = served.min(by: { $0.head < $1.head }) else { return nil }
        pools[claim.pool].share.granted(at: now)
        release(claim)
        return (head.id, claim.worker)
    }

    /// The first suspected job for which a worker holds nothing after all others were served, and that worker. No other job waits for
    /// its place: so it waits for no claim, nor for suspected jobs that run elsewhere.
    mutating func nextIdle(at now: MonotonicTime, in slab: JobSlab) -> (job: UInt64, worker: Int)? {
        guard findRoomForSuspects(in: slab) else { return nil }
        runs.begin(at: now)
        var best: (head: RankKey, pool: Int, worker: Int)?
        for pool in pools.withSuspects {
            looks += 1
            guard let worker = pools[pool].idle.top?.item, let head = pools[pool].suspects.top?.key else { continue }
            if best.map({ head < $0.head }) ?? true { best = (head, pool, worker) }
        }
        guard let best else { return nil }
        pools[best.pool].share.granted(at: now)
        return (best.head.id, best.worker)
    }

    /// When suspected jobs are to be looked at again even if nothing happens; nil: none waits for a time.
    func suspectsDue(after now: MonotonicTime) -> MonotonicTime? {
        var due = runs.next ?? .distantFuture
        for pool in pools.withSuspects where pools[pool].share.restsUntil > now { due = min(due, pools[pool].share.restsUntil) }
        for claim in claims { due = min(due, claim.until) }
        return due == .distantFuture ? nil : due
    }

    /// The workers whose suspected job has been alone for long enough by now: see `SuspectRuns`.
    ///
    /// Asked in each turn, whether or not a job could be granted: for as long as a worker was kept others get it next, and that ends with the run.
    mutating func takeLongRuns(at now: MonotonicTime) -> [Int] {
        endRuns(at: now)
        return runs.takeLong(at: now)
    }

    /// Where suspected jobs ran alone and do no longer, others get the workers for as long.
    private mutating func endRuns(at now: MonotonicTime) {
        while let pool = runs.endedPools.popLast() { if pools[pool].alone == 0 { pools[pool].share.rest(at: now) } }
    }

    /// Ends a claim that no job needs, that no worker can fulfill, or whose time is over.
    private mutating func review(_ claim: SuspectClaim, at now: MonotonicTime) {
        let room = workers[claim.worker].room
        if pools[claim.pool].alone > 0 {
            // Another worker was empty before.
            release(claim)
        } else if pools[claim.pool].suspects.isEmpty || !room.isTaking {
            release(claim)
            pools[claim.pool].share.rest(at: now)
        } else if room.held > 0, now >= claim.until {
            release(claim)
            pools[claim.pool].share.gaveUp(at: now)
        }
    }

    /// Keeps the worker that holds least for each pool with suspected jobs that runs none and has run none just now, in order of their first
    /// jobs. Each pool has its own: those of one that never becomes empty are no wall for those of another.
    private mutating func keepWorkers(at now: MonotonicTime) {
        let heads = pools.withSuspects.compactMap { pool in pools[pool].suspects.top.map { (key: $0.key, pool: pool) } }
        for (_, pool) in heads.sorted(by: { $0.key < $1.key }) where !claims.contains(where: { $0.pool == pool }) {
            guard pools[pool].alone == 0, pools[pool].share.restsUntil <= now else { continue }
            looks += pools[pool].members.count
            let able = pools[pool].members.filter { workers[$0].room.isTaking && !isForSuspects($0) }
            guard let worker = able.min(by: { workers[$0].room.held < workers[$1].room.held }) else { continue }
            claims.append(SuspectClaim(worker: worker, pool: pool, until: pools[pool].share.keep(at: now)))
            for pool in workers[worker].pools { noteRoom(of: worker, in: pool) }
        }
    }

    private mutating func release(_ old: SuspectClaim) {
        claims.removeAll { $0.worker == old.worker }
        for pool in workers[old.worker].pools { noteRoom(of: old.worker, in: pool) }
    }

    /// Whether a worker takes nothing but a suspected job.
    private func isForSuspects(_ worker: Int) -> Bool { claims.contains { $0.worker == worker } }
}
