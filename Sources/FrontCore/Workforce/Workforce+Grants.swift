//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

extension Workforce {
    /// Hands waiting jobs to workers: the smallest rank first, each to the worker with the most room.
    ///
    /// Each choice is applied at once, as a restart applies it, and changes what is chosen next. A worker's grants of a turn are journaled and
    /// sent together.
    mutating func dispatch(queue: inout JobQueue, in turn: inout FrontTurn) {
        // Also while nothing may be granted: the end of a run that is alone does not depend on that.
        endLongRuns(in: &turn)
        queue.passTokens(in: &turn)
        guard queue.endLate(in: &turn) else { return }
        // A grant is an entry and its outcome another: on a full disk the room that is left belongs to what runs.
        guard !turn.context.storageIsFull, !turn.state.jobs.scheduler.isEmpty, mayGrant(queue: &queue, in: &turn) else { return }
        if turn.state.jobs.limits.isUsed {
            turn.state.jobs.noteRankTime(queue.rankTime(in: turn), reservingAfter: turn.settings.reservationPause)
        }
        turn.state.noteRooms()
        let now = turn.now.monotonic
        var granted = JournalEntry.GrantedJobs(worker: .none, at: turn.now.wall)
        var grants = FrontTurn.GatheredGrants()
        var room = turn.settings.bounds.turnGrantByteCount
        // First, because a worker was kept empty for them; those that stand idle after everything else take the rest.
        while room > 0, let (job, index) = turn.state.jobs.nextSuspect(at: now) {
            granted.jobs.append(job)
            room -= give(&granted, to: index, &grants, in: &turn)
        }
        while room > 0, let index = turn.state.jobs.next(into: &granted.jobs) { room -= give(&granted, to: index, &grants, in: &turn) }
        while room > 0, let (job, index) = turn.state.jobs.nextIdle(at: now) {
            granted.jobs.append(job)
            room -= give(&granted, to: index, &grants, in: &turn)
        }
        if room <= 0 { turn.check(.grants, by: now) }
        if let due = turn.state.jobs.scheduler.suspectsDue(after: now) { turn.check(.grants, by: due) }
        if turn.state.jobs.takeUnfinishedLimits() { turn.check(.grants, by: now) }
        turn.recordTokens(from: &grants)
        for index in grants.workers { announce(&grants, worker: index, queue: &queue, in: &turn) }
    }

    /// Lets others run beside suspected jobs that have been alone for long enough.
    private mutating func endLongRuns(in turn: inout FrontTurn) {
        let now = turn.now.monotonic
        for index in turn.state.jobs.takeLongRuns(at: now) { turn.state.jobs.letNeighbors(into: index) }
    }

    /// Gives chosen jobs to a worker, under new leases. `granted` is empty then, and keeps its memory for the next ones.
    /// - Returns: no fewer bytes than they take in grants.
    private mutating func give(
        _ granted: inout JournalEntry.GrantedJobs, to index: Int, _ grants: inout FrontTurn.GatheredGrants, in turn: inout FrontTurn
    ) -> Int {
        granted.worker = turn.state.workers[index]?.id ?? .none
        let first = turn.state.jobs.numbers.nextLease
        for offset in granted.jobs.indices { granted.leases.append(first + UInt64(offset)) }
        turn.gather(granted, for: index, in: &grants)
        var byteCount = turn.state.jobs.leastByteCount(ofGranted: granted.jobs)
        if turn.state.jobs.carryMore { for id in granted.jobs { byteCount += carriedByteCount(of: id, in: &turn) } }
        granted.jobs.removeAll(keepingCapacity: true)
        granted.leases.removeAll(keepingCapacity: true)
        return byteCount
    }

