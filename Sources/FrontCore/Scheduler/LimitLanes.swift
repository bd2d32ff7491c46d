//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The lanes that wait for room in limits, each at the use where it found none, by its first job; and which of them are looked at again.
///
/// For each loader one lane is woken for a room: the lanes of a loader find the same workers, so what keeps the first one waiting then would keep
/// the others.
struct LimitLanes {
    /// By a lane the use where it stands, from 1, and its place in the heap there; 0: nowhere.
    private var spots: [Int] = []
    private var places: [Int] = []
    /// By a use the lanes that wait there, by their first jobs, for each loader that has some.
    private var parked: [[(group: Int, lanes: PlacedHeap<RankKey>)]] = []
    /// Uses that may have room for a lane that stands there.
    private var roomy = ChangedIndexes()
    private var woken: [Int] = []

    /// Whether lanes are still to be woken.
    var hasWoken: Bool { !woken.isEmpty || !roomy.isEmpty }

    /// Whether a lane waits for room in a limit.
    func isParked(_ lane: Int) -> Bool { lane < spots.count && spots[lane] != 0 }

    /// Whether lanes wait at a use.
    func areParked(at use: Int) -> Bool { use < parked.count && !parked[use].isEmpty }

    /// A lane waits at a use that has no room, by its first job.
    /// - Returns: how many lanes were looked at.
    mutating func park(_ lane: Int, of group: Int, by first: RankKey, at use: Int) -> Int {
        while spots.count <= lane {
            spots.append(0)
            places.append(0)
        }
        while parked.count <= use { parked.append([]) }
        spots[lane] = use + 1
        let own = parked[use].firstIndex { $0.group == group } ?? parked[use].count
        if own == parked[use].count { parked[use].append((group, PlacedHeap())) }
        return parked[use][own].lanes.set(lane, to: first, &places)
    }

    /// A lane waits in no limit any more.
    /// - Returns: the use where it stood, and how many lanes were looked at; nil: it stood nowhere.
    mutating func unpark(_ lane: Int, of group: Int) -> (use: Int, looks: Int)? {
        guard isParked(lane) else { return nil }
        let use = spots[lane] - 1
        spots[lane] = 0
        guard let own = parked[use].firstIndex(where: { $0.group == group }) else { return (use, 0) }
        let looks = parked[use][own].lanes.remove(lane, &places)
        if parked[use][own].lanes.isEmpty { parked[use].remove(at: own) }
        return (use, looks)
    }

    /// Nothing waits at a use any more: lanes whose last job has just gone are not told of that yet.
    mutating func clear(_ use: Int) {
        guard areParked(at: use) else { return }
        for lane in parked[use].flatMap(\.lanes.all) { (spots[lane], places[lane]) = (0, 0) }
        parked[use] = []
    }

    /// A use may have room for a lane that stands there.
    mutating func noteRoom(_ use: Int) { roomy.note(use) }

    /// The next use that may have; nil: none is left.
    mutating func takeRoomy() -> Int? { roomy.take() }

    /// The first lane of each loader at a use is looked at again.
    mutating func wake(at use: Int) { if areParked(at: use) { woken += parked[use].compactMap { $0.lanes.top?.item } } }

    /// The next lane that is; nil: none is left.
    ///
    /// A turn wakes so many only, and meanwhile the jobs of a lane may be cancelled: then nothing stands where it stood, or there is no such lane.
    mutating func takeWoken() -> Int? {
        while let lane = woken.popLast() { if isParked(lane) { return lane } }
        return nil
    }

    /// The lanes of a group that wait where this one does and whose first job stands before a key.
    func neighbours(of lane: Int, in group: Int, before key: RankKey) -> [Int] {
        guard isParked(lane) else { return [] }
        return parked[spots[lane] - 1].first { $0.group == group }?.lanes.items(before: key) ?? []
    }
}
