//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import GantryPlatform
import StateFormatting

extension FrontStatus {
    /// A wait of so long is looked into: a shorter one is usual where all slots are taken.
    fileprivate static let longWait = Duration.seconds(10)

    /// The command that helps most now; it asks the same front.
    var next: String { steps[0] }

    /// What helps, most urgent first: what keeps the front from its work, then what keeps jobs from theirs, then what has failed and nobody has
    /// looked at yet. Never empty.
    var steps: [String] {
        let all = [storageStep, returningStep].compactMap { $0 } + waitSteps + [deadStep, oldestStep].compactMap { $0 }
        return (all.isEmpty ? ["gantry watch"] : all).map { AdvisedCommand.placing(place, in: $0) }
    }

    private var storageStep: String? {
        if front.storage != .ok { return "free some disk space; nothing accepted is lost" }
        return isAlmostFull ? "free some disk space; without it loads, sorts and saves fail with \(FailureCode.storageFull)" : nil
    }

    private var returningStep: String? {
        returning > 0 ? "wait some seconds until all workers have registered again, then gantry status" : nil
    }

    /// What keeps waiting jobs from being granted, of which somebody knows what to do. What is not known yet is not advised on.
    private var waitSteps: [String] {
        guard returning == 0 else { return [] }
        // Jobs that wait for their time, or that a lost worker still seems to run, will want one too.
        let isEmpty = workers.allSatisfy { $0.state == .silent }
        if isEmpty, counts.waiting + counts.scheduled + counts.running + counts.cancelling > 0 { return [Self.workerStep] }
        guard counts.waiting > 0 else { return [] }
        var steps: [String] = []
        if workers.allSatisfy({ $0.state != .live }) {
            steps.append("gantry worker run")
        } else if let next = unoffered.next, !pauses.contains(where: { $0.target == .everything }) {
            steps.append(next)
        }
        return steps + pauses.filter { findings.holding.contains($0.target) }.map(\.target.resumeCommand)
    }

    /// Nobody takes jobs: the workers of `gantry up` have ended with it.
    static let workerStep = "no worker is registered: gantry worker run, or start gantry up again"

    private var deadStep: String? { failures.isEmpty ? nil : "gantry job dead" }

    /// A job that waits for long though nothing above says why.
    private var oldestStep: String? {
        guard waitSteps.isEmpty, returning == 0, (oldestWait ?? .zero) > Self.longWait else { return nil }
        return findings.oldest.map { "gantry job explain \($0)" } ?? "gantry job list --state waiting"
    }

    /// Failed and quarantined jobs that none repeats, by code, most first: as many as `job dead` has.
    var failures: [FailureCount] { findings.dead?.failures(counts.failures) ?? counts.failures }

    /// The same for people, with how many are left out.
    var failureLine: String {
        let shown = failures.isEmpty ? "none" : failures.map { "\($0.code) \($0.count)" }.joined(separator: ", ")
        let (count, bound) = (findings.dead?.repeatedCount ?? 0, repeatedAmong.map { " among the newest \($0)" } ?? "")
        guard count > 0 else { return bound.isEmpty ? shown : "\(shown) (none\(bound) has been retried)" }
        return "\(shown) (\(count)\(failures.isEmpty ? "" : " more")\(bound) \(count == 1 ? "has" : "have") been retried)"
    }

    /// How many of the newest jobs were looked at for those that others repeat; nil: all.
    var repeatedAmong: UInt64? { findings.dead.flatMap { $0.isWhole ? nil : $0.lookedAt } }
}

extension PauseTarget {
    /// What ends a pause of it.
    fileprivate var resumeCommand: String {
        switch self {
        case .everything: "gantry loader resume --all"
        case .loader(let name): "gantry loader resume \(ShellWord.of(name))"
        case .group(let name): "gantry loader resume --group \(ShellWord.of(name))"
        case .worker(let name): "gantry worker resume \(ShellWord.of(name))"
        }
    }
}

/// What the front is asked for an advice, beside what its topics tell.
struct StatusFindings: Sendable {
    /// Pauses that keep a waiting job from being granted: whoever paused what has no jobs wants no advice to resume it.
    var holding: Set<PauseTarget> = []
    /// Failed and quarantined jobs, without those that others repeat: somebody has looked at those. Nil: they were not looked at.
    var dead: DeadCauses?
    /// The job that has waited longest.
    var oldest: JobID?

