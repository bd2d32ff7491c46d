//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// Jobs that end by the time: those that never started in time, and those that have had all the time that they may take; and runs whose time is over.
extension JobQueue {
    /// Ends jobs that wait and whose time is over, before any is granted: what has expired does not start.
    ///
    /// So many in one turn, as of jobs that become due: each is an outcome for its session and a change for who observes it. The rest ends in the
    /// next turns, and until then none is granted. On a full disk the room that is left belongs to what runs: they end when there is some.
    /// - Returns: whether there is no further one.
    mutating func endLate(in turn: inout FrontTurn) -> Bool {
        guard !turn.state.jobs.ending.isEmpty else { return true }
        guard !turn.context.storageIsFull else { return false }
        let expired = turn.state.jobs.ending.expired(by: turn.now.wall, limit: Self.dueAtOnce)
        let late = turn.state.jobs.ending.late(by: lengthTime(in: turn), limit: Self.dueAtOnce - expired.count)
        guard !expired.isEmpty || !late.isEmpty else { return true }
        turn.step(expired.count + late.count)
        let known = Set(late.isEmpty ? [] : expired)
        let ends = expired.map { UnreportedEnd(job: $0, state: .expired) }
        let lateEnds = late.filter { !known.contains($0) }.map { endOfLate($0, in: turn) }
        end(ends + lateEnds, lengthTime: lateEnds.isEmpty ? .zero : lengthTime(in: turn), in: &turn)
        awaitDue(in: &turn)
        let ending = turn.state.jobs.ending
        return ending.nextExpiry.map { $0 > turn.now.wall } ?? true && ending.nextDeadline.map { $0 > lengthTime(in: turn) } ?? true
    }

    /// How a job ends that waits when it has had its total time: for good.
    private func endOfLate(_ id: UInt64, in turn: FrontTurn) -> UnreportedEnd {
        let record = turn.state.jobs[id]
        let total = turn.state.jobs.terms.ending(of: Int(record.terms))?.totalTimeout ?? .zero
        var text = "job \(id) was not done within its total time-out of \(total.line): give it more time, or more workers"
        if let last = turn.state.jobs.lastFailures[id]?.text, !last.isEmpty { text += "; its last attempt: \(last)" }
        text = text.cut(to: MessageBounds.textByteCount)
        let failure = Failure(id: FailureID(id), code: .timedOut, text: text, attempts: record.attempts)
        return UnreportedEnd(job: id, state: .failed, failure: failure)
    }

    /// How a job goes on whose loader asked to be run again after so long; nil: it cannot be.
    func snoozed(_ id: UInt64, for pause: Duration?, in turn: FrontTurn) -> JournalEntry.EndedAttempt? {
        let record = turn.state.jobs[id]
        guard let pause, !record.flags.contains(.isFeedJob) else { return nil }
        return JournalEntry.EndedAttempt(
            job: JobID(id), attempts: record.attempts - min(record.attempts, 1), crashCount: record.crashCount, isSuspected: false,
            notBefore: max(1, lengthTime(in: turn).advanced(by: min(pause, SnoozeCount.longest)).milliseconds),
            snoozeCount: record.snoozeCount == .max ? .max : record.snoozeCount + 1)
    }

    /// A worker has come a step further in stopping a run whose time is over. No entry says so: after a restart the worker reports it again.
    mutating func noteStop(of id: UInt64, _ step: WorkerMessage.CancelStep, in turn: FrontTurn) {
        stops.note(step, of: id, at: turn.now.wall)
    }

    /// Whether a job's time is what stops its run: a client may have the label that people read then.
    func isStoppedByTime(_ id: UInt64, in turn: FrontTurn) -> Bool { stops[id] != nil && turn.state.jobs.cancels[id] == nil }

    /// What becomes of a run whose worker was lost though its time was over: it failed as it would have, had it stopped; nil: it was not over, or
    /// nobody knows what it has done.
    func endOfStopped(_ id: UInt64, _ repeatable: Repeatable, in turn: FrontTurn) -> Failure? {
        guard stops[id] != nil, repeatable == .yes, turn.state.jobs[id].state == .running else { return nil }
        let text = "the time of job \(id) was over and its work did not stop, so its worker ended: let its loader heed its cancel"
        return Failure(id: FailureID(id), code: .timedOut, text: text, retryable: true, attempts: turn.state.jobs[id].attempts)
    }
}

/// How far workers have come in stopping runs whose time is over, by job. Of this epoch only.
struct StoppedRuns {
    private var receipts: [UInt64: CancelReceipt] = [:]

    /// Whether there is none.
    var isEmpty: Bool { receipts.isEmpty }

    /// How far a run has come; nil: its time is not over.
    subscript(id: UInt64) -> CancelReceipt? {
        // Every job that is shown asks for it, and nearly always there is none.
        receipts.isEmpty ? nil : receipts[id]
    }

    /// A worker has come a step further. One that was not asked for by the time is none of these, whatever comes behind it.
    mutating func note(_ step: WorkerMessage.CancelStep, of id: UInt64, at time: WallTime) {
        if step == .timedOut, receipts[id] == nil {
            receipts[id] = CancelReceipt(requestedBy: CancelReceipt.timeOut, requestedAt: time)
        }
        receipts[id]?.note(step, at: time)
    }

    /// A run has ended, or its job waits again.
    mutating func forget(_ id: UInt64) {
        // Every job that ends or waits again comes here.
        if !receipts.isEmpty { receipts[id] = nil }
    }
}

extension CancelReceipt {
    /// A worker has come a step further; each is noted once.
    mutating func note(_ step: WorkerMessage.CancelStep, at time: WallTime) {
        deliveredAt = deliveredAt ?? time
        switch step {
        case .delivered: break
        case .stopping, .timedOut: stoppingAt = stoppingAt ?? time
        case .killed: killedAt = killedAt ?? time
        case .ending: endingAt = endingAt ?? time
        }
    }
}
