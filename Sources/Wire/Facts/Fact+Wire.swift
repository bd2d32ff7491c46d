//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

extension WireSessionOpened: Mapped {
    init(_ value: Fact.SessionOpened) {
        self.init()
        (session, label, nonce) = (value.session.rawValue, value.label, value.nonce)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.SessionOpened {
        Fact.SessionOpened(SessionID(session), label: label, nonce: nonce)
    }
}

extension WireSessionEnded: Mapped {
    init(_ value: Fact.SessionEnded) {
        self.init()
        session = value.session.rawValue
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.SessionEnded { Fact.SessionEnded(SessionID(session)) }
}

extension WireReplyKept: Mapped {
    init(_ value: Fact.ReplyKept) {
        self.init()
        (session, fingerprint, lowestUnanswered) = (value.session.rawValue, value.reply.fingerprint, value.lowestUnanswered.rawValue)
        reply = WireReply((value.reply.number, value.reply.reply))
        reply.feed = value.reply.feed?.text ?? ""
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.ReplyKept {
        let (number, kept) = try reply.value(within: bounds)
        let feed = reply.feed.isEmpty ? nil : try bounds.feed(reply.feed)
        return Fact.ReplyKept(
            SessionID(session), KeptReply(number: number, reply: kept, feed: feed, fingerprint: fingerprint),
            lowestUnanswered: RequestNumber(lowestUnanswered))
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

extension WireWorkerLost: Mapped {
    init(_ value: Fact.WorkerLost) {
        self.init()
        worker = value.worker.rawValue
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.WorkerLost { Fact.WorkerLost(WorkerID(worker)) }
}

extension WireFeedChanged: Mapped {
    init(_ value: Fact.FeedChanged) {
        self.init()
        (state, isAskedFor, nextVersion) = (WireFeedState(value.state), value.isAskedFor, value.nextVersion.rawValue)
        (older, damaged) = (value.older.map { WireFeedContent($0) }, value.damaged.map { WireDamagedVersion($0) })
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.FeedChanged {
        var changed = Fact.FeedChanged(try state.value(within: bounds), isAskedFor: isAskedFor, nextVersion: ContentVersion(nextVersion))
        changed.older = try bounds.values(older, "older contents of a feed")
        changed.damaged = try bounds.values(damaged, "damaged versions of a feed")
        return changed
    }
}

extension WireDamagedVersion: Mapped {
    init(_ value: DamagedVersion) {
        self.init()
        (object, foundAt) = (Data(value.object.bytes), value.foundAt.milliseconds)
    }

    func value(within bounds: Bounds) throws(CodecError) -> DamagedVersion {
        DamagedVersion(try bounds.digest(object), foundAt: WallTime(milliseconds: foundAt))
    }
}

extension WireFeedForgotten: Mapped {
    init(_ value: Fact.FeedForgotten) {
        self.init()
        feed = value.key.text
    }

    func value(within bounds: Bounds) throws(CodecError) -> Fact.FeedForgotten { Fact.FeedForgotten(try bounds.feed(feed)) }
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

extension WireViewForgotten: Mapped {
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
