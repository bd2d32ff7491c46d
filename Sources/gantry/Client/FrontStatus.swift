//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import GantryPlatform
import GantrySettings
import StateFormatting

/// Whether all is well, at one glance.
struct FrontStatus: Sendable {
    let front: FrontSummary
    let counts: JobCounts
    let workers: [WorkerSummary]
    /// What is paused.
    let pauses: [Pause]
    /// What was asked beside the topics.
    let findings: StatusFindings
    /// Bytes that are free where the front has its objects; nil: not known.
    let freeByteCount: Int64?
    /// The options that name the front.
    var place: [String] = []
    let now = WallTime(milliseconds: SystemClock.wallMilliseconds())

    /// Below so much the disk is called almost full. The front itself says so only when its journal cannot grow, which may have room in its
    /// files; loads, sorts and saves, which write new ones of up to some MiB, fail before.
    private static let littleByteCount: Int64 = 16 << 20

    init(
        front: FrontSummary, counts: JobCounts, workers: [WorkerSummary], pauses: [Pause] = [],
        findings: StatusFindings = StatusFindings(), freeByteCount: Int64?
    ) {
        (self.front, self.counts, self.workers, self.freeByteCount) = (front, counts, workers, freeByteCount)
        (self.pauses, self.findings) = (pauses, findings)
    }

    /// Asks the front, and the disk of its data folder.
    init(_ client: GantryClient, folder: DataFolder) async throws {
        guard let front = try await client.current(.front).frontSummary else {
            throw ClientError(.notFound, "the front says nothing of itself")
        }
        let counts = try await client.current(.jobs).counts ?? JobCounts()
        let workers = try await client.current(.workers).workers
        let pauses = try await client.current(.pauses).pauses
        self.init(
            front: front, counts: counts, workers: workers, pauses: pauses,
            findings: try await StatusFindings(client, counts, pauses, workers),
            freeByteCount: FreeSpace.byteCount(at: folder.objects))
    }

    /// Jobs that nobody can run, but for those that paused workers could.
    var unoffered: UnofferedJobs {
        let paused = Set(pauses.map(\.target.worker))
        return UnofferedJobs(counts, besides: Set(workers.filter { paused.contains($0.name) }.flatMap(\.loaders)))
    }

    /// How long after its start a front workers of the epoch before may take to register again: a lease and its grace.
    private static let registering = Duration.milliseconds(5_500)

    /// Workers that have not registered yet with a front that has just started: what they offer is not known.
    var returning: Int {
        now.duration(since: front.startedAt) < Self.registering ? workers.count { $0.state == .silent } : 0
    }

    var isAlmostFull: Bool { freeByteCount.map { $0 < Self.littleByteCount } ?? false }

    /// What the front says of its journal, and what is free where that is little.
    private var storage: String {
        guard isAlmostFull, let freeByteCount else { return front.storage.rawValue }
        return "\(front.storage), only \(freeByteCount >> 20) MiB free"
    }

    var oldestWait: Duration? { counts.oldestWaiting.map { max(.zero, now.duration(since: $0)) } }

    /// The shape `status`.
    var json: JSONValue { Self.shape.json(self) }

    static let shape = JSONShape<FrontStatus>(
        "status", "Whether all is well, at one glance.",
        [
            .always("front", .shape(FrontSummary.shape), "The front.") { $0.front },
            .always("counts", .shape(JobCounts.shape), "Its jobs by state.") { $0.counts },
            .sometimes("oldestWaitSeconds", .number, "How long the oldest waiting job has waited.") { $0.oldestWait?.inSeconds },
            .always("workers", .list(of: .shape(ListedWorker.shape)), "Its workers.") { ListedWorker.all($0.workers, paused: $0.pauses) },
            .always(
                "unoffered", .list(of: .inline(LoaderCount.shape)),
                "Waiting jobs whose loader no registered worker offers, by loader, most first; of further loaders `counts` has the number."
            ) { $0.counts.unoffered },
            .always(
                "failures", .list(of: .inline(FailureCount.shape)),
                "Failed and quarantined jobs that are still known and that none repeats, by code, most first."
            ) { $0.failures },
            .always("repeated", .count, "Failed and quarantined jobs that others repeat, which `failures` leaves out.") {
                $0.findings.dead?.repeatedCount ?? 0
            },
            .sometimes(
                "repeatedAmong", .count, "Where there are too many to look at all: how many of the newest those were looked for among."
            ) { $0.repeatedAmong },
            .always("pauses", .list(of: .shape(Pause.shape)), "What is paused.") { $0.pauses },
            .always("nextStep", .text, "What helps most now: a command, or what to do and a command that shows more.") { $0.next },
            .always("nextSteps", .list(of: .text), "All that helps, what helps most first.") { $0.steps },
        ])

