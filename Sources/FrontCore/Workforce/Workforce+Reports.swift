//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

extension Workforce {
    /// Jobs have ended at a worker; only the current lease of each counts.
    mutating func takeEnded(
        _ report: WorkerMessage.Ended, worker index: Int, _ peer: PeerID, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        // Before the ends, since lines count only for a job that its worker holds.
        takeLastLogs(of: report, worker: index, in: &turn)
        var ended = JournalEntry.EndedJobs(at: turn.now.wall)
        var goingOn = JobsGoingOn()
        let snoozes = report.snoozesByRow
        ended.jobs.reserveCapacity(report.jobs.count)
        ended.states.reserveCapacity(report.jobs.count)
        ended.results.reserveCapacity(report.jobs.count, byteCount: report.results.byteCount)
        turn.step(report.jobs.count)
        var failures = RareValues(report.failures)
        var made = RareValues(report.feedResults)
        var feedRows: [(id: UInt64, row: UInt32)] = []
        // Neighbors among the results, to be copied together.
        var next = report.results.startIndex
        var taken = next..<next
        // A job that is named twice has one outcome: its first under its present lease. Columns that only ascend name none twice, and ask for no memory.
        var named: Set<UInt64>? = report.jobs.isAscending ? nil : []
        for (row, id) in report.jobs.enumerated() {
            let start = next
            report.results.formIndex(after: &next)
            guard turn.state.jobs.isHeld(id, by: index, under: report.leases[row]), named?.insert(id).inserted ?? true else {
                turn.noteLateReports(.leaseNotHeld)
                continue
            }
            let outcome = report.outcomes[row]
            let isCancelling = turn.state.jobs[id].state == .cancelling
            if !isCancelling {
                let goesOn = goingOn.take(
                    id, outcome, { queue.snoozed(id, for: snoozes[row], in: turn) },
                    because: { failures.take(row).flatMap { queue.reason(of: id, unstarted: $0, in: turn) } })
                if goesOn { continue }
            }
            // An accepted cancel wins: what is shared went back in the turn that accepted it, so no later result applies.
            let lack = !isCancelling && outcome == .succeeded ? self.lack(in: made.take(row), of: id, in: turn) : nil
            let final: JobState = isCancelling ? .cancelled : outcome == .succeeded && lack == nil ? .succeeded : .failed
            if final == .failed {
                var failure = lack ?? failures.take(row) ?? Failure(code: .invalidData, text: "the loader gave no reason")
                failure.id = FailureID(id)
                failure.attempts = turn.state.jobs[id].attempts
                if let next = queue.nextAttempt(of: id, after: failure, repeatable(of: id, in: turn), in: turn) {
                    goingOn.failed.append(next)
                    continue
                }
                ended.failures.append(Indexed(index: UInt32(ended.jobs.count), value: failure))
            }
            ended.jobs.append(id)
            ended.states.append(final)
            if final != .succeeded || taken.upperBound != start {
                ended.results.append(contentsOf: report.results[taken])
                taken = start..<start
            }
            if final == .succeeded { taken = taken.lowerBound..<next } else { ended.results.appendEmpty() }
            if turn.state.jobs[id].flags.contains(.isFeedJob) { feedRows.append((id, UInt32(row))) }
        }
        ended.results.append(contentsOf: report.results[taken])
        if !ended.jobs.isEmpty { applyEnds(ended, feedRows, report.feedResults, queue: &queue, in: &turn) }
        goOn(goingOn, worker: index, queue: &queue, in: &turn)
        // Though every row may have come late: a report that is not acknowledged is repeated for ever.
        turn.state.workers.noteUnacknowledged(report.report, of: index, in: &turn.context)
        noteWorker(index, in: &turn)
    }

