//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Jobs that one page looks at: with a filter that few of millions pass the rest is for the next page.
    private static let listedLimit = 200_000

    /// About so many bytes of a page: with the row that fills it, which is small beside any frame, it fits the frame of whoever asks.
    private func pageByteCount(for session: SessionID) -> Int { min(turn.settings.bounds.pageByteCount, largestFrame(of: session) / 2) }

    /// A page of jobs, newest first.
    mutating func list(_ query: JobQuery, for session: SessionID) -> Reply {
        guard (1...UInt32(MessageBounds.pageItems)).contains(query.limit) else {
            return .refusal(.invalidData, "a page has 1 to \(MessageBounds.pageItems.grouped) jobs, not \(query.limit)")
        }
        if let fault = query.fault { return .refusal(.invalidData, fault) }
        let limit = Int(query.limit)
        if query.state == .failed || query.state == .quarantined { return listFailed(query, limit, for: session) }
        var found: [JobSummary] = []
        var next: JobID?
        var seen = 0
        var byteCount = 0
        let byteLimit = pageByteCount(for: session)
        var filter = JobFilter(query)
        let looked = state.jobs.slab.visit(below: query.before?.rawValue) { record in
            seen += 1
            let isWhole = found.count == limit || byteCount >= byteLimit
            if isWhole || seen > Self.listedLimit {
                next = isWhole ? found.last?.id : JobID(record.id + 1)
                return false
            }
            if filter.admits(
                record, loader: state.jobs.loaderNames[Int(record.loader)], tags: state.jobs.terms[Int(record.terms)].options.tags)
            {
                found.append(line(of: record))
                byteCount += found.last?.roughByteCount ?? 0
            }
            return true
        }
        turn.step(looked + filter.termsLookedAt + found.count * TurnContext.rowSteps)
        return .jobs(found, next: next)
    }

    /// The same for failed and quarantined jobs, which have a line of their own: none is hidden behind newer jobs, however many.
    private mutating func listFailed(_ query: JobQuery, _ limit: Int, for session: SessionID) -> Reply {
        var ids: [UInt64] = []
        var filter = JobFilter(query)
        var id = state.jobs.ended.failed.last
        while id != 0 {
            turn.step()
            let record = state.jobs[id]
            let isWanted = filter.admits(
                record, loader: state.jobs.loaderNames[Int(record.loader)], tags: state.jobs.terms[Int(record.terms)].options.tags)
            if isWanted, query.before.map({ id < $0.rawValue }) ?? true { ids.append(id) }
            id = record.previous
        }
        turn.step(filter.termsLookedAt)
        ids.sort(by: >)
        var found: [JobSummary] = []
        var byteCount = 0
        let byteLimit = pageByteCount(for: session)
        for id in ids {
            guard found.count < limit, byteCount < byteLimit else { return .jobs(found, next: found.last?.id) }
            turn.step(TurnContext.rowSteps)
            found.append(line(of: state.jobs[id]))
            byteCount += found.last?.roughByteCount ?? 0
        }
        return .jobs(found, next: nil)
    }

    /// A page of the live feeds, by key.
    mutating func feeds(after: FeedKey?, for session: SessionID) -> Reply {
        var found: [FeedState] = []
        var byteCount = 0
        let byteLimit = pageByteCount(for: session)
        turn.step(state.feeds.count)
        for key in state.feeds.order.filter({ key in after.map { $0 < key } ?? true }).sorted() {
            guard let feed = state.feeds[key]?.state else { continue }
            guard byteCount < byteLimit else { return .feeds(found, next: found.last?.key) }
            turn.step(TurnContext.rowSteps)
            byteCount += feed.roughByteCount
            found.append(feed)
        }
        return .feeds(found, next: nil)
    }

    /// A job as a list shows it: without its result.
    private func line(of record: JobRecord) -> JobSummary {
        var summary = summary(of: record)
        summary.result = []
        return summary
    }

    /// One job as observers see it; nil if it is not known.
    func job(_ id: UInt64) -> JobSummary? { state.jobs.contains(id) ? summary(of: state.jobs[id]) : nil }

    private func summary(of record: JobRecord) -> JobSummary {
        let id = record.id
        var summary = JobSummary(
            id: JobID(id), loader: state.jobs.loaderNames[Int(record.loader)], state: record.state,
            acceptedAt: WallTime(milliseconds: record.acceptedAt))
        if let job = state.jobs.keyLines[id]?.job {
            summary.feed = job.key
            summary.operation = job.operation
        }
        let terms = state.jobs.terms(of: record)
        (summary.askedBy, summary.options) = (terms.client, terms.options)
        summary.attempts = record.attempts
        summary.deaths = UInt32(record.deaths)
        if record.state.isFinal {
            summary.endedAt = WallTime(milliseconds: record.changedAt)
            if record.state == .succeeded { summary.result = state.jobs.bytes(of: record) }
            summary.failure = state.jobs.ended.failures[id]
        } else if record.place == .held {
            summary.startedAt = WallTime(milliseconds: record.changedAt)
            summary.worker = state.workers[Int(record.worker)]?.registration.name ?? ""
        } else {
            summary.waitReason = waitReason(id)
        }
        summary.cancel = state.jobs.cancels[id]
        return summary
    }

    /// Why a waiting job is not running; nil if it does not wait.
    func waitReason(_ id: UInt64) -> WaitReason? {
        guard state.jobs.contains(id), state.jobs[id].state == .waiting else { return nil }
        let record = state.jobs[id]
        if record.place == .nowhere, let job = state.jobs.keyLines[id]?.job, let holder = state.jobs.keyLines.first(ofLineOf: job),
            state.jobs.contains(holder.rawValue)
        {
            return state.jobs[holder.rawValue].state == .cancelling ? .cancelledRunStopping(holder) : .keyTaken(by: holder)
        }
        if storageIsFull { return .storageFull }
        if let pause = grantPause { return .restarting(until: pause.shown) }
        guard state.jobs.scheduler.isOffered(Int(record.loader)) else {
            return .noWorker(loader: state.jobs.loaderNames[Int(record.loader)])
        }
        return record.place == .suspects ? .suspected : .slotsTaken
    }

    /// One job's story.
    mutating func explain(_ job: JobID) -> Reply {
        guard let summary = self.job(job.rawValue) else {
            return .unknownJob(job)
        }
        var explanation = JobExplanation(job: summary)
        let record = state.jobs[job.rawValue]
        let asker = record.session == 0 ? "the front" : summary.askedBy.isEmpty ? "a client without a label" : summary.askedBy
        explanation.story.append("accepted from \(asker) with \(summary.options.line)")
        if record.attempts > 0 {
            let often = record.attempts == 1 ? "once" : "\(record.attempts) times"
            explanation.story.append("granted \(often)\(summary.worker.isEmpty ? "" : ", now at \(summary.worker)")")
        }
        if record.deaths > 0 {
            let deaths = record.deaths == 1 ? "1 death of a worker counts" : "\(record.deaths) deaths of workers count"
            explanation.story.append("\(deaths) against it (limit \(turn.settings.deathLimit))")
        }
        if let message = jobViews.progress(of: record.id)?.message, !message.isEmpty { explanation.story.append(message) }
        if let cancel = summary.cancel { explanation.story.append("cancel asked by \(cancel.requestedBy)") }
        if let failure = summary.failure { explanation.story.append("failed: \(failure.text)") }
        if let reason = summary.waitReason {
            explanation.story.append("waits: \(reason.line)")
            explanation.placeInLine = placeInLine(of: record)
            // Only the wait for a slot has a pace: a job that nobody offers, that is suspected or meets a full disk waits for something else.
            if case .slotsTaken = reason, let place = explanation.placeInLine {
                let kept = state.jobs.scheduler.keptForSuspects(Int(record.loader))
                if kept == 0 {
                    explanation.estimateSeconds = estimateSeconds(place: place, loader: Int(record.loader))
                    if explanation.estimateSeconds == nil {
                        explanation.story.append(
                            "when it starts is not known: no job like those that run has ended since the front started")
                    }
                } else {
                    // Until then the ends of other jobs free no slot there.
                    let workers = kept == 1 ? "1 worker that offers its loader is" : "\(kept) workers that offer its loader are"
                    explanation.story.append(
                        "\(workers) reserved: a job whose worker died runs alone there for a while, and other slots stay free until then")
                }
            }
        }
        return .explanation(explanation)
    }

    /// How many jobs are granted before a waiting one; nil while it waits for its key and so stands in no lane.
    private mutating func placeInLine(of record: JobRecord) -> UInt64? {
        record.place == .nowhere ? nil : UInt64(state.jobs.ask { $0.countBefore(record.id, in: $1) })
    }
}

/// Which jobs a query asks for. Most jobs have the same terms as others, which are looked at once.
private struct JobFilter {
    private let query: JobQuery
    /// Whether jobs of these terms have all tags.
    private var tagged: [UInt32: Bool] = [:]

    init(_ query: JobQuery) { self.query = query }

    /// How many terms were looked at: each costs about what a job does.
    var termsLookedAt: Int { tagged.count }

    // What is asked of the state comes as arguments: for a call with it the whole state would be copied.

    mutating func admits(_ record: JobRecord, loader: @autoclosure () -> String, tags: @autoclosure () -> [String]) -> Bool {
        if let state = query.state, state != record.state { return false }
        guard query.loader.isEmpty || loader() == query.loader else { return false }
        guard !query.tags.isEmpty else { return true }
        if let known = tagged[record.terms] { return known }
        let own = tags()
        let isWanted = query.tags.allSatisfy { own.contains($0) }
        tagged[record.terms] = isWanted
        return isWanted
    }
}
