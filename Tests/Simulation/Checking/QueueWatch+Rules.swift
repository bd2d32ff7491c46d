//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

// Whether jobs are tried again as their rules say, reckoned from the rules alone.
extension QueueWatch {
    /// Attempts failed that are not the last ones of their jobs.
    mutating func checkRetries(_ failed: JournalEntry.AttemptsEnded) {
        for failure in failed.failures {
            let attempt = failed.jobs[Int(failure.index)]
            guard let job = jobs[attempt.job.rawValue] else { continue }
            guard let rule = job.retry else {
                find(.retriesKeepTheirRule, "job \(attempt.job) works for a feed, and is tried again")
                continue
            }
            let most = mostAttempts(of: rule, job.loader, after: failure.value.code)
            let failedAttempts = job.failedAttempts + 1
            jobs[attempt.job.rawValue]?.failedAttempts = failedAttempts
            if failedAttempts >= most || failure.value.attempts != failedAttempts || !failure.value.retryable {
                find(.retriesKeepTheirRule, "job \(attempt.job) is tried again after \(failedAttempts) failed attempts of \(most)")
            }
            let backOff = rule.codes.first { $0.code == failure.value.code }?.backOff
            var pause = backOff?.first ?? rule.backOff.first ?? .seconds(1)
            let longest = backOff?.longest ?? rule.backOff.longest ?? .seconds(600)
            for _ in 1..<failedAttempts where pause < longest { pause = pause * 2 }
            pause = min(pause, longest)
            let asked = min(failure.value.retryAfter ?? .zero, .seconds(3_600))
            let least = max(asked, backOff?.hasJitter ?? rule.backOff.hasJitter ?? true ? .zero : pause)
            let given = Duration.milliseconds(attempt.notBefore - failed.lengthTime)
            // A tenth more than a source asks for, and a millisecond: the clock of lengths begins with none, and no time is not a time.
            guard given >= least, given <= max(pause, asked + asked / 10) + .milliseconds(1) else {
                find(.retriesKeepTheirRule, "job \(attempt.job) waits \(given), not \(least) to \(max(pause, asked))")
                continue
            }
        }
    }

    /// A job ends by a failure that another attempt might have mended only with its last attempt.
    mutating func checkLastAttempts(_ ended: JournalEntry.EndedJobs) {
        for failure in ended.failures where failure.value.retryable {
            let id = ended.jobs[Int(failure.index)]
            guard ended.states[Int(failure.index)] == .failed, let job = jobs[id], let rule = job.retry, job.worker != nil else { continue }
            let most = mostAttempts(of: rule, job.loader, after: failure.value.code)
            guard job.failedAttempts + 1 < most else { continue }
            find(.retriesKeepTheirRule, "job \(id) ends after \(job.failedAttempts + 1) failed attempts of \(most)")
        }
    }

    /// By the rule that the job was accepted with; where that is silent, *never* of its loader's holds all the same.
    private func mostAttempts(of rule: RetryRule, _ loader: String, after code: FailureCode) -> UInt32 {
        if loader == SimulatedLoader.once.declaration.name { return 1 }
        if let own = rule.codes.first(where: { $0.code == code })?.attempts { return own }
        let isFinal = retryRules[loader]?.codes.contains { $0.code == code && $0.attempts == 1 } ?? false
        return isFinal ? 1 : rule.attempts ?? 5
    }
}

extension JournalEntry.FeedJob {
    /// The jobs of its feed that only one may run of at a time; nil: it waits behind none.
    var line: String? {
        switch operation {
        case .load: "\(key) load"
        case .merge, .create, .update: "\(key) edit"
        case .sort, .detail: nil
        }
    }
}

extension JournalEntry.AcceptedJobs {
    /// When the time of a job comes that was submitted with those options; nil: it waits at once.
    func due(_ options: JobOptions) -> JobDue? {
        if let debounce = options.uniqueKey?.debounce { return .length(lengthTime + debounce.quiet.wholeMilliseconds) }
        return switch options.start {
        case .after(let delay): delay > .zero ? .length(lengthTime + delay.wholeMilliseconds) : nil
        case .at(let time): acceptedAt < time ? .point(time) : nil
        case .now: nil
        }
    }
}