    /// Why a job that its worker calls done has failed all the same: it is a feed's, and what the feed is to get was not made; nil: nothing lacks.
    ///
    /// A loader of submitted jobs under the name that a feed's source has ends so. Were that a success, a load would show nothing new and no reason,
    /// and whoever saves would take an item for kept that is in no list. The same loader would end so again, so the failure is no passing one.
    private func lack(in made: FeedResult?, of id: UInt64, in turn: FrontTurn) -> Failure? {
        guard turn.state.jobs[id].flags.contains(.isFeedJob), let job = turn.state.jobs.keyLines[id]?.job else { return nil }
        let part: String? =
            switch job.operation {
            case .load, .merge, .create, .update: made?.content == nil ? "list" : nil
            // It is JSON, which is never empty.
            case .detail: made.map { $0.detail.isEmpty && $0.detailObject == nil } ?? true ? "detail" : nil
            // Its view says that it has no order.
            case .sort: nil
            }
        guard let part else { return nil }
        let feed = job.key.text.cut(to: Reply.quotedByteCount)
        let text = "loader \(job.loader) ended job \(id) without a \(part) for feed \(feed): offer a loader of feeds by that name"
        return Failure(code: .loaderFailed, text: text)
    }

    private mutating func goOn(_ jobs: JobsGoingOn, worker index: Int, queue: inout JobQueue, in turn: inout FrontTurn) {
        queue.retry(jobs.failed, in: &turn)
        queue.retry(jobs.snoozed, in: &turn)
        if !jobs.returned.isEmpty {
            turn.state.workers.holdBack(index)
            giveBack(jobs.returned, .returned, jobs.reasons, queue: &queue, in: &turn)
        }
        loseUnasked(jobs.unasked, queue: &queue, in: &turn)
        // Else a worker that answers each grant so would get the same job again at once, for ever.
        if !jobs.unasked.isEmpty { turn.state.workers.holdBack(index) }
    }

    private mutating func applyEnds(
        _ ended: JournalEntry.EndedJobs, _ feedRows: [(id: UInt64, row: UInt32)], _ results: [Indexed<FeedResult>], queue: inout JobQueue,
        in turn: inout FrontTurn
    ) {
        // Who fails or is cancelled has not run as long as such a job takes.
        for (index, id) in ended.jobs.enumerated() where ended.states[index] == .succeeded {
            guard !turn.state.jobs[id].flags.contains(.isBulk) else { continue }
            queue.noteLength(of: turn.state.jobs[id], endedAt: turn.now.wall)
        }
        queue.recordEnds(ended, in: &turn)
        queue.noteOutcomes(ended, in: &turn)
        var failures = RareValues(ended.failures)
        var results = RareValues(results)
        var rows = feedRows[...]
        for (index, id) in ended.jobs.enumerated() {
            // A feed gets the outcome of its job, also where its worker runs the loader in bulk.
            if turn.state.jobs[id].flags.contains(.isBulk), !turn.state.jobs[id].flags.contains(.isFeedJob) {
                queue.noteBulkEnd(of: id, in: &turn)
                continue
            }
            let failure = failures.take(index)
            // They stand in the order of the jobs that have ended.
            let result = rows.first?.id == id ? rows.popFirst().flatMap { results.take(Int($0.row)) } : nil
            queue.jobEnded(id, ended.states[index], failure: failure, feedResult: result, in: &turn)
        }
    }

    /// Notes how far running jobs are; several reports in one turn merge.
    mutating func takeProgress(
        _ reports: [WorkerMessage.ProgressReport], worker index: Int, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        turn.step(reports.count)
        for report in reports {
            let id = report.job.rawValue
            // Leases are easily guessed, so who reports has to hold it; of a job that is to stop nobody follows how far it is.
            guard turn.state.jobs.isHeld(id, by: index, under: report.lease.rawValue), turn.state.jobs[id].state == .running else {
                turn.noteLateReports(.leaseNotHeld)
                continue
            }
            turn.state.jobs.noteSeen(id)
            queue.noteProgress(report.progress, of: id, in: &turn)
            if let job = turn.state.jobs.keyLines[id]?.job, turn.state.feeds[job.key]?.state.activity.job == job.job {
                turn.emit(.changed(.feed(job.key), key: ItemKey.progress))
            }
        }
    }
}

