//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import WireMessages

extension WireFact: Mapped {
    init(_ value: Fact) {
        self.init()
        kind =
            switch value {
            case .sessionOpened(let entry): .sessionOpened(WireSessionOpened(entry))
            case .sessionEnded(let entry): .sessionEnded(entry.session.rawValue)
            case .replyKept(let entry): .replyKept(WireReplyKept(entry))
            case .jobsAccepted(let entry): .jobsAccepted(WireAcceptedJobs(entry))
            case .feedJobAccepted(let entry): .feedJobAccepted(WireFeedJob(entry))
            case .granted(let entry): .granted(WireGrantedJobs(entry))
            case .returned(let entry): .returned(WireJobIDs(entry.jobs))
            case .requeued(let entry): .requeued(WireRequeuedJobs(entry))
            case .ended(let entry): .ended(WireEndedJobs(entry))
            case .cancelRequested(let entry): .cancelRequested(WireCancelRequested(entry))
            case .termsChanged(let entry): .termsChanged(WireTermsChanged(entry))
            case .workerAttached(let entry): .workerAttached(WireWorkerAttached(entry))
            case .workerLost(let entry): .workerLost(entry.worker.rawValue)
            case .feedChanged(let entry): .feedChanged(WireFeedChanged(entry))
            case .feedForgotten(let entry): .feedForgotten(entry.key.text)
            case .viewChanged(let entry): .viewChanged(WireViewChanged(entry))
            case .viewForgotten(let entry): .viewForgotten(WireViewTarget(entry))
            case .idsReserved(let entry): .idsReserved(WireIDsReserved(entry))
            case .jobsStored(let entry): .jobsStored(WireStoredJobs(entry))
            case .endedBundled(let entry): .endedBundled(WireEndedBundled(entry))
            case .bundlesForgotten(let entry): .bundlesForgotten(WireBundlesForgotten(entry))
            case .countsStored(let entry): .countsStored(WireCountsStored(entry))
            case .epochBegan(let entry): .epochBegan(WireEpochBegan(entry))
            }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact {
        switch kind {
        case .sessionOpened(let entry): .sessionOpened(try entry.value(within: bounds))
        case .sessionEnded(let session): .sessionEnded(Fact.SessionEnded(SessionID(session)))
        case .replyKept(let entry): .replyKept(try entry.value(within: bounds))
        case .jobsAccepted(let entry): .jobsAccepted(try entry.value(within: bounds))
        case .feedJobAccepted(let entry): .feedJobAccepted(try entry.value(within: bounds))
        case .granted(let entry): .granted(try entry.value(within: bounds))
        case .returned(let jobs): .returned(Fact.ReturnedJobs(jobs: try jobs.value(within: bounds)))
        case .requeued(let entry): .requeued(try entry.value(within: bounds))
        case .ended(let entry): .ended(try entry.value(within: bounds))
        case .cancelRequested(let entry): .cancelRequested(try entry.value(within: bounds))
        case .termsChanged(let entry): .termsChanged(try entry.value(within: bounds))
        case .workerAttached(let entry): .workerAttached(try entry.value(within: bounds))
        case .workerLost(let worker): .workerLost(Fact.WorkerLost(WorkerID(worker)))
        case .feedChanged(let entry): .feedChanged(try entry.value(within: bounds))
        case .feedForgotten(let key): .feedForgotten(Fact.FeedForgotten(try bounds.feed(key)))
        case .viewChanged(let entry): .viewChanged(try entry.value(within: bounds))
        case .viewForgotten(let entry): .viewForgotten(try entry.value(within: bounds))
        case .idsReserved(let entry): .idsReserved(try entry.value(within: bounds))
        case .jobsStored(let entry): .jobsStored(try entry.value(within: bounds))
        case .endedBundled(let entry): .endedBundled(try entry.value(within: bounds))
        case .bundlesForgotten(let entry): .bundlesForgotten(try entry.value(within: bounds))
        case .countsStored(let entry): .countsStored(try entry.value(within: bounds))
        case .epochBegan(let entry): .epochBegan(try entry.value(within: bounds))
        case nil: throw bounds.unknownKind("a fact")
        }
    }
}

extension WireSessionOpened: Mapped {
    init(_ value: Fact.SessionOpened) {
        self.init()
        (session, label, nonce) = (value.session.rawValue, value.label, value.nonce)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.SessionOpened {
        Fact.SessionOpened(SessionID(session), label: label, nonce: nonce)
    }
}

extension WireReplyKept: Mapped {
    init(_ value: Fact.ReplyKept) {
        self.init()
        (session, fingerprint) = (value.session.rawValue, value.reply.fingerprint)
        reply = WireReply((value.reply.number, value.reply.reply))
        reply.feed = value.reply.feed?.text ?? ""
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.ReplyKept {
        let (number, kept) = try reply.value(within: bounds)
        let feed = reply.feed.isEmpty ? nil : try bounds.feed(reply.feed)
        return Fact.ReplyKept(SessionID(session), KeptReply(number: number, reply: kept, feed: feed, fingerprint: fingerprint))
    }
}

extension WireWorkerAttached: Mapped {
    init(_ value: Fact.WorkerAttached) {
        self.init()
        (worker, attachment) = (value.worker.rawValue, value.attachment.rawValue)
        registration = WireRegistration(value.registration)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.WorkerAttached {
        Fact.WorkerAttached(WorkerID(worker), AttachmentNumber(attachment), try registration.value(within: bounds))
    }
}

extension WireFeedChanged: Mapped {
    init(_ value: Fact.FeedChanged) {
        self.init()
        (state, isAskedFor, nextVersion) = (WireFeedState(value.state), value.isAskedFor, value.nextVersion.rawValue)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.FeedChanged {
        Fact.FeedChanged(try state.value(within: bounds), isAskedFor: isAskedFor, nextVersion: ContentVersion(nextVersion))
    }
}

extension WireViewChanged: Mapped {
    init(_ value: Fact.ViewChanged) {
        self.init()
        (feed, state, selectedAfter) = (value.key.text, WireViewState(value.view), value.selectedAfter.rawValue)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.ViewChanged {
        Fact.ViewChanged(try bounds.feed(feed), try state.value(within: bounds), selectedAfter: JobID(selectedAfter))
    }
}

extension WireViewTarget: Mapped {
    init(_ value: Fact.ViewForgotten) {
        self.init()
        (feed, view) = (value.key.text, value.view)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.ViewForgotten { Fact.ViewForgotten(try bounds.feed(feed), view) }
}

extension WireIDsReserved: Mapped {
    init(_ value: Fact.IDsReserved) {
        self.init()
        (jobs, leases) = (value.jobs.rawValue, value.leases.rawValue)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.IDsReserved {
        Fact.IDsReserved(jobs: JobID(jobs), leases: LeaseID(leases))
    }
}

extension WireCountsStored: Mapped {
    init(_ value: Fact.CountsStored) {
        self.init()
        counts = WireJobCounts(value.counts)
        (nextJob, nextLease) = (value.nextJob.rawValue, value.nextLease.rawValue)
        (nextAttachment, lastRankTime) = (value.nextAttachment.rawValue, value.lastRankTime)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.CountsStored {
        Fact.CountsStored(
            try counts.value(within: bounds), nextJob: JobID(nextJob), nextLease: LeaseID(nextLease),
            nextAttachment: AttachmentNumber(nextAttachment), lastRankTime: lastRankTime)
    }
}

extension WireEpochBegan: Mapped {
    init(_ value: Fact.EpochBegan) {
        self.init()
        (epoch, bootID, bootMilliseconds) = (value.epoch.rawValue, value.bootID, value.bootMilliseconds)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.EpochBegan {
        Fact.EpochBegan(epoch: Epoch(epoch), bootID: bootID, bootMilliseconds: bootMilliseconds)
    }
}
