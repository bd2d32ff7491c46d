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
        let (options, limit, words) = (options, Int(limit), selection.words.filter { !$0.hasPrefix("--code") && !$0.hasPrefix("--loader") })
        let query = try selection.query()
        try await options.withClient("job dead") { client in
            let causes = try await DeadCauses(query, client)
            let (all, now) = (causes.ordered, WallTime(milliseconds: SystemClock.wallMilliseconds()))
            let shown = Array(all.prefix(limit))
            try options.show(
                items: shown.map { DeadCause.shape.json($0).text }, json: JSONValue.causes(shown).text,
                table: Self.table(shown, words, at: now, columns: options.printing.columns))
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
