//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("A state and its replay are compared in all that entries make")
struct AgreementTests {
    private static let (worker, now) = (WorkerID(9), WallTime(milliseconds: 7))
    private static let (waiting, running, failed, feedJob) = (JobID(1), JobID(2), JobID(3), JobID(4))
    private static let key = FeedKey(name: "items", parameters: [])

    private static func accepted(
        _ job: JobID, _ options: JobOptions = JobOptions(), _ change: (inout JournalEntry.AcceptedJobs) -> Void = { _ in }
    ) -> JournalEntry {
        var accepted = JournalEntry.AcceptedJobs(
            first: job, acceptedAt: now, rankTime: 5, submitter: .session(SessionID(8)), loader: "slow", options: JobOptionsColumn(options),
            arguments: [[1]])
        change(&accepted)
        return .jobsAccepted(accepted)
    }

    private static func feedJob(_ change: (inout JournalEntry.FeedJob) -> Void = { _ in }) -> JournalEntry? {
        guard let key else { return nil }
        var job = JournalEntry.FeedJob(job: feedJob, key: key, operation: .create, loader: "list", acceptedAt: now)
        job.item = [1, 2]
        change(&job)
        return .feedJobAccepted(job)
    }

    private static func granted(_ jobs: [JobID], from lease: UInt64) -> JournalEntry {
        var granted = JournalEntry.GrantedJobs(worker: worker, at: now)
        (granted.jobs, granted.leases) = (jobs.map(\.rawValue), jobs.indices.map { lease + UInt64($0) })
        return .granted(granted)
    }

    private static func ended(_ job: JobID, _ state: JobState, _ change: (inout JournalEntry.EndedJobs) -> Void = { _ in }) -> JournalEntry
    {
        var ended = JournalEntry.EndedJobs(at: now)
        ended.append(job.rawValue, state)
        change(&ended)
        return .ended(ended)
    }

    private static func attempt(_ cause: AttemptEndCause, _ change: (inout JournalEntry.EndedAttempt) -> Void) -> JournalEntry {
        var attempt = JournalEntry.EndedAttempt(job: running, attempts: 1, crashCount: 0, isSuspected: false, notBefore: 40)
        change(&attempt)
        return .attemptsEnded(JournalEntry.AttemptsEnded(jobs: [attempt], cause: cause, lengthTime: 3))
    }

    private static func registered(_ id: WorkerID, name: String = "w") -> JournalEntry {
        let registration = WorkerMessage.Registration(
            name: name, processID: 1, slots: 4, prefetch: 0, loaders: [LoaderDeclaration(name: "slow")])
        return .workerRegistered(JournalEntry.WorkerRegistered(id, RegistrationNumber(1), registration))
    }

    /// A state with a job of each kind: one that waits, one that runs, one that has failed, one of a feed.
    private static func state(_ more: [JournalEntry] = []) -> FrontState {
        var state = FrontState()
        let limits = JournalEntry.limitChanged(JournalEntry.LimitChanged("api", LimitRule(capacity: 2)))
        let entries = [
            .sessionOpened(JournalEntry.SessionOpened(SessionID(8), label: "test", client: "test")), registered(worker), limits,
            accepted(waiting, JobOptions(limitKeys: [LimitKey("api")])), accepted(running), accepted(failed),
            granted([running, failed], from: 40), ended(failed, .failed),
        ]
        for entry in entries + [feedJob()].compactMap(\.self) + more { state.apply(entry) }
        return state
    }

    private func expectDifference(_ own: FrontState, _ other: FrontState, _ what: String) {
        #expect(DurableImage.disagreement(own, other, marks: [:], withJobs: true, isSameEpoch: true) != nil, "\(what)")
        #expect(own.image.difference(from: other.image, withJobs: true, isSameEpoch: true) != nil, "\(what), in words")
    }

    @Test("states that the same entries made agree")
    func same() {
        let (own, other) = (Self.state(), Self.state())
        #expect(DurableImage.disagreement(own, other, marks: [:], withJobs: true, isSameEpoch: true) == nil)
        #expect(own.image.difference(from: other.image, withJobs: true, isSameEpoch: true) == nil)
    }

