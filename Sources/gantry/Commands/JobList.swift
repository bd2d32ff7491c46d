//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import GantryPlatform
import StateFormatting

/// `gantry job list`: ended jobs are listed for as long as they are known.
struct JobList: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List jobs, newest first.",
        discussion: """
            \(JobCommand.kept) In JSON `attempts` is how often a job was granted: a run whose worker was lost counts there, and uses up none of \
            the attempts that the job has.

            Example: gantry job list --state waiting --output json
            """)

    @OptionGroup var states: StateOptions
    @OptionGroup var selection: SelectionOptions

    @Option(name: .long, help: "How many at most, 1 to 1,000.")
    var limit = Self.usualLimit

    @Option(name: .long, help: "Only jobs older than this one: the cursor of the page before.")
    var before: UInt64?

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let wanted = try states.value()
        try Self.check("--limit", limit, 1...1_000)
        let query = try selection.query(limit: limit, before: before.map { JobID($0) }).of(wanted)
        let options = options
        try await options.withClient("job list") { client in
            let page = try await client.filledPage(query)
            let columns = options.printing.columns
            let now = WallTime(milliseconds: SystemClock.wallMilliseconds())
            // A terminal would cut the reason: there it stands below.
            let isTerminal = columns != nil
            let hasTags = page.jobs.contains { !$0.options.tags.isEmpty }
            let time = isTerminal ? "accepted (UTC)" : "accepted"
            let names = ["job", "state", "subject", "priority"] + (hasTags ? ["tags"] : []) + [time, "worker"]
            var table = TextTable(
                names + (isTerminal ? [] : ["why"]),
                narrowing: TextTable.Narrowing(whole: ["job", "state", time], dropped: ["priority", "tags"]))
            for job in page.jobs {
                let why = Self.why(job, at: isTerminal ? now : nil)
                let accepted = job.acceptedAt.map { isTerminal ? $0.clock(at: now) : $0.rfc3339 } ?? ""
                let tags = hasTags ? [job.options.tags.joined(separator: ",")] : []
                let cells = [job.id.description, job.state.name, job.subject, String(job.options.priority)] + tags
                table.add(cells + [accepted, job.worker] + (isTerminal ? [] : [why ?? ""]), note: isTerminal ? why : nil)
            }
            let list = JSONValue.jobs(page.jobs, next: page.next?.description, retention: page.retention)
            try options.show(items: page.jobs.map { $0.json().text }, json: list.text, table: table.text(columns: columns))
            if page.jobs.isEmpty, page.next == nil, let remark = try await query.remark(client) { options.notice(remark) }
            if let next = page.next {
                options.notice("more: \(command(before: next))")
            } else if let retention = page.retention, listsEnded(wanted) {
                options.notice("end of the list: \(retention.line)")
            }
        }
    }

    /// Why a job is where it is: when it goes on or what it waits for, and what it has failed with last.
    /// - Parameter now: The present, for times that people read; nil: times are written in full.
    static func why(_ job: JobSummary, at now: WallTime?) -> String? {
        guard !job.state.isFinal else { return job.failureLine }
        var reason = job.waitReason?.line
        if case .backedOff(let until) = job.waitReason {
            reason = "tried again at \(now.map { until.clock(at: $0) + " UTC" } ?? until.rfc3339)"
        }
        let parts = [reason, job.failure.map { "last attempt: \($0.line)" }].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// What lists the next page of the same jobs.
    func command(before job: JobID) -> String {
        var words = ["gantry job list"] + states.words + selection.words
        if limit != Self.usualLimit { words.append("--limit \(limit)") }
        return (words + ["--before \(job)"]).joined(separator: " ")
    }

    /// Whether jobs that have ended are in the list, some of which may have been forgotten.
    private func listsEnded(_ states: [JobState]) -> Bool { states.isEmpty || states.contains(where: \.isFinal) }

    private static let usualLimit: UInt32 = 50
}

extension GantryClient {
    /// As many jobs as are asked for, where there are: the front ends a page before jobs that it has to read first.
    func filledPage(_ query: JobQuery) async throws(ClientError) -> JobPage {
        var page = try await listJobs(query)
        while let next = page.next, page.jobs.count < query.limit {
            var rest = query
            (rest.before, rest.limit) = (next, query.limit - UInt32(page.jobs.count))
            let more = try await listJobs(rest)
            page.jobs += more.jobs
            (page.next, page.retention) = (more.next, more.retention)
        }
        return page
    }
}
