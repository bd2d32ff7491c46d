//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

extension JobQueue {
    /// Accepts submitted jobs, all or none.
    mutating func submit(_ submit: ClientMessage.Submit, _ session: SessionID, _ peer: PeerID, _ rights: Rights, in turn: inout FrontTurn) {
        turn.step(submit.arguments.count)
        let asked = NumberedRequest(submit, session, peer, rights)
        let (fingerprint, submit) = (turn.givenFingerprint(of: submit), turn.configured(submit))
        guard turn.state.sessions.admits(asked, in: &turn.context) else { return }
        // What is wrong with a submit for good comes before what time changes, and a key that is taken before bounds, which a job that is
        // joined does not meet.
        if let answered = fault(of: submit, in: turn) ?? refusalOfUnknownLoader(of: submit, in: &turn)
            ?? answer(byKeyOf: submit, fingerprint, session, in: &turn)
            ?? refusalOfRepetition(of: submit, in: &turn)
            ?? refusalOfLimits(of: submit, in: &turn) ?? refusalBeyondRates(of: submit, in: turn) ?? refusalForNow(of: asked, in: &turn)
            ?? refusalOfLoader(of: submit, in: &turn)
        {
            return turn.conclude(asked, with: answered)
        }
        turn.conclude(asked, with: accept(submit, fingerprint, from: .session(session), in: &turn))
    }

    /// Accepts jobs that nothing is against.
    /// - Parameters:
    ///   - fingerprint: That of a job with a unique key as it was submitted, where the configuration has added to it; 0: it has not.
    ///   - asker: Who asked, where that session may be over by now.
    mutating func accept(
        _ submit: ClientMessage.Submit, _ fingerprint: UInt64 = 0, from submitter: Submitter, by asker: JobTerms.Asker = JobTerms.Asker(),
        in turn: inout FrontTurn
    ) -> Reply {
        let count = submit.arguments.count
        let first = takeJobs(UInt64(count), in: &turn)
        var accepted = JournalEntry.AcceptedJobs(
            first: first, acceptedAt: turn.now.wall, rankTime: rankTime(in: turn).milliseconds, submitter: submitter, loader: submit.loader,
            options: submit.options, reportsOutcomes: submit.reportsOutcomes, arguments: submit.arguments)
        (accepted.asker, accepted.fingerprint, accepted.repeats) = (asker, fingerprint, jobsDoneAgain(by: submit, in: &turn))
        let isTimed = submit.options.distinct.contains { $0.firstStart != .now || $0.ending != JobEnding() }
        if isTimed { accepted.lengthTime = lengthTime(in: turn).milliseconds }
        turn.record(.jobsAccepted(accepted))
        noteJobs(submit.options.distinct.compactMap { $0.retryOf?.rawValue }, in: &turn)
        if isTimed { awaitDue(in: &turn) }
        return .jobsAccepted(first: first, count: UInt32(count), dueNow: accepted.dueNowCount)
    }

    /// What is wrong with the submit itself, whenever it comes.
    func fault(of submit: ClientMessage.Submit, in turn: FrontTurn) -> Reply? {
        let bounds = turn.settings.bounds
        guard !submit.arguments.isEmpty else { return .refusal(.invalidData, "a submit needs at least one job") }
        if let fault = submit.options.fault(ofJobs: submit.arguments.count) { return .refusal(.invalidData, fault) }
        for options in submit.options.distinct {
            let fault = options.start.fault(at: turn.now.wall) ?? options.ending.fault(of: options.firstStart, at: turn.now.wall)
            if let fault { return .refusal(.invalidData, fault) }
        }
        guard PlainName.isName(submit.loader) else {
            let name = submit.loader.cut(to: Reply.quotedByteCount)
            return .refusal(.unknownLoader, "\"\(name)\" cannot name a loader: \(PlainName.rule)")
        }
        guard submit.arguments.lengths.allSatisfy({ Int($0) <= bounds.payloadByteCount }) else {
            let limit = bounds.payloadByteCount
            return .refusal(.tooLarge, "an argument is over \(limit) bytes (limit): put it into a file and pass its place")
        }
        return nil
    }

    /// Why jobs of that loader are not accepted: nobody knows it. What the front itself makes, and what repeats a job, is not asked for here.
    func refusalOfUnknownLoader(of submit: ClientMessage.Submit, in turn: inout FrontTurn) -> Reply? {
        guard turn.settings.refusesUnknownLoaders, !submit.takesAnyLoader, !turn.knows(loader: submit.loader) else { return nil }
        let nearest = turn.nearestLoader(to: submit.loader)
        let text =
            "no worker has offered the loader \"\(submit.loader)\" within 30 days, and the configuration does not name it"
            + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
        let arguments = [Failure.loaderArgument, submit.loader] + (nearest.map { [Failure.nearestArgument, $0] } ?? [])
        return .refusal(.unknownLoader, text, arguments: arguments)
    }

    /// Why jobs of that loader cannot be accepted now: too many others are named.
    mutating func refusalOfLoader(of submit: ClientMessage.Submit, in turn: inout FrontTurn) -> Reply? {
        let limit = turn.settings.bounds.loaderNames
        guard turn.state.jobs.loaderNames.admitsJob(of: submit.loader, limit: limit) else {
            let text = "jobs name \(limit) different loaders (limit): use one of them, or one that a worker offers"
            return turn.busy(.loaderNames, text, retryAfter: RetryPause.usual)
        }
        return nil
    }

