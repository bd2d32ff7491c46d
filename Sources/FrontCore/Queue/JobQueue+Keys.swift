//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

// Unique keys: what a submit gets whose key is taken, and when keys of ended jobs are free.
extension JobQueue {
    /// What becomes of a submit with a unique key that is taken; nil: the key is free, or it has none, and its job is accepted as any other.
    /// - Parameter fingerprint: That of the submit before the configuration added to it; 0: it has added nothing.
    mutating func answer(
        byKeyOf submit: ClientMessage.Submit, _ fingerprint: UInt64, _ session: SessionID, in turn: inout FrontTurn
    ) -> Reply? {
        guard let options = submit.options.distinct.first, let key = options.uniqueKey else { return nil }
        // Before the key is looked at: to join writes a reply, and to free a key writes an entry.
        if let refused = turn.context.refusalOfStorage { return refused }
        turn.step(1 + submit.arguments.byteCount / TurnContext.copiedPerStep)
        guard var holder = holder(of: key, submit.loader, in: &turn) else { return refusalOfKey(key, submit.loader, in: &turn) }
        if key.mode == .buffer, holder.key.mode == .buffer, !turn.state.jobs.isReplaceable(holder.job) {
            // One more waits behind that one, be it for the same work: what it was to read may have changed since it started.
            guard let next = turn.state.jobs.keys.follower(of: key, submit.loader) else {
                return refusalOfKey(key, submit.loader, in: &turn)
            }
            holder = next
        }
        let job = JobID(holder.job)
        let state = turn.state.jobs.state(of: holder.job)
        // The entry that accepts the new job gives it the key: it would join what it is to repeat.
        if options.retryOf == job, state.map({ $0.isFinal && $0 != .succeeded }) ?? true { return nil }
        var acceptance = JobAcceptance.joined
        var dueNow: UInt32 = 0
        // By what was submitted: what the configuration adds may be another since the holder came.
        let isOther = holder.fingerprint != (fingerprint == 0 ? submit.keyFingerprint : fingerprint)
        // Who has submitted work that is to be done as it is has not agreed to another, and what is repeated is older than what waits.
        let mayReplace =
            key.mode.replaces && holder.key.mode == key.mode && options.retryOf == nil && turn.state.jobs.isReplaceable(holder.job)
        let hasOtherLimits = mayReplace && turn.state.options(of: job)?.limitKeys != options.limitKeys
        // Who asks for work that somebody has just cancelled wants it done. The same debounced work moves its time too.
        if isOther || hasOtherLimits || state == .cancelling || key.mode == .debounce {
            guard mayReplace else {
                let until = holder.freeAt.map { shownLengths.wallTime(of: $0) }
                let isReplacing = key.mode.replaces && key.mode == holder.key.mode
                let other = isOther ? differences(of: holder, from: submit, options, in: turn) : nil
                return .keyTaken(holder, state, until: until, other: other, isReplacing: isReplacing)
            }
            if let refused = replace(holder, by: submit, options, fingerprint, in: &turn) { return refused }
            acceptance = .replaced
            if case .at = options.start, turn.state.jobs[holder.job].due == nil { dueNow = 1 }
        }
        // Its outcome comes as if this session had submitted it.
        if submit.reportsOutcomes { _ = outcomes([job], session, in: &turn) }
        return .jobsAccepted(first: job, count: 1, dueNow: dueNow, acceptance)
    }

    /// What makes the work of the job that has a key another than that of a submit, for people, as far as the front knows: of a job that has gone to a
    /// bundle nothing is at hand, and when its time was to come is not kept.
    private func differences(
        of holder: TakenKey, from submit: ClientMessage.Submit, _ options: JobOptions, in turn: FrontTurn
    ) -> String {
        let unknown = "another argument or other options"
        guard turn.state.jobs.contains(holder.job), let own = turn.state.options(of: JobID(holder.job)) else { return unknown }
        var whole = own
        whole.uniqueKey = holder.key
        let hasOtherArgument = turn.state.jobs.argument(of: turn.state.jobs[holder.job]) != submit.arguments.bytes
        let found = (hasOtherArgument ? ["another argument"] : []) + whole.differences(from: options)
        return found.isEmpty ? "another time, or options of an earlier configuration" : found.joined(separator: ", ")
    }

