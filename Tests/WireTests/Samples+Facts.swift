//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Samples {
    static let facts: [String: Sample] = ["facts-jobs": .facts(jobFacts), "facts-others": .facts(otherFacts)]

    private static var jobFacts: [Fact] {
        let accepted = Fact.AcceptedJobs(
            first: JobID(42), acceptedAt: noon, rankTime: -5, submitter: .session(SessionID(9)), loader: "echo",
            options: JobOptionsColumn(JobOptions(priority: 7)), reportsOutcomes: true, arguments: [Array("a".utf8), Array("bc".utf8)])
        var job = Fact.FeedJob(job: JobID(44), key: todos, operation: .create, loader: "list", acceptedAt: noon)
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
        job.label = "cli 4711 on host"
        var granted = Fact.GrantedJobs(worker: WorkerID(5), at: noon, isReattachment: true)
        granted.jobs = [42, 43]
        granted.leases = [1_042, 1_043]
        var ended = Fact.EndedJobs(at: noon)
        ended.jobs = [42, 43]
        ended.states = [.succeeded, .failed]
        ended.results = [Array("ok".utf8), []]
        ended.failures = [Indexed(index: 1, value: failure)]
        ended.crashCounts = [Indexed(index: 1, value: 3)]
        return [
            .jobsAccepted(accepted), .feedJobAccepted(job), .granted(granted),
            .attemptsEnded(
                Fact.AttemptsEnded(
                    jobs: [
                        Fact.EndedAttempt(job: JobID(42), attempts: 2, crashCount: 1, isSuspected: false),
                        Fact.EndedAttempt(job: JobID(43), attempts: 1, crashCount: 0, isSuspected: true),
                    ], cause: .dropped)),
            .ended(ended), .cancelRequested(Fact.CancelRequested(JobID(42), by: "cli", at: noon)),
            .termsChanged(Fact.TermsChanged(JobID(43), JobOptions(priority: 9, tags: ["nightly"]), rank: -60_000)), .jobsStored(stored),
            .endedBundled(bundled),
            .bundlesForgotten(Fact.BundlesForgotten([BundleNumber(3), BundleNumber(4)])),
        ]
    }

    private static var bundled: Fact.EndedBundled {
        var bundled = Fact.EndedBundled(BundleNumber(7), .failed)
        (bundled.jobs, bundled.states) = ([42, 43], [.failed, .quarantined])
        (bundled.endedAt, bundled.byteCount) = (noon, 120)
        bundled.failures = [FailureCount(.httpStatus, 1), FailureCount(.quarantined, 1)]
        return bundled
    }

    static var stored: Fact.StoredJobs {
        var stored = Fact.StoredJobs()
        (stored.jobs, stored.sessions, stored.ranks) = ([42, 43], [9, 0], [-5, 5])
        (stored.acceptedAt, stored.changedAt, stored.leases, stored.workers) = ([1, 2], [3, 0], [1_042, 0], [5, 0])
        (stored.states, stored.deaths, stored.flags) = ([.cancelling, .failed], [1, 0], [.reportsOutcome, .suspected])
        (stored.attempts, stored.loaders, stored.loaderIndexes) = ([2, 0], ["echo", "list"], [1, 0])
        (stored.terms, stored.termIndexes) = (
            [JobTerms(), JobTerms(client: "cli 4711 on host", options: JobOptions(priority: 9, tags: ["nightly"]))], [1, 0]
        )
        (stored.arguments, stored.results) = ([Array("a".utf8), Array("bc".utf8)], [[], Array("d".utf8)])
        stored.failures = [Indexed(index: 1, value: failure)]
        stored.cancels = [
            Indexed(index: 0, value: CancelReceipt(requestedBy: "cli", requestedAt: WallTime(milliseconds: 1)))
        ]
        return stored
    }

    private static var otherFacts: [Fact] {
        var counts = JobCounts()
        (counts.succeeded, counts.requeuedTotal) = (400, 8)
        var feed = FeedState(key: languages)
        feed.content = content
        var changed = Fact.FeedChanged(feed, isAskedFor: true, nextVersion: ContentVersion(7))
        (changed.older, changed.damaged) = ([content], [DamagedVersion(list.digest, foundAt: noon)])
        let registration = WorkerMessage.Registration(
            name: "worker-1", processID: 4_712, slots: 4, prefetch: 512, loaders: [LoaderDeclaration(name: "echo", isShort: true)])
        return [
            .sessionOpened(Fact.SessionOpened(SessionID(9), label: "cli 4711 on host", nonce: 77)),
            .sessionEnded(Fact.SessionEnded(SessionID(9))),
            .replyKept(
                Fact.ReplyKept(
                    SessionID(9), KeptReply(number: RequestNumber(3), reply: .done(version: 5), feed: todos, fingerprint: 88),
                    lowestUnanswered: RequestNumber(2))),
            .workerAttached(Fact.WorkerAttached(WorkerID(5), AttachmentNumber(3), registration)),
            .workerLost(Fact.WorkerLost(WorkerID(5))),
            .feedChanged(changed),
            .feedForgotten(Fact.FeedForgotten(languages)),
            .viewChanged(Fact.ViewChanged(todos, view, selectedAfter: JobID(40))),
            .viewForgotten(Fact.ViewForgotten(todos, "mine")),
            .workLeft(Fact.WorkLeft(.damage(list.digest), since: noon, at: .feed(languages))),
            .workLeft(
                Fact.WorkLeft(
                    .loss(Fact.LostWorker(WorkerID(5), .workerLost, isSuspected: true, isCounted: true)), since: noon, at: .job(JobID(44)))),
            .workLeft(Fact.WorkLeft(.reset(todos, by: "cli 4711 on host"), since: noon, at: .job(JobID(42)))),
            .idsReserved(Fact.IDsReserved(jobs: JobID(1_000), leases: LeaseID(2_000))),
            .countsStored(
                Fact.CountsStored(
                    counts, nextJob: JobID(45), nextLease: LeaseID(1_046), nextAttachment: AttachmentNumber(4),
                    lastRankTime: 1_795_254_000_000)),
            .epochBegan(Fact.EpochBegan(epoch: Epoch(1_795_254_000), bootID: "e0f1", bootMilliseconds: 123_456)),
        ]
    }
}
