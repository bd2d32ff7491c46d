//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Ends a job for everybody: a waiting one at once, a running one as soon as its worker has stopped it.
    mutating func cancel(_ job: JobID, by label: String) -> Reply {
        let id = job.rawValue
        guard state.jobs.contains(id) else {
            return .unknownJob(job)
        }
        let record = state.jobs[id]
        switch record.state {
        case .succeeded, .failed, .cancelled, .expired, .quarantined: return .alreadyEnded(job, record.state)
        case .cancelling: return .cancelling(job)
        case .running:
            self.record(.cancelRequested(Fact.CancelRequested(job, by: label, at: turn.now.wall)))
            if let worker = state.workers[Int(record.worker)], worker.peer != .none {
                turn.emit(.tellWorker(worker.peer, .cancel(leases: [record.lease])))
            }
            noteJob(id, "job")
            if let feedJob = state.jobs.keyLines[id]?.job {
                questionWaits(of: feedJob.key)
                clearProgress(id, of: feedJob.key)
                feedJobCancelled(feedJob)
            }
            return .cancelling(job)
        case .waiting, .scheduled:
            self.record(.cancelRequested(Fact.CancelRequested(job, by: label, at: turn.now.wall)))
            var ended = Fact.EndedJobs(at: turn.now.wall)
            ended.append(id, .cancelled)
            self.record(.ended(ended))
            jobEnded(id, .cancelled, failure: nil, feedResult: nil)
            return .cancelling(job)
        }
    }

    /// A worker has come a step further with a cancel.
    mutating func cancelStep(_ lease: LeaseID, _ step: WorkerMessage.CancelStep, worker index: Int) {
        // The lease is looked for along the held jobs.
        turn.step(state.jobs.held(by: index).count / 16)
        guard let id = heldJob(lease: lease.rawValue, worker: index), state.jobs.cancels[id] != nil else { return }
        state.jobs.noteCancel(of: id, step, at: turn.now.wall)
        noteJob(id, "job")
    }

    /// The job that a worker holds under a lease; looks through its held jobs.
    func heldJob(lease: UInt64, worker index: Int) -> UInt64? {
        var job = state.jobs.held(by: index).first
        while job != 0 {
            if state.jobs[job].lease == lease { return job }
            job = state.jobs[job].next
        }
        return nil
    }

    /// Everything that follows from a job's end, beside the fact.
    mutating func jobEnded(
        _ id: UInt64, _ outcome: JobState, failure: Failure?, feedResult: FeedResult?
    ) {
        owe(id, outcome)
        noteJob(id, "job")
        jobViews.unlist(id, in: &turn)
        if state.jobs[id].flags.contains(.isFeedJob) {
            // Takes the progress away from the feed and from the job alike: removed here, the feed's observers would keep it.
            feedJobEnded(id, outcome, failure, feedResult)
        } else {
            jobViews.clearProgress(of: id, in: &turn)
        }
    }

    /// Tells observers of a job that one of its items has changed.
    mutating func noteJob(_ id: UInt64, _ key: String) { jobViews.note(id, key, in: &turn) }
}