    /// Who has a key; nil: it is free, if need be from now on.
    mutating func holder(of key: UniqueKey, _ loader: String, in turn: inout FrontTurn) -> TakenKey? {
        guard let taken = turn.state.jobs.keys.holder(of: key, loader) else { return nil }
        guard let until = taken.freeAt, until <= lengthTime(in: turn) else { return taken }
        free([taken.job], in: &turn)
        return nil
    }

    /// Why no further key can be taken now; nil: it can.
    private mutating func refusalOfKey(_ key: UniqueKey, _ loader: String, in turn: inout FrontTurn) -> Reply? {
        let (held, limit) = (turn.state.jobs.keys.byteCount, turn.settings.bounds.uniqueKeyByteCount)
        guard held + UniqueKeys.byteCount(of: key, loader) > limit else { return nil }
        let text = "\(turn.state.jobs.keys.count) unique keys that are taken have \(held) bytes (limit \(limit)): retry after some are free"
        return turn.busy(.uniqueKeyByteCount, text, retryAfter: RetryPause.usual)
    }

    /// A job that was never granted gets the argument and the options of a submit.
    /// - Returns: why it cannot; nil: it has them.
    private mutating func replace(
        _ holder: TakenKey, by submit: ClientMessage.Submit, _ options: JobOptions, _ fingerprint: UInt64, in turn: inout FrontTurn
    ) -> Reply? {
        let id = holder.job
        let record = turn.state.jobs[id]
        // Only what it takes beyond the one that it replaces has to find room.
        let more = max(0, submit.byteCount - turn.state.jobs.queuedByteCount(of: id))
        let counted = turn.state.options(of: JobID(id))?.limitKeys ?? []
        if let refused = refusalOfLimits(of: submit, in: &turn) ?? refusalBeyondRates(of: submit, besides: counted, in: turn)
            ?? refusalOfJobs(0, byteCount: more, in: &turn)
        {
            return refused
        }
        let lengthTime = lengthTime(in: turn)
        let due =
            options.uniqueKey?.debounce.map { Self.due(of: holder, $0, record.due, at: lengthTime) }
            ?? JobDue(options.start, from: lengthTime, at: turn.now.wall)
        // What has waited in line goes on to, and loses nothing of it.
        let waited = record.rank.time(ofPriority: turn.state.jobs.terms(of: record).options.priority)
        let rank = Rank(ofPriority: options.priority, at: due == nil && record.due == nil ? waited : rankTime(in: turn))
        var replaced = JournalEntry.JobReplaced(
            JobID(id), options, argument: submit.arguments.bytes, rank: rank.milliseconds, due: due,
            lengthTime: lengthTime.milliseconds)
        replaced.fingerprint = fingerprint
        turn.record(.jobReplaced(replaced))
        noteWaiting([id], in: &turn)
        if due != nil { awaitDue(in: &turn) }
        return nil
    }

    /// When the time of a debounced job comes that is submitted once more; nil: it has come, and it is not delayed again.
    private static func due(of holder: TakenKey, _ debounce: Debounce, _ due: JobDue?, at now: LengthTime) -> JobDue? {
        guard let due else { return nil }
        // It has come, and the front has not looked yet.
        if let time = due.length, time <= now { return due }
        return JobDue(length: debounce.time(since: holder.delaysSince ?? now, at: now))
    }
}

extension UniqueMode {
    /// Whether a submit gives a job that was never granted its argument and options.
    fileprivate var replaces: Bool {
        switch self {
        case .replace, .debounce, .buffer: true
        case .untilEnded, .untilStarted: false
        }
    }
}

