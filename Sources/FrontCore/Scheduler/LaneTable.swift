//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import HeapModule

/// The lanes that have waiting jobs, each with an index for as long as it has some, and which of a loader's lanes is first.
struct LaneTable {
    /// Jobs of one kind that wait, in order of rank.
    struct Lane {
        var key: LaneKey
        var line = RankedLine()
        private var reportedLooks = 0

        init(key: LaneKey) { self.key = key }

        /// What was looked at in its line since this was asked for last.
        mutating func takeLooks() -> Int {
            defer { reportedLooks = line.looks }
            return line.looks - reportedLooks
        }
    }

    /// A job that may be the next of its group.
    private struct Candidate: Comparable {
        var key: RankKey
        /// Its lane's place among those of the group, if it is the first of its lane.
        var place: Int?

        static func < (one: Candidate, two: Candidate) -> Bool { one.key < two.key }
    }

    private var lanes: [Lane] = []
    private var free: [Int] = []
    private var indexes: [LaneKey: Int] = [:]
    /// By a group's index its lanes, by their first jobs.
    private var groups: [PlacedHeap<RankKey>] = []
    /// By a lane's index its place in its group, from 1; 0: its first job was not noted yet.
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
        while groups.count <= key.group.index { groups.append(PlacedHeap()) }
        return lane
    }

    /// A lane has no job any more. Its index is the next new lane's, and its memory too unless many jobs have waited there: of many clients'
    /// lanes each would keep what it had once needed.
    mutating func drop(_ lane: Int) {
        note(nil, of: lane)
        let key = lanes[lane].key
        indexes[key] = nil
        recent = nil
        if lanes[lane].line.isRoomy { lanes[lane] = Lane(key: key) }
        free.append(lane)
        guard indexes.isEmpty, lanes.count > Self.keptLanes else { return }
        (lanes, free, places) = ([], [], [])
    }

    /// Lanes whose memory is kept when none is in use.
    private static let keptLanes = 1_024
}

// MARK: Groups

extension LaneTable {
    /// The first job of a lane, as it was noted last.
    func first(of lane: Int) -> RankKey? {
        places[lane] == 0 ? nil : groups[lanes[lane].key.group.index][places[lane] - 1].key
    }

    /// The first job of a group.
    func first(of group: LaneGroup) -> RankKey? { group.index < groups.count ? groups[group.index].top?.key : nil }

    /// Moves a lane to where its first job belongs; nil: it has none.
    /// - Returns: how many lanes were looked at.
    @discardableResult
    mutating func note(_ first: RankKey?, of lane: Int) -> Int {
        let group = lanes[lane].key.group.index
        guard let first else { return groups[group].remove(lane, &places) }
        return groups[group].set(lane, to: first, &places)
    }

    /// The lanes of a group whose first job stands before a key.
    func lanes(of group: LaneGroup, before key: RankKey) -> [Int] {
        guard group.index < groups.count else { return [] }
        var (found, open): ([Int], [Int]) = ([], [0])
        while let place = open.popLast() {
            guard place < groups[group.index].count, groups[group.index][place].key < key else { continue }
            found.append(groups[group.index][place].item)
            open += [2 * place + 1, 2 * place + 2]
        }
        return found
    }

    /// The jobs of a group that are next, in order of rank whatever lanes they stand in, until there are so many.
    /// - Returns: how many jobs and lanes were looked at.
    func take(_ limit: Int, of group: LaneGroup, in slab: JobSlab, into jobs: inout [UInt64]) -> Int {
        guard var job = first(of: group)?.id, jobs.count < limit else { return 0 }
        // Mostly one is wanted, or all are one client's.
        if limit - jobs.count == 1 || groups[group.index].count == 1 {
            while job != 0, jobs.count < limit {
                jobs.append(job)
                job = slab[job].next
            }
            return jobs.count
        }
        var looks = 0
        var open = Heap([Candidate(key: groups[group.index][0].key, place: 0)])
        while jobs.count < limit, let next = open.popMin() {
            jobs.append(next.key.id)
            looks += 1
            if let place = next.place {
                for place in [2 * place + 1, 2 * place + 2] where place < groups[group.index].count {
                    open.insert(Candidate(key: groups[group.index][place].key, place: place))
                    looks += 1
                }
            }
            job = slab[next.key.id].next
            if job != 0 { open.insert(Candidate(key: slab.key(of: job), place: nil)) }
        }
        return looks
    }
}
