//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

extension Samples {
    static let entries: [String: Sample] = ["entries-jobs": .entries(jobEntries), "entries-others": .entries(otherEntries)]

    private static var jobEntries: [JournalEntry] {
        var accepted = JournalEntry.AcceptedJobs(
            first: JobID(42), acceptedAt: noon, rankTime: -5, submitter: .session(SessionID(9)), loader: "echo",
            options: JobOptionsColumn(JobOptions(priority: 7, retryOf: JobID(40))), reportsOutcomes: true,
            arguments: [Array("a".utf8), Array("bc".utf8)])
        accepted.repeats = [Indexed(index: 1, value: JobID(40))]
        var job = JournalEntry.FeedJob(job: JobID(44), key: todos, operation: .create, loader: "list", acceptedAt: noon)
        job.cause = .retry
        job.view = "mine"
        job.itemID = "local-7"
        job.item = Array("{}".utf8)
        job.source = list
        job.submitter = .session(SessionID(9))
        job.rank = 1_795_253_000_000
        job.options.priority = 7
        (job.repeats, job.repeatedBy) = (JobID(41), JobID(46))
        (job.sort, job.filter, job.requests) = (SortOrder(field: "title"), "tea", [.sort, .filter])
        job.previousItemID = "local-6"
        job.asker = JobTerms.Asker(label: "cli 4711 on host", client: "importer")
        job.delayedSince = 4_000
        var granted = JournalEntry.GrantedJobs(worker: WorkerID(5), at: noon, isReregistration: true)
        granted.jobs = [42, 43]
        granted.leases = [1_042, 1_043]
        var ended = JournalEntry.EndedJobs(at: noon)
        ended.jobs = [42, 43]
        ended.states = [.succeeded, .failed]
        ended.results = [Array("ok".utf8), []]
        ended.failures = [Indexed(index: 1, value: failure)]
        ended.crashCounts = [Indexed(index: 1, value: 3)]
        return [
            .jobsAccepted(accepted), .feedJobAccepted(job), .granted(granted),
            .attemptsEnded(
                JournalEntry.AttemptsEnded(
                    jobs: [
                        JournalEntry.EndedAttempt(job: JobID(42), attempts: 2, crashCount: 1, isSuspected: false),
                        JournalEntry.EndedAttempt(job: JobID(43), attempts: 1, crashCount: 0, isSuspected: true),
                    ], cause: .dropped)),
            .attemptsEnded(
                JournalEntry.AttemptsEnded(
                    jobs: [
                        JournalEntry.EndedAttempt(job: JobID(42), attempts: 2, crashCount: 1, isSuspected: false, notBefore: 94_000),
                        JournalEntry.EndedAttempt(job: JobID(43), attempts: 1, crashCount: 0, isSuspected: true),
                    ], cause: .failed, failures: [Indexed(index: 0, value: askedForPause)], lengthTime: 90_000)),
            .ended(ended), .cancelRequested(JournalEntry.CancelRequested(JobID(42), by: "cli", at: noon)),
            .termsChanged(JournalEntry.TermsChanged(JobID(43), JobOptions(priority: 9, tags: ["nightly"]), rank: -60_000)),
            .jobsAccepted(scheduled),
            .jobsDue(JournalEntry.JobsDue([43, 42], rankTime: 1_795_253_000_000, lengthTime: 90_000)),
            .jobDelayed(JournalEntry.JobDelayed(JobID(42), .length(90_000), lengthTime: 5_000)),
            .jobDelayed(JournalEntry.JobDelayed(JobID(42), .point(noon), lengthTime: 5_000)),
            .crashesForgiven(JournalEntry.CrashesForgiven(JobID(42))),
            .repeatsStored(JournalEntry.RepeatsStored([42, 43], by: [50, 51])),
            .jobsStored(stored),
            .endedBundled(bundled), .endedBundled(cancelledBundle),
            .bundlesForgotten(JournalEntry.BundlesForgotten([BundleNumber(3), BundleNumber(4)])),
        ] + keyEntries + endingEntries + runEntries
    }

