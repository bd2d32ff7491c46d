//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryWireMessages

extension WireSessionOpened: Mapped {
    init(_ value: JournalEntry.SessionOpened) {
        self.init()
        (session, label, nonce, client) = (value.session.rawValue, value.label, value.nonce, value.client)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.SessionOpened {
        JournalEntry.SessionOpened(SessionID(session), label: label, nonce: nonce, client: try bounds.label(client, "a client's name"))
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
        drains = value.drains
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.WorkerRegistered {
        JournalEntry.WorkerRegistered(
            WorkerID(worker), RegistrationNumber(registrationNumber), try registration.value(within: bounds), drains: drains)
    }
}

extension WireWorkerLost: Mapped {
    init(_ value: JournalEntry.WorkerLost) {
        self.init()
        (worker, drains) = (value.worker.rawValue, value.drains)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.WorkerLost {
        JournalEntry.WorkerLost(WorkerID(worker), drains: drains)
    }
}

extension WireLoadersOffered: Mapped {
    init(_ value: JournalEntry.LoadersOffered) {
        self.init()
        (loaders, forgotten) = (value.loaders.map { WireOfferedLoader($0) }, value.forgotten)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.LoadersOffered {
        var forgotten: [String] = []
        for name in self.forgotten { forgotten.append(try bounds.label(name, "a loader's name")) }
        return JournalEntry.LoadersOffered(try bounds.values(loaders, "loaders that were offered"), forgotten: forgotten)
    }
}

extension WireOfferedLoader: Mapped {
    init(_ value: JournalEntry.OfferedLoader) {
        self.init()
        (name, at) = (value.name, value.at.milliseconds)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.OfferedLoader {
        JournalEntry.OfferedLoader(try bounds.label(name, "a loader's name"), at: WallTime(milliseconds: at))
    }
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
        if value.lengths != LengthClock() { lengths = WireLengthClock(value.lengths) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.CountsStored {
        JournalEntry.CountsStored(
            try counts.value(within: bounds), nextJob: JobID(nextJob), nextLease: LeaseID(nextLease),
            nextRegistrationNumber: RegistrationNumber(nextRegistrationNumber), lastRankTime: lastRankTime,
            lengths: hasLengths ? try lengths.value(within: bounds) : LengthClock())
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

extension WireWorkLeft: Mapped {
    init(_ value: JournalEntry.WorkLeft) {
        self.init()
        since = value.since.milliseconds
        work =
            switch value.work {
            case .damage(let object): .damagedObject(Data(object.bytes))
            case .loss(let lost): .lostWorker(WireLostWorker(lost))
            case .reset(let key, let label): .feedReset(WireFeedReset(of: key, by: label))
            case .bulk(let bulk): .bulk(WireBulkActionWork(bulk))
            }
        cursor =
            switch value.cursor {
            case .feed(let key): .nextFeed(key.text)
            case .job(let job): .nextJob(job.rawValue)
            case nil: nil
            }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.WorkLeft {
        let work: JournalEntry.WorkLeft.Work =
            switch self.work {
            case .damagedObject(let object): .damage(try bounds.digest(object))
            case .lostWorker(let lost): .loss(try lost.value(within: bounds))
            case .feedReset(let reset): .reset(try bounds.feed(reset.feed), by: reset.by)
            case .bulk(let bulk): .bulk(try bulk.value(within: bounds))
            case nil: throw bounds.unknownKind("work that is left")
            }
        let cursor: JournalEntry.WorkLeft.Cursor? =
            switch self.cursor {
            case .nextFeed(let key): .feed(try bounds.feed(key))
            case .nextJob(let job): .job(JobID(job))
            case nil: nil
            }
        return JournalEntry.WorkLeft(work, since: WallTime(milliseconds: since), at: cursor)
    }
}

extension WireFeedReset {
    fileprivate init(of key: FeedKey, by label: String) {
        self.init()
        (feed, by) = (key.text, label)
    }
}

extension WireLostWorker: Mapped {
    init(_ value: JournalEntry.LostWorker) {
        self.init()
        (worker, cause) = (value.worker.rawValue, WireAttemptEndCause(value.cause))
        (isSuspected, isCounted) = (value.isSuspected, value.isCounted)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.LostWorker {
        JournalEntry.LostWorker(
            WorkerID(worker), try bounds.known(cause, "why jobs wait again"), isSuspected: isSuspected, isCounted: isCounted)
    }
}

extension WireEndedBundled: Mapped {
    init(_ value: JournalEntry.EndedBundled) {
        self.init()
        (number, areFailed, kind) = (value.number.rawValue, value.kind == .failed, WireEndedKind(value.kind))
        jobs = value.jobs
        states = Data(value.states.map(\.rawValue))
        (endedAt, byteCount) = (value.endedAt.milliseconds, value.byteCount)
        failures = value.failures.map { WireFailureCount($0) }
    }

    /// No bundle takes more: 512 jobs with the largest argument and result each.
    private static var greatestByteCount: UInt64 { 1 << 36 }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.EndedBundled {
        guard byteCount <= Self.greatestByteCount else {
            throw CodecError(what: "a bundle", reason: "\(byteCount) bytes are more than one can take")
        }
        try bounds.columns(jobs.count, states.count, what: "the jobs of a bundle")
        let old: EndedKind = areFailed ? .failed : .succeeded
        var bundled = JournalEntry.EndedBundled(
            BundleNumber(number), kind == .unknown ? old : try bounds.known(kind, "the kind of the jobs of a bundle"))
        bundled.jobs = jobs
        bundled.states = try bounds.finalStates(states)
        (bundled.endedAt, bundled.byteCount) = (WallTime(milliseconds: endedAt), byteCount)
        // No job fails twice: what is counted of all bundles together is no more than their jobs.
        var uncounted = UInt64(jobs.count)
        for failure in failures {
            guard failure.count <= uncounted else {
                throw CodecError(what: "a bundle", reason: "more failures are counted in it than it has jobs, which are \(jobs.count)")
            }
            uncounted -= failure.count
            bundled.failures.append(try failure.value(within: bounds))
        }
        return bundled
    }
}

extension WireBundlesForgotten: Mapped {
    init(_ value: JournalEntry.BundlesForgotten) {
        self.init()
        bundles = value.bundles.map(\.rawValue)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.BundlesForgotten {
        JournalEntry.BundlesForgotten(bundles.map { BundleNumber($0) })
    }
}
