//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The lanes that wait for room in limits, each at the use where it found too little, by its first job; and which of them are looked at again.
///
/// For each loader one lane is woken for a room, of the client whose turn it is: the lanes of a loader find the same workers, so what keeps that one
/// waiting then would keep the others. Jobs that need more permits stand in lines of their own, so that they are in nobody's way who needs fewer.
struct LimitLanes {
    /// Where a lane waits.
    private struct Spot {
        /// From 1; 0: nowhere.
        var use = 0
        var weight = 0
        var key = LaneKey(loader: 0)
    }

    /// The lines of a loader's lanes at a use, each of those that need as many permits: the fewest first.
    private struct Parked {
        let group: Int
        var lines: [LimitLine] = []
    }

    /// By a lane where it waits, and its place in the heap there.
    private var spots: [Spot] = []
    private var places: [Int] = []
    /// By a use the lines that wait there, for each loader that has some, in order of the loaders.
    private var parked: [[Parked]] = []
    /// By a use how many permits need those of its lanes that need the fewest.
    private var lightest: [Int] = []
    /// Uses that may have room for a lane that stands there.
    private var roomy = ChangedIndexes()
    private var woken: [Int] = []

    /// Whether lanes are still to be woken.
    var hasWoken: Bool { !woken.isEmpty || !roomy.isEmpty }

    /// Whether a lane waits for room in a limit.
    func isParked(_ lane: Int) -> Bool { lane < spots.count && spots[lane].use != 0 }

    /// Whether lanes wait at a use.
    func areParked(at use: Int) -> Bool { use < parked.count && !parked[use].isEmpty }

    /// How many permits a lane at a use needs at least; nil: none waits there.
    func lightestWeight(at use: Int) -> Int? { areParked(at: use) ? lightest[use] : nil }

    /// Whether those that wait at a use are of one loader and one client, and need as many permits each: then they begin in the order of their ranks.
    func areAlike(at use: Int) -> Bool {
        areParked(at: use) && parked[use].count == 1 && parked[use][0].lines.count == 1 && parked[use][0].lines[0].isOfOneClient
    }

    /// A lane waits at a use that has too few permits for it, by its first job.
    /// - Returns: how many lanes and lines were looked at.
    mutating func park(_ lane: Int, _ key: LaneKey, by first: RankKey, at use: Int, for weight: Int, _ pass: Int64) -> Int {
        while spots.count <= lane {
            spots.append(Spot())
            places.append(0)
        }
        while parked.count <= use {
            parked.append([])
            lightest.append(.max)
        }
        lightest[use] = min(lightest[use], weight)
        spots[lane] = Spot(use: use + 1, weight: weight, key: key)
        let group = key.group.index
        let own = place(of: group, at: use)
        if own == parked[use].count || parked[use][own].group != group { parked[use].insert(Parked(group: group), at: own) }
        let line = parked[use][own].lines.firstIndex { $0.weight >= weight } ?? parked[use][own].lines.count
        if line == parked[use][own].lines.count || parked[use][own].lines[line].weight != weight {
            parked[use][own].lines.insert(LimitLine(weight: weight), at: line)
        }
        return line + parked[use][own].lines[line].set(lane, of: key.terms.client, to: first, pass, &places)
    }

    /// A lane waits in no limit any more.
    /// - Returns: the use where it stood, and how many lanes and lines were looked at; nil: it stood nowhere.
    mutating func unpark(_ lane: Int, of group: Int) -> (use: Int, looks: Int)? {
        guard isParked(lane) else { return nil }
        let (use, weight) = (spots[lane].use - 1, spots[lane].weight)
        spots[lane].use = 0
        guard let own = find(group, at: use), let line = parked[use][own].lines.firstIndex(where: { $0.weight == weight }) else {
            return (use, 0)
        }
        let looks = line + parked[use][own].lines[line].remove(lane, of: spots[lane].key.terms.client, &places)
        guard parked[use][own].lines[line].isEmpty else { return (use, looks) }
        parked[use][own].lines.remove(at: line)
        if parked[use][own].lines.isEmpty { parked[use].remove(at: own) }
        // Only then, since to find it anew looks at the lines of all loaders.
        if weight == lightest[use] { lightest[use] = parked[use].lazy.compactMap { $0.lines.first?.weight }.min() ?? .max }
        return (use, looks)
    }

    /// Nothing waits at a use any more: lanes whose last job has just gone are not notified of that yet.
    mutating func clear(_ use: Int) {
        guard areParked(at: use) else { return }
        for lane in parked[use].flatMap({ $0.lines.flatMap(\.all) }) { (spots[lane].use, places[lane]) = (0, 0) }
        (parked[use], lightest[use]) = ([], .max)
    }

    /// A use may have room for a lane that stands there.
    mutating func noteRoom(_ use: Int) { roomy.note(use) }

