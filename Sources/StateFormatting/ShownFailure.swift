//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

// How failures are shown: one of them, why something waits, and what many have in common.

extension Failure {
    /// The shape `failure`.
    package var json: JSONValue { Self.shape.json(self) }

    /// Name and value in turns, as pairs; nil: there are none.
    private var pairs: [JSONValue.Member]? {
        guard arguments.count > 1 else { return nil }
        return stride(from: 0, to: arguments.count - 1, by: 2).map { JSONValue.Member(arguments[$0], text: arguments[$0 + 1]) }
    }

    static let shape = JSONShape<Failure>(
        "failure", "Why something failed.",
        [
            .sometimes("id", .id, "By which it can be retried; a refused request has none.") { $0.id == .none ? nil : $0.id },
            .always("code", .text, "The kind of failure, a word of the protocol's table.") { $0.code.rawValue },
            .always("message", .text, "One sentence that names the thing and the next step.") { $0.text },
            .sometimes("arguments", .texts, "Names and values, for a message in another language.") { $0.pairs },
            .always("retryable", .bool, "Whether the same request may succeed later.") { $0.retryable },
            .always(
                "attempts", .count,
                "How often the work was granted, from 1; while the job is tried again, how many of its attempts have failed; 0 for a refused request."
            ) { $0.attempts },
            .sometimes("retryAfterSeconds", .number, "How long a source asked to be left alone.") { $0.retryAfter?.inSeconds },
        ])
}

extension WaitReason {
    /// The shape `waitReason`.
    package var json: JSONValue { Self.shape.json(self) }

    private var loader: String? { if case .noWorker(let loader) = self { loader } else { nil } }

    private var until: WallTime? {
        switch self {
        case .restarting(let until), .delayed(let until), .backedOff(let until), .snoozed(let until): until
        case .paused(let pause): pause.until
        case .noWorker, .slotsTaken, .workersNotReady, .slotsReserved, .keyTaken, .cancelledRunStopping, .suspected, .limitFull,
            .limitTooSmall, .storageFull:
            nil
        }
    }

    private var job: JobID? {
        switch self {
        case .keyTaken(let job), .cancelledRunStopping(let job), .limitFull(_, .reserved(let job)), .slotsReserved(let job): job
        case .noWorker, .slotsTaken, .workersNotReady, .suspected, .restarting, .delayed, .backedOff, .snoozed, .limitFull, .limitTooSmall,
            .paused,
            .storageFull:
            nil
        }
    }

    private var pause: Pause? { if case .paused(let pause) = self { pause } else { nil } }

    private var limit: LimitKey? {
        switch self {
        case .limitFull(let key, _), .limitTooSmall(let key, _): key
        case .noWorker, .slotsTaken, .workersNotReady, .slotsReserved, .keyTaken, .cancelledRunStopping, .suspected, .restarting, .delayed,
            .backedOff,
            .snoozed, .paused, .storageFull:
            nil
        }
    }

    private var inUse: UInt64? { if case .limitFull(_, .permits(let inUse, _)) = self { inUse } else { nil } }

    private var capacity: UInt64? {
        switch self {
        case .limitFull(_, .permits(_, let capacity)), .limitTooSmall(_, let capacity): UInt64(capacity)
        case .noWorker, .slotsTaken, .workersNotReady, .slotsReserved, .keyTaken, .cancelledRunStopping, .suspected, .restarting, .delayed,
            .backedOff,
            .snoozed, .limitFull, .paused, .storageFull:
            nil
        }
    }

    private var nextToken: WallTime? { if case .limitFull(_, .tokens(let next)) = self { next } else { nil } }

    static let shape = JSONShape<WaitReason>(
        "waitReason", "Why a job is not running yet.",
        [
            .always("reason", .word, "The reason.") { $0.word },
            .sometimes("loader", .text, "The loader that no worker offers.") { $0.loader },
            .sometimes("job", .id, "The job that has the key, has reserved what is free of the limit, or has slots reserved for it.") {
                $0.job
            },
            .sometimes(
                "until", .time,
                "How long workers that may still hold it have to come back; when the time of a scheduled job comes; when a pause ends."
            ) { $0.until },
            .sometimes("limit", .shape(LimitKey.shape), "The limit that has no room, with what the job takes of it.") { $0.limit },
            .sometimes(
                "pause", .shape(Pause.shape),
                "The pause of its loader, of all, of a group, or of a worker where none else offers its loader."
            ) {
                $0.pause
            },
            .sometimes("inUse", .count, "How many permits of it are taken, where none is free.") { $0.inUse },
            .sometimes("capacity", .count, "How many it has.") { $0.capacity },
            .sometimes("nextToken", .time, "When its next token comes, where it has none.") { $0.nextToken },
        ])
}