    /// What entries hold of unique keys.
    private static var keyEntries: [JournalEntry] {
        let key = UniqueKey("nightly", afterEnd: .seconds(600))
        var ended = JournalEntry.EndedJobs(at: noon)
        (ended.jobs, ended.states, ended.results, ended.lengthTime) = ([42], [.succeeded], [[]], 5_000)
        var stored = stored
        stored.uniqueKeys = [Indexed(index: 0, value: UniqueKey("nightly", mode: .replace))]
        return [
            .ended(ended), .jobsStored(stored),
            .jobReplaced(
                JournalEntry.JobReplaced(
                    JobID(42), JobOptions(priority: 7, start: .after(.seconds(90)), uniqueKey: UniqueKey("nightly", mode: .replace)),
                    argument: Array("abc".utf8), rank: -5, due: .length(95_000), lengthTime: 5_000)),
            .uniqueKeysFreed(JournalEntry.UniqueKeysFreed([42, 43], lengthTime: 605_000)),
            .uniqueKeysStored(
                JournalEntry.UniqueKeysStored([
                    TakenKey(job: 42, loader: "echo", key: key, fingerprint: 77),
                    TakenKey(job: 43, loader: "list", key: key, fingerprint: 0xFEDC_BA98_7654_3210, until: 605_000),
                    TakenKey(
                        job: 44, loader: "list", key: UniqueKey("y", debounce: Debounce(quiet: .seconds(5), longest: .seconds(60))),
                        fingerprint: 78, since: 5_000),
                    TakenKey(job: 45, loader: "list", key: UniqueKey("z", mode: .buffer), fingerprint: 79, isBehind: true),
                ])),
        ]
    }

    /// What entries hold of jobs that end in time, and of snoozed ones.
    private static var endingEntries: [JournalEntry] {
        var ended = JournalEntry.EndedJobs(at: noon)
        (ended.jobs, ended.states, ended.results) = ([42], [.expired], [[]])
        var snoozed = JournalEntry.AttemptsEnded(cause: .snoozed, lengthTime: 90_000)
        snoozed.jobs = [
            JournalEntry.EndedAttempt(
                job: JobID(42), attempts: 1, crashCount: 0, isSuspected: false, notBefore: 390_000, snoozeCount: 3)
        ]
        var stored = stored
        stored.deadlines = [Indexed(index: 0, value: 3_690_000)]
        stored.snoozes = [Indexed(index: 0, value: SnoozeCount(3, goesOn: true)), Indexed(index: 1, value: SnoozeCount(1, goesOn: false))]
        return [.ended(ended), .attemptsEnded(snoozed), .jobsStored(stored)]
    }

    /// A run, and with what it failed where that is kept with it.
    static func run(_ end: RunEnd, _ failure: Failure? = nil) -> JobRun {
        JobRun(
            attempt: 2, worker: "worker 5", startedAt: WallTime(milliseconds: 1_795_253_990_000), endedAt: noon, end: end
        ).failed(with: failure)
    }

    /// What entries hold of runs that have ended.
    private static var runEntries: [JournalEntry] {
        var lost = JournalEntry.AttemptsEnded(
            jobs: [JournalEntry.EndedAttempt(job: JobID(42), attempts: 2, crashCount: 1, isSuspected: true)], cause: .workerLost)
        lost.runs = [Indexed(index: 0, value: run(.crashed))]
        var ended = JournalEntry.EndedJobs(at: noon)
        (ended.jobs, ended.states, ended.results) = ([42], [.cancelled], [[]])
        ended.runs = [Indexed(index: 0, value: run(.cancelled))]
        var stored = stored
        stored.runs = [Indexed(index: 1, value: JobRuns([run(.lost), run(.timedOut, failure)], omitted: 3))]
        stored.logs = [Indexed(index: 0, value: log)]
        var logged = JournalEntry.JobsLogged()
        logged.append(42, savingLog)
        logged.append(43, JobLog(omitted: 7))
        return [.attemptsEnded(lost), .ended(ended), .jobsStored(stored), .jobsLogged(logged)]
    }

    /// A line, and how many were before it.
    /// The same, and what was saved.
    static var savingLog: JobLog {
        var log = Self.log
        log.save(Array("page 3".utf8))
        return log
    }

