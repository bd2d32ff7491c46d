//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Ends a job for everybody: a waiting one at once, a running one as soon as its worker has stopped it.
    mutating func cancel(_ job: JobID, by label: String, into actions: inout [FrontAction]) -> Reply {
        let id = job.rawValue
        guard state.jobs.contains(id) else {
            return unknownJob(job)
        }
        let record = state.jobs[id]
        switch record.state {
        case .succeeded, .failed, .cancelled, .expired, .quarantined: return .alreadyEnded(job, record.state)
        case .cancelling: return .cancelling(job)
        case .running:
            self.record(.cancelRequested(Fact.CancelRequested(job, by: label, at: now.wall)), into: &actions)
            if let worker = state.workers[Int(record.worker)], worker.peer != .none {
                actions.append(.tellWorker(worker.peer, .cancel(leases: [record.lease])))
            }
            noteJob(id, "job", into: &actions)
            if let feedJob = state.feedJobs[id]?.job {
                questionWaits(of: feedJob.key, into: &actions)
                clearProgress(id, of: feedJob.key, into: &actions)
                feedJobCancelled(feedJob, into: &actions)
            }
            return .cancelling(job)
        case .waiting, .scheduled:
            self.record(.cancelRequested(Fact.CancelRequested(job, by: label, at: now.wall)), into: &actions)
            var ended = Fact.EndedJobs(at: now.wall)
            ended.append(id, .cancelled)
            self.record(.ended(ended), into: &actions)
            jobEnded(id, .cancelled, failure: nil, feedResult: nil, into: &actions)
            return .cancelling(job)
        }
    }

    /// A worker has come a step further with a cancel.
    mutating func cancelStep(_ lease: LeaseID, _ step: WorkerMessage.CancelStep, worker index: Int, into actions: inout [FrontAction]) {
        // The lease is looked for along the held jobs.
        self.step((state.workers[index]?.held.count ?? 0) / 16)
        guard let id = heldJob(lease: lease.rawValue, worker: index), state.cancels[id] != nil else { return }
        switch step {
        case .delivered:
            if state.cancels[id]?.deliveredAt == nil { state.cancels[id]?.deliveredAt = now.wall }
        case .stopping:
            if state.cancels[id]?.deliveredAt == nil { state.cancels[id]?.deliveredAt = now.wall }
            if state.cancels[id]?.stoppingAt == nil { state.cancels[id]?.stoppingAt = now.wall }
            state.jobs[id].flags.insert(.isStopping)
        }
        noteJob(id, "job", into: &actions)
    }

    /// The job that a worker holds under a lease; looks through its held jobs.
    func heldJob(lease: UInt64, worker index: Int) -> UInt64? {
        var job = state.workers[index]?.held.first ?? 0
        while job != 0 {
            if state.jobs[job].lease == lease { return job }
            job = state.jobs[job].next
        }
        return nil
    }

    /// Everything that follows from a job's end, beside the fact.
    mutating func jobEnded(
        _ id: UInt64, _ outcome: JobState, failure: Failure?, feedResult: FeedResult?, into actions: inout [FrontAction]
    ) {
        owe(id, outcome)
        noteJob(id, "job", into: &actions)
        unlist(id, into: &actions)
        if state.jobs[id].flags.contains(.isFeedJob) {
            // Takes the progress away from the feed and from the job alike: removed here, the feed's observers would keep it.
            feedJobEnded(id, outcome, failure, feedResult, into: &actions)
        } else if progress.removeValue(forKey: id) != nil {
            noteJob(id, "progress", into: &actions)
        }
    }

    /// Tells observers of a job that one of its items has changed.
    func noteJob(_ id: UInt64, _ key: String, into actions: inout [FrontAction]) {
        guard !observedJobs.isEmpty, observedJobs.contains(id) else { return }
        actions.append(.changed(.job(JobID(id)), key: key))
    }

    /// A running job is listed one by one, unless it is short or the list is full.
    mutating func list(_ id: UInt64, into actions: inout [FrontAction]) {
        guard listedJobs.count < settings.bounds.listedJobs, !listedJobs.contains(id) else { return }
        listedJobs.append(id)
        actions.append(.changed(.jobs, key: "job/\(id)"))
    }

    /// A job is listed no longer.
    mutating func unlist(_ id: UInt64, into actions: inout [FrontAction]) {
        guard !listedJobs.isEmpty, let index = listedJobs.firstIndex(of: id) else { return }
        listedJobs.remove(at: index)
        actions.append(.changed(.jobs, key: "job/\(id)"))
    }
}
