//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

extension JobQueue {
    /// Jobs that one page looks at: with a filter that few of millions pass the rest is for the next page.
    private static let listedLimit = 200_000

    /// A page of jobs, newest first: those in memory, and between them those in bundles. It ends before one of a bundle that is not read, if it
    /// has anything to show by then, and waits for that bundle otherwise.
    /// - Parameter unreadable: A bundle that cannot be read: its jobs are listed with what is known all the same; none: there is no such bundle.
    mutating func list(
        _ query: JobQuery, for session: SessionID, mayWait: Bool, unreadable: BundleNumber = .none, in turn: inout FrontTurn
    ) -> JobAnswer {
        guard (1...UInt32(MessageBounds.pageItems)).contains(query.limit) else {
            return .reply(.refusal(.invalidData, "a page has 1 to \(MessageBounds.pageItems.grouped) jobs, not \(query.limit)"))
        }
        if let fault = query.fault { return .reply(.refusal(.invalidData, fault)) }
        var reserved = ReservedSlots()
        var page = JobPage(query, byteLimit: turn.pageByteCount(for: session), seenLimit: Self.listedLimit, mayWait: mayWait)
        var bundled = turn.state.jobs.bundledPage(below: query.before?.rawValue, onlyFailed: query.wantsFailed)
        /// Goes on with a job in memory, after those of bundles that are newer; false: the page ends.
        func goOn(_ record: JobRecord) -> Bool {
            // Asked here, since for a call with the turn all of it may be copied.
            if bundled.firstJob > record.id { take(&bundled, above: record.id, into: &page, unreadable: unreadable, in: turn) }
            guard page.isOpen(for: record.id) else { return false }
            if page.filter.admits(
                record, loader: turn.state.jobs.loader(of: record),
                tags: turn.state.jobs.tags(of: record),
                feed: turn.state.jobs.keyLines[record.id]?.job.key, code: turn.state.jobs.failureCode(of: record),
                lastChange: turn.state.jobs.lastChange(of: record)
            ) {
                page.append(askedSummary(of: record, &reserved, in: turn))
            }
            return true
        }
        if query.wantsFailed {
            for id in turn.state.jobs.ended.failedJobs(below: query.before?.rawValue) {
                guard goOn(turn.state.jobs[id]) else { break }
            }
        } else {
            turn.step(turn.state.jobs.slab.visit(below: query.before?.rawValue) { goOn($0) })
        }
        if page.end == nil { take(&bundled, above: 0, into: &page, unreadable: unreadable, in: turn) }
        turn.step(page.seen + bundled.looks + page.filter.termsLookedAt + page.found.count * TurnContext.rowSteps)
        return page.answer(retention: turn.settings.bounds.retention)
    }

    /// Takes jobs of bundles into a page that are newer than one in memory, until the page ends.
    private func take(
        _ bundled: inout BundledPage, above job: UInt64, into page: inout JobPage, unreadable: BundleNumber, in turn: FrontTurn
    ) {
        while let item = bundled.first, item.job > job, page.isOpen(for: item.job) {
            if item.number == unreadable {
                let known = JobSummary(unreadable: JobID(item.job), item.state, in: item.number)
                if page.filter.admits(known) { page.append(known) }
            } else if page.filter.admits(item.state) {
                guard let read = readings.job(item.job, of: item.number) else { return page.miss(item.job, of: item.number) }
                if page.filter.admits(read.summary) { page.append(read.summary.repeated(by: turn.state.jobs.repeats)) }
            }
            bundled.removeFirst()
        }
    }
}

extension JobSummary {
    /// What is known of an ended job whose bundle cannot be read.
    fileprivate init(unreadable job: JobID, _ state: JobState, in bundle: BundleNumber) {
        self.init(id: job, loader: "", state: state, acceptedAt: nil)
        failure = Failure(
            code: .storageFailed, text: "what else is stored of it cannot be read (bundle \(bundle)): look at the disk with gantry doctor")
    }
}

extension JobQuery {
    /// Whether it asks for failed or quarantined jobs alone: they have a line of their own, so that none is hidden behind newer ones, however many.
    var wantsFailed: Bool { state != nil && states.allSatisfy { EndedKind($0) == .failed } }
}