    /// Registered workers that get no jobs since they are paused by their names.
    private var pausedWorkers: Int {
        ListedWorker.all(workers, paused: pauses).count { $0.pause != nil && $0.worker.state != .silent }
    }

    /// Five lines for people, one more where jobs wait that nobody can run, and one for each pause, each action with many jobs, and each further advice.
    /// - Parameter isShort: whether to leave out states that no job is in.
    func text(isShort: Bool) -> String {
        // Those of a silent worker are nobody's: it may be dead, and gets nothing before it is heard again.
        let present = workers.filter { $0.state != .silent }
        let taken = present.reduce(0) { $0 + $1.slotsTaken }
        let slots = present.reduce(0) { $0 + $1.slots }
        let live = workers.filter { $0.state == .live }.count
        let draining = workers.filter { $0.state == .draining }.count
        let shownDraining = draining == 0 ? "" : ", \(draining) draining"
        let shownWait = oldestWait.map { ", oldest wait \(JobSummary.seconds($0))" } ?? ""
        let shownReturning = returning == 0 ? "" : ", \(returning) about to register again"
        let shownUnoffered = returning > 0 ? "" : unoffered.line.map { "\nunoffered \($0)" } ?? ""
        let shownPauses = pauses.map { "\npaused    \($0.line)" }.joined()
        let shownActions = counts.bulkActions.filter { !$0.isFinished }.map { "\naction    \($0.line)" }.joined()
        let shownPaused = pausedWorkers == 0 ? "" : ", \(pausedWorkers) paused"
        let then = steps.dropFirst().map { "\nthen      \($0)" }.joined()
        return """
            front     alive for \(JobSummary.seconds(now.duration(since: front.startedAt))), epoch \(front.epoch), durability \
            \(front.durability), storage \(storage), \(counted(front.sessions, "session"))
            workers   \(live) live\(shownPaused)\(shownDraining)\(shownReturning), \(taken) of \(slots) slots taken
            jobs      \(isShort ? counts.shortLine : counts.line)\(shownWait)\(shownActions)\(shownUnoffered)\(shownPauses)
            failures  \(failureLine)
            next      \(next)\(then)
            """
    }
}

/// Waiting jobs that nobody can run: no registered worker offers their loader.
struct UnofferedJobs {
    /// By loader, most first.
    let counts: [LoaderCount]
    /// All of them, those of loaders that are not named included.
    let total: UInt64

    /// Loaders that people are shown.
    private static let shownLoaders = 3

    /// Those that a front counts, but for some loaders.
    init(_ jobs: JobCounts, besides loaders: Set<String> = []) {
        counts = jobs.unoffered.filter { !loaders.contains($0.loader) }
        total = counts.reduce(jobs.unofferedOthers) { $0 + $1.count }
    }

    /// One line for people; nil: there are none.
    var line: String? {
        guard total > 0 else { return nil }
        let shown = counts.prefix(Self.shownLoaders)
        let rest = shown.reduce(total) { $0 - $1.count }
        let texts = shown.map { "\($0.loader) \($0.count)" } + (rest > 0 ? ["others \(rest)"] : [])
        return "\(counted(total, "waiting job")) that no registered worker can run: \(texts.joined(separator: ", "))"
    }

    /// What helps those of the first loader; nil: there are none.
    var next: String? {
        guard let loader = counts.first.map({ ShellWord.of($0.loader) }) else { return nil }
        return "start a worker that offers the loader \(loader), or look at its jobs: gantry job list --state waiting --loader \(loader)"
    }
}

/// What the file system of a folder has left.
enum FreeSpace {
    /// Bytes that are free; nil: the file system does not tell, or there is no such folder.
    static func byteCount(at path: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
