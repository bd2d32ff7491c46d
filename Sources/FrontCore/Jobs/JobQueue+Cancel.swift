//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// Ends a job for everybody: a waiting one at once, a running one as soon as its worker has stopped it.
    mutating func cancel(_ job: JobID, by requester: CancelRequester, in turn: inout FrontTurn) -> Reply {
        let id = job.rawValue
        guard turn.state.jobs.contains(id) else {
            return turn.state.jobs.state(of: id).map { .alreadyEnded(job, $0) } ?? .unknownJob(job)
        }
        let record = turn.state.jobs[id]
        switch record.state {
        case .succeeded, .failed, .cancelled, .quarantined: return .alreadyEnded(job, record.state)
        case .cancelling: return .cancelling(job)
        case .running:
            turn.record(.cancelRequested(JournalEntry.CancelRequested(job, by: requester.label, at: turn.now.wall)))
            if let worker = turn.state.workers[Int(record.worker)], worker.peer != .none {
                turn.emit(.sendToWorker(worker.peer, .cancel(leases: [record.lease])))
            }
            noteJob(id, ItemKey.job, in: &turn)
            if let feedJob = turn.state.jobs.keyLines[id]?.job {
                questionWaits(of: feedJob.key, in: &turn)
                clearProgress(id, of: feedJob.key, in: &turn)
                note(.stops, of: feedJob)
            }
            return .cancelling(job)
        case .waiting:
            turn.record(.cancelRequested(JournalEntry.CancelRequested(job, by: requester.label, at: turn.now.wall)))
            var ended = JournalEntry.EndedJobs(at: turn.now.wall)
            ended.append(id, .cancelled)
            turn.record(.ended(ended))
            owe(ended, in: &turn)
            jobEnded(id, .cancelled, failure: nil, feedResult: nil, in: &turn)
            return .cancelling(job)
        }
    }

    /// Ends jobs that no worker reports on.
    mutating func end(_ ends: [UnreportedEnd], in turn: inout FrontTurn) {
        guard !ends.isEmpty else { return }
        var ended = JournalEntry.EndedJobs(at: turn.now.wall)
        for end in ends { ended.append(end.job, end.state, failure: end.failure, crashCount: end.crashCount) }
        turn.record(.ended(ended))
        owe(ended, in: &turn)
        for end in ends { jobEnded(end.job, end.state, failure: end.failure, feedResult: nil, in: &turn) }
    }

    /// Everything that follows from a job's end, beside the entry and what its session is owed.
    mutating func jobEnded(
        _ id: UInt64, _ outcome: JobState, failure: Failure?, feedResult: FeedResult?, in turn: inout FrontTurn
    ) {
        noteJob(id, ItemKey.job, in: &turn)
        views.unlist(id, in: &turn.context)
        guard turn.state.jobs[id].flags.contains(.isFeedJob), let feedJob = turn.state.jobs.keyLines[id]?.job else {
            return views.clearProgress(of: id, in: &turn.context)
        }
        // Another job of its key may be the first now.
        questionWaits(of: feedJob.key, in: &turn)
        clearProgress(id, of: feedJob.key, in: &turn)
        note(.ended(outcome, failure, feedResult), of: feedJob)
    }

    /// Jobs wait again: what is known of their run goes.
    mutating func noteWaiting(_ jobs: [UInt64], in turn: inout FrontTurn) {
        for id in jobs {
            views.unlist(id, in: &turn.context)
            noteJob(id, ItemKey.job, in: &turn)
            guard let job = turn.state.jobs.keyLines[id]?.job else {
                views.clearProgress(of: id, in: &turn.context)
                continue
            }
            questionWaits(of: job.key, in: &turn)
            clearProgress(id, of: job.key, in: &turn)
            note(.waits, of: job)
        }
    }

    /// A feed's progress item goes in the change that carries the outcome.
    private mutating func clearProgress(_ id: UInt64, of key: FeedKey, in turn: inout FrontTurn) {
        if views.progress(of: id) != nil { turn.emit(.changed(.feed(key), key: ItemKey.progress)) }
        views.clearProgress(of: id, in: &turn.context)
    }

    /// Tells observers of a job that one of its items has changed.
    mutating func noteJob(_ id: UInt64, _ key: String, in turn: inout FrontTurn) { views.note(id, key, in: &turn.context) }
}
