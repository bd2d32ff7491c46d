//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

extension JobQueue {
    /// The answer to a request about jobs.
    /// - Parameter mayWait: Whether it may be put aside until a bundle is read. The second time it may not: what is missing then is for the client
    ///   to ask for.
    mutating func answer(
        to body: JobRequest, _ asked: NumberedRequest, mayWait: Bool = true, in turn: inout FrontTurn
    ) -> JobAnswer {
        let session = asked.session
        let answer: JobAnswer =
            switch body {
            case .cancel(let job): .reply(cancel(job, by: .client(turn.state.sessions.label(session)), in: &turn))
            case .reprioritize(let job, let priority): .reply(reprioritize(job, to: priority, in: &turn))
            case .promote(let job): .reply(delay(job, to: .now, in: &turn))
            case .delay(let job, let start): .reply(delay(job, to: start, in: &turn))
            case .forgive(let job): .reply(forgive(job, in: &turn))
            case .bulk(let bulk): self.answer(to: bulk, by: session, mayWait: mayWait, in: &turn)
            case .list(let query): list(query, for: session, mayWait: mayWait, in: &turn)
            case .explain(let job): explain(job, for: session, in: &turn)
            case .outcomes(let jobs): .reply(outcomes(jobs, session, in: &turn))
            }
        guard case .after(let bundle) = answer else { return answer }
        guard mayWait, mayRead(in: turn) else {
            let bounds = turn.settings.bounds
            let text =
                "\(readings.questionCount) questions of about \(readings.questionByteCount) bytes wait for ended jobs to be read (limit "
                + "\(bounds.endedReadings) and \(bounds.endedReadingByteCount)): ask again when some are answered"
            return .reply(turn.busy(.endedReadings, text, retryAfter: RetryPause.short))
        }
        let waiting = readings.requestCount(of: session)
        if let refused = turn.state.sessions.refusalOfReading(asked, waiting: waiting, in: &turn.context) { return .reply(refused) }
        readings.wait(.request(asked, body), for: bundle)
        return answer
    }
}

extension JobQueue {
    /// Whether a request came before and waits for ended jobs to be read: its reply is to come, also if thousands of copies do meanwhile. Another one
    /// under its number is refused, and that refusal is not held: what waits has the number.
    func isWaiting(_ asked: NumberedRequest, in turn: inout FrontTurn) -> Bool {
        guard let fingerprint = readings.fingerprint(ofWaiting: asked) else { return false }
        if fingerprint != asked.fingerprint {
            let reply = turn.state.sessions.refusal(of: asked, .otherBody, in: &turn.context)
            turn.emit(.send(asked.peer, asked.session, .reply(number: asked.number, reply)))
        }
        return true
    }
}

/// What becomes of a request about jobs.
enum JobAnswer {
    /// It is answered.
    case reply(Reply)
    /// It is answered when this bundle of ended jobs is read.
    case after(BundleNumber)

    /// The reply, if there is one now.
    var reply: Reply? {
        guard case .reply(let reply) = self else { return nil }
        return reply
    }
}

extension JobQueue {
    /// One job as observers see it; nil if it is not known, or has to be read first.
    func job(_ id: UInt64, in turn: FrontTurn) -> JobSummary? {
        turn.state.jobs.contains(id)
            ? summary(of: turn.state.jobs[id], in: turn) : readings.observedJob(id)?.repeated(by: turn.state.jobs.repeats)
    }

    /// A job in memory as observers see it.
    func summary(of record: JobRecord, in turn: FrontTurn) -> JobSummary {
        let id = record.id
        var summary = JobSummary(
            record, loader: turn.state.jobs.loader(of: record), terms: turn.state.jobs.terms(of: record),
            feedJob: turn.state.jobs.keyLines[id]?.job, key: turn.state.jobs.keys.key(of: id), failure: turn.state.jobs.failure(of: id),
            cancel: turn.state.jobs.cancels[id] ?? stops[id],
            result: turn.state.jobs.result(of: record))
        summary.repeatedBy = turn.state.jobs.repeats.newest(of: id)
        summary.endsBy = turn.state.jobs.deadline(of: id).map { shownLengths.wallTime(of: $0) }
        if record.standing.isHeld {
            summary.startedAt = record.changedAt
            summary.worker = turn.state.workers[Int(record.worker)]?.registration.name ?? ""
        } else {
            summary.dueAt = record.due.map { shownLengths.wallTime(of: $0) }
            summary.waitReason = waitReason(id, in: turn)
        }
        return summary
    }

