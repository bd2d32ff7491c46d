//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

/// As `JobStandingTableTests`, of a submitted job with a unique key: what only such a job meets, and what no longer moves one that left memory.
@Suite("every standing of a submitted job with every other entry about it")
struct SubmittedJobTableTests {
    /// Where the job stands before. Blocked is what waits behind another job of its unique key; bundled and gone are no standings any more.
    enum Start: String, CaseIterable {
        case blocked, scheduled, queued, suspected, running, cancelling, ended, bundled, gone
    }

    /// What an entry says of the job, of its key, or of what it counts in. `holderEnded`: the job before it has ended.
    enum Entry: CaseIterable {
        case replaced, replacedForLater, snoozed, expired, logged, acceptedAgain, bundlesForgotten, repeatsStored
        case holderEnded, keyFreed, keyStored, keyStoredBehind
        case loaderPaused, allPaused, workerPaused, limitChanged, tokensChanged, workerRegisteredAgain
    }

    /// Where each entry moves the job, a word for each start in the order of `Start`; behind a stroke why an entry moves nothing.
    static let table: [Entry: String] = [
        .replaced:
            "blocked queued queued suspected running/notWaiting cancelling/notWaiting "
            + "ended/ended bundled/unknown gone/unknown",
        .replacedForLater:
            "scheduled scheduled scheduled scheduled running/notWaiting cancelling/notWaiting "
            + "ended/ended bundled/unknown gone/unknown",
        .snoozed:
            "blocked/notRunning scheduled/notRunning queued/notRunning suspected/notRunning scheduled cancelling/notRunning ended/ended bundled/unknown gone/unknown",
        .expired: "ended ended ended ended running/noSuchEnd cancelling/noSuchEnd ended/ended bundled/unknown gone/unknown",
        .logged:
            "blocked/notRunning scheduled/notRunning queued/notRunning suspected/notRunning running cancelling ended/ended bundled/unknown gone/unknown",
        // A replay begins with rows of jobs that later rows end once more.
        .acceptedAgain: "blocked scheduled queued suspected running cancelling ended queued queued",
        .bundlesForgotten: "blocked scheduled queued suspected running cancelling ended gone gone",
        .repeatsStored: "blocked scheduled queued suspected running cancelling ended bundled gone",
        .holderEnded:
            "queued scheduled/unknown queued/unknown suspected/unknown running/unknown cancelling/unknown ended/unknown bundled/unknown "
            + "gone/unknown",
        .keyFreed: "blocked scheduled queued suspected running cancelling ended bundled gone",
        .keyStored: "blocked scheduled queued suspected running cancelling ended bundled gone",
        .keyStoredBehind: "blocked scheduled blocked suspected running cancelling ended bundled gone",
        .loaderPaused: "blocked scheduled queued suspected running cancelling ended bundled gone",
        .allPaused: "blocked scheduled queued suspected running cancelling ended bundled gone",
        .workerPaused: "blocked scheduled queued suspected running cancelling ended bundled gone",
        .limitChanged: "blocked scheduled queued suspected running cancelling ended bundled gone",
        .tokensChanged: "blocked scheduled queued suspected running cancelling ended bundled gone",
        .workerRegisteredAgain: "blocked scheduled queued suspected running cancelling ended bundled gone",
    ]

    private static let (before, job, worker, now) = (JobID(1), JobID(2), WorkerID(9), WallTime(milliseconds: 7))
    private static let key = UniqueKey("k", mode: .buffer)
    private static let options = JobOptions(limitKeys: [LimitKey("api")], uniqueKey: key)
    private static let changed = JobOptions(priority: 9, limitKeys: [LimitKey("other")], uniqueKey: key)
    private static let log = JobLog([LogLine(attempt: 1, at: now, text: "half done")])

    private static func accepted(_ id: JobID) -> JournalEntry {
        .jobsAccepted(
            JournalEntry.AcceptedJobs(
                first: id, acceptedAt: now, rankTime: 0, submitter: .front, loader: "slow", options: JobOptionsColumn(options),
                arguments: [[1]]))
    }

    private static func ended(_ id: JobID, _ state: JobState) -> JournalEntry {
        var ended = JournalEntry.EndedJobs(at: now)
        ended.append(id.rawValue, state)
        return .ended(ended)
    }

    private static func attemptEnded(_ ended: JournalEntry.EndedAttempt, _ cause: AttemptEndCause) -> JournalEntry {
        .attemptsEnded(JournalEntry.AttemptsEnded(jobs: [ended], cause: cause, lengthTime: 3))
    }