    static var log: JobLog { JobLog([LogLine(attempt: 2, at: noon, text: "page 3 of 7 has 200 items")], omitted: 3) }

    /// Jobs that wait for their time.
    private static var scheduled: JournalEntry.AcceptedJobs {
        let starts: [JobStart] = [.after(.seconds(90)), .at(noon)]
        var accepted = JournalEntry.AcceptedJobs(
            first: JobID(42), acceptedAt: noon, rankTime: -5, submitter: .front, loader: "echo",
            options: JobOptionsColumn(starts.map { JobOptions(start: $0) }), arguments: [[], []])
        accepted.lengthTime = 5_000
        return accepted
    }

    private static var bundled: JournalEntry.EndedBundled {
        var bundled = JournalEntry.EndedBundled(BundleNumber(7), .failed)
        (bundled.jobs, bundled.states) = ([42, 43], [.failed, .quarantined])
        (bundled.endedAt, bundled.byteCount) = (noon, 120)
        bundled.failures = [FailureCount(.httpStatus, 1), FailureCount(.quarantined, 1)]
        return bundled
    }

    private static var cancelledBundle: JournalEntry.EndedBundled {
        var bundled = JournalEntry.EndedBundled(BundleNumber(8), .cancelled)
        (bundled.jobs, bundled.states) = ([44, 45], [.cancelled, .expired])
        (bundled.endedAt, bundled.byteCount) = (noon, 12)
        return bundled
    }

    static var stored: JournalEntry.StoredJobs {
        var stored = JournalEntry.StoredJobs()
        (stored.jobs, stored.sessions, stored.ranks) = ([42, 43], [9, 0], [-5, 5])
        (stored.acceptedAt, stored.changedAt, stored.leases, stored.workers) = ([1, 2], [3, 0], [1_042, 0], [5, 0])
        (stored.states, stored.crashCounts, stored.flags) = ([.cancelling, .failed], [1, 0], [.reportsOutcome, .suspected])
        (stored.attempts, stored.loaders, stored.loaderIndexes) = ([2, 0], ["echo", "list"], [1, 0])
        (stored.terms, stored.termIndexes) = (
            [
                JobTerms(),
                JobTerms(
                    JobTerms.Asker(label: "cli 4711 on host", client: "importer"), options: JobOptions(priority: 9, tags: ["nightly"])),
            ], [1, 0]
        )
        (stored.arguments, stored.results) = ([Array("a".utf8), Array("bc".utf8)], [[], Array("d".utf8)])
        stored.failures = [Indexed(index: 1, value: failure)]
        stored.cancels = [
            Indexed(index: 0, value: CancelReceipt(requestedBy: "cli", requestedAt: WallTime(milliseconds: 1)))
        ]
        return stored
    }

