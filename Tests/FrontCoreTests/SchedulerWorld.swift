//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

@testable import FrontCore

/// A scheduler with jobs and workers of its own, as the front keeps them.
struct SchedulerWorld {
    var scheduler = Scheduler()
    var slab = JobSlab()
    /// What tells the lane of each job from others of its loader.
    var terms: [UInt64: LaneTerms] = [:]
    var rooms: [Int: WorkerRoom] = [:]
    /// Who holds which jobs, and of which kind each is.
    var held: [Int: [UInt64]] = [:]
    var kinds: [UInt64: WorkerRoom.Kind] = [:]
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    /// How long a suspected job is alone.
    var aloneFor = Duration.seconds(3_600)

    /// A job that has come; it is in no line yet.
    mutating func make(
        _ id: UInt64, rank: Int64? = nil, loader: Int = 0, client: UInt32 = 0, weight: UInt32 = 1, limits: UInt32 = 0, feed: UInt32 = 0,
        isSuspected: Bool = false
    ) {
        terms[id] = LaneTerms(client: client, limitSet: limits, feed: feed, weight: weight)
        slab.insert(
            JobRecord(
                id: id, rank: Rank(milliseconds: rank ?? Int64(id)), acceptedAt: WallTime(milliseconds: Int64(id) * 10),
                loader: UInt32(loader), flags: isSuspected ? .suspected : []))
    }

    @discardableResult
    mutating func insert(
        _ id: UInt64, rank: Int64? = nil, loader: Int = 0, client: UInt32 = 0, weight: UInt32 = 1, limits: UInt32 = 0, feed: UInt32 = 0,
        isSuspected: Bool = false
    ) -> SchedulerRefusal? {
        make(id, rank: rank, loader: loader, client: client, weight: weight, limits: limits, feed: feed, isSuspected: isSuspected)
        defer { scheduler.flush(in: slab) }
        return scheduler.insert(id, terms[id] ?? LaneTerms(), in: &slab)
    }

    /// A waiting job leaves its line.
    @discardableResult
    mutating func remove(_ id: UInt64) -> SchedulerRefusal? {
        defer { scheduler.flush(in: slab) }
        return scheduler.remove(id, terms[id] ?? LaneTerms(), in: &slab)
    }

    /// A worker that has come, takes jobs and holds none.
    mutating func register(_ worker: Int, slot: [Int] = [0], ahead: [Int] = [], slots: Int = 1, placesAhead: Int = 0) {
        scheduler.setOffers(of: worker, slot: slot, ahead: ahead)
        setRoom(of: worker) {
            ($0.isOffering, $0.isTaking, $0.slots, $0.placesAhead) = (true, true, slots, max(slots, placesAhead))
        }
    }

    @discardableResult
    mutating func setRoom(of worker: Int, _ change: (inout WorkerRoom) -> Void) -> SchedulerRefusal? {
        change(&rooms[worker, default: WorkerRoom()])
        return scheduler.setRoom(of: worker, to: rooms[worker] ?? WorkerRoom())
    }

    /// Gives jobs to a worker, as an entry does.
    mutating func give(_ jobs: [UInt64], to worker: Int, _ kind: WorkerRoom.Kind) {
        for id in jobs {
            scheduler.remove(id, terms[id] ?? LaneTerms(), in: &slab)
            slab[id].hold(by: worker, under: 0, .running, isBulk: kind == .ahead, grantedAt: nil)
            slab[id].stand(.held, between: 0, and: 0)
            kinds[id] = kind
        }
        scheduler.flush(in: slab)
        held[worker, default: []] += jobs
        noteHeld(worker)
    }

    /// A held job ends.
    mutating func end(_ id: UInt64) {
        guard let worker = held.keys.sorted().first(where: { held[$0]?.contains(id) == true }) else { return }
        held[worker]?.removeAll { $0 == id }
        slab.remove(id)
        noteHeld(worker)
    }

    private mutating func noteHeld(_ worker: Int) {
        let jobs = held[worker] ?? []
        let alone = jobs.count == 1 ? slab[jobs[0]].aloneFor.map { _ in aloneFor } : nil
        let (taken, ahead) = (jobs.count { kinds[$0] == .slot }, jobs.count { kinds[$0] == .ahead })
        setRoom(of: worker) { ($0.held, $0.aloneFor, $0.slotsTaken, $0.takenAhead) = (jobs.count, alone, taken, ahead) }
    }

    /// A turn: all that can be given is given. In the order of the grants, who got what.
    @discardableResult
    mutating func turn(kind: WorkerRoom.Kind = .slot) -> [Grant] {
        var grants: [Grant] = []
        for worker in scheduler.takeLongRuns(at: now) {
            if let job = held[worker]?.first { slab[job].letNeighbors() }
            noteHeld(worker)
        }
        while let (job, worker) = scheduler.nextSuspect(at: now, in: slab) {
            give([job], to: worker, kind)
            grants.append(Grant(worker: worker, jobs: [job]))
        }
        var jobs: [UInt64] = []
        while let worker = scheduler.next(into: &jobs, in: slab) {
            give(jobs, to: worker, kind)
            grants.append(Grant(worker: worker, jobs: jobs))
            jobs = []
        }
        while let (job, worker) = scheduler.nextIdle(at: now, in: slab) {
            give([job], to: worker, kind)
            grants.append(Grant(worker: worker, jobs: [job]))
        }
        return grants
    }

    struct Grant: Equatable {
        var worker: Int
        var jobs: [UInt64]
    }

    mutating func pass(seconds: Int64) { now = now.advanced(by: .milliseconds(seconds * 1_000)) }
}
