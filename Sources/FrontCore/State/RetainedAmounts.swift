//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import GantryModel

/// How much a machine keeps of everything that `Bounds` bounds, for checks from outside: nothing here is used while serving.
package struct RetainedAmounts: Sendable {
    /// Jobs that have not ended and wait.
    package var waitingJobs = 0
    /// Bytes of the arguments of submitted jobs that have not ended.
    package var argumentByteCount = 0
    /// Bytes of unique keys that are taken.
    package var uniqueKeyByteCount = 0
    /// Ended jobs, and bytes of what they leave behind.
    package var ended = ByEndedKind(repeating: EndedAmount())
    /// Sessions.
    package var sessions = 0
    /// Replies to changes of the session that has most of them, and bytes of the one that has most of these.
    package var replies = 0
    package var replyByteCount = 0
    /// Bytes of the replies of all sessions.
    package var allRepliesByteCount = 0
    /// Replies to reading requests of the session that has most of them, and bytes of the one that has most of these beside its largest: the
    /// last one that was let in is kept whole, and may be that.
    package var readings = 0
    package var readingByteCount = 0
    /// Workers, and those that are lost and get no jobs if they come back.
    package var workers = 0
    package var drainedWorkers = 0
    /// Loaders that workers have offered.
    package var offeredLoaders = 0
    package var feeds = 0
    package var views = 0
    /// Bytes of details in views.
    package var detailByteCount = 0
    /// Values of limits with a rate.
    package var limitValues = 0

    /// Of one kind of ended jobs.
    package struct EndedAmount: Sendable {
        package var jobs = 0
        package var byteCount = 0
    }
}

extension FrontState {
    /// - Parameter marks: The lowest number that each session's client is known not to have been answered: replies below it, which a restart
    ///   brings back, are not counted.
    package func retainedAmounts(marks: [SessionID: UInt64]) -> RetainedAmounts {
        var amounts = RetainedAmounts()
        (amounts.waitingJobs, amounts.uniqueKeyByteCount) = (Int(jobs.totals.queued), jobs.keys.byteCount)
        amounts.ended = ByEndedKind { RetainedAmounts.EndedAmount(jobs: jobs.ended.count(of: $0), byteCount: bytes.ended[$0]) }
        amounts.sessions = sessions.count
        for session in sessions.ids.lazy.compactMap({ sessions[$0] }) {
            let mark = max(session.lowestUnanswered, marks[session.id] ?? 0)
            let retained = session.replies.lazy.filter { $0.number.rawValue >= mark }
            let byteCount = retained.reduce(0) { $0 + $1.roughByteCount }
            amounts.replies = max(amounts.replies, retained.reduce(0) { count, _ in count + 1 })
            amounts.replyByteCount = max(amounts.replyByteCount, byteCount)
            amounts.allRepliesByteCount += byteCount
            amounts.readings = max(amounts.readings, session.readings)
            let largest = session.held.map(\.reply.roughByteCount).max() ?? 0
            amounts.readingByteCount = max(amounts.readingByteCount, session.readingByteCount - largest)
        }
        (amounts.workers, amounts.drainedWorkers) = (workers.count, workers.drained.count)
        amounts.offeredLoaders = workers.offered.count
        (amounts.feeds, amounts.views) = (feeds.count, feeds.viewCount)
        amounts.detailByteCount = feeds.detailByteCount
        amounts.limitValues = jobs.limits.ratedUses
        jobs.slab.visit(below: nil) { job in
            if !job.state.isFinal, !job.flags.contains(.isFeedJob) { amounts.argumentByteCount += job.argument.byteCount }
            return true
        }
        return amounts
    }

    /// What differs between the bytes as they are counted entry by entry and as they are counted anew; nil: nothing. A count that drifts lets the
    /// front refuse jobs, or forget ended ones, for ever.
    package var miscount: String? { bytes.miscount(recountedBytes) }

    /// The jobs of each bundle.
    package var bundledJobs: [BundleNumber: [UInt64]] {
        Dictionary(uniqueKeysWithValues: jobs.bundles.map { ($0.number, $0.jobs) })
    }