    private static func replaced(due: JobDue?) -> JournalEntry {
        .jobReplaced(JournalEntry.JobReplaced(job, changed, argument: [7, 7], rank: -5, due: due, lengthTime: 3))
    }

    private static func keyStored(isBehind: Bool) -> JournalEntry {
        .uniqueKeysStored(
            JournalEntry.UniqueKeysStored([TakenKey(job: job.rawValue, loader: "slow", key: key, fingerprint: 1, isBehind: isBehind)]))
    }

    private static func paused(_ target: PauseTarget) -> JournalEntry {
        .pauseChanged(JournalEntry.PauseChanged(target, JournalEntry.LastingPause(by: "test", reason: "", since: now)))
    }

    private static let registered: JournalEntry = {
        let loaders = [LoaderDeclaration(name: "slow")]
        let registration = WorkerMessage.Registration(name: "w", processID: 1, slots: 4, prefetch: 0, loaders: loaders)
        return .workerRegistered(JournalEntry.WorkerRegistered(worker, RegistrationNumber(1), registration))
    }()

    private static let bundled: JournalEntry = {
        var bundled = JournalEntry.EndedBundled(BundleNumber(1), .succeeded)
        (bundled.jobs, bundled.states) = ([job.rawValue], [.succeeded])
        return .endedBundled(bundled)
    }()

    private static func journalEntry(_ entry: Entry) -> JournalEntry {
        switch entry {
        case .replaced: return replaced(due: nil)
        case .replacedForLater: return replaced(due: .length(9))
        case .snoozed:
            let next = JournalEntry.EndedAttempt(
                job: job, attempts: 0, crashCount: 0, isSuspected: false, notBefore: 4, snoozeCount: 1)
            return attemptEnded(next, .snoozed)
        case .expired: return ended(job, .expired)
        case .logged:
            var logged = JournalEntry.JobsLogged()
            logged.append(job.rawValue, log)
            return .jobsLogged(logged)
        case .acceptedAgain: return accepted(job)
        case .bundlesForgotten: return .bundlesForgotten(JournalEntry.BundlesForgotten([BundleNumber(1)]))
        case .repeatsStored: return .repeatsStored(JournalEntry.RepeatsStored([job.rawValue], by: [3]))
        case .holderEnded: return ended(before, .cancelled)
        case .keyFreed: return .uniqueKeysFreed(JournalEntry.UniqueKeysFreed([job.rawValue], lengthTime: 3))
        case .keyStored: return keyStored(isBehind: false)
        case .keyStoredBehind: return keyStored(isBehind: true)
        case .loaderPaused: return paused(.loader("slow"))
        case .allPaused: return paused(.everything)
        case .workerPaused: return paused(.worker("w"))
        case .limitChanged: return .limitChanged(JournalEntry.LimitChanged("api", LimitRule(capacity: 1)))
        case .tokensChanged:
            return .tokensChanged(JournalEntry.TokensChanged([JournalEntry.TokenLevel(LimitKey("api"), level: 0, lengthTime: 3)]))
        case .workerRegisteredAgain: return registered
        }
    }

    /// A state in which the job stands so.
    private func state(_ start: Start) -> FrontState {
        var state = FrontState()
        state.apply(Self.registered)
        if start == .blocked { state.apply(Self.accepted(Self.before)) }
        state.apply(Self.accepted(Self.job))
        var granted = JournalEntry.GrantedJobs(worker: Self.worker, at: Self.now, isReregistration: false)
        (granted.jobs, granted.leases) = ([Self.job.rawValue], [40])
        let suspected = JournalEntry.EndedAttempt(job: Self.job, attempts: 1, crashCount: 1, isSuspected: true)
        let ends: [JournalEntry] = [.granted(granted), Self.ended(Self.job, .succeeded)]
        let steps: [JournalEntry] =
            switch start {
            case .blocked, .queued: []
            case .scheduled: [.jobDelayed(JournalEntry.JobDelayed(Self.job, .length(4), lengthTime: 3))]
            case .suspected: [.granted(granted), Self.attemptEnded(suspected, .workerLost)]
            case .running: [.granted(granted)]
            case .cancelling: [.granted(granted), .cancelRequested(JournalEntry.CancelRequested(Self.job, by: "test", at: Self.now))]
            case .ended: ends
            case .bundled: ends + [Self.bundled]
            case .gone: ends + [Self.bundled, Self.journalEntry(.bundlesForgotten)]
            }
        for step in steps { state.apply(step) }
        return state
    }