    @Test("an entry that one of both lacks is seen")
    func lacking() throws {
        let key = try #require(Self.key)
        let pause = JournalEntry.LastingPause(by: "test", reason: "", since: Self.now)
        var log = JournalEntry.JobsLogged()
        log.append(Self.running.rawValue, JobLog([LogLine(attempt: 1, at: Self.now, text: "half")]))
        let entries: [(String, JournalEntry)] = [
            ("terms", .termsChanged(JournalEntry.TermsChanged(Self.waiting, JobOptions(priority: 9), rank: -5))),
            ("delay", .jobDelayed(JournalEntry.JobDelayed(Self.waiting, .length(40), lengthTime: 0))),
            ("requeued", Self.attempt(.workerLost) { $0.notBefore = 0 }), ("retried", Self.attempt(.failed) { _ in }),
            ("cancel", .cancelRequested(JournalEntry.CancelRequested(Self.running, by: "test", at: Self.now))),
            ("end", Self.ended(Self.running, .succeeded)), ("lines", .jobsLogged(log)), ("grant", Self.granted([Self.waiting], from: 50)),
            ("repeats", .repeatsStored(JournalEntry.RepeatsStored([Self.failed.rawValue], by: [9]))),
            ("reserved ids", .idsReserved(JournalEntry.IDsReserved(jobs: JobID(900), leases: LeaseID(900)))),
            ("pause", .pauseChanged(JournalEntry.PauseChanged(.loader("slow"), pause))),
            ("group", .pauseChanged(JournalEntry.PauseChanged(.group("shop"), pause))),
            ("limit", .limitChanged(JournalEntry.LimitChanged("api", LimitRule(capacity: 3)))),
            ("offer", .loadersOffered(JournalEntry.LoadersOffered([JournalEntry.OfferedLoader("slow", at: Self.now)]))),
            ("session", .sessionOpened(JournalEntry.SessionOpened(SessionID(11), label: "other"))),
            ("worker", Self.registered(WorkerID(10), name: "v")),
            ("feed", .feedChanged(JournalEntry.FeedChanged(FeedState(key: key), isAskedFor: true))),
            ("acceptance", Self.accepted(JobID(5))),
        ]
        for (name, entry) in entries { expectDifference(Self.state([entry]), Self.state(), name) }
    }

    @Test("a number or a text of an entry that is another in one of both is seen")
    func other() throws {
        let unique = JobOptions(uniqueKey: UniqueKey("k"))
        let timed = JobOptions(totalTimeout: .seconds(60))
        let pairs: [(String, JournalEntry, JournalEntry)] = [
            ("session", Self.accepted(JobID(5)), Self.accepted(JobID(5)) { $0.submitter = .session(SessionID(11)) }),
            ("time", Self.accepted(JobID(5)), Self.accepted(JobID(5)) { $0.acceptedAt = WallTime(milliseconds: 8) }),
            ("argument", Self.accepted(JobID(5)), Self.accepted(JobID(5)) { $0.arguments = [[2]] }),
            ("loader", Self.accepted(JobID(5)), Self.accepted(JobID(5)) { $0.loader = "noop" }),
            ("outcome", Self.accepted(JobID(5)), Self.accepted(JobID(5)) { $0.reportsOutcomes = true }),
            ("options", Self.accepted(JobID(5)), Self.accepted(JobID(5), JobOptions(tags: ["night"]))),
            ("total time", Self.accepted(JobID(5), timed) { $0.lengthTime = 1 }, Self.accepted(JobID(5), timed) { $0.lengthTime = 2 }),
            ("key", Self.accepted(JobID(5), unique) { $0.fingerprint = 1 }, Self.accepted(JobID(5), unique) { $0.fingerprint = 2 }),
            ("repeats", Self.accepted(JobID(5)), Self.accepted(JobID(5)) { $0.repeats = [Indexed(index: 0, value: Self.failed)] }),
            ("snooze", Self.attempt(.snoozed) { $0.snoozeCount = 1 }, Self.attempt(.snoozed) { $0.snoozeCount = 2 }),
            ("crashes", Self.attempt(.workerLost) { _ in }, Self.attempt(.workerLost) { $0.crashCount = 1 }),
            ("suspicion", Self.attempt(.workerLost) { _ in }, Self.attempt(.workerLost) { $0.isSuspected = true }),
            ("not before", Self.attempt(.failed) { _ in }, Self.attempt(.failed) { $0.notBefore = 41 }),
            ("result", Self.ended(Self.running, .succeeded), Self.ended(Self.running, .succeeded) { $0.results = [[1]] }),
            (
                "failure", Self.ended(Self.running, .failed),
                Self.ended(Self.running, .failed) { $0.failures = [Indexed(index: 0, value: Failure(code: .timedOut, text: "x"))] }
            ),
        ]
        for (name, one, two) in pairs { expectDifference(Self.state([one]), Self.state([two]), name) }
    }

    @Test("what a job does for a feed is compared, whatever of it differs")
    func feedJobs() throws {
        let changes: [(inout JournalEntry.FeedJob) -> Void] = [
            { $0.item = [1, 3] }, { $0.operation = .update }, { $0.repeats = JobID(2) }, { $0.repeatedBy = JobID(9) },
            { $0.cause = .retry },
            { $0.view = "mine" }, { $0.itemID = "7" }, { $0.sort = SortOrder(field: "title") }, { $0.filter = "tea" },
            { $0.requests = [.filter] }, { $0.previousItemID = "6" }, { $0.delayedSince = 0 },
        ]
        let plain = try #require(Self.feedJob())
        for (index, change) in changes.enumerated() {
            var (own, other) = (FrontState(), FrontState())
            own.apply(plain)
            other.apply(try #require(Self.feedJob(change)))
            expectDifference(own, other, "change \(index)")
        }
    }
}