    /// How a job is run; nil: it is not known.
    package func options(of job: JobID) -> JobOptions? {
        guard jobs.contains(job.rawValue) else { return nil }
        var options = jobs.terms(of: jobs[job.rawValue]).options
        options.uniqueKey = jobs.keys.key(of: job.rawValue)
        return options
    }

    /// What is wrong with the unique keys that are taken, by a look at each job; nil: nothing.
    package var keysMiscount: String? { jobs.keys.miscount(in: jobs.slab) { jobs.state(of: $0) == .quarantined } }

    /// What differs between the terms of jobs as they are counted entry by entry and as they are counted anew; nil: nothing. Those that are
    /// counted too often are never forgotten, and those that are counted too seldom become those of another job.
    package var termsMiscount: String? {
        jobs.terms.miscount(in: jobs.slab, heldFeeds: jobs.pauses.targets.flatMap { Array(jobs.pauses[$0]?.members.feeds ?? []) })
    }

    /// The same of the names of loaders, and of what is kept of the runs of jobs that have not ended. Counts of those that drift refuse submits, or end
    /// the keeping of lines, for ever.
    package var loadersMiscount: String? { jobs.loaderNames.miscount(in: jobs.slab) }
    package var runsMiscount: String? { jobs.runs.miscount { jobs.contains($0) && !jobs[$0].state.isFinal } }

    /// The same of what jobs count in limits. A permit that is never given back would keep jobs waiting for ever.
    package var limitsMiscount: String? {
        if let fault = jobs.limits.reservationFault { return fault }
        var counted: [LimitKey: LimitTable.Counted] = [:]
        jobs.slab.visit(below: nil) { job in
            guard !job.state.isFinal else { return true }
            for key in jobs.terms.limitSets[Int(jobs.terms.lane(of: Int(job.terms)).limitSet)].keys {
                counted[key.unweighted, default: LimitTable.Counted()].jobs += 1
                if job.standing == .scheduled { counted[key.unweighted]?.scheduled += 1 }
                if job.place == .held { counted[key.unweighted]?.inUse += Int(key.weight) }
            }
            return true
        }
        return jobs.limits.miscount(counted)
    }

    /// What is known of the first jobs that have not ended, and what they have to say of limits and keys: for the report of a world that does not come to rest.
    package func unendedJobs(limit: Int) -> [String] {
        var lines: [String] = []
        jobs.slab.visit(below: nil) { job in
            if !job.state.isFinal {
                let key = jobs.keys.key(of: job.id).map { ", \($0)" } ?? ""
                lines.append("\(job), \(jobs.terms(of: job).options)\(key)")
            }
            return lines.count < limit
        }
        return lines
    }

    /// The jobs in lanes whose loader no worker offers that is not paused, by a look at each job and each worker: most first, ties by name.
    package var unofferedJobs: [LoaderCount] {
        let taking = workers.all.filter { $0.isOffering && !jobs.pauses.holds(worker: $0.registration.name) }
        let offered = Set(taking.flatMap { $0.registration.loaders.map(\.name) })
        var counts: [String: UInt64] = [:]
        jobs.slab.visit(below: nil) { job in
            let loader = jobs.loader(of: job)
            if job.place == .lane || job.place == .suspects, !offered.contains(loader) { counts[loader, default: 0] += 1 }
            return true
        }
        return counts.map { LoaderCount($0.key, $0.value) }.sorted { ($1.count, $0.loader) < ($0.count, $1.loader) }
    }
}

extension StoredBytes {
    /// What differs from bytes that were counted anew; nil: nothing.
    func miscount(_ counted: StoredBytes) -> String? { self == counted ? nil : "bytes are noted as \(self), counted \(counted)" }
}

extension LoaderNames {
    /// What differs from what jobs name; nil: nothing.
    func miscount(in jobs: JobSlab) -> String? {
        var counted: [Int: Int] = [:]
        jobs.visit(below: nil) { job in
            counted[Int(job.loader), default: 0] += 1
            return true
        }
        for index in indices {
            let (noted, found) = (jobCount(at: index), counted[index] ?? 0)
            if noted != found { return "\(noted) jobs are noted to name the loader \(self[index]), \(found) do" }
        }
        let named = counted.keys.count { $0 != 0 }
        return jobNames == named ? nil : "\(jobNames) loaders are noted to be named by jobs, \(named) are"
    }
}

