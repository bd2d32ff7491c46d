//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import HeapModule

/// The lanes that have waiting jobs, each with an index for as long as it has some, and which of a loader's lanes is first.
///
/// The lanes of one client are in order of their first jobs. Clients that have jobs of one loader take turns, each as often as it weighs: the next one
/// is that which has got least for its weight (stride scheduling). One that comes begins where the others are; so nobody saves turns up.
struct LaneTable {
    /// Jobs of one kind that wait, in order of rank.
    struct Lane {
        var key: LaneKey
        var line = RankedLine()
        /// Index of the share that it is of.
        fileprivate var share = 0
        private var reportedLooks = 0

        init(key: LaneKey) { self.key = key }

        /// What was looked at in its line since this was asked for last.
        mutating func takeLooks() -> Int {
            defer { reportedLooks = line.looks }
            return line.looks - reportedLooks
        }
    }

    /// A job that may be the next of its client.
    private struct Candidate: Comparable {
        var key: RankKey
        /// Its lane's place among those of the group, if it is the first of its lane.
        var place: Int?

        static func < (one: Candidate, two: Candidate) -> Bool { one.key < two.key }
    }

    private var lanes: [Lane] = []
    private var free: [Int] = []
    private var indexes: [LaneKey: Int] = [:]
    private var shares = ClientShares()
    /// By a lane's index its place in its share, from 1; 0: its first job was not noted yet.
    private var places: [Int] = []
    /// The lane that was looked for last: jobs of one submit, grant or report mostly are of one.
    private var recent: (key: LaneKey, lane: Int)?

    /// The lane of an index that is in use.
    subscript(lane: Int) -> Lane {
        _read { yield lanes[lane] }
        _modify { yield &lanes[lane] }
    }

    /// The lane of a key; nil: no such job waits.
    func find(_ key: LaneKey) -> Int? { indexes[key] }

    /// How many clients' lanes of loaders are remembered, for checks.
    var shareCount: Int { shares.count }

    /// All lanes.
    var inUse: some Collection<Int> { indexes.values }

    /// The lane of a key, made for its first job.
    mutating func lane(for key: LaneKey) -> Int {
        if let recent, recent.key == key { return recent.lane }
        let lane = indexes[key] ?? make(key)
        recent = (key, lane)
        return lane
    }

    private mutating func make(_ key: LaneKey) -> Int {
        let lane = free.popLast() ?? lanes.count
        if lane == lanes.count {
            lanes.append(Lane(key: key))
            places.append(0)
        } else {
            lanes[lane].key = key
        }
        indexes[key] = lane
        lanes[lane].share = shares.enter(key)
        return lane
    }

    /// A lane has no job any more. Its index is the next new lane's, and its memory too unless many jobs have waited there: of many clients'
    /// lanes each would keep what it had once needed.
    mutating func drop(_ lane: Int) {
        let key = lanes[lane].key
        indexes[key] = nil
        // Its index may be another lane's next.
        recent = nil
        shares.leave(lanes[lane].share)
        if lanes[lane].line.nodeCount > 1 { lanes[lane] = Lane(key: key) }
        free.append(lane)
        // Only when no lane is left, because the indexes of those in use must stay.
        guard indexes.isEmpty, lanes.count > Self.keptLanes else { return }
        (lanes, free, places, shares) = ([], [], [], ClientShares())
    }

    /// Lanes whose memory is kept when none is in use.
    private static let keptLanes = 1_024
}

// MARK: Groups

extension LaneTable {
    /// The first job of a lane, as it was noted last.
    func first(of lane: Int) -> RankKey? {
        places[lane] == 0 ? nil : shares.lanes(of: lanes[lane].share)[places[lane] - 1].key
    }

    /// The lane whose first job is the first of a group by rank.
    func firstLane(of group: LaneGroup) -> Int? { shares.first(of: group)?.lane }

    /// The first job of a group by rank.
    func first(of group: LaneGroup) -> RankKey? { shares.first(of: group)?.key }

    /// What the client of a lane has got of its loader, as turns count it.
    func pass(of lane: Int) -> Int64 { shares.pass(of: lanes[lane].share) }

    /// The first lane of the client whose turn it is.
    func nextLane(of group: LaneGroup) -> Int? { shares.next(of: group).flatMap { shares.lanes(of: $0).top?.item } }

    /// Moves a lane to where its first job belongs; nil: it has none.
    /// - Returns: how many lanes were looked at.
    @discardableResult
    mutating func note(_ first: RankKey?, of lane: Int) -> Int {
        shares.note(first, of: lane, in: lanes[lane].share, &places)
    }

