//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Hands waiting jobs to workers: the smallest rank first, each to the worker with the most room.
    ///
    /// Each choice is applied at once, as a restart applies it, and changes what is chosen next. A worker's grants of a turn are journalled and
    /// sent together.
    mutating func dispatch() {
        endLongRuns()
        guard !storageIsFull, !state.jobs.scheduler.isEmpty, mayGrant() else { return }
        state.noteRooms()
        let now = turn.now.monotonic
        var granted = Fact.GrantedJobs(worker: .none, at: turn.now.wall)
        var batches: [Int: Fact.GrantedJobs] = [:]
        while let (job, index) = state.jobs.ask({ scheduler, _ in scheduler.nextSuspect(at: now) }) {
            granted.jobs.append(job)
            give(&granted, to: index, &batches)
        }
        while let index = state.jobs.ask({ $0.next(into: &granted.jobs, in: $1) }) { give(&granted, to: index, &batches) }
        while let (job, index) = state.jobs.ask({ scheduler, _ in scheduler.nextIdle(at: now) }) {
            granted.jobs.append(job)
            give(&granted, to: index, &batches)
        }
        if let due = state.jobs.scheduler.suspectsDue(after: now) { turn.check(.grants, by: due) }
        for index in batches.keys.sorted() {
            if let batch = batches[index] { announce(batch, worker: index) }
        }
    }

    /// Lets others run beside suspected jobs that have been alone for long enough.
    private mutating func endLongRuns() {
        let now = turn.now.monotonic
        for index in state.jobs.ask({ scheduler, _ in scheduler.takeLongRuns(at: now) }) { state.jobs.letNeighbours(into: index) }
    }

    /// Gives chosen jobs to a worker, under new leases. `granted` is empty then, and keeps its memory for the next ones.
    private mutating func give(_ granted: inout Fact.GrantedJobs, to index: Int, _ batches: inout [Int: Fact.GrantedJobs]) {
        granted.worker = state.workers[index]?.id ?? .none
        let first = state.jobs.numbers.nextLease
        for offset in granted.jobs.indices { granted.leases.append(first + UInt64(offset)) }
        state.apply(.granted(granted), turn: .serving)
        batches[index, default: Fact.GrantedJobs(worker: granted.worker, at: granted.at)].append(granted)
        granted.jobs.removeAll(keepingCapacity: true)
        granted.leases.removeAll(keepingCapacity: true)
    }

    /// Writes down and sends what a worker was given.
    private mutating func announce(_ granted: Fact.GrantedJobs, worker index: Int) {
        reserveIDs()
        turn.journal(.granted(granted))
        sendGrant(granted.jobs, worker: index)
        for id in granted.jobs where !state.jobs[id].flags.contains(.isShort) {
            jobViews.list(id, in: &turn)
            feedJobGranted(id)
        }
        if !jobViews.observed.isEmpty {
            for id in granted.jobs { noteJob(id, "job") }
        }
        noteWorker(index)
    }
}

extension Fact.GrantedJobs {
    /// Adds what the same worker was given after it.
    fileprivate mutating func append(_ other: Fact.GrantedJobs) {
        jobs.append(contentsOf: other.jobs)
        leases.append(contentsOf: other.leases)
    }
}
