//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("every standing of a job with every entry about it")
struct JobStandingTableTests {
    /// What an entry says of the job.
    enum Entry: CaseIterable {
        case granted, grantedAgain, grantedToUnknown, returned, requeued, requeuedSuspected, cancelled, succeeded, quarantined, workerLost
        case termsChanged, failed, cancelledEnd, bundled, delayed, due, attemptFailed, acceptedAgain, storedWaiting, storedRunning
        case forgiven, culpritLost
    }

    /// Where each entry moves the job, in the order of `Entry`; nil: it leaves memory.
    static let table: [JobStanding: [JobStanding?]] = [
        .blocked: [
            .blocked, .blocked, .blocked, .blocked, .blocked, .blocked, .blocked, .blocked, .blocked, .blocked, .blocked, .ended, .ended,
            .blocked, .blocked, .blocked, .blocked, .blocked, .blocked, .running, .blocked, .blocked,
        ],
        .scheduled: [
            .scheduled, .scheduled, .scheduled, .scheduled, .scheduled, .scheduled, .scheduled, .scheduled, .scheduled, .scheduled,
            .scheduled, .ended, .ended, .scheduled, .scheduled, .queued, .scheduled, .scheduled, .queued, .running, .scheduled,
            .scheduled,
        ],
        .queued: [
            .running, .queued, .queued, .queued, .queued, .queued, .queued, .queued, .ended, .queued, .queued, .ended, .ended, .queued,
            .scheduled, .queued, .queued, .queued, .queued, .running, .queued, .suspected,
        ],
        .suspected: [
            .running, .suspected, .suspected, .suspected, .suspected, .suspected, .suspected, .suspected, .ended, .suspected, .suspected,
            .ended, .ended, .suspected, .scheduled, .suspected, .suspected, .suspected, .queued, .running, .queued, .suspected,
        ],
        .running: [
            .running, .running, .running, .queued, .queued, .suspected, .cancelling, .ended, .ended, .queued, .running, .ended, .ended,
            .running, .running, .running, .scheduled, .running, .queued, .running, .running, .suspected,
        ],
        .cancelling: [
            .cancelling, .cancelling, .cancelling, .cancelling, .cancelling, .cancelling, .cancelling, .cancelling, .cancelling, .queued,
            .cancelling, .cancelling, .ended, .cancelling, .cancelling, .cancelling, .cancelling, .cancelling, .queued, .running,
            .cancelling, .cancelling,
        ],
        .ended: Entry.allCases.map { $0 == .bundled ? nil : .ended },
    ]

    /// Why an entry moves nothing; nil: it moves the job, or is not about it.
    static func refusal(_ standing: JobStanding, _ entry: Entry) -> JobRefusal? {
        switch entry {
        // What is there is not accepted anew, and what a checkpoint stored is taken as it is: neither is refused.
        case .grantedToUnknown, .workerLost, .bundled, .acceptedAgain, .storedWaiting, .storedRunning: nil
        case _ where standing == .ended: .ended
        case .granted: [.queued, .suspected].contains(standing) ? nil : .notInLine
        case .grantedAgain: standing.isHeld ? nil : .notInLine
        case .returned, .requeued, .requeuedSuspected, .attemptFailed: standing == .running ? nil : .notRunning
        case .culpritLost: [.running, .queued, .suspected].contains(standing) ? nil : .notRunning
        case .cancelled: standing == .cancelling ? .cancelling : nil
        case .termsChanged, .forgiven: standing.isHeld ? .notWaiting : nil
        case .delayed: standing.isHeld || standing == .blocked ? .notWaiting : nil
        case .due: standing == .scheduled ? nil : .notScheduled
        case .succeeded: standing == .running ? nil : .noSuchEnd
        case .quarantined: [.running, .queued, .suspected].contains(standing) ? nil : .noSuchEnd
        case .failed: standing == .cancelling ? .noSuchEnd : nil
        case .cancelledEnd: nil
        }
    }

    /// Whether an entry is one that says where the job goes; others say where a checkpoint found it.
    private static func isMove(_ entry: Entry) -> Bool { ![.bundled, .acceptedAgain, .storedWaiting, .storedRunning].contains(entry) }