/// Jobs of a report whose attempts have ended, and that have not.
private struct JobsGoingOn {
    /// Given back unstarted.
    var returned: [UInt64] = []
    /// Why some of them were.
    var reasons: [Indexed<Failure>] = []
    /// Returned as cancelled, which nobody had asked for.
    var unasked: [UInt64] = []
    /// To be tried again.
    var failed = JournalEntry.AttemptsEnded(cause: .failed)
    /// To be run again later, as their loaders asked.
    var snoozed = JournalEntry.AttemptsEnded(cause: .snoozed)

    /// Takes a job that goes on by its outcome alone.
    /// - Returns: whether it does.
    mutating func take(
        _ id: UInt64, _ outcome: Outcome, _ snooze: () -> JournalEntry.EndedAttempt?, because reason: () -> Failure?
    ) -> Bool {
        switch outcome {
        case .returned:
            if let reason = reason() { reasons.append(Indexed(index: UInt32(returned.count), value: reason)) }
            returned.append(id)
        case .cancelled: unasked.append(id)
        case .snoozed:
            guard let next = snooze() else { return false }
            snoozed.jobs.append(next)
        case .succeeded, .failed: return false
        }
        return true
    }
}

extension WorkerMessage.Ended {
    /// After how many milliseconds the snoozed jobs are to be run again, by row. Mostly there are none, and it asks for no memory.
    fileprivate var snoozesByRow: [Int: Duration] {
        guard !snoozes.isEmpty else { return [:] }
        let lengths = snoozes.lazy.map { Duration.milliseconds(Int64(clamping: $0)) }
        return Dictionary(uniqueKeysWithValues: zip(outcomes.indices.filter { outcomes[$0] == .snoozed }, lengths))
    }
}

extension [UInt64] {
    /// Whether each element is greater than the one before it.
    fileprivate var isAscending: Bool {
        for index in indices.dropFirst() where self[index] <= self[index - 1] { return false }
        return true
    }
}

extension Workforce {
    /// A worker cannot take grants: their slots are free at once.
    ///
    /// One that is only too busy gets them again after its next renewal, or another worker does. What it cannot read or run at all fails
    /// with the code that it gives: the same work would be refused again and again, for ever. An unreadable frame, whose leases are
    /// unknown, had grants that were not listed yet: each of those is sent again by itself.
    mutating func takeRefusal(_ refused: WorkerMessage.RefusedGrants, worker index: Int, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard !refused.leases.isEmpty else { return sendApart(neverSeen(at: index, in: &turn), worker: index, in: &turn) }
        turn.step(refused.leases.count + turn.state.jobs.held(by: index).count)
        let named = Set(refused.leases)
        let jobs = turn.state.jobs.heldJobs(by: index).filter { named.contains(turn.state.jobs[$0].lease) }
        turn.noteLateReports(.leaseNotHeld, named.count - jobs.count)
        var returned: [UInt64] = []
        var ends: [UnreportedEnd] = []
        for id in jobs {
            let record = turn.state.jobs[id]
            // Nothing was begun, so the cancel has all that it waits for.
            if record.state == .cancelling {
                ends.append(UnreportedEnd(job: id, state: .cancelled))
            } else if refused.code == .busy {
                returned.append(id)
            } else {
                let text = "worker \(turn.state.workers[index]?.registration.name ?? "") refused job \(id): \(refused.reason)"
                    .cut(to: MessageBounds.textByteCount)
                let failure = Failure(id: FailureID(id), code: refused.code, text: text, attempts: record.attempts)
                ends.append(UnreportedEnd(job: id, state: .failed, failure: failure))
            }
        }
        queue.end(ends, in: &turn)
        if !returned.isEmpty {
            turn.state.workers.holdBack(index)
            giveBack(returned, .refused, queue: &queue, in: &turn)
        }
        noteWorker(index, in: &turn)
    }

    /// The jobs of a worker whose grants it has not listed and that were not sent again yet.
    private mutating func neverSeen(at index: Int, in turn: inout FrontTurn) -> [UInt64] {
        turn.step(turn.state.jobs.held(by: index).count)
        let sent = turn.state.workers[index]?.sentApart ?? [:]
        return turn.state.jobs.heldJobs(by: index).filter { id in
            !turn.state.jobs[id].flags.contains(.isSeen) && sent[turn.state.jobs[id].lease] == nil
        }
    }
}
