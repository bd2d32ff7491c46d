//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel
import GantryPackedColumns

extension WorkerMachine {
    /// Grants that may wait for the first answer to a renewal.
    private static let arrivingGrants = 1_024

    /// Before a renewal was answered the front may still read an older registration of ours and take the job for lost: the grant waits.
    ///
    /// The kernel must watch before the clock is read: a worker that is stopped between the two would otherwise start a job late.
    mutating func granted(_ grant: WorkerBoundMessage.Grant, at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard grant.registrationNumber == registrationNumber else { return actions.append(.ignored(.registrationOver)) }
        guard grant.isWellFormed else {
            actions.append(.ignored(.malformed))
            return refuse(grant.leases, .invalidData, "the columns of the grant do not fit each other", into: &actions)
        }
        let hasRoom = retained.jobCount + grant.jobs.count <= settings.retainedJobs && retained.byteCount <= settings.retainedByteCount
        guard hasRoom, arriving.count < Self.arrivingGrants else {
            actions.append(.ignored(.overBound))
            // Of a grant that is repeated, the work of the first is under way: to refuse that would have it run twice.
            let unknown = grant.leases.filter { !isKnown($0) }
            guard !unknown.isEmpty else { return }
            return refuse(unknown, .busy, "\(retained.jobCount) outcomes wait to become durable", into: &actions)
        }
        arriving.append(grant)
        guard connection == .confirmed else { return }
        if now >= stopAt {
            // Nothing of it may start, and a timer of the past would end the process.
            acceptArrived(at: now, into: &actions)
        } else if armedAt == nil {
            moveKillTimer(into: &actions)
        } else if arriving.count == 1 {
            // Else an earlier one waits for the timer still, and is accepted together with this one.
            acceptArrived(at: now, into: &actions)
        }
    }

    /// Takes the grants that waited for the kernel timer; those that wait for a renewal's answer go on waiting, whatever the timer is armed for.
    mutating func acceptArrived(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard connection == .confirmed else { return }
        let grants = arriving
        arriving.removeAll(keepingCapacity: true)
        for grant in grants { accept(grant, at: now, into: &actions) }
    }

    private mutating func accept(_ grant: WorkerBoundMessage.Grant, at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard let low = grant.leases.min(), let high = grant.leases.max() else { return }
        // By the renewal that the front had read, not by the newest: the front counts this lease from that one. One that is not known is
        // over.
        let end = renewals.sent(grant.renewal)?.advanced(by: leaseLength) ?? MonotonicTime(nanoseconds: 0)
        let mayStart = mode == .serving && overdueJobs.isEmpty && end.duration(since: now) >= margin && now < stopAt
        let loaders = grant.loaders.map { loaderIndexes[$0] }
        // One that names a lease twice goes row by row, and so does one that may hold known ones.
        let isNew = low > received.highest && cancels.isEmpty && zip(grant.leases, grant.leases.dropFirst()).allSatisfy { $0 < $1 }
        let bulk = loaders.compactMap { index in index.flatMap { settings.loaders[Int($0)].isBulk ? $0 : nil } }
        if isNew, mayStart, bulk.count == loaders.count, lineCount + grant.jobs.count <= settings.prefetch + settings.slots {
            line.append(BulkWork(grant, by: front, loaders: bulk))
            lineCount += grant.jobs.count
        } else {
            acceptRows(of: grant, loaders: loaders, mayStart: mayStart, at: now, into: &actions)
        }
        // At the end, since the rows above are looked up among the leases that were known before.
        received.note(grant.leases, low: low, high: high, until: now.advanced(by: leaseLength))
    }