    /// Why a waiting job is not running; nil if it does not wait.
    func waitReason(_ id: UInt64, in turn: FrontTurn) -> WaitReason? {
        guard turn.state.jobs.contains(id) else { return nil }
        let record = turn.state.jobs[id]
        guard record.standing.waits else { return nil }
        // In the order in which each comes to matter: who waits for another job cannot be granted, whatever else holds.
        if record.standing == .blocked, let holder = turn.state.jobs.holder(before: id) {
            return turn.state.jobs[holder].standing == .cancelling ? .cancelledRunStopping(JobID(holder)) : .keyTaken(by: JobID(holder))
        }
        if let due = record.due {
            let time = shownLengths.wallTime(of: due)
            if record.isSnoozed { return .snoozed(until: time) }
            return (turn.state.jobs.lastFailures[id]?.attempts ?? 0) == 0 ? .delayed(until: time) : .backedOff(until: time)
        }
        if let pause = pause(holding: record, in: turn) { return .paused(pause) }
        if turn.context.storageIsFull { return .storageFull }
        if let pause = grantPause { return .restarting(until: pause.shown) }
        guard turn.state.jobs.scheduler.isOffered(Int(record.loader)) else {
            if let pause = pause(ofWorkersOffering: record, in: turn) { return .paused(pause) }
            return .noWorker(loader: turn.state.jobs.loader(of: record))
        }
        if let reason = turn.state.jobs.limitReason(of: id, wall: { shownLengths.wallTime(of: $0) }) { return reason }
        return record.standing == .suspected ? .suspected : .slotsTaken
    }

    /// One job's timeline.
    mutating func explain(_ job: JobID, for session: SessionID, in turn: inout FrontTurn) -> JobAnswer {
        let id = job.rawValue
        guard turn.state.jobs.contains(id) else {
            guard let (bundle, _) = turn.state.jobs.bundle(of: id) else { return .reply(.unknownJob(job)) }
            guard let read = readings.job(id, of: bundle) else { return .after(bundle) }
            let summary = read.summary.repeated(by: turn.state.jobs.repeats)
            var explanation = timeline(of: summary, read.runs, isFromFront: read.isFromFront, in: turn)
            explanation.log = read.log
            explanation.show(read.argument, within: turn.pageByteCount(for: session))
            return .reply(.explanation(explanation))
        }
        let record = turn.state.jobs[id]
        var reserved = ReservedSlots()
        let summary = askedSummary(of: record, &reserved, in: turn)
        var explanation = timeline(
            of: summary, turn.state.jobs.runs[id] ?? JobRuns(), isFromFront: record.session == 0, loader: Int(record.loader), in: turn)
        explanation.log = turn.state.jobs.runs.log(of: id)?.withoutState ?? JobLog()
        if let state = turn.state.jobs.runs.resumeState(of: id) {
            explanation.timeline.append("has saved \(state.count == 1 ? "1 byte" : "\(state.count) bytes") for its next attempt")
        }
        explanation.show(turn.state.jobs.argument(of: record), within: turn.pageByteCount(for: session))
        if let reason = summary.waitReason {
            explanation.timeline.append("waits: \(reason.line)")
            explanation.placeInLine = placeInLine(of: record, in: &turn)
            // Estimated is the wait for a slot or a limit. What others wait for has a time of its own, or comes from outside.
            if [.slotsTaken, .slotsReserved].contains(reason.word), let place = explanation.placeInLine {
                addEstimate(to: &explanation, place: place, loader: Int(record.loader), in: &turn)
            } else if reason.word == .limitFull, let place = explanation.placeInLine,
                let estimate = estimate(ofLimited: record, place: place, in: &turn)
            {
                explanation.estimate = estimate
            } else {
                addUnknownStart(to: &explanation, reason.unknownStart)
            }
        }
        return .reply(.explanation(explanation))
    }

    /// Why a job has one attempt, whatever is said of it; nil: it may have more, or no worker says so now. A feed's job has one anyway.
    private func noRepeatLine(of summary: JobSummary, _ loader: Int, in turn: FrontTurn) -> String? {
        let isOnce = turn.state.workers.indices.contains { turn.state.jobs.holding(of: $0)?.offer(loader)?.repeatable == .no }
        guard isOnce, summary.feed == nil else { return nil }
        let ignored = summary.options.retry.line.map { "; what is said of attempts (\($0)) is not followed" } ?? ""
        return "its loader is declared not repeatable: it has one attempt that may fail\(ignored)"
    }