extension JournalEntry {
    /// Whether it may stand between the grants of one turn, which are looked at together: what a grant brings about leaves all that waits
    /// where it is.
    var followsGrants: Bool {
        if case .feedChanged = self { return true }
        if case .viewChanged = self { return true }
        if case .idsReserved = self { return true }
        return false
    }
}

// Whether grants go out in order, and jobs of limits come to theirs, reckoned from the rules alone.
extension QueueWatch {
    /// Takes what an entry says of limits, and of who counts in them.
    mutating func takeLimits(of entry: JournalEntry) {
        shares.take(entry)
        if case .limitChanged(let changed) = entry {
            limits.take(changed)
            let counting = jobs.filter { job in changed.rule == nil && job.value.limitKeys.contains { $0.limit == changed.name } }
            if let job = counting.keys.min() { find(.limitsHold, "the limit \(changed.name) is deleted, and job \(job) counts in it") }
        }
        if case .feedJobAccepted(let job) = entry, let fault = limits.fault(of: job) { find(.limitsHold, fault) }
    }

    private typealias Line = ShareWatch.Line

    /// Whether a job that nobody holds could be granted, as far as limits and workers let it.
    private func isNext(_ id: UInt64, _ job: Job) -> Bool {
        job.worker == nil && job.due == nil && !job.isSuspected && isFirstInLine(id, job) && !pauses.holds(job)
    }

    /// Nothing waits that the worker of a later job could have been given instead. Where several clients have jobs of a loader they take turns: there
    /// each one's jobs are compared with its own alone.
    mutating func checkOrder(of granted: [(job: UInt64, worker: WorkerID)]) {
        guard !granted.isEmpty else { return }
        limits.countFull(after: granted.compactMap { jobs[$0.job]?.limitKeys })
        // Of each worker, kind of room and line the last one by rank stands for all.
        var last: [WorkerID: [Line: (rank: Int64, job: UInt64)]] = [:]
        var clients: [String: Set<String>] = [:]
        for grant in granted {
            guard let job = jobs[grant.job], !job.isSuspected, job.worker == grant.worker else { continue }
            let line = Line(loader: job.loader, client: job.client)
            if last[grant.worker]?[line].map({ $0 < (job.rank, grant.job) }) ?? true {
                last[grant.worker, default: [:]][line] = (job.rank, grant.job)
            }
            clients[job.loader, default: []].insert(job.client)
        }
        let waiting = jobs.filter { isNext($0.key, $0.value) }
        checkShares(of: granted, waiting)
        for job in waiting.values { clients[job.loader, default: []].insert(job.client) }
        for (id, other) in waiting {
            for (worker, lines) in last {
                guard let offered = workers[worker]?.loaders[other.loader] else { continue }
                /// Whether rank orders jobs of a line with this one.
                func isBound(_ line: Line) -> Bool {
                    line == Line(loader: other.loader, client: other.client)
                        || clients[line.loader]?.count == 1 && clients[other.loader]?.count == 1
                }
                let compared = lines.filter { line, later in (jobs[later.job]?.isBulk ?? false) == offered.isBulk && isBound(line) }
                guard let later = compared.values.max(by: { $0 < $1 }), (other.rank, id) < (later.rank, later.job) else { continue }
                // What a limit has room for is shared out to the workers of bulk jobs: one beyond the share of this worker waits for the next.
                if offered.isBulk, !other.limitKeys.isEmpty, other.limitKeys != jobs[later.job]?.limitKeys { continue }
                // Suspected jobs are a line of their own: what room they have taken the others do not have, whatever their rank. And what jobs of
                // another client have taken as it was their turn, or bulk jobs beside one that is none: those are handed out apart.
                let behind = granted.compactMap { grant -> [LimitKey]? in
                    guard let job = self.jobs[grant.job], !job.isSuspected, job.isBulk == offered.isBulk,
                        (other.rank, id) < (job.rank, grant.job), isBound(Line(loader: job.loader, client: job.client))
                    else { return nil }
                    return job.limitKeys
                }
                guard limits.hadRoom(for: other.limitKeys, before: behind), !mayBeKept(from: id, other) else { continue }
                find(.grantsInOrder, "job \(later.job) of rank \(later.rank) is granted, job \(id) of rank \(other.rank) waits")
            }
        }
    }