    /// The lanes of a lane's client whose first job stands before a key.
    func lanes(ofClientOf lane: Int, before key: RankKey) -> HeapSample {
        shares.lanes(of: lanes[lane].share).items(before: key, looks: Self.countedLanes)
    }

    /// About how many jobs of other clients are taken before a client's next one once it has got so many, as all take turns.
    /// - Returns: that, and how many lanes were looked at.
    func takenFromOthers(before count: Int, ofClientOf lane: Int) -> (jobs: Int, looks: Int) {
        let own = lanes[lane].share
        let others = shares.others(before: count, of: own, looks: Self.countedLanes)
        var (jobs, looks) = (0, others.looked)
        for other in others.items {
            let (turns, theirs) = (shares.turns(of: other, before: count, of: own), shares.lanes(of: other))
            var (taken, place) = (0, 0)
            while taken < turns, place < theirs.count, looks < others.looked + 2 * Self.countedLanes {
                taken += lanes[theirs[place].item].line.count
                (place, looks) = (place + 1, looks + 1)
            }
            jobs += min(turns, taken)
        }
        return (others.ofAll(jobs), looks)
    }

    /// Who asks for a job's place in line is told about where it is: of more clients, or lanes, some stand for all.
    static let countedLanes = 1_024

    /// The jobs of a group that are next, all of the client whose turn it is, in order of rank whatever lanes they stand in, until there are so many.
    /// It ends before a job that counts in other limits than the first one: whether those have room shows when they are first.
    /// - Parameters:
    ///   - limit: For how many there is room: at least for one, since a worker is asked for only then.
    ///   - bound: Only jobs that stand before it follow the first one; nil: all do.
    ///   - room: For how many jobs of a lane its limits have room, of which the first one stands there.
    /// - Returns: how many jobs and lanes were looked at.
    mutating func take(
        _ limit: Int, of group: LaneGroup, before bound: RankKey?, room: (Int, RankKey) -> Int, in slab: JobSlab, into jobs: inout [UInt64]
    ) -> Int {
        guard let share = shares.next(of: group) else { return 0 }
        let before = jobs.count
        let looks = take(limit, from: shares.lanes(of: share), before: bound, room: room, in: slab, into: &jobs)
        return looks + shares.count(jobs.count - before, of: share)
    }

    private func take(
        _ limit: Int, from own: PlacedHeap<RankKey>, before bound: RankKey?, room: (Int, RankKey) -> Int, in slab: JobSlab,
        into jobs: inout [UInt64]
    ) -> Int {
        /// Whether a job may follow the first one.
        func mayFollow(_ key: RankKey) -> Bool { bound.map { key < $0 } ?? true }
        guard let first = own.top?.key else { return 0 }
        var job = first.id
        let set = limitSet(at: 0, of: own)
        // Jobs without limits that stand between those of the set are counted too: then fewer are taken than there is room for.
        let limit = set == 0 ? limit : min(limit, jobs.count + room(Int(set), first))
        // Mostly one is wanted, or all are one client's.
        if limit - jobs.count == 1 || own.count == 1 {
            repeat {
                jobs.append(job)
                job = slab[job].next
            } while job != 0 && jobs.count < limit && mayFollow(slab.key(of: job))
            return jobs.count
        }
        var looks = 0
        var open = Heap([Candidate(key: own[0].key, place: 0)])
        while jobs.count < limit, let next = open.popMin() {
            if let place = next.place, ![0, set].contains(limitSet(at: place, of: own)) { return looks }
            // The first one was chosen already; those behind it must not pass a job of their client that waits where there is room.
            guard next.place == 0 || mayFollow(next.key) else { return looks }
            jobs.append(next.key.id)
            looks += 1
            if let place = next.place {
                for place in [2 * place + 1, 2 * place + 2] where place < own.count {
                    open.insert(Candidate(key: own[place].key, place: place))
                    looks += 1
                }
            }
            job = slab[next.key.id].next
            if job != 0 { open.insert(Candidate(key: slab.key(of: job), place: nil)) }
        }
        return looks
    }
}

extension LaneTable {
    /// The limits of the lane at a place of a client's.
    private func limitSet(at place: Int, of own: PlacedHeap<RankKey>) -> UInt32 { lanes[own[place].item].key.limitSet }
}

