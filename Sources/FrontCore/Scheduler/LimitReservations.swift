//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What limits keep for jobs that have waited for long: without it a job that needs much, or of several limits at once, would find all of it free at
/// the same moment only by chance, while others take what becomes free one by one.
///
/// A job reserves in all of its limits or in none, each limit keeps for one job at a time, and a job before it in line takes all of it over: so nobody
/// waits in a circle, and at most one job's need lies idle in a limit. Nothing is kept from jobs before it. No entry says any of this: a restart
/// begins without reservations, and those that have waited make them anew.
struct LimitReservations {
    /// What one lane's first job has reserved.
    struct Made {
        let job: RankKey
        let group: LaneGroup
        /// The uses in which it has, with the permits that it needs of each.
        let uses: [(use: Int, weight: Int)]
    }

    /// By lane.
    var made: [Int: Made] = [:] { didSet { if made.isEmpty { holders = [:] } } }
    /// By use the lane for which it keeps something, and how many permits.
    private var holders: [Int: (lane: Int, weight: Int)] = [:]
    /// By the index of terms the priority of jobs with limits that have them: how long one has waited follows from that and its rank.
    private var priorities: [UInt8] = []
    /// Lanes whose first jobs may reserve once the clock of ranks shows that, and those that may but for jobs before them, by their first jobs.
    private var aging = IndexedHeap<RankTime>()
    private var blocked = IndexedHeap<RankKey>()
    /// What the clock of ranks shows.
    private var rankTime = RankTime.zero
    /// How long a job waits before it may reserve, in milliseconds.
    private var wait: Int64 = .max

    /// Most reservations: what a turn that ends all of them looks at. While there are so many, further jobs wait for the first of them to be granted.
    private static let most = 16_384

    /// Blocked lanes that are looked at again when a reservation ends.
    private static let blockedLooks = 16

    /// Whether nothing is kept.
    var isEmpty: Bool { made.isEmpty }

    /// Whether one more may be made.
    var hasRoom: Bool { made.count < Self.most }

    /// For whom a use keeps something; nil: it does not.
    func holder(of use: Int) -> (lane: Int, job: RankKey)? {
        guard !made.isEmpty, let holder = holders[use], let made = made[holder.lane] else { return nil }
        return (holder.lane, made.job)
    }

    /// Nothing counts in limits any more.
    mutating func clear() { (made, aging, blocked) = ([:], IndexedHeap(), IndexedHeap()) }

    /// What a use keeps from a job.
    /// - Parameters:
    ///   - job: Its place in line; nil: nothing is kept from it.
    ///   - always: Whether from all.
    func kept(in use: Int, from job: RankKey?, always: Bool = false) -> (permits: Int, tokens: Int) {
        guard !made.isEmpty, let holder = holders[use], let made = made[holder.lane] else { return (0, 0) }
        guard always || job.map({ made.job < $0 }) ?? false else { return (0, 0) }
        return (holder.weight, 1)
    }

    /// The lanes of a loader that have reserved, in order; nil: of all.
    func lanes(of loader: Int?) -> [Int] {
        made.keys.filter { lane in loader == nil || made[lane]?.group.loader == loader }.sorted()
    }

    /// A lane reserves. Nobody else has in these uses.
    mutating func make(_ lane: Int, _ reservation: Made) {
        made[lane] = reservation
        for (use, weight) in reservation.uses { holders[use] = (lane, weight) }
    }

    /// A lane has reserved nothing any more.
    /// - Returns: the uses in which it had.
    mutating func drop(_ lane: Int) -> [Int] {
        guard let old = made.removeValue(forKey: lane) else { return [] }
        for (use, _) in old.uses where holders[use]?.lane == lane { holders[use] = nil }
        return old.uses.map(\.use)
    }

    // MARK: How long jobs have waited

    /// Jobs with these terms come that count in limits.
    mutating func notePriority(_ priority: UInt8, of terms: Int) {
        while priorities.count <= terms { priorities.append(0) }
        priorities[terms] = priority
    }

    /// The clock of ranks shows that, and after so long a job may reserve.
    mutating func note(rankTime: RankTime, wait: Duration) { (self.rankTime, self.wait) = (rankTime, wait.wholeMilliseconds) }

    /// Whether a job has waited for long enough: since it was accepted, or became due.
    func isLong(_ job: RankKey, terms: Int) -> Bool { rankTime >= time(of: job, terms: terms) }

    /// When a job has.
    private func time(of job: RankKey, terms: Int) -> RankTime {
        let priority = terms < priorities.count ? priorities[terms] : 0
        return job.rank.time(ofPriority: priority).advanced(byMilliseconds: wait)
    }

    /// A lane waits that has not reserved, and may later: when its first job has waited for longer, or another reservation ends.
    /// - Returns: how many lanes were looked at.
    mutating func await(_ lane: Int, by first: RankKey, terms: Int) -> Int {
        isLong(first, terms: terms) ? blocked.set(lane, to: first) : aging.set(lane, to: time(of: first, terms: terms))
    }

    /// A lane waits no longer, or by another job.
    mutating func forget(_ lane: Int) { if !aging.isEmpty || !blocked.isEmpty { _ = (aging.remove(lane), blocked.remove(lane)) } }

    /// The next lane whose first job has waited for long enough by now; nil: none has.
    mutating func takeAged() -> Int? {
        guard let first = aging.top, first.key <= rankTime else { return nil }
        aging.remove(first.item)
        return first.item
    }

    /// Lanes that may reserve now that another one has ended, the first in line.
    mutating func takeBlocked() -> [Int] {
        var lanes: [Int] = []
        while lanes.count < Self.blockedLooks, let first = blocked.top {
            blocked.remove(first.item)
            lanes.append(first.item)
        }
        return lanes
    }
}
