//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

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