    /// What has become of a job so far.
    /// - Parameter loader: The index of its loader; nil: it has ended and is no longer in memory.
    private func timeline(
        of summary: JobSummary, _ runs: JobRuns, isFromFront: Bool, loader: Int? = nil, in turn: FrontTurn
    ) -> JobExplanation {
        var explanation = JobExplanation(job: summary)
        explanation.runs = runs
        let asker = !summary.askedBy.isEmpty ? summary.askedBy : isFromFront ? "the front" : "a client without a label"
        explanation.timeline.append("accepted from \(asker)")
        explanation.timeline.append(summary.options.line)
        if let line = loader.flatMap({ noRepeatLine(of: summary, $0, in: turn) }) { explanation.timeline.append(line) }
        if summary.attempts > 0 {
            let often = summary.attempts == 1 ? "once" : "\(summary.attempts) times"
            explanation.timeline.append("granted \(often)\(summary.worker.isEmpty ? "" : ", now at \(summary.worker)")")
        }
        explanation.timeline += runs.lines
        if summary.snoozeCount > 0 {
            let often = summary.snoozeCount == 1 ? "once" : "\(summary.snoozeCount) times"
            explanation.timeline.append("snoozed \(often) by its loader, which uses up no attempt")
        }
        if let time = summary.endsBy { explanation.timeline.append("fails at \(time.rfc3339) unless it ends before: its total time-out") }
        // Where they have ended it, its failure says so.
        if summary.crashCount > 0, summary.failure?.code != .quarantined {
            let crashCount = summary.crashCount == 1 ? "1 crash of a worker counts" : "\(summary.crashCount) crashes of workers count"
            explanation.timeline.append("\(crashCount) against it (limit \(turn.settings.crashLimit))")
        }
        if let message = views.progress(of: summary.id.rawValue)?.message, !message.isEmpty { explanation.timeline.append(message) }
        if let cancel = summary.cancel {
            explanation.timeline.append(
                isStoppedByTime(summary.id.rawValue, in: turn) ? "its time is over" : "cancel asked by \(cancel.requestedBy)")
            if !summary.state.isFinal, let step = cancel.stepLine { explanation.timeline.append(step) }
        }
        if summary.state == .expired { explanation.timeline.append("expired: it had not started by then") }
        // The last of its runs has that, too.
        if let failure = summary.failure, summary.state.isFinal || runs.isEmpty {
            let failed = summary.state.isFinal ? "failed" : "attempt \(failure.attempts) failed"
            // Why a job is in quarantine its failure says, beside the timeline.
            explanation.timeline.append(summary.state == .quarantined ? "quarantined" : "\(failed): \(failure.text)")
        }
        if let job = summary.repeatedBy { explanation.timeline.append("job \(job) repeats it") }
        return explanation
    }

    /// When a job that waits for a slot may start.
    private mutating func addEstimate(to explanation: inout JobExplanation, place: UInt64, loader: Int, in turn: inout FrontTurn) {
        let kept = turn.state.jobs.scheduler.keptForSuspects(loader)
        guard kept == 0 else {
            // Until then the ends of other jobs free no slot there.
            let workers = kept == 1 ? "1 worker that offers its loader is" : "\(kept) workers that offer its loader are"
            explanation.timeline.append(
                "\(workers) reserved: a job whose worker died runs alone there for a while, and other slots stay free until then")
            return
        }
        let estimate = estimate(place: place, loader: loader, in: &turn)
        if case .after(let length) = estimate { explanation.estimate = length }
        addUnknownStart(to: &explanation, estimate.unknownStart)
    }

    /// Says why nobody knows when it starts; nil: that is known.
    private func addUnknownStart(to explanation: inout JobExplanation, _ reason: String?) {
        if let reason { explanation.timeline.append("when it starts is not known: \(reason)") }
    }

    /// How many jobs are granted before a waiting one; nil while it waits for its key and so stands in no lane.
    private mutating func placeInLine(of record: JobRecord, in turn: inout FrontTurn) -> UInt64? {
        record.standing == .blocked || record.standing == .scheduled
            ? nil : UInt64(turn.state.jobs.countBefore(record.id))
    }
}

extension JobExplanation {
    /// Shows what the job works on: whole, or how long it is where that and the result are more than one message is to hold.
    fileprivate mutating func show(_ argument: [UInt8], within byteLimit: Int) {
        argumentByteCount = UInt64(argument.count)
        if argument.count + job.result.count + (log.isEmpty ? 0 : log.roughByteCount) <= byteLimit { self.argument = argument }
    }
}

extension JobSummary {
    /// The same with what repeats it by now: the front knows that beside what was read of it.
    func repeated(by repeats: RepeatedJobs) -> JobSummary {
        var summary = self
        summary.repeatedBy = repeats.newest(of: id.rawValue)
        return summary
    }

    /// A job's record as observers see it, wherever it is kept, with what is not in the record: the worker that holds it, why it waits.
    /// - Parameters:
    ///   - feedJob: What it is for its feed; nil: it is no feed's.
    ///   - key: The unique key that it was submitted with.
    ///   - result: What it has made, asked for if it has.
    init(
        _ record: JobRecord, loader: String, terms: JobTerms, feedJob: JournalEntry.FeedJob?, key: UniqueKey?, failure: Failure?,
        cancel: CancelReceipt?, result: @autoclosure () -> [UInt8]
    ) {
        self.init(id: JobID(record.id), loader: loader, state: record.state, acceptedAt: record.acceptedAt)
        (feed, operation) = (feedJob?.key, feedJob?.operation)
        (askedBy, options) = (terms.asker.label, terms.options)
        options.uniqueKey = key
        (attempts, crashCount, snoozeCount) = (record.attempts, UInt32(record.crashCount), record.snoozeCount)
        self.cancel = cancel
        self.failure = failure
        guard record.state.isFinal else { return }
        endedAt = record.changedAt
        if record.state == .succeeded { self.result = result() }
    }
}