    private mutating func acceptRows(
        of grant: WorkerBoundMessage.Grant, loaders: [UInt32?], mayStart: Bool, at now: MonotonicTime, into actions: inout [WorkerAction]
    ) {
        var bulk = BulkWork()
        var taken: Set<UInt64> = []
        for place in grant.arguments.indices {
            let row = place.row
            let (job, lease) = (grant.jobs[row], grant.leases[row])
            if isKnown(lease) || !taken.insert(lease).inserted {
                actions.append(.ignored(.knownLease))
            } else if cancels.take(lease) {
                // Its cancel overtook it: it must not begin.
                send(.cancelStep(LeaseID(lease), .stopping), into: &actions)
                retained.gather(job: job, lease: lease, outcome: .cancelled)
            } else if let loader = loaders[Int(grant.loaderIndexes[row])] {
                let isBulk = settings.loaders[Int(loader)].isBulk
                if mayStart, isBulk, lineCount + bulk.jobs.count < settings.prefetch + settings.slots {
                    bulk.append(
                        job: job, lease: lease, loader: loader, attempt: grant.attempts[row], argument: grant.arguments[place],
                        limited: grant.limitedRun(at: row, by: front))
                } else if mayStart, !isBulk, let slot = slots.firstIndex(where: { $0 == nil }) {
                    start(row, of: grant, loader: Int(loader), argument: Array(grant.arguments[place]), in: slot, at: now, into: &actions)
                } else {
                    retained.gather(job: job, lease: lease, outcome: .returned)
                }
            } else {
                let name = grant.loaders[Int(grant.loaderIndexes[row])]
                let text = "worker \(settings.name) has no loader \(name): start a worker that offers it"
                let failure = Failure(id: FailureID(job), code: .unknownLoader, text: text, attempts: grant.attempts[row])
                retained.gather(job: job, lease: lease, outcome: .failed, failure: failure)
            }
        }
        guard !bulk.jobs.isEmpty else { return }
        lineCount += bulk.jobs.count
        line.append(bulk)
    }

    private mutating func start(
        _ row: Int, of grant: WorkerBoundMessage.Grant, loader: Int, argument: [UInt8], in slot: Int, at now: MonotonicTime,
        into actions: inout [WorkerAction]
    ) {
        lastToken += 1
        let token = WorkToken(lastToken)
        let (job, lease) = (JobID(grant.jobs[row]), LeaseID(grant.leases[row]))
        let (timeout, rest) = (Self.length(at: row, of: grant.attemptTimeouts), Self.length(at: row, of: grant.deadlines))
        let first = [timeout, rest].compactMap(\.self).min()
        slots[slot] = Slot(
            token: token, job: job, attempt: grant.attempts[row], timeout: timeout,
            timesOutAt: first.map { now.advanced(by: $0) } ?? .distantFuture, isLast: rest != nil && rest == first,
            stopTime: settings.stopTime(of: loader),
            isRepeatable: settings.loaders[loader].repeatable != .no, lease: lease, progressDue: MonotonicTime(nanoseconds: 0))
        actions.append(
            .start(
                WorkStart(
                    token: token, job: job, attempt: grant.attempts[row], loader: loader, wall: grant.wall, argument: argument,
                    feedWork: grant.feedWork.first { $0.index == UInt32(row) }?.value,
                    resumeState: grant.resumeStates.first { $0.index == UInt32(row) }?.value ?? [],
                    limited: grant.limitedRun(at: row, by: front))))
    }

    /// What a column of milliseconds says of a row; nil: nothing.
    private static func length(at row: Int, of column: [UInt64]) -> Duration? {
        column.isEmpty || column[row] == 0 ? nil : .milliseconds(Int64(clamping: column[row]))
    }

    /// Whether a grant of that lease was already taken: by the network's or the front's repetition.
    func isKnown(_ lease: UInt64) -> Bool {
        guard lease <= received.highest else { return false }
        return received.contains(lease) || slots.contains { $0?.lease.rawValue == lease } || retained.contains(lease: lease)
            || line.contains { $0.leases[$0.nextRow...].contains(lease) }
    }
}

extension WorkerBoundMessage.Grant {
    /// Whether all columns are equally long and every loader index names a loader.
    var isWellFormed: Bool {
        let count = jobs.count
        guard leases.count == count, loaderIndexes.count == count, attempts.count == count, arguments.count == count,
            [attemptTimeouts, deadlines].allSatisfy({ $0.isEmpty || $0.count == count }),
            limitIndexes.isEmpty || limitIndexes.count == count
        else { return false }
        var highest: UInt32 = 0
        for index in loaderIndexes { highest = max(highest, index) }
        guard count == 0 || Int(highest) < loaders.count else { return false }
        return limitIndexes.allSatisfy { Int($0) <= limitSets.count }
    }
}