    /// Pages that one question takes: so an advice costs no more however many jobs there are, and what is not found by then is not advised on.
    private static let pages = 4

    /// Pauses, and loaders of a paused worker, that are asked about: whoever paused hundreds waits for no advice on each.
    private static let asked = 16

    /// Failed jobs, and as many quarantined ones, that are looked at: of a hundred thousand each look would take seconds.
    private static let deadLimit: UInt64 = 20_000

    /// Nothing was found.
    init(holding: Set<PauseTarget> = [], dead: DeadCauses? = nil, oldest: JobID? = nil) {
        (self.holding, self.dead, self.oldest) = (holding, dead, oldest)
    }

    /// Asks the front, as far as an answer may matter.
    init(_ client: GantryClient, _ counts: JobCounts, _ pauses: [Pause], _ workers: [WorkerSummary]) async throws {
        if counts.waiting > 0 {
            for pause in pauses.prefix(Self.asked) where try await Self.holds(pause.target, client, workers) {
                holding.insert(pause.target)
            }
            let now = WallTime(milliseconds: SystemClock.wallMilliseconds())
            if holding.isEmpty, let time = counts.oldestWaiting, now.duration(since: time) > FrontStatus.longWait {
                let query = JobQuery(state: .waiting, changedBefore: time.advanced(by: .milliseconds(1)), limit: 1)
                oldest = try await Self.first(query, client) { _ in true }?.id
            }
        }
        if !counts.failures.isEmpty { dead = try await DeadCauses(JobQuery(), client, limit: Self.deadLimit) }
    }

    /// Whether a waiting job would be granted but for a pause.
    private static func holds(_ target: PauseTarget, _ client: GantryClient, _ workers: [WorkerSummary]) async throws -> Bool {
        switch target {
        case .everything: return true
        case .loader(let name):
            return try await first(JobQuery(state: .waiting, loader: name, limit: 1), client) { _ in true } != nil
        case .group:
            return try await first(JobQuery(state: .waiting, limit: 1_000), client) { job in
                if case .paused(let pause) = job.waitReason { return pause.target == target }
                return false
            } != nil
        case .worker(let name):
            // Where others offer the loader too, its jobs wait for them while this one has room.
            for loader in Set(workers.filter { $0.name == name }.flatMap(\.loaders)).sorted().prefix(asked) {
                let job = try await first(JobQuery(state: .waiting, loader: loader, limit: 100), client) { job in
                    if case .paused(let pause) = job.waitReason { return !pause.target.worker.isEmpty }
                    return job.waitReason == .slotsTaken
                }
                if job != nil { return true }
            }
            return false
        }
    }

    /// The first job of a query of which that is so, in the pages that a question takes.
    private static func first(
        _ query: JobQuery, _ client: GantryClient, where isMeant: (JobSummary) -> Bool
    ) async throws -> JobSummary? {
        var query = query
        for _ in 0..<pages {
            let page = try await client.listJobs(query)
            if let job = page.jobs.first(where: isMeant) { return job }
            guard let next = page.next else { return nil }
            query.before = next
        }
        return nil
    }
}

extension DeadCauses {
    /// Jobs of one page.
    private static let pageCount: UInt32 = 1_000

    /// Looks at failed and quarantined jobs, newest first: what `job dead` and `status` say of them comes from here, so that they say the same.
    /// - Parameters:
    ///   - query: Which jobs; its state, limit and cursor count for nothing.
    ///   - limit: How many jobs of each of the two states are looked at, about; nil: all of them.
    init(_ query: JobQuery, _ client: GantryClient, limit: UInt64? = nil) async throws(ClientError) {
        self.init()
        for state in [JobState.failed, .quarantined] {
            var page = query
            (page.state, page.limit, page.before) = (state, Self.pageCount, nil)
            let start = lookedAt
            repeat {
                let listed = try await client.listJobs(page)
                for job in listed.jobs { add(job) }
                page.before = listed.next
                if let limit, page.before != nil, lookedAt - start >= limit {
                    isWhole = false
                    break
                }
            } while page.before != nil
        }
    }
}