    /// The next use that may have; nil: none is left.
    mutating func takeRoomy() -> Int? { roomy.take() }

    /// Clients have got more since their lanes went where they wait: their turns come later.
    /// - Returns: how many lanes were looked at.
    mutating func refresh(at use: Int, by table: LaneTable) -> Int {
        var looks = 0
        for group in parked[use].indices {
            for line in parked[use][group].lines.indices { looks += parked[use][group].lines[line].refresh(by: table) }
        }
        return looks
    }

    /// The lanes at a use that are worth another look: of each loader the next one that finds enough room, and the first of all if it may reserve.
    /// - Parameters:
    ///   - holder: The lane for which the use keeps something.
    ///   - fits: Whether a job that needs so many permits and stands there in line finds room.
    ///   - canEverFit: Whether the limit has so many permits at all.
    ///   - mayHaveReservation: Whether the first job of a lane may reserve.
    /// - Returns: them, and how many lines were looked at.
    func candidates(
        at use: Int, holder: (lane: Int, job: RankKey)?, fits: (Int, RankKey) -> Bool, canEverFit: (Int) -> Bool,
        mayHaveReservation: (Int, LaneKey, RankKey) -> Bool
    ) -> (lanes: [Int], looks: Int) {
        var (found, looks): ([Int], Int) = ([], 0)
        for group in parked[use] {
            var (first, fitting): ((key: RankKey, item: Int)?, (turn: LimitLine.Turn, lane: Int)?)
            for line in group.lines {
                looks += 1
                guard let top = line.first, let next = line.next else { continue }
                // A job that needs more than the limit has never comes to its grant, so it must keep nobody from reserving.
                if canEverFit(line.weight), first.map({ top.key < $0.key }) ?? true { first = top }
                if fits(line.weight, next.turn.first), fitting.map({ next.turn < $0.turn }) ?? true { fitting = next }
            }
            if let fitting { found.append(fitting.lane) }
            if let first, first.item != fitting?.lane, mayHaveReservation(first.item, spots[first.item].key, first.key) {
                found.append(first.item)
            }
        }
        // It may stand behind others that wait for something else, too.
        if let holder, isParked(holder.lane), spots[holder.lane].use == use + 1, fits(spots[holder.lane].weight, holder.job) {
            found.append(holder.lane)
        }
        return (found, looks)
    }

    /// Lanes are looked at again.
    mutating func wake(_ lanes: [Int]) { woken += lanes }

    /// The next lane that is; nil: none is left.
    ///
    /// A turn wakes so many only, and meanwhile the jobs of a lane may be cancelled: then nothing stands where it stood, or there is no such lane.
    mutating func takeWoken() -> Int? {
        while let lane = woken.popLast() { if isParked(lane) { return lane } }
        return nil
    }

    /// The first lane of a client and loader that waits at a use and finds enough room there, and its first job; nil: there is none. Of the lanes that
    /// need as many permits the first one is looked at.
    /// - Parameters:
    ///   - free: How many permits there are: lanes that need more are not looked at.
    ///   - fits: Whether a job that needs so many permits and stands there in line finds room.
    ///   - left: How many lines may be looked at; what was is taken off.
    func first(at use: Int, like key: LaneKey, free: Int, fits: (Int, RankKey) -> Bool, left: inout Int) -> (lane: Int, key: RankKey)? {
        guard areParked(at: use), let own = find(key.group.index, at: use) else { return nil }
        var found: (lane: Int, key: RankKey)?
        for line in parked[use][own].lines {
            // Lines stand by weight: those behind need more. A client may have thousands of weights, and only so many are looked at.
            guard line.weight <= free, left > 0 else { break }
            left -= 1
            guard let first = line.first(of: key.terms.client), fits(line.weight, first.key) else { continue }
            if found.map({ first.key < $0.key }) ?? true { found = (first.item, first.key) }
        }
        return found
    }

    /// The lanes of a group that wait where this one does and whose first job stands before a key.
    func neighbors(of lane: Int, in group: Int, before key: RankKey) -> [Int] {
        guard isParked(lane) else { return [] }
        var looks = LaneTable.countedLanes
        let use = spots[lane].use - 1
        let lines = find(group, at: use).map { parked[use][$0].lines } ?? []
        return lines.flatMap { $0.lanes(before: key, looks: &looks) }
    }

    /// Where the lines of a loader's lanes stand at a use, or would.
    private func place(of group: Int, at use: Int) -> Int { parked[use].firstPlace { $0.group >= group } }

    /// Where the lines of a loader's lanes stand at a use; nil: none of them waits there.
    private func find(_ group: Int, at use: Int) -> Int? {
        let place = place(of: group, at: use)
        return place < parked[use].count && parked[use][place].group == group ? place : nil
    }
}