/// Jobs that failed for good or were quarantined for one cause.
package struct DeadCause: Hashable, Sendable {
    /// The loader that was to run them, or the feed that they worked for; empty: their stored parts cannot be read.
    package let loader: String
    package let feed: String
    /// What they failed with.
    package let code: String
    /// How many.
    package internal(set) var count: UInt64 = 0
    /// When the first and the last of them ended.
    package internal(set) var oldest: WallTime
    package internal(set) var newest: WallTime
    /// The one that ended last, and what it said.
    package internal(set) var example: JobID
    package internal(set) var text: String

    /// Whether the same work would fail the same way: what it works on is to be corrected. A feed's source may have been.
    package var failsAgain: Bool { feed.isEmpty && !loader.isEmpty && code == FailureCode.invalidData.rawValue }

    /// What counts those that would be repeated; of quarantined ones what shows the last; for a feed, what asks for it again; what to do where a repeat
    /// fails again.
    /// - Parameter words: further options that have chosen them.
    package func nextStep(_ words: [String] = []) -> String {
        if !feed.isEmpty { return "gantry feed load \(ShellWord.of(feed))" }
        guard !loader.isEmpty else { return "gantry doctor" }
        // Somebody is to look at what may have ended workers. What a worker called the failure is any text, which a shell must not read.
        if code == FailureCode.quarantined.rawValue { return "gantry job show \(example)" }
        if failsAgain { return "correct the argument and submit that, for a repeat fails again: gantry job show \(example)" }
        return (["gantry job retry --code \(ShellWord.of(code)) --loader \(ShellWord.of(loader))"] + words).joined(separator: " ")
    }
}

/// The dead set by cause: as many causes as there are different pairs of loader and code.
package struct DeadCauses: Sendable {
    private struct Key: Hashable {
        let loader: String
        let feed: String
        let code: String
    }

    private var causes: [Key: DeadCause] = [:]
    /// Jobs that are left out, since others repeat them, by what they failed with.
    private var repeated: [String: UInt64] = [:]
    /// Jobs that were looked at, those that are left out among them.
    package private(set) var lookedAt: UInt64 = 0
    /// Whether there were no more to look at.
    package var isWhole = true

    package init() {}

    /// How many jobs are left out, since others repeat them.
    package var repeatedCount: UInt64 { repeated.values.reduce(0, +) }

    /// Counts a job in.
    package mutating func add(_ job: JobSummary) {
        lookedAt += 1
        let code = job.failure?.code.rawValue ?? job.state.name
        guard job.repeatedBy == nil else { return repeated[code, default: 0] += 1 }
        let feed = job.feed?.name ?? ""
        let key = Key(loader: feed.isEmpty ? job.loader : "", feed: feed, code: code)
        let time = job.endedAt ?? WallTime(milliseconds: 0)
        var cause =
            causes[key]
            ?? DeadCause(
                loader: key.loader, feed: key.feed, code: key.code, oldest: time, newest: time, example: job.id, text: "")
        cause.count += 1
        cause.oldest = min(cause.oldest, time)
        if time >= cause.newest {
            (cause.newest, cause.example, cause.text) = (time, job.id, job.failure?.text ?? "")
        }
        causes[key] = cause
    }

    /// Most jobs first, ties by code, loader and feed.
    package var ordered: [DeadCause] {
        causes.values.sorted { ($1.count, $0.code, $0.loader, $0.feed) < ($0.count, $1.code, $1.loader, $1.feed) }
    }
}

extension DeadCauses {
    /// Jobs that none repeats, by what they failed with, most first.
    /// - Parameter counts: What the front counts, those that others repeat among them; it alone knows of jobs that were not looked at.
    package func failures(_ counts: [FailureCount]) -> [FailureCount] {
        var all: [FailureCode: UInt64] = [:]
        if isWhole {
            for cause in causes.values { all[FailureCode(rawValue: cause.code), default: 0] += cause.count }
        } else {
            for failure in counts { all[failure.code] = failure.count - min(failure.count, repeated[failure.code.rawValue] ?? 0) }
        }
        return all.filter { $0.value > 0 }.map { FailureCount($0.key, $0.value) }
            .sorted { ($1.count, $0.code.rawValue) < ($0.count, $1.code.rawValue) }
    }
}

extension DeadCause {
    /// For programs.
    package static let shape = JSONShape<DeadCause>(
        "cause", "Jobs that failed for good or were quarantined for one cause.",
        [
            .sometimes("loader", .text, "The loader that was to run them.") { $0.loader.isEmpty ? nil : $0.loader },
            .sometimes("feed", .text, "The feed that they worked for.") { $0.feed.isEmpty ? nil : $0.feed },
            .always("code", .text, "What they failed with.") { $0.code },
            .always("count", .count, "How many.") { $0.count },
            .always("oldest", .time, "When the first of them ended.") { $0.oldest },
            .always("newest", .time, "When the last of them ended.") { $0.newest },
            .always("example", .id, "The one that ended last.") { $0.example },
            .always("text", .text, "What that said; of a quarantined job its last words.") { $0.text },
            .always(
                "next", .text,
                "The command that counts and then repeats them, that shows a quarantined one, or that asks their feed again; or what to correct."
            ) { $0.nextStep() },
        ])

    /// Several causes.
    static let list = ShownList.shape("causes", "The dead set: failed and quarantined jobs by cause, most jobs first.", of: .shape(shape))
}

extension JSONValue {
    /// The shape `causes`.
    package static func causes(_ causes: [DeadCause]) -> JSONValue { DeadCause.list.json(ShownList(items: causes)) }
}