    /// Writes down and sends what a worker was given.
    private mutating func announce(
        _ grants: inout FrontTurn.GatheredGrants, worker index: Int, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        // Leases were taken: where grants are not journaled, the reservation that covers them is durable before they leave.
        queue.reserveIDs(in: &turn)
        guard let granted = turn.recordGrants(for: index, from: &grants) else { return }
        sendGrant(granted.jobs, worker: index, in: &turn)
        // Not for bulk jobs: each is over before anybody could see it in a list, and would be one more change to publish.
        for id in granted.jobs where !turn.state.jobs[id].flags.contains(.isBulk) || turn.state.jobs[id].flags.contains(.isFeedJob) {
            queue.showRunning(id, in: &turn)
            if let job = turn.state.jobs.keyLines[id]?.job { queue.note(.granted, of: job) }
        }
        queue.noteJobs(granted.jobs, in: &turn)
        noteWorker(index, in: &turn)
    }
}

extension Workforce {
    /// Whether jobs may be granted; ends the pause once it is over, or as soon as every known worker has come back, has renewed (before
    /// that it names dropped work that has not ended), and has ended what it had to drop.
    private mutating func mayGrant(queue: inout JobQueue, in turn: inout FrontTurn) -> Bool {
        guard let pause = queue.grantPause else { return true }
        // Registered is not enough: a run that is forgotten here may go on there until its worker has renewed and named none.
        let areAllBack = turn.state.workers.all.allSatisfy { $0.isRegistered && $0.renewal != .none && !$0.isOverdue }
        guard areAllBack || turn.now.monotonic >= pause.until else {
            turn.check(.grants, by: pause.until)
            return false
        }
        queue.endGrantPause()
        return true
    }
}

extension Workforce {
    /// Sends jobs that a worker holds, in messages that it can read whole.
    ///
    /// - Parameter isApart: whether each message goes in a frame of its own.
    mutating func sendGrant(_ jobs: [UInt64], worker index: Int, isApart: Bool = false, in turn: inout FrontTurn) {
        guard let worker = turn.state.workers[index], worker.peer != .none else { return }
        // They travel in the frame that leaves anyway.
        turn.state.workers.acknowledge(index, in: &turn.context)
        let empty = WorkerBoundMessage.Grant(registrationNumber: worker.registrationNumber, renewal: worker.renewal, wall: turn.now.wall)
        var (grant, byteCount) = (empty, 0)
        grant.reserveCapacity(min(jobs.count, turn.settings.bounds.grantJobs))
        // Neighbors among the arguments, to be copied together.
        var run = BlobRun()
        var limits = GrantedLimitSets(takenAt: isApart ? nil : turn.state.jobs.lengthTime(at: turn.now.monotonic))
        // That of the last row: a row with the same one is spared the look for its place.
        var loader: (index: UInt32, place: UInt32)?
        let length = turn.state.jobs.lengthTime(at: turn.now.monotonic)
        let (bounds, carryMore) = (turn.settings.bounds, turn.state.jobs.carryMore)
        for id in jobs {
            let record = turn.state.jobs[id]
            let limitSet = turn.state.jobs.limitSet(of: id)
            let state = turn.state.jobs.runs.resumeState(of: id)
            let rowByteCount =
                record.leastGrantedByteCount + (carryMore ? carriedByteCount(of: id, in: &turn) : 0)
                + (limitSet == 0 ? 0 : limits.greatestByteCount(of: limitSet))
            let isFull = byteCount + rowByteCount > bounds.grantByteCount || grant.jobs.count >= bounds.grantJobs
            if isFull, !grant.jobs.isEmpty {
                run.move(from: turn.state.jobs.arena, to: &grant.arguments)
                send(grant, to: worker.peer, isApart: isApart, in: &turn)
                (grant, byteCount, loader) = (empty, 0, nil)
                limits.removeAll()
            }
            if loader?.index != record.loader { loader = (record.loader, grant.place(of: turn.state.jobs.loader(of: record))) }
            grant.append(record, loader: loader?.place ?? 0, timeout: turn.state.jobs.terms.attemptTimeout(of: Int(record.terms)))
            // A time that is over is sent as one millisecond, since 0 stands for none.
            if let deadline = turn.state.jobs.deadline(of: id) { grant.setDeadline(max(1, deadline.milliseconds(since: length))) }
            if !grant.deadlines.isEmpty, grant.deadlines.count < grant.jobs.count { grant.deadlines.append(0) }
            if limitSet > 0 || !grant.limitIndexes.isEmpty { limits.add(limitSet, of: turn.state.jobs, to: &grant) }
            if let state { grant.resumeStates.append(Indexed(index: UInt32(grant.jobs.count - 1), value: state)) }
            if record.flags.contains(.isFeedJob), let work = resolveWork(id, in: &turn) {
                grant.feedWork.append(Indexed(index: UInt32(grant.jobs.count - 1), value: work))
            }
            if !run.join(record.argument) {
                run.move(from: turn.state.jobs.arena, to: &grant.arguments)
                _ = run.join(record.argument)
            }
            byteCount += rowByteCount
        }
        run.move(from: turn.state.jobs.arena, to: &grant.arguments)
        if !grant.jobs.isEmpty { send(grant, to: worker.peer, isApart: isApart, in: &turn) }
    }