    @Test("where a job can go from each standing is where entries move it")
    func moves() {
        var met: [JobStanding: Set<JobStanding>] = [:]
        for (standing, row) in Self.table {
            for case (let entry, let next?) in zip(Entry.allCases, row) where Self.isMove(entry) && next != standing {
                met[standing, default: []].insert(next)
            }
        }
        for row in SubmittedJobTableTests.table.values {
            for (standing, word) in zip(JobStanding.allCases, row.split(separator: " ")) {
                guard let next = JobStanding.allCases.first(where: { "\($0)" == word }), next != standing else { continue }
                met[standing, default: []].insert(next)
            }
        }
        // One that is due is suspected or behind another where it was before it was scheduled: tests of retries and of keys meet that.
        met[.scheduled, default: []].formUnion([.suspected, .blocked])
        for standing in JobStanding.allCases { #expect(met[standing, default: []] == standing.moves, "\(standing)") }
    }

    static let (before, job, worker, now) = (JobID(1), JobID(2), WorkerID(9), WallTime(milliseconds: 7))

    /// Options that take more bytes, too.
    static let changed = JournalEntry.TermsChanged(job, JobOptions(priority: 9, tags: ["nightly"]), rank: -5)

    static let due = JobDue.length(4)

    static let key = FeedKey(name: "items", parameters: [])

    static func run(_ end: RunEnd) -> JobRun { JobRun(attempt: 1, worker: "w", startedAt: now, endedAt: now, end: end) }

    /// Whether an entry adds a run to a job that stands so.
    private static func addsRun(_ entry: Entry, to standing: JobStanding) -> Bool {
        switch entry {
        case .attemptFailed, .failed, .quarantined, .cancelledEnd: refusal(standing, entry) == nil
        default: false
        }
    }

    static func accepted(_ id: JobID, _ key: FeedKey) -> JournalEntry {
        .feedJobAccepted(JournalEntry.FeedJob(job: id, key: key, operation: .load, loader: "slow", acceptedAt: now))
    }

    private func journalEntry(_ entry: Entry) throws -> JournalEntry {
        func granted(to worker: WorkerID, again: Bool = false) -> JournalEntry {
            var granted = JournalEntry.GrantedJobs(worker: worker, at: Self.now, isReregistration: again)
            (granted.jobs, granted.leases) = ([Self.job.rawValue], [40])
            return .granted(granted)
        }
        func attemptEnded(_ cause: AttemptEndCause, _ isSuspected: Bool = false) -> JournalEntry {
            let ended = JournalEntry.EndedAttempt(job: Self.job, attempts: 1, crashCount: 1, isSuspected: isSuspected)
            return .attemptsEnded(JournalEntry.AttemptsEnded(jobs: [ended], cause: cause))
        }
        func attemptFailed() -> JournalEntry {
            var failed = JournalEntry.AttemptsEnded(cause: .failed, lengthTime: 3)
            failed.append(
                FailedAttempt(
                    next: JournalEntry.EndedAttempt(job: Self.job, attempts: 1, crashCount: 1, isSuspected: false, notBefore: 4),
                    failure: Failure(code: .unreachable, text: "no answer", retryable: true)))
            failed.runs = [Indexed(index: 0, value: Self.run(.failed))]
            return .attemptsEnded(failed)
        }
        func ended(_ state: JobState) -> JournalEntry {
            var ended = JournalEntry.EndedJobs(at: Self.now)
            ended.append(Self.job.rawValue, state)
            if state != .succeeded { ended.runs = [Indexed(index: 0, value: Self.run(.cancelled))] }
            return .ended(ended)
        }
        func bundled() -> JournalEntry.EndedBundled {
            var bundled = JournalEntry.EndedBundled(BundleNumber(1), .succeeded)
            (bundled.jobs, bundled.states) = ([Self.job.rawValue], [.succeeded])
            return bundled
        }
        return switch entry {
        case .granted: granted(to: Self.worker)
        case .grantedAgain: granted(to: Self.worker, again: true)
        case .grantedToUnknown: granted(to: WorkerID(99))
        case .returned: attemptEnded(.returned)
        case .requeued: attemptEnded(.workerLost)
        case .requeuedSuspected: attemptEnded(.workerLost, true)
        case .cancelled: .cancelRequested(JournalEntry.CancelRequested(Self.job, by: "test", at: Self.now))
        case .succeeded: ended(.succeeded)
        case .quarantined: ended(.quarantined)
        case .workerLost: .workerLost(JournalEntry.WorkerLost(Self.worker))
        case .termsChanged: .termsChanged(Self.changed)
        case .failed: ended(.failed)
        case .cancelledEnd: ended(.cancelled)
        case .bundled: .endedBundled(bundled())
        case .delayed: .jobDelayed(JournalEntry.JobDelayed(Self.job, Self.due, lengthTime: 3))
        case .acceptedAgain: Self.accepted(Self.job, try #require(Self.key))
        case .storedWaiting: try #require(state(.queued).jobs.entries(of: [Self.job.rawValue]).last)
        case .storedRunning: try #require(state(.running).jobs.entries(of: [Self.job.rawValue]) { _ in Self.worker }.last)
        case .due: .jobsDue(JournalEntry.JobsDue([Self.job.rawValue], rankTime: 300_005, lengthTime: 4))
        case .attemptFailed: attemptFailed()
        case .forgiven: .crashesForgiven(JournalEntry.CrashesForgiven(Self.job))
        case .culpritLost: attemptEnded(.culprit, true)
        }
    }

    /// A state in which the job stands so.
    private func state(_ standing: JobStanding) throws -> FrontState {
        var state = FrontState()
        let registration = WorkerMessage.Registration(
            name: "w", processID: 1, slots: 4, prefetch: 0, loaders: [LoaderDeclaration(name: "slow")])
        state.apply(.workerRegistered(JournalEntry.WorkerRegistered(Self.worker, RegistrationNumber(1), registration)))
        let key = try #require(Self.key)
        for id in [Self.before, Self.job] where id == Self.job || standing == .blocked {
            state.apply(Self.accepted(id, key))
        }
        let steps: [Entry] =
            switch standing {
            case .blocked, .queued: []
            case .scheduled: [.delayed]
            case .suspected: [.granted, .requeuedSuspected]
            case .running: [.granted]
            case .cancelling: [.granted, .cancelled]
            case .ended: [.granted, .succeeded]
            }
        for step in steps { state.apply(try journalEntry(step)) }
        return state
    }

    @Test("each standing with each entry", arguments: JobStanding.allCases)
    func rows(standing: JobStanding) throws {
        let row = try #require(Self.table[standing])
        #expect(row.count == Entry.allCases.count)
        // No checkpoint stores a job as alive behind its end: its slices come before all rows.
        let isStored: [Entry] = standing == .ended ? [.storedWaiting, .storedRunning] : []
        for (entry, expected) in zip(Entry.allCases, row) where !isStored.contains(entry) {
            var state = try state(standing)
            #expect(state.jobs[Self.job.rawValue].standing == standing)
            let before = state.jobs.refusals
            state.apply(try journalEntry(entry))
            let refused = JobRefusal.allCases.filter { state.jobs.refusals[$0] != before[$0] }
            #expect(refused == (Self.refusal(standing, entry).map { [$0] } ?? []), "\(standing) and \(entry)")
            #expect(refused.allSatisfy { state.jobs.refusals[$0] == (before[$0] ?? 0) + 1 }, "\(standing) and \(entry): once")
            guard let expected else {
                #expect(!state.jobs.contains(Self.job.rawValue) && state.jobs.state(of: Self.job.rawValue) == .succeeded)
                continue
            }
            let record = state.jobs[Self.job.rawValue]
            #expect(record.standing == expected, "\(standing) and \(entry)")
            // Its state says the same, and it is counted where it stands and nowhere else.
            let counts = state.jobs.totals.counts
            #expect(counts.scheduled == (expected == .scheduled ? 1 : 0), "\(standing) and \(entry)")
            #expect(record.due == (expected == .scheduled ? Self.due : nil) && state.jobs.scheduled.count == Int(counts.scheduled))
            let waiting = [.blocked, .queued, .suspected].contains(expected)
            let others: UInt64 = standing == .blocked ? 1 : 0
            #expect(record.state.isFinal == (expected == .ended) && (record.state == .waiting) == waiting, "\(standing) and \(entry)")
            #expect(counts.waiting == (waiting ? 1 : 0) + others, "\(standing) and \(entry)")
            #expect(counts.running == (expected == .running ? 1 : 0), "\(standing) and \(entry)")
            #expect(counts.cancelling == (expected == .cancelling ? 1 : 0), "\(standing) and \(entry)")
            let isHeld = expected == .running || expected == .cancelling
            #expect(state.jobs.heldJobs(by: 0) == (isHeld ? [Self.job.rawValue] : []), "\(standing) and \(entry)")
            #expect((record.lease != 0) == isHeld || expected == .ended, "\(standing) and \(entry)")
            #expect(state.recountedBytes == state.bytes, "\(standing) and \(entry)")
            let runs = state.jobs.runs[Self.job.rawValue]?.newest ?? []
            #expect(runs.count == (Self.addsRun(entry, to: standing) ? 1 : 0), "\(standing) and \(entry)")
            let failsToGoOn = entry == .attemptFailed && standing == .running
            #expect((state.jobs.runs.live.runByteCount > 0) == failsToGoOn, "\(standing) and \(entry)")
            #expect((state.jobs.failure(of: Self.job.rawValue) != nil) == failsToGoOn)
            // How a job is run changes only while it waits, in its record and beside it, and nothing else changes that.
            let isChanged = entry == .termsChanged && (waiting || expected == .scheduled)
            let beside = state.jobs.keyLines[Self.job.rawValue]?.job
            #expect((record.rank == -5) == isChanged && (beside?.rank == -5) == isChanged, "\(standing) and \(entry)")
            let options = isChanged ? Self.changed.options : JobOptions()
            #expect(state.jobs.terms(of: record).options == options && beside?.options == options, "\(standing) and \(entry)")
            #expect(state.jobs.terms.miscount(in: state.jobs.slab) == nil, "\(standing) and \(entry)")
        }
    }

    /// Where each entry moves a job that left memory, in the order of `Entry`; nil: nowhere. What says that it was accepted, or stored, makes it
    /// anew: rows behind that one end it again.
    static let tableOfLeft: [JobStanding?] =
        Array(repeating: nil, count: 15) + [nil, nil, .queued, .queued, .running, nil, nil]

    @Test("each entry about a job in a bundle, or about one that is forgotten", arguments: [false, true])
    func left(isForgotten: Bool) throws {
        #expect(Self.tableOfLeft.count == Entry.allCases.count)
        for (entry, expected) in zip(Entry.allCases, Self.tableOfLeft) {
            var state = try state(.ended)
            state.apply(try journalEntry(.bundled))
            if isForgotten { state.apply(.bundlesForgotten(JournalEntry.BundlesForgotten([BundleNumber(1)]))) }
            state.apply(try journalEntry(entry))
            let isNamed = ![.grantedToUnknown, .workerLost, .bundled].contains(entry) && expected == nil
            #expect(state.jobs.refusals == (isNamed ? [.unknown: 1] : [:]), "\(entry)")
            let id = Self.job.rawValue
            #expect((state.jobs.contains(id) ? state.jobs[id].standing : nil) == expected, "\(entry)")
            // What a bundle has is known for as long as it is, and then not any more.
            let isBundled = !isForgotten || entry == .bundled
            #expect(expected != nil || state.jobs.state(of: id) == (isBundled ? .succeeded : nil), "\(entry)")
            #expect(state.recountedBytes == state.bytes && state.jobs.terms.miscount(in: state.jobs.slab) == nil, "\(entry)")
        }
    }

    @Test("a blocked job is queued as soon as the one before it has ended")
    func unblocked() throws {
        var state = try state(.blocked)
        var ended = JournalEntry.EndedJobs(at: Self.now)
        ended.append(Self.before.rawValue, .cancelled)
        state.apply(.ended(ended))
        #expect(state.jobs[Self.job.rawValue].standing == .queued)
        #expect(state.jobs.keyLines[Self.job.rawValue].flatMap { state.jobs.keyLines.first(ofLineOf: $0.job) } == Self.job)
    }

    @Test("what is said of a job that is not there, or that a checkpoint has with it, is refused by name")
    func notThere() throws {
        var state = FrontState()
        state.apply(try journalEntry(.succeeded))
        #expect(state.jobs.refusals == [.unknown: 1])
        let registration = WorkerMessage.Registration(
            name: "w", processID: 1, slots: 4, prefetch: 0, loaders: [LoaderDeclaration(name: "slow")])
        state.restore(
            .workerRegistered(JournalEntry.WorkerRegistered(Self.worker, RegistrationNumber(1), registration)), of: TurnNumber(7),
            isSlice: true)
        for stored in try self.state(.running).jobs.entries(of: [Self.job.rawValue]) {
            state.restore(stored, of: TurnNumber(7), isSlice: true)
        }
        state.restore(try journalEntry(.succeeded), of: TurnNumber(7), isSlice: false)
        #expect(state.jobs.refusals == [.unknown: 1, .stored: 1])
        #expect(state.jobs.isAlive(Self.job.rawValue))
    }

    @Test("a job that is cancelled twice keeps who asked first")
    func cancelledTwice() throws {
        var state = try state(.cancelling)
        state.apply(.cancelRequested(JournalEntry.CancelRequested(Self.job, by: "second", at: Self.now)))
        #expect(state.jobs.cancels[Self.job.rawValue]?.requestedBy == "test")
    }
}