    /// Whoever waits for its turn has it, however much others have.
    private mutating func checkShares(of granted: [(job: UInt64, worker: WorkerID)], _ waiting: [UInt64: Job]) {
        let lines = granted.compactMap { grant -> Line? in
            guard let job = jobs[grant.job], !job.isSuspected else { return nil }
            return Line(loader: job.loader, client: job.client)
        }
        var last: [Line: (rank: Int64, job: UInt64)] = [:]
        for (id, job) in waiting where job.isPlain {
            let line = Line(loader: job.loader, client: job.client)
            if last[line].map({ $0 < (job.rank, id) }) ?? true { last[line] = (job.rank, id) }
        }
        let faults = shares.take(lines, last: last.mapValues(\.job), waits: { waiting[$0]?.isPlain == true }) { [workers] loader in
            workers.values.contains { $0.loaders[loader]?.isBulk == true } ? Self.bulkJobsAtOnce : 1
        }
        for fault in faults { find(.sharesAreFair, fault) }
    }

    /// How many jobs a client gets in a turn of bulk jobs.
    private static let bulkJobsAtOnce = 64

    /// Whether a limit may keep what is free for a job before this one.
    private func mayBeKept(from id: UInt64, _ job: Job) -> Bool {
        reservationPause != nil && !job.limitKeys.isEmpty
            && jobs.contains { $0.value.needsMuch && ($0.value.rank, $0.key) < (job.rank, id) && $0.value.shares(with: job) }
    }

    /// A job that needs several permits and has waited for so long that it may reserve them is passed by hardly any job behind it that takes what it
    /// needs, where a worker could have taken it instead. One that had room before those were granted waits for its client's turn: nothing is kept
    /// for that.
    mutating func checkPassed(by granted: [(job: UInt64, worker: WorkerID)]) {
        guard let reservationPause, !granted.isEmpty else { return }
        let taken = granted.compactMap { jobs[$0.job]?.limitKeys }
        for (id, job) in jobs where job.needsMuch && isNext(id, job) {
            let waited = rankTime - (job.rank + Int64(job.priority) * 60_000)
            guard waited >= reservationPause.wholeMilliseconds, !isBehind(id, job) else { continue }
            let isPassed = granted.contains { grant in
                guard let other = jobs[grant.job], !other.isSuspected, (job.rank, id) < (other.rank, grant.job), other.shares(with: job),
                    let offered = workers[grant.worker]?.loaders[job.loader], offered.isBulk == other.isBulk
                else { return false }
                return job.limitKeys.contains { key in
                    limits.isShort(of: key) && other.limitKeys.contains { $0.unweighted == key.unweighted }
                }
            }
            guard isPassed, job.limitKeys.allSatisfy({ limits.mayFit($0) }), !limits.hadRoom(for: job.limitKeys, before: taken) else {
                continue
            }
            jobs[id]?.passed += 1
            guard job.passed >= Self.passedLimit else { continue }
            find(.reservationsHold, "job \(id) has waited \(waited) ms, and \(job.passed + 1) times jobs behind it took what it needs")
        }
    }

    /// Whether a job before it waits that needs something of the same limits.
    private func isBehind(_ id: UInt64, _ job: Job) -> Bool {
        jobs.contains { $0.value.worker == nil && ($0.value.rank, $0.key) < (job.rank, id) && $0.value.shares(with: job) }
    }

    /// Turns in which a job may be passed: what was decided when it could not reserve yet.
    private static let passedLimit = 3
}

extension QueueWatch.Job {
    /// Whether it waits for a worker alone: it counts in no limit, works for no feed, and no other job of its key goes before it.
    fileprivate var isPlain: Bool { limitKeys.isEmpty && retry != nil && line == nil }

    /// Whether it needs several permits, or permits of several limits.
    fileprivate var needsMuch: Bool { limitKeys.count > 1 || limitKeys.contains { $0.weight > 1 } }

    /// Whether both count in a limit with the same value.
    fileprivate func shares(with other: QueueWatch.Job) -> Bool {
        limitKeys.contains { key in other.limitKeys.contains { $0.unweighted == key.unweighted } }
    }
}

extension JournalEntry {
    /// Whether reservations may end with it, or workers not be able to take jobs.
    var endsReservations: Bool {
        switch self {
        case .epochBegan, .limitChanged, .pauseChanged, .workerRegistered, .workerLost: true
        default: false
        }
    }
}