    /// No fewer bytes than what a job has saved, and what it does for a feed, take in a grant. Few jobs have any of it, so it is asked apart.
    mutating func carriedByteCount(of id: UInt64, in turn: inout FrontTurn) -> Int {
        let saved = turn.state.jobs.runs.resumeState(of: id)?.count ?? 0
        guard turn.state.jobs[id].flags.contains(.isFeedJob) else { return saved }
        return saved + (resolveWork(id, in: &turn)?.greatestByteCount ?? 0)
    }

    /// What a worker gets about a feed's job, from the state as it is now; notes what it was granted with.
    mutating func resolveWork(_ id: UInt64, in turn: inout FrontTurn) -> FeedWork? {
        // A grant that is sent again is the same work, whatever has been asked for since.
        if let granted = turn.state.jobs.keyLines[id]?.granted { return granted }
        guard let job = turn.state.jobs.keyLines[id]?.job, let feed = turn.state.feeds[job.key] else { return nil }
        var work = FeedWork(
            key: job.key, operation: job.operation, settings: turn.definitions[job.key.name]?.settings ?? [], acceptedAt: job.acceptedAt)
        work.content = feed.state.content?.object
        work.source = job.source
        work.view = job.view
        work.item = job.item
        work.isPersistent = feed.state.isEditable && job.operation != .load && job.operation != .detail && job.operation != .sort
        if let view = feed.views[job.view] {
            work.sort = view.sort
            work.filter = view.filter
            work.itemID = view.selection
        }
        if job.operation == .sort {
            work.sort = job.sort
            work.filter = job.filter
        }
        if let itemID = job.itemID { work.itemID = itemID }
        turn.state.jobs.noteWork(work, feed.state.content?.version ?? .none, of: id)
        return work
    }

    private mutating func send(_ grant: WorkerBoundMessage.Grant, to peer: PeerID, isApart: Bool, in turn: inout FrontTurn) {
        turn.emit(isApart ? .sendToWorkerApart(peer, .grant(grant)) : .sendToWorker(peer, .grant(grant)))
    }
}

// Not functions of the machine: the optimizer would copy all of it for each job.
extension WorkerBoundMessage.Grant {
    /// Bytes of two ids, five numbers and a loader's name in the columns of a grant, at most.
    fileprivate static let rowByteCount = 128

    /// Where a loader's name stands, which is added if need be.
    fileprivate mutating func place(of name: String) -> UInt32 {
        if let place = loaders.firstIndex(of: name) { return UInt32(place) }
        loaders.append(name)
        return UInt32(loaders.count - 1)
    }

    /// Makes room for so many jobs.
    fileprivate mutating func reserveCapacity(_ count: Int) {
        jobs.reserveCapacity(count)
        leases.reserveCapacity(count)
        loaderIndexes.reserveCapacity(count)
        attempts.reserveCapacity(count)
    }

