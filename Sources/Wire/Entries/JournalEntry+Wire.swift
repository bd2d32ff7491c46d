//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

extension WireSessionOpened: Mapped {
    init(_ value: JournalEntry.SessionOpened) {
        self.init()
        (session, label, nonce) = (value.session.rawValue, value.label, value.nonce)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.SessionOpened {
        JournalEntry.SessionOpened(SessionID(session), label: label, nonce: nonce)
    }
}

extension WireSessionEnded: Mapped {
    init(_ value: JournalEntry.SessionEnded) {
        self.init()
        session = value.session.rawValue
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.SessionEnded { JournalEntry.SessionEnded(SessionID(session)) }
}

extension WireReplyRetained: Mapped {
    init(_ value: JournalEntry.ReplyRetained) {
        self.init()
        (session, fingerprint, lowestUnanswered) = (value.session.rawValue, value.reply.fingerprint, value.lowestUnanswered.rawValue)
        reply = WireReply((value.reply.number, value.reply.reply))
        reply.feed = value.reply.feed?.text ?? ""
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.ReplyRetained {
        let (number, retained) = try reply.value(within: bounds)
        let feed = reply.feed.isEmpty ? nil : try bounds.feed(reply.feed)
        return JournalEntry.ReplyRetained(
            SessionID(session), RetainedReply(number: number, reply: retained, feed: feed, fingerprint: fingerprint),
            lowestUnanswered: RequestNumber(lowestUnanswered))
    }
}

extension WireWorkerRegistered: Mapped {
    init(_ value: JournalEntry.WorkerRegistered) {
        self.init()
        (worker, registrationNumber) = (value.worker.rawValue, value.registrationNumber.rawValue)
        registration = WireRegistration(value.registration)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.WorkerRegistered {
        JournalEntry.WorkerRegistered(WorkerID(worker), RegistrationNumber(registrationNumber), try registration.value(within: bounds))
    }
}

extension WireWorkerLost: Mapped {
    init(_ value: JournalEntry.WorkerLost) {
        self.init()
        worker = value.worker.rawValue
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.WorkerLost { JournalEntry.WorkerLost(WorkerID(worker)) }
}

extension WireFeedChanged: Mapped {
    init(_ value: JournalEntry.FeedChanged) {
        self.init()
        (state, isAskedFor, nextVersion) = (WireFeedState(value.state), value.isAskedFor, value.nextVersion.rawValue)
        (older, damaged) = (value.older.map { WireFeedContent($0) }, value.damaged.map { WireDamagedVersion($0) })
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.FeedChanged {
        var changed = JournalEntry.FeedChanged(
            try state.value(within: bounds), isAskedFor: isAskedFor, nextVersion: ContentVersion(nextVersion))
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
    init(_ value: JournalEntry.FeedForgotten) {
        self.init()
        feed = value.key.text
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.FeedForgotten { JournalEntry.FeedForgotten(try bounds.feed(feed)) }
}

extension WireViewChanged: Mapped {
    init(_ value: JournalEntry.ViewChanged) {
        self.init()
        (feed, state, selectedAfter) = (value.key.text, WireViewState(value.view), value.selectedAfter.rawValue)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.ViewChanged {
        JournalEntry.ViewChanged(try bounds.feed(feed), try state.value(within: bounds), selectedAfter: JobID(selectedAfter))
    }
}

extension WireViewForgotten: Mapped {
    init(_ value: JournalEntry.ViewForgotten) {
        self.init()
        (feed, view) = (value.key.text, value.view)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.ViewForgotten {
        JournalEntry.ViewForgotten(try bounds.feed(feed), view)
    }
}

extension WireIDsReserved: Mapped {
    init(_ value: JournalEntry.IDsReserved) {
        self.init()
        (jobs, leases) = (value.jobs.rawValue, value.leases.rawValue)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.IDsReserved {
        JournalEntry.IDsReserved(jobs: JobID(jobs), leases: LeaseID(leases))
    }
}

extension WireCountsStored: Mapped {
    init(_ value: JournalEntry.CountsStored) {
        self.init()
        counts = WireJobCounts(value.counts)
        (nextJob, nextLease) = (value.nextJob.rawValue, value.nextLease.rawValue)
        (nextRegistrationNumber, lastRankTime) = (value.nextRegistrationNumber.rawValue, value.lastRankTime)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.CountsStored {
        JournalEntry.CountsStored(
            try counts.value(within: bounds), nextJob: JobID(nextJob), nextLease: LeaseID(nextLease),
            nextRegistrationNumber: RegistrationNumber(nextRegistrationNumber), lastRankTime: lastRankTime)
    }
}

extension WireEpochBegan: Mapped {
    init(_ value: JournalEntry.EpochBegan) {
        self.init()
        (epoch, bootID, bootMilliseconds) = (value.epoch.rawValue, value.bootID, value.bootMilliseconds)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.EpochBegan {
        JournalEntry.EpochBegan(epoch: Epoch(epoch), bootID: bootID, bootMilliseconds: bootMilliseconds)
    }
}
