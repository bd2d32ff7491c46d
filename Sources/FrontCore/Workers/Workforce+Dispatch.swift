//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Workforce {
    /// Hands waiting jobs to workers: the smallest rank first, each to the worker with the most room.
    ///
    /// Each choice is applied at once, as a restart applies it, and changes what is chosen next. A worker's grants of a turn are journalled and
    /// sent together.
    mutating func dispatch(queue: inout JobQueue, in turn: inout FrontTurn) {
        endLongRuns(in: &turn)
        guard !turn.context.storageIsFull, !turn.state.jobs.scheduler.isEmpty, mayGrant(queue: &queue, in: &turn) else { return }
        turn.state.noteRooms()
        let now = turn.now.monotonic
        var granted = JournalEntry.GrantedJobs(worker: .none, at: turn.now.wall)
        var grants = FrontTurn.GatheredGrants()
        while let (job, index) = turn.state.jobs.ask({ scheduler, _ in scheduler.nextSuspect(at: now) }) {
            granted.jobs.append(job)
            give(&granted, to: index, &grants, in: &turn)
        }
        while let index = turn.state.jobs.ask({ $0.next(into: &granted.jobs, in: $1) }) { give(&granted, to: index, &grants, in: &turn) }
        while let (job, index) = turn.state.jobs.ask({ scheduler, _ in scheduler.nextIdle(at: now) }) {
            granted.jobs.append(job)
            give(&granted, to: index, &grants, in: &turn)
        }
        if let due = turn.state.jobs.ask({ scheduler, _ in scheduler.suspectsDue(after: now) }) { turn.check(.grants, by: due) }
        for index in grants.workers { announce(&grants, worker: index, queue: &queue, in: &turn) }
    }

    /// Lets others run beside suspected jobs that have been alone for long enough.
    private mutating func endLongRuns(in turn: inout FrontTurn) {
        let now = turn.now.monotonic
        for index in turn.state.jobs.ask({ scheduler, _ in scheduler.takeLongRuns(at: now) }) { turn.state.jobs.letNeighbours(into: index) }
    }

    /// Gives chosen jobs to a worker, under new leases. `granted` is empty then, and keeps its memory for the next ones.
    private mutating func give(
        _ granted: inout JournalEntry.GrantedJobs, to index: Int, _ grants: inout FrontTurn.GatheredGrants, in turn: inout FrontTurn
    ) {
        granted.worker = turn.state.workers[index]?.id ?? .none
        let first = turn.state.jobs.numbers.nextLease
        for offset in granted.jobs.indices { granted.leases.append(first + UInt64(offset)) }
        turn.gather(granted, for: index, in: &grants)
        granted.jobs.removeAll(keepingCapacity: true)
        granted.leases.removeAll(keepingCapacity: true)
    }

    /// Writes down and sends what a worker was given.
    private mutating func announce(
        _ grants: inout FrontTurn.GatheredGrants, worker index: Int, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        queue.reserveIDs(in: &turn)
        guard let granted = turn.recordGrants(for: index, from: &grants) else { return }
        sendGrant(granted.jobs, worker: index, in: &turn)
        for id in granted.jobs where !turn.state.jobs[id].flags.contains(.isBulk) || turn.state.jobs[id].flags.contains(.isFeedJob) {
            queue.showRunning(id, in: &turn)
            if let job = turn.state.jobs.keyLines[id]?.job { queue.note(.granted, of: job) }
        }
        queue.noteJobs(granted.jobs, in: &turn)
        noteWorker(index, in: &turn)
    }
}