    /// Adds a job whose loader's name has a place already; its arguments follow.
    /// - Parameter timeout: How long the attempt may run; nil: as long as it does. Rows before the first that has one get theirs with it.
    fileprivate mutating func append(_ record: JobRecord, loader place: UInt32, timeout: Duration?) {
        if timeout != nil, attemptTimeouts.isEmpty { attemptTimeouts = Array(repeating: 0, count: jobs.count) }
        if timeout != nil || !attemptTimeouts.isEmpty { attemptTimeouts.append(UInt64(timeout?.millisecondsRoundedUp ?? 0)) }
        jobs.append(record.id)
        leases.append(record.lease)
        loaderIndexes.append(place)
        attempts.append(record.attempts)
    }

    /// The last job must have ended for good in so many milliseconds. Rows before the first that must have one get theirs with it.
    fileprivate mutating func setDeadline(_ milliseconds: Int64) {
        if deadlines.isEmpty { deadlines = Array(repeating: 0, count: jobs.count - 1) }
        deadlines.append(UInt64(clamping: milliseconds))
    }
}

/// The sets of limits of one grant, each sent once: thousands of its jobs may name the same ones.
struct GrantedLimitSets {
    /// No fewer bytes than a name, a value, what the limit allows and the tags of all take.
    private static let limitByteCount = MessageBounds.labelByteCount + LimitKey.valueByteCount + 96

    /// When the jobs took their tokens. Nil: the grant is sent once more, and what the limits allowed then is not known any more.
    private let takenAt: LengthTime?
    /// Places in the grant, from 1, by the index of the set.
    private var places: [Int: UInt32] = [:]

    init(takenAt: LengthTime?) { self.takenAt = takenAt }

    /// A further grant begins.
    mutating func removeAll() { places.removeAll(keepingCapacity: true) }

    /// No fewer bytes than a set adds to the grant.
    func greatestByteCount(of set: Int) -> Int {
        set == 0 || places[set] != nil ? 0 : JobOptions.limitKeyLimit * Self.limitByteCount
    }

    /// Names the limits of the row that was added last; rows before the first with limits get theirs, none, with it.
    mutating func add(_ set: Int, of jobs: JobLifecycle, to grant: inout WorkerBoundMessage.Grant) {
        if grant.limitIndexes.isEmpty {
            grant.limitIndexes = Array(repeating: 0, count: grant.jobs.count - 1)
            grant.takenAt = takenAt?.milliseconds ?? 0
        }
        guard set > 0 else { return grant.limitIndexes.append(0) }
        if let place = places[set] { return grant.limitIndexes.append(place) }
        grant.limitSets.append(jobs.grantedLimits(of: set, areKnown: takenAt != nil))
        places[set] = UInt32(grant.limitSets.count)
        grant.limitIndexes.append(UInt32(grant.limitSets.count))
    }
}

extension JobRecord {
    /// No fewer bytes than a job takes in a grant as it is encoded, beside its limits, what it has saved, and what it does for a feed.
    var leastGrantedByteCount: Int { WorkerBoundMessage.Grant.rowByteCount + argument.byteCount }
}

extension JobLifecycle {
    /// The same of all of them.
    fileprivate func leastByteCount(ofGranted ids: [UInt64]) -> Int { ids.reduce(0) { $0 + slab[$1].leastGrantedByteCount } }

    /// Whether some jobs may have saved something, or do something for feeds.
    fileprivate var carryMore: Bool { !keyLines.isEmpty || runs.haveLogs }

    /// The index of the limits that a job counts in; 0: it counts in none.
    func limitSet(of id: UInt64) -> Int { limits.isUsed ? Int(records.lane(of: id).limitSet) : 0 }

    /// The limits of a set as they are now.
    fileprivate func grantedLimits(of set: Int, areKnown: Bool) -> [GrantedLimit] {
        records.limitKeys(of: set).map { limits.granted($0, isKnown: areKnown) }
    }
}