    private func stands(_ state: FrontState) -> String {
        let id = Self.job.rawValue
        guard state.jobs.contains(id) else { return state.jobs.state(of: id) == nil ? "gone" : "bundled" }
        return "\(state.jobs[id].standing)"
    }

    @Test("each standing with each entry", arguments: Start.allCases)
    func rows(start: Start) throws {
        let place = try #require(Start.allCases.firstIndex(of: start))
        for entry in Entry.allCases {
            let row = try #require(Self.table[entry]).split(separator: " ").map { String($0) }
            #expect(row.count == Start.allCases.count, "\(entry)")
            var state = state(start)
            #expect(stands(state) == start.rawValue)
            let before = state.jobs.refusals
            state.apply(Self.journalEntry(entry))
            let refused = JobRefusal.allCases.filter { state.jobs.refusals[$0] != before[$0] }.map { "/\($0)" }.joined()
            #expect(stands(state) + refused == row[place], "\(start) and \(entry)")
            check(state, entry, start, refused: !refused.isEmpty)
        }
    }

    /// What an entry has changed of the job beside where it stands: only where it was not refused, and nothing else does.
    private func check(_ state: FrontState, _ entry: Entry, _ start: Start, refused: Bool) {
        let (id, isKnown) = (Self.job.rawValue, state.jobs.contains(Self.job.rawValue))
        #expect(state.recountedBytes == state.bytes && state.limitsMiscount == nil && state.termsMiscount == nil, "\(start) and \(entry)")
        #expect(state.jobs.scheduler.refusals == 0, "\(start) and \(entry)")
        guard isKnown else { return }
        let record = state.jobs[id]
        let wasWaiting = [.blocked, .scheduled, .queued, .suspected].contains(start)
        let isReplaced = wasWaiting && (entry == .replaced || entry == .replacedForLater)
        #expect(state.jobs.argument(of: record) == (isReplaced ? [7, 7] : [1]), "\(start) and \(entry)")
        #expect((record.rank == -5) == isReplaced, "\(start) and \(entry)")
        #expect(state.jobs.terms(of: record).options.priority == (isReplaced ? 9 : 5), "\(start) and \(entry)")
        // It counts in the limits that it names, from its acceptance to its end.
        let counted = ["api", "other"].map { state.jobs.limits.jobCount(of: $0) }
        let own = record.state.isFinal ? 0 : 1
        let others = start == .blocked && entry != .holderEnded ? 1 : 0
        #expect(counted == [(isReplaced ? 0 : own) + others, isReplaced ? own : 0], "\(start) and \(entry)")
        #expect(state.jobs.totals.counts.waiting == UInt64(others + (record.state == .waiting ? 1 : 0)), "\(start) and \(entry)")
        #expect(record.snoozeCount == (entry == .snoozed && !refused ? 1 : 0) && record.isSnoozed == (record.snoozeCount > 0))
        #expect((state.jobs.runs.log(of: id) == Self.log) == (entry == .logged && !refused), "\(start) and \(entry)")
        #expect((record.state == .expired) == (entry == .expired && !refused), "\(start) and \(entry)")
        let due: JobDue? =
            switch entry {
            case .replacedForLater: .length(9)
            case .snoozed: .length(4)
            default: start == .scheduled ? .length(4) : nil
            }
        #expect(record.due == (record.standing == .scheduled ? due : nil), "\(start) and \(entry)")
        #expect(state.jobs.repeats.newest(of: id) == (entry == .repeatsStored ? JobID(3) : nil), "\(start) and \(entry)")
    }

    @Test("an acceptance that comes twice is taken once: its job does not wait behind itself", arguments: UniqueMode.allCases)
    func twice(mode: UniqueMode) {
        let options = JobOptions(uniqueKey: UniqueKey("k", mode: mode))
        let accepted = JournalEntry.jobsAccepted(
            JournalEntry.AcceptedJobs(
                first: Self.job, acceptedAt: Self.now, rankTime: 0, submitter: .front, loader: "slow", options: JobOptionsColumn(options),
                arguments: [[1]]))
        var state = FrontState()
        for _ in 0..<2 { state.apply(accepted) }
        #expect(state.jobs[Self.job.rawValue].standing == .queued && !state.jobs.keys.isBehind(Self.job.rawValue))
        #expect(state.keysMiscount == nil && state.recountedBytes == state.bytes && state.jobs.totals.counts.waiting == 1)
    }
}