extension RunTable {
    /// What differs from what is kept of jobs that have not ended; nil: nothing.
    func miscount(isLive: (UInt64) -> Bool) -> String? {
        let counted = liveBytes(isLive: isLive)
        return live == counted ? nil : "of jobs that have not ended \(live) are noted, \(counted) counted"
    }
}

extension TermsTable {
    /// What differs from what jobs and pauses have; nil: nothing.
    /// - Parameter heldFeeds: The feeds that pauses hold, each as often as one does.
    func miscount(in jobs: JobSlab, heldFeeds: [String] = []) -> String? {
        var counted: [UInt32: Int] = [:]
        jobs.visit(below: nil) { job in
            counted[job.terms, default: 0] += 1
            return true
        }
        for index in indices.dropFirst() {
            let (noted, found) = (uses(at: index), counted[UInt32(index)] ?? 0)
            if noted != found { return "\(noted) jobs are noted to have the terms \(self[index]), \(found) have" }
        }
        var found = indices.dropFirst().reduce(0) { sum, index in
            sum + (uses(at: index) == 0 ? 0 : self[index].roughByteCount + RoughSize.name)
        }
        var names: [UInt32: Int] = [:]
        for index in indices.dropFirst() where uses(at: index) > 0 {
            names[lane(of: index).client, default: 0] += 1
            guard clients[Int(lane(of: index).client)] == self[index].asker.client else {
                return "the client of \(self[index]) is another one"
            }
        }
        for index in clients.indices.dropFirst() {
            let (noted, counted) = (clients.uses(at: index), names[UInt32(index)] ?? 0)
            if noted != counted { return "\(noted) terms are noted to have the client \(clients[index]), \(counted) have" }
            if noted > 0 { found += clients[index].utf8.count + RoughSize.client + RoughSize.name }
        }
        var sets: [UInt32: Int] = [:]
        for index in indices.dropFirst() where uses(at: index) > 0 { sets[lane(of: index).limitSet, default: 0] += 1 }
        for index in limitSets.indices.dropFirst() {
            let (noted, counted) = (limitSets.uses(at: index), sets[UInt32(index)] ?? 0)
            if noted != counted { return "\(noted) terms are noted to have the limits \(limitSets[index].keys), \(counted) have" }
            if noted > 0 { found += limitSets[index].keys.count * RoughSize.record + RoughSize.name }
        }
        var asked: [Int: Int] = [:]
        for name in heldFeeds { asked[feeds.index(of: name) ?? 0, default: 0] += 1 }
        for index in indices.dropFirst() where uses(at: index) > 0 { asked[Int(lane(of: index).feed), default: 0] += 1 }
        for index in feeds.indices.dropFirst() {
            let (noted, counted) = (feeds.uses(at: index), asked[index] ?? 0)
            if noted != counted { return "\(noted) terms and pauses are noted to have the feed \(feeds[index]), \(counted) have" }
            if noted > 0 { found += feeds[index].utf8.count + RoughSize.name }
        }
        return found == byteCount ? nil : "terms have \(byteCount) bytes, counted \(found)"
    }
}

extension FrontState {
    /// The bytes that are counted entry by entry, counted anew job by job and view by view.
    var recountedBytes: StoredBytes {
        var bytes = StoredBytes()
        jobs.slab.visit(below: nil) { job in
            if !job.state.isFinal {
                bytes.queued += jobs.queuedByteCount(of: job.id)
            } else {
                bytes.ended[job.endedKind] += jobs.endedByteCount(of: job.id)
            }
            return true
        }
        for bundle in jobs.bundles { bytes.ended[bundle.kind] += Int(bundle.byteCount) }
        for feed in feeds.all { bytes.details += feed.views.states.reduce(0) { $0 + $1.detail.byteCount } }
        return bytes
    }
}
