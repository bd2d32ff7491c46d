//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import WireMessages

extension WireFact: Mapped {
    init(_ value: Fact) {
        self.init()
        if !write(jobFact: value) { write(otherFact: value) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact {
        if let fact = try jobFact(within: bounds) { return fact }
        if let fact = try otherFact(within: bounds) { return fact }
        throw bounds.unknownKind("a fact")
    }

    /// Writes facts of jobs; false: it is another one.
    private mutating func write(jobFact value: Fact) -> Bool {
        switch value {
        case .jobsAccepted(let jobs): jobsAccepted = WireAcceptedJobs(jobs)
        case .feedJobAccepted(let job): feedJobAccepted = WireFeedJob(job)
        case .granted(let jobs): granted = WireGrantedJobs(jobs)
        case .returned(let jobs): returned = WireJobIDs(jobs)
        case .requeued(let jobs): requeued = WireRequeuedJobs(jobs)
        case .ended(let jobs): ended = WireEndedJobs(jobs)
        case .cancelRequested(let job, let by, let at):
            (cancelRequested.job, cancelRequested.by, cancelRequested.at) = (job.rawValue, by, at.milliseconds)
        case .jobsStored(let jobs): jobsStored = WireStoredJobs(jobs)
        case .sessionOpened, .sessionEnded, .replyKept, .workerAttached, .workerLost, .feedChanged, .feedForgotten, .viewChanged,
            .viewForgotten, .idsReserved, .countsStored, .epochBegan:
            return false
        }
        return true
    }

    private mutating func write(otherFact value: Fact) {
        switch value {
        case .sessionOpened(let session, let label, let role, let nonce):
            (sessionOpened.session, sessionOpened.label, sessionOpened.role) = (session.rawValue, label, role)
            sessionOpened.nonce = nonce
        case .sessionEnded(let session): sessionEnded = session.rawValue
        case .replyKept(let session, let kept):
            (replyKept.session, replyKept.fingerprint) = (session.rawValue, kept.fingerprint)
            replyKept.reply = WireReply((kept.number, kept.reply))
            replyKept.reply.feed = kept.feed?.text ?? ""
        case .workerAttached(let worker, let attachment, let registration):
            (workerAttached.worker, workerAttached.attachment) = (worker.rawValue, attachment.rawValue)
            workerAttached.registration = WireRegistration(registration)
        case .workerLost(let worker): workerLost = worker.rawValue
        case .feedChanged(let state, let isAskedFor, let nextVersion):
            (feedChanged.state, feedChanged.isAskedFor) = (WireFeedState(state), isAskedFor)
            feedChanged.nextVersion = nextVersion.rawValue
        case .feedForgotten(let key): feedForgotten = key.text
        case .viewChanged(let key, let state, let selectedAfter):
            (viewChanged.feed, viewChanged.state, viewChanged.selectedAfter) = (key.text, WireViewState(state), selectedAfter.rawValue)
        case .viewForgotten(let key, let view): (viewForgotten.feed, viewForgotten.view) = (key.text, view)
        case .idsReserved(let jobs, let leases): (idsReserved.jobs, idsReserved.leases) = (jobs.rawValue, leases.rawValue)
        case .countsStored(let counts, let job, let lease, let attachment, let rankTime):
            countsStored.counts = WireJobCounts(counts)
            countsStored.lastRankTime = rankTime
            (countsStored.nextJob, countsStored.nextLease) = (job.rawValue, lease.rawValue)
            countsStored.nextAttachment = attachment.rawValue
        case .epochBegan(let began):
            (epochBegan.epoch, epochBegan.bootID) = (began.epoch.rawValue, began.bootID)
            epochBegan.bootMilliseconds = began.bootMilliseconds
        case .jobsAccepted, .feedJobAccepted, .granted, .returned, .requeued, .ended, .cancelRequested, .jobsStored: return
        }
    }

    private func jobFact(within bounds: Bounds) throws(CodecError) -> Fact? {
        switch kind {
        case .jobsAccepted(let jobs): .jobsAccepted(try jobs.value(within: bounds))
        case .feedJobAccepted(let job): .feedJobAccepted(try job.value(within: bounds))
        case .granted(let jobs): .granted(try jobs.value(within: bounds))
        case .returned(let jobs): .returned(jobs: try jobs.value(within: bounds))
        case .requeued(let jobs): .requeued(try jobs.value(within: bounds))
        case .ended(let jobs): .ended(try jobs.value(within: bounds))
        case .cancelRequested(let cancel):
            .cancelRequested(JobID(cancel.job), by: cancel.by, at: WallTime(milliseconds: cancel.at))
        case .jobsStored(let jobs): .jobsStored(try jobs.value(within: bounds))
        case .sessionOpened, .sessionEnded, .replyKept, .workerAttached, .workerLost, .feedChanged, .feedForgotten, .viewChanged,
            .viewForgotten, .idsReserved, .countsStored, .epochBegan, nil:
            nil
        }
    }

    private func otherFact(within bounds: Bounds) throws(CodecError) -> Fact? {
        switch kind {
        case .sessionOpened(let opened):
            return .sessionOpened(SessionID(opened.session), label: opened.label, role: opened.role, nonce: opened.nonce)
        case .sessionEnded(let session): return .sessionEnded(SessionID(session))
        case .replyKept(let kept):
            let (number, reply) = try kept.reply.value(within: bounds)
            let feed = kept.reply.feed.isEmpty ? nil : try bounds.feed(kept.reply.feed)
            return .replyKept(
                SessionID(kept.session), KeptReply(number: number, reply: reply, feed: feed, fingerprint: kept.fingerprint))
        case .workerAttached(let attached):
            return .workerAttached(
                WorkerID(attached.worker), AttachmentNumber(attached.attachment), try attached.registration.value(within: bounds))
        case .workerLost(let worker): return .workerLost(WorkerID(worker))
        case .feedChanged(let changed):
            return .feedChanged(
                try changed.state.value(within: bounds), isAskedFor: changed.isAskedFor,
                nextVersion: ContentVersion(changed.nextVersion))
        case .feedForgotten(let key): return .feedForgotten(try bounds.feed(key))
        case .viewChanged(let changed):
            return .viewChanged(
                try bounds.feed(changed.feed), try changed.state.value(within: bounds), selectedAfter: JobID(changed.selectedAfter))
        case .viewForgotten(let target): return .viewForgotten(try bounds.feed(target.feed), target.view)
        case .idsReserved(let ids): return .idsReserved(jobs: JobID(ids.jobs), leases: LeaseID(ids.leases))
        case .countsStored(let stored):
            return .countsStored(
                try stored.counts.value(within: bounds), nextJob: JobID(stored.nextJob), nextLease: LeaseID(stored.nextLease),
                nextAttachment: AttachmentNumber(stored.nextAttachment), lastRankTime: stored.lastRankTime)
        case .epochBegan(let began):
            return .epochBegan(
                Fact.EpochBegan(epoch: Epoch(began.epoch), bootID: began.bootID, bootMilliseconds: began.bootMilliseconds))
        case .jobsAccepted, .feedJobAccepted, .granted, .returned, .requeued, .ended, .cancelRequested, .jobsStored, nil: return nil
        }
    }
}