    private static var otherEntries: [JournalEntry] {
        var counts = JobCounts()
        (counts.succeeded, counts.requeuedTotal) = (400, 8)
        var feed = FeedState(key: languages)
        feed.content = content
        var changed = JournalEntry.FeedChanged(feed, isAskedFor: true, nextVersion: ContentVersion(7))
        (changed.older, changed.damaged) = ([content], [DamagedVersion(list.digest, foundAt: noon)])
        let registration = WorkerMessage.Registration(
            name: "worker-1", processID: 4_712, slots: 4, prefetch: 512, loaders: [LoaderDeclaration(name: "echo", isBulk: true)])
        return [
            .sessionOpened(JournalEntry.SessionOpened(SessionID(9), label: "cli 4711 on host", nonce: 77, client: "importer")),
            .sessionEnded(JournalEntry.SessionEnded(SessionID(9))),
            .replyRetained(
                JournalEntry.ReplyRetained(
                    SessionID(9), RetainedReply(number: RequestNumber(3), reply: .done(version: 5), feed: todos, fingerprint: 88),
                    lowestUnanswered: RequestNumber(2))),
            .workerRegistered(JournalEntry.WorkerRegistered(WorkerID(5), RegistrationNumber(3), registration)),
            .workerRegistered(JournalEntry.WorkerRegistered(WorkerID(5), RegistrationNumber(3), registration, drains: true)),
            .workerLost(JournalEntry.WorkerLost(WorkerID(5), drains: true)),
            .feedChanged(changed),
            .feedForgotten(JournalEntry.FeedForgotten(languages)),
            .viewChanged(JournalEntry.ViewChanged(todos, view, selectedAfter: JobID(40))),
            .viewForgotten(JournalEntry.ViewForgotten(todos, "mine")),
            .workLeft(JournalEntry.WorkLeft(.damage(list.digest), since: noon, at: .feed(languages))),
            .workLeft(
                JournalEntry.WorkLeft(
                    .loss(JournalEntry.LostWorker(WorkerID(5), .workerLost, isSuspected: true, isCounted: true)), since: noon,
                    at: .job(JobID(44)))),
            .workLeft(JournalEntry.WorkLeft(.reset(todos, by: "cli 4711 on host"), since: noon, at: .job(JobID(42)))),
            .workLeft(JournalEntry.WorkLeft(.bulk(bulk), since: noon, at: .job(JobID(42)))),
            .idsReserved(JournalEntry.IDsReserved(jobs: JobID(1_000), leases: LeaseID(2_000))),
            .countsStored(
                JournalEntry.CountsStored(
                    counts, nextJob: JobID(45), nextLease: LeaseID(1_046), nextRegistrationNumber: RegistrationNumber(4),
                    lastRankTime: 1_795_254_000_000, lengths: LengthClock(bootID: "e0f1", offset: -100, level: 5_000))),
            .epochBegan(JournalEntry.EpochBegan(epoch: Epoch(1_795_254_000), bootID: "e0f1", bootMilliseconds: 123_456)),
            .limitChanged(rated), .limitChanged(JournalEntry.LimitChanged("api", nil)),
            .tokensChanged(
                JournalEntry.TokensChanged([
                    JournalEntry.TokenLevel(LimitKey("api"), level: 900_000, lengthTime: 90_000),
                    JournalEntry.TokenLevel(LimitKey("tenant", value: "acme"), level: 0, lengthTime: 5_000),
                ])),
            .pauseChanged(
                JournalEntry.PauseChanged(
                    .loader("slow"),
                    JournalEntry.LastingPause(by: "cli 4711 on host", reason: "the API is down", since: noon, until: 65_000),
                    lengthTime: 5_000)),
            .pauseChanged(JournalEntry.PauseChanged(.everything, nil, lengthTime: 5_000)),
            .pauseChanged(JournalEntry.PauseChanged(.worker("importer 1"), nil, lengthTime: 5_000)),
            .pauseChanged(
                JournalEntry.PauseChanged(
                    .group("shop"),
                    JournalEntry.LastingPause(
                        by: "cli 4711 on host", reason: "", since: noon,
                        members: GroupMembers(loaders: ["slow", "prices"], feeds: ["todos"])), lengthTime: 5_000)),
            .loadersOffered(
                JournalEntry.LoadersOffered(
                    [JournalEntry.OfferedLoader("fast", at: noon), JournalEntry.OfferedLoader("slow", at: noon)], forgotten: ["old"])),
        ]
    }

    private static var rated: JournalEntry.LimitChanged {
        var rated = JournalEntry.LimitChanged("api", LimitRule(capacity: 5, refill: LimitRefill(100, per: .seconds(900), burst: 20)))
        (rated.lengthTime, rated.level, rated.ratedFrom) = (90_000, 18_000_000, 1_046)
        rated.configured = LimitRule(capacity: 7)
        return rated
    }
}

extension Samples {
    fileprivate static var bulk: JournalEntry.BulkActionWork {
        let selection = JobQuery(
            state: .waiting, loader: "slow", feed: "todos", code: .timedOut, tags: ["nightly"], changedBefore: noon)
        let asker = JobTerms.Asker(label: "cli 4711 on host", client: "importer")
        var bulk = JournalEntry.BulkActionWork(3, selection, .reprioritize(9), by: asker)
        (bulk.done, bulk.passedOver) = (7, 1)
        return bulk
    }
}