    /// The next ids; where jobs are not journaled, a durable reservation covers them first.
    mutating func takeJobs(_ count: UInt64, in turn: inout FrontTurn) -> JobID {
        let first = turn.state.jobs.number { $0.takeJobs(count) }
        reserveIDs(in: &turn)
        return first
    }

    /// Keeps the durable reservation of ids ahead of what is handed out (memory mode).
    mutating func reserveIDs(in turn: inout FrontTurn) {
        guard turn.settings.durability == .memory else { return }
        if let due = turn.state.jobs.numbers.dueReservation { turn.record(.idsReserved(due)) }
    }
}

extension JobQueue {
    /// Why a request that was admitted cannot be run now: the disk is full, or the queue.
    mutating func refusalForNow(of asked: NumberedRequest, in turn: inout FrontTurn) -> Reply? {
        if asked.needsStorage, let refused = turn.context.refusalOfStorage { return refused }
        return asked.jobs.flatMap { refusalOfJobs($0.count, byteCount: $0.byteCount, in: &turn) }
    }

    /// Why no further jobs can be accepted now; nil: they can. Counted and weighed alike for submits and for what is asked of feeds.
    mutating func refusalOfJobs(_ count: Int, byteCount: Int, in turn: inout FrontTurn) -> Reply? {
        let bounds = turn.settings.bounds
        let queued = turn.state.jobs.totals.queued
        guard queued + UInt64(count) <= UInt64(bounds.queuedJobs) else {
            let text = "\(queued) jobs are waiting or scheduled (limit \(bounds.queuedJobs)): retry after it drains"
            return turn.busy(.queuedJobs, text, retryAfter: RetryPause.usual)
        }
        // Terms too: a client may give each of its jobs other ones.
        let held = turn.state.jobs.queuedByteCount + turn.state.jobs.terms.byteCount
        guard held + byteCount <= bounds.queuedByteCount else {
            let text =
                "the jobs that have not ended hold \(held) bytes of arguments, names, options and saved states (limit \(bounds.queuedByteCount)): retry after "
                + "some have ended, or put large arguments into files"
            return turn.busy(.queuedByteCount, text, retryAfter: RetryPause.usual)
        }
        if let oldest = turn.state.jobs.jobTooOld(for: count) {
            let text =
                "too many jobs have come since job \(oldest), which is still kept (limit \(JournalBounds.servedJobSpan)): cancel it or start a worker "
                + "for its loader; retry after it has ended and was forgotten"
            return turn.busy(.jobSpan, text, retryAfter: RetryPause.usual)
        }
        return nil
    }
}

extension JobQueue {
    /// What the clock shows for a job that is accepted now: never less than for an earlier one.
    func rankTime(in turn: FrontTurn) -> RankTime { max(turn.state.jobs.numbers.lastRankTime, rankClock.time(at: turn.now.monotonic)) }

    /// The place in line of a job that is accepted now; never before that of an earlier one of the same priority.
    func rank(of options: JobOptions, in turn: FrontTurn) -> Rank { Rank(ofPriority: options.priority, at: rankTime(in: turn)) }

    /// Notes of a feed's job that is to be accepted now which limits it counts in, and its place in line.
    func place(_ job: inout JournalEntry.FeedJob, in turn: FrontTurn) {
        job.options.limitKeys = turn.limitKeys(of: job)
        job.rank = rank(of: job.options, in: turn).milliseconds
    }
}

extension JobQueue {
    /// Gives a waiting job another priority: it stands in line as if it had been accepted with that, and loses nothing of its waiting.
    mutating func reprioritize(_ job: JobID, to priority: UInt8, in turn: inout FrontTurn) -> Reply {
        let id = job.rawValue
        var usual = JobOptions()
        usual.priority = priority
        if let fault = usual.fault { return .refusal(.invalidData, fault) }
        if let refused = refusalUnlessWaiting(job, "only a waiting job gets another priority", in: turn) { return refused }
        let record = turn.state.jobs[id]
        let current = turn.state.jobs.terms(of: record).options
        var options = current
        options.priority = priority
        if options != current {
            let rank = Rank(ofPriority: priority, at: record.rank.time(ofPriority: current.priority))
            turn.record(.termsChanged(JournalEntry.TermsChanged(job, options, rank: rank.milliseconds)))
            noteJob(id, ItemKey.job, in: &turn)
        }
        return .done(version: 0)
    }

    /// Why nothing can be changed of a job; nil: it waits, be it for its time.
    /// - Parameter rule: Of which jobs it can be, as a sentence.
    func refusalUnlessWaiting(_ job: JobID, _ rule: String, in turn: FrontTurn) -> Reply? {
        guard let state = turn.state.jobs.state(of: job.rawValue) else { return .unknownJob(job) }
        return state == .waiting || state == .scheduled ? nil : .refusal(.conflict, "job \(job) \(state.clause): \(rule)")
    }

    /// No crash of a worker counts against a waiting job any more: whoever has mended what its workers died of knows that it may run again.
    mutating func forgive(_ job: JobID, in turn: inout FrontTurn) -> Reply {
        if let refused = refusalUnlessWaiting(job, "only a waiting job is forgiven the crashes of its workers", in: turn) { return refused }
        let record = turn.state.jobs[job.rawValue]
        if record.crashCount > 0 || record.flags.contains(.suspected) {
            turn.record(.crashesForgiven(JournalEntry.CrashesForgiven(job)))
            noteJob(job.rawValue, ItemKey.job, in: &turn)
        }
        return .done(version: 0)
    }
}