/// A page of jobs that is being filled, newest first.
struct JobPage {
    /// How it ends.
    enum End {
        /// The next page begins below this job.
        case before(UInt64)
        /// This job has to be read first.
        case missing(UInt64, BundleNumber)
    }

    var filter: JobFilter
    private(set) var found: [JobSummary] = []
    /// Jobs that were looked at.
    private(set) var seen = 0
    /// Nil: it goes on.
    private(set) var end: End?
    private let limit: Int
    private let byteLimit: Int
    private let seenLimit: Int
    private let mayWait: Bool
    private var byteCount = 0

    init(_ query: JobQuery, byteLimit: Int, seenLimit: Int, mayWait: Bool) {
        (filter, limit) = (JobFilter(query), Int(query.limit))
        (self.byteLimit, self.seenLimit, self.mayWait) = (byteLimit, seenLimit, mayWait)
    }

    /// Whether the next job is looked at; otherwise the page ends before it.
    mutating func isOpen(for job: UInt64) -> Bool {
        guard end == nil else { return false }
        if let last = found.last, found.count == limit || byteCount >= byteLimit {
            end = .before(last.id.rawValue)
        } else if seen == seenLimit {
            end = .before(job + 1)
        } else {
            seen += 1
        }
        return end == nil
    }

    /// Adds a job, without its result.
    mutating func append(_ job: JobSummary) {
        found.append(job)
        // A page of results of 64 KiB each would hold few jobs; who wants one asks for its job.
        found[found.count - 1].result = []
        byteCount += found[found.count - 1].roughByteCount
    }

    /// A job is not known before its bundle is read.
    mutating func miss(_ job: UInt64, of bundle: BundleNumber) { end = .missing(job, bundle) }

    /// The page; or the bundle that it cannot do without.
    func answer(retention: JobRetention) -> JobAnswer {
        switch end {
        case nil: .reply(.jobs(found, next: nil, retention: retention))
        case .before(let job): .reply(.jobs(found, next: JobID(job)))
        case .missing(let job, let bundle): found.isEmpty && mayWait ? .after(bundle) : .reply(.jobs(found, next: JobID(job + 1)))
        }
    }
}

/// Which jobs a query asks for. Most jobs have the same terms as others, which are looked at once.
struct JobFilter {
    private let query: JobQuery
    /// Whether jobs of these terms have all tags.
    private var tagged: [UInt32: Bool] = [:]

    init(_ query: JobQuery) { self.query = query }

    /// How many terms were looked at: each costs about what a job does.
    var termsLookedAt: Int { tagged.count }

    // What is asked of the state comes as arguments: for a call with it the whole state would be copied.

    mutating func admits(
        _ record: JobRecord, loader: @autoclosure () -> String, tags: @autoclosure () -> [String], feed: @autoclosure () -> FeedKey?,
        code: @autoclosure () -> FailureCode?, lastChange: @autoclosure () -> WallTime
    ) -> Bool {
        guard query.admits(record.state) else { return false }
        guard query.loader.isEmpty || loader() == query.loader else { return false }
        if let time = query.changedBefore, lastChange() >= time { return false }
        if !query.feed.isEmpty, !query.admits(feed()) { return false }
        if let wanted = query.code, code() != wanted { return false }
        guard !query.tags.isEmpty else { return true }
        if let known = tagged[record.terms] { return known }
        let own = tags()
        let isWanted = query.tags.allSatisfy { own.contains($0) }
        tagged[record.terms] = isWanted
        return isWanted
    }

    /// Whether a job of that state may be one.
    func admits(_ state: JobState) -> Bool { query.admits(state) }

    /// Whether a job of a bundle is one.
    func admits(_ job: JobSummary) -> Bool {
        admits(job.state) && (query.loader.isEmpty || query.loader == job.loader) && query.admits(job.feed)
            && (query.code.map { $0 == job.failure?.code } ?? true)
            && (query.changedBefore.map { (job.endedAt ?? job.startedAt ?? job.acceptedAt ?? $0) < $0 } ?? true)
            && query.tags.allSatisfy { job.options.tags.contains($0) }
    }
}
