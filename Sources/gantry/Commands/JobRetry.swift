//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import GantryPlatform
import StateFormatting

/// `gantry job dead`: the dead set by cause.
struct JobDead: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead", abstract: "Show failed and quarantined jobs by cause: how many, since when, and what repeats them.",
        discussion: """
            A line for each loader and code, most jobs first, with when the first and the last of them ended, the last one's id, and what it \
            said; of a quarantined job those are its last words. Jobs that were repeated are left out. \(JobCommand.kept)

            Example: gantry job dead --older-than 1h
            """)

    @OptionGroup var selection: SelectionOptions

    @Option(name: .long, help: "How many causes at most, 1 to 1,000.")
    var limit: UInt32 = 20

    @OptionGroup var options: FrontOptions

    func run() async throws {
        try Self.check("--limit", limit, 1...1_000)
        let (options, limit, chosen) = (options, Int(limit), selection.words)
        let words = chosen.filter { !$0.hasPrefix("--code") && !$0.hasPrefix("--loader") }
        let query = try selection.query()
        try await options.withClient("job dead") { client in
            let causes = try await DeadCauses(query, client)
            let (all, now) = (causes.ordered, WallTime(milliseconds: SystemClock.wallMilliseconds()))
            let shown = Array(all.prefix(limit))
            try options.show(
                items: shown.map { DeadCause.shape.json($0).text }, json: JSONValue.causes(shown).text,
                table: Self.table(shown, words, at: now, columns: options.printing.columns))
            if all.isEmpty {
                let none = Self.none(areChosen: !chosen.isEmpty, areRepeated: causes.repeatedCount > 0)
                options.notice(try await query.remark(client) ?? none)
            }
            if causes.repeatedCount > 0 {
                let count = causes.repeatedCount
                let left = count == 1 ? "1 job that another repeats is" : "\(count) jobs that others repeat are"
                options.notice("\(left) left out: gantry job list --state failed")
            }
            if all.count > limit {
                let rest = all.dropFirst(limit)
                let jobs = rest.reduce(0) { $0 + $1.count }
                options.notice("\(counted(rest.count, "further cause")) with \(counted(jobs, "job")): gantry job dead --limit \(all.count)")
            }
        }
    }

    /// What is said beside a table of no causes.
    /// - Parameters:
    ///   - areChosen: Whether options have chosen among the jobs.
    ///   - areRepeated: Whether there are dead ones that were repeated.
    static func none(areChosen: Bool, areRepeated: Bool) -> String {
        let none = areChosen ? "no job of that choice has failed or is quarantined" : "no failed or quarantined job is known"
        return areRepeated ? none + ", but for those that were repeated" : none
    }

    /// For people: on a terminal the text and the next step stand below, where nothing cuts them.
    static func table(_ causes: [DeadCause], _ words: [String], at now: WallTime, columns: Int?) -> String {
        let isTerminal = columns != nil
        let newest = isTerminal ? "newest (UTC)" : "newest"
        var table = TextTable(
            ["jobs", "code", "loader", "oldest", newest, "example"] + (isTerminal ? [] : ["next", "why"]),
            narrowing: TextTable.Narrowing(whole: ["jobs", newest, "example"], dropped: ["oldest"]))
        for cause in causes {
            let next = cause.nextStep(words)
            let times = [cause.oldest, cause.newest].map { isTerminal ? $0.clock(at: now) : $0.rfc3339 }
            let subject = cause.feed.isEmpty ? cause.loader : "feed \(cause.feed)"
            let cells = [String(cause.count), cause.code, subject] + times + [cause.example.description]
            table.add(
                cells + (isTerminal ? [] : [next, cause.text]),
                note: isTerminal ? (cause.text.isEmpty ? "" : "\(cause.text); ") + "\(cause.failsAgain ? "next" : "again"): \(next)" : nil)
        }
        return table.text(columns: columns)
    }
}

/// `gantry job retry`: ended jobs are submitted once more; prints the new ids once they are durable.
struct JobRetry: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Submit jobs once more that failed, were cancelled or quarantined, or expired.",
        discussion: """
            Each becomes a new job with the same argument, priority, tags and attempts, whose `retryOf` names the old one: what is final \
            stays final. All jobs are looked at before the first is submitted: a job that has not ended, has succeeded or works for a feed \
            is refused. Without --again the front refuses one that another job repeats already, unless that was cancelled before it began, \
            and those behind it are not submitted. A unique key that the old job still has goes over to the new one; \
            where another job has the key, that one is joined, or code 9 refuses the new one, as in a submit. The reason of a quarantine is shown first.

            Many are chosen by options: without --yes they are only counted. They are the failed and quarantined ones, unless --state \
            says cancelled or expired; jobs of feeds are left out, those whose unique key another job has are passed over, and those whose \
            outcome is unknown are repeated only with --code outcomeUnknown. The front repeats each once, the newest first, and goes on with \
            that also over a restart. While too many jobs wait it waits too: an eighth of the queue stays free for others. A job that was \
            repeated stays among the failed ones, and is repeated again only where it is named.

            Example: gantry job retry 42 43 --wait
            Example: gantry job retry --code unreachable --loader http
            """)

    @OptionGroup var targets: JobTargets

    @Flag(name: .long, help: "Repeat jobs that are named once more, though other jobs repeat them already.")
    var again = false

    @Flag(
        name: .long, help: "Wait until every new job of those that are named has ended; the code is that of the first that did not succeed."
    )
    var wait = false

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let target = try chosen()
        guard case .named(let jobs) = target else {
            let (options, isMeant) = (options, targets.yes)
            let command = (["gantry job retry"] + targets.words).joined(separator: " ")
            return try await options.withClient("job retry") { client in
                try await BulkRun(client: client, options: options, command: command).run(.retry, target, isMeant: isMeant)
            }
        }
        let (options, again, wait) = (options, again, wait)
        let printsAtOnce = !wait && options.printing.output != .json
        try await options.withClient("job retry") { client in
            var batches: [JobBatch] = []
            for job in jobs {
                batches.append(
                    try await client.repetition(of: job, again: again) { found in
                        // It may end workers again.
                        guard found.state == .quarantined, let failure = found.failure else { return }
                        options.notice("job \(job) was quarantined: \(failure.text)")
                    })
            }
            let accepted = SubmittedJobs()
            do {
                for batch in batches {
                    let submitted = try await client.submit(batch)
                    accepted.take(submitted, printsAtOnce ? options : nil)
                    try await options.note(submitted, client, mayHaveEnded: wait)
                }
                if wait { try await accepted.follow(client, options) }
            } catch {
                // What was accepted runs whatever becomes of this command, so it must be known.
                let waitedFor = accepted.unprinted
                try accepted.showRest(options)
                guard Task.isCancelled, !waitedFor.isEmpty else { throw error }
                throw CommandFailure.stoppedWaiting(for: waitedFor)
            }
            try accepted.showRest(options)
        }
    }

    /// Which jobs are repeated.
    /// - Throws: `ValidationError` for nothing, for both, and for what cannot be.
    func chosen() throws -> JobTargets.Target {
        let target = try targets.value()
        guard case .many = target else { return target }
        guard !again else { throw ValidationError("--again is for jobs that are named: the others are repeated once each") }
        guard !wait else { throw ValidationError("--wait is for jobs that are named: see the others with gantry job list") }
        return target
    }
}
