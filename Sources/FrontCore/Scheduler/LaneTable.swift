//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The lanes that have waiting jobs, each with an index for as long as it has some.
struct LaneTable {
    /// Jobs of one kind that wait, in order of rank.
    struct Lane {
        var key: LaneKey
        var line = RankedLine()
        /// Whether a job came or went since pools were told of its first one.
        var isChanged = false
        /// The first job that pools were told of; 0: none.
        var told: UInt64 = 0
        private var toldLooks = 0

        init(key: LaneKey) { self.key = key }

        /// What was looked at in its line since this was asked for last.
        mutating func takeLooks() -> Int {
            defer { toldLooks = line.looks }
            return line.looks - toldLooks
        }
    }

    private var lanes: [Lane] = []
    private var free: [Int] = []
    private var indexes: [LaneKey: Int] = [:]
    private var byLoader: [[Int]] = []
    /// The lane that was looked for last: jobs of one submit, grant or report mostly are of one.
    private var recent: (key: LaneKey, lane: Int)?

    /// The lane of an index that is in use.
    subscript(lane: Int) -> Lane {
        _read { yield lanes[lane] }
        _modify { yield &lanes[lane] }
    }

    /// The lanes of a loader's jobs.
    func ofLoader(_ loader: Int) -> [Int] { loader < byLoader.count ? byLoader[loader] : [] }

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
        if lane == lanes.count { lanes.append(Lane(key: key)) } else { lanes[lane].key = key }
        indexes[key] = lane
        while byLoader.count <= key.loader { byLoader.append([]) }
        byLoader[key.loader].append(lane)
        return lane
    }

    /// A lane has no job any more. Its index and its memory are the next new lane's.
    mutating func drop(_ lane: Int) {
        let key = lanes[lane].key
        indexes[key] = nil
        recent = nil
        byLoader[key.loader].removeAll { $0 == lane }
        free.append(lane)
    }
}