/// What the jobs of a lane have in common for the scheduler: whatever keeps the first one waiting keeps all.
struct LaneKey: Hashable {
    /// Index of the loader's name.
    var loader: Int
    var terms = LaneTerms()
    /// Whether they run alone in a worker next.
    var isSuspect = false

    /// Index of their limits; 0: none.
    var limitSet: UInt32 { terms.limitSet }

    /// The line that all lanes of the loader form for its workers.
    var group: LaneGroup { LaneGroup(loader: loader, isSuspect: isSuspect) }
}

/// The lanes of one loader, of all clients: for a worker they are one line in order of rank. Suspected jobs form one of their own.
struct LaneGroup: Hashable {
    /// Index of the loader's name.
    var loader: Int
    var isSuspect: Bool

    /// Loaders have small indexes, so groups have too.
    var index: Int { 2 * loader + (isSuspect ? 1 : 0) }
}

/// Where a lane stands.
enum LaneState: Equatable, CaseIterable {
    /// No job waits in it; it takes no place. Moves to any other with the first job.
    case empty
    /// No worker offers its loader: it is in no pool. Moves to `full` or `ready` when one registers.
    case unoffered
    /// Its loader is paused, or all are, or a group with its feed is: it is in no pool. Moves to any other with the end of that pause.
    case paused
    /// No worker that offers its loader has room: its pools do not stand in the ready heap. Moves to `ready` with the first place that
    /// becomes free, to `unoffered` with the last worker.
    case full
    /// A limit that its jobs count in has no room. It stands there, or does when its turn comes. Moves to `ready` or `full` with the first permit
    /// that becomes free.
    case limited
    /// A worker could take its first job now: one of its pools stands in the ready heap. Moves to `full` with the last place, to `limited` with
    /// the last permit.
    case ready
    /// Its jobs wait for a worker that holds nothing. Moves to `empty` only, with the last of them.
    case suspected
}

/// What the scheduler does not do, and why: a message that came late cannot put a job into two lines.
enum SchedulerRefusal: Hashable, CaseIterable {
    /// The job stands in a line already, waits behind another one of its key, is held, or has ended.
    case notFree
    /// The job stands in no lane.
    case notWaiting
    /// The worker has not registered, or is forgotten.
    case unknownWorker
}

/// How many jobs wait in lanes, by their loader: counted as they come and go.
struct LoaderWaits {
    /// What waits for a loader. Whether a worker offers it is kept here, for to ask costs more than all else that a job's coming and going does.
    private struct Wait {
        var count = 0
        var isOffered = false
    }

    /// By a loader's index.
    private var loaders: [Wait] = []
    /// All of them.
    private(set) var total = 0
    /// Counts the changes of waiting jobs of loaders that no worker offers.
    private(set) var version: UInt64 = 0

    /// How many loaders observers see by name; the jobs of the others are summed up.
    private static let listedLoaders = 32

    /// Counts a job of a loader in or out. Observers of the counts see it here only if no worker offers the loader.
    mutating func count(_ loader: Int, _ change: Int) {
        grow(to: loader)
        loaders[loader].count += change
        total += change
        if !loaders[loader].isOffered { version &+= 1 }
    }

    /// A first worker offers a loader, or none does any more: it matters to jobs that wait for it.
    mutating func noteOffer(of loader: Int, _ isOffered: Bool) {
        grow(to: loader)
        if loaders[loader].isOffered != isOffered, loaders[loader].count > 0 { version &+= 1 }
        loaders[loader].isOffered = isOffered
    }

    private mutating func grow(to loader: Int) {
        if loader >= loaders.count { loaders += Array(repeating: Wait(), count: loader + 1 - loaders.count) }
    }

    /// The jobs of loaders that are not offered: most first, ties by name, and how many there are of those that are not named. It costs a look at
    /// each loader, of which the names are bounded.
    func unoffered(_ name: (Int) -> String) -> (listed: [LoaderCount], others: UInt64) {
        let found = loaders.indices.filter { loaders[$0].count > 0 && !loaders[$0].isOffered }
            .map { LoaderCount(name($0), UInt64(loaders[$0].count)) }
            .sorted { ($1.count, $0.loader) < ($0.count, $1.loader) }
        return (Array(found.prefix(Self.listedLoaders)), found.dropFirst(Self.listedLoaders).reduce(0) { $0 + $1.count })
    }
}

extension Scheduler {
    /// Waiting jobs of loaders that nobody offers, as `LoaderWaits` lists them.
    func unoffered(_ name: (Int) -> String) -> (listed: [LoaderCount], others: UInt64) { waits.unoffered(name) }
}