extension JobQueue {
    /// Jobs end by that entry. Keys of theirs that stay taken do so by the clock of lengths.
    mutating func recordEnds(_ ended: JournalEntry.EndedJobs, in turn: inout FrontTurn) {
        var ended = withRuns(ended, in: turn)
        let heirs = turn.state.jobs.keys.followers(behind: ended.jobs)
        defer { noteJobs(heirs, in: &turn) }
        guard turn.state.jobs.keys.isTaken(afterEndOf: ended.jobs) else { return turn.record(.ended(ended)) }
        ended.lengthTime = lengthTime(in: turn).milliseconds
        turn.record(.ended(ended))
        awaitDue(in: &turn)
    }

    /// The time for which keys stayed taken is over; those of one turn make one entry together.
    mutating func freeDueKeys(in turn: inout FrontTurn) {
        let jobs = turn.state.jobs.keys.due(at: lengthTime(in: turn), limit: Self.dueAtOnce)
        guard !jobs.isEmpty else { return }
        turn.step(jobs.count)
        free(jobs, in: &turn)
    }

    /// A quarantined job is about to be forgotten: nobody can repeat it any more, so its key is free.
    mutating func freeKey(ofForgotten id: UInt64, in turn: inout FrontTurn) {
        if let taken = turn.state.jobs.keys.taken(by: id), taken.until == nil { free([id], in: &turn) }
    }

    /// An epoch begins: keys of jobs that nobody knows any more are free. A smaller bound of ended jobs forgets some without an entry.
    mutating func freeKeysOfUnknown(in turn: inout FrontTurn) {
        let jobs = turn.state.jobs.unknownWithKeys
        if !jobs.isEmpty { free(jobs, in: &turn) }
    }

    private mutating func free(_ jobs: [UInt64], in turn: inout FrontTurn) {
        turn.record(.uniqueKeysFreed(JournalEntry.UniqueKeysFreed(jobs, lengthTime: lengthTime(in: turn).milliseconds)))
    }
}

extension ClientMessage.Submit {
    /// Tells the work of its job apart from other work under the same unique key; 0: its job has none.
    var keyFingerprint: UInt64 {
        options.distinct.first.flatMap { $0.uniqueKey == nil ? nil : UniqueKey.fingerprint(of: arguments.bytes, $0) } ?? 0
    }
}

extension JobLifecycle {
    /// Whether a job may still work on something else: it waits, and no worker was ever given it.
    fileprivate func isReplaceable(_ id: UInt64) -> Bool { contains(id) && self[id].standing.waits && self[id].wasNeverGranted }
}

extension Reply {
    /// The refusal of a submit whose unique key another job has.
    /// - Parameter other: What makes its work another; nil: it is the same.
    fileprivate static func keyTaken(
        _ holder: TakenKey, _ state: JobState?, until: WallTime?, other: String?, isReplacing: Bool
    ) -> Reply {
        let job = JobID(holder.job)
        let how = (other.map { "differs (\($0)) and " } ?? "") + (state?.clause ?? "is forgotten")
        let text =
            switch state {
            case .cancelling: "\(how): submit again when it has stopped"
            case .waiting, .scheduled, .running:
                isReplacing && holder.key.mode.replaces
                    ? "\(how) and was granted before: wait for its end, or cancel it" : "\(how): wait for its end, or cancel it"
            case .quarantined: "\(how): repeat that job, or use another key"
            case .succeeded, .failed, .cancelled, .expired, nil:
                "\(how), and keeps its key until \(until?.rfc3339 ?? "it is forgotten"): wait until then, or use another key"
            }
        let key = "the unique key \"\(holder.key.text.cut(to: quotedByteCount))\" of loader \(holder.loader)"
        let named = [Failure.holderArgument, job.description] + (state.map { [Failure.holderStateArgument, $0.name] } ?? [])
        return .refusal(.conflict, "\(key) is taken by job \(job), which \(text)", arguments: named)
    }
}
