//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import StateFormatting

/// `gantry job`: everything that is done with jobs.
struct JobCommand: AsyncParsableCommand {
    /// For how long the front knows jobs unless its configuration says otherwise; for the help of what looks at them.
    static let kept =
        "Unless gantry.yaml says otherwise, \(JobRetention().line)."

    static let configuration = CommandConfiguration(
        commandName: "job", abstract: "Submit, list, show, explain, move, cancel and retry jobs.",
        discussion: "Example: gantry job list --state waiting --output json",
        subcommands: [
            JobSubmit.self, JobList.self, JobDead.self, JobShow.self, JobExplain.self, JobReprioritize.self, JobDelay.self,
            JobPromote.self, JobForgive.self, JobCancel.self, JobRetry.self, JobWait.self,
        ])
}

/// `gantry job show`: prints the job as observers see it.
struct JobShow: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a job.",
        discussion: """
            \(JobCommand.kept) With them stay their runs and the last 50 lines, or 16 KiB, that their loaders have written.

            Example: gantry job show 42 --output json
            Example: gantry job show 42 --log
            """)

    @OptionGroup var argument: JobArgument
    @Flag(name: .long, help: "Show the last lines that its loader has written; JSON always has them.")
    var log = false
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, id, log) = (options, argument.id, log)
        try await options.withClient("job show") { client in
            let explanation = try await client.explain(id)
            let lines =
                ["\(id): \(explanation.job.line())"] + explanation.timeLines + explanation.byteLines + explanation.runLines
                + explanation.logLines(areShown: log)
            try options.show(explanation.jobJSON.text, lines.joined(separator: "\n"))
        }
    }
}

/// `gantry job explain`: prints its timeline, its place in line and an estimate.
struct JobExplain: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explain what has happened to a job and what it waits for.",
        discussion: "Example: gantry job explain 42")

    @OptionGroup var argument: JobArgument
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, id) = (options, argument.id)
        try await options.withClient("job explain") { client in
            let explanation = try await client.explain(id)
            var lacksWorkers = false
            if explanation.job.waitReason?.word == .noWorker {
                lacksWorkers = try await client.current(.workers).workers.allSatisfy { $0.state != .live }
            }
            try options.show(explanation.json.text, Self.text(explanation, lacksWorkers: lacksWorkers))
        }
    }

    /// For people: the timeline, and what can be done about a job that has not ended.
    /// - Parameter lacksWorkers: Whether it waits because there is no worker at all: then one helps, as `status` says, and no waiting.
    static func text(_ explanation: JobExplanation, lacksWorkers: Bool = false) -> String {
        let job = explanation.job
        var lines = ["\(job.id): \(job.line())"] + explanation.timeLines + explanation.byteLines
        lines += explanation.timeline.map { "  - \($0)" } + explanation.currentRunLines
        if let place = explanation.placeInLine { lines.append("  \(counted(place, "job")) before it in line") }
        if let estimate = explanation.estimate {
            lines.append("  starts in \(JobSummary.roughly(estimate)), if others take as long as now")
        }
        let retry = "gantry job retry \(job.id)"
        let nextStep = job.state == .failed ? CommandFailure(job)?.nextStep ?? "" : ""
        if !nextStep.isEmpty, !nextStep.hasPrefix("gantry job explain") { lines.append("  next: \(nextStep)") }
        let mayRepeat = [.failed, .expired, .quarantined].contains(job.state) && job.reasonAgainstRetry == nil && job.repeatedBy == nil
        if mayRepeat, !nextStep.hasSuffix(retry) { lines.append("  again: \(retry)") }
        if !job.state.isFinal {
            let first = lacksWorkers ? "gantry worker run" : "gantry job wait \(job.id)"
            lines.append("  next: \(first)" + (job.state == .cancelling ? "" : ", or gantry job cancel \(job.id)"))
        }
        return lines.joined(separator: "\n")
    }
}

/// `gantry job wait`: progress goes to standard error, the last state to standard output.
struct JobWait: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until jobs have ended.",
        discussion: """
            Of several it waits for all; the code is that of the first that did not succeed.

            Example: gantry job wait 42 43 --timeout 60s
            """)

    @OptionGroup var named: NamedJobs
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, ids) = (options, try named.ids())
        try await options.withClient("job wait", leaving: .stoppedWaiting(for: ids)) { client in
            let lines = ProgressLines(options.printing)
            try await options.each(ids) { id in
                let ended = try await options.followed(id, client, lines)
                // The failure of a single job is said once: it ends the command.
                let line = ids.count == 1 ? ended.lineWithoutFailure : ended.lineWithResult
                return NamedJobEnd(json: ended.json(), text: "\(id): \(line)", failure: CommandFailure(ended))
            }
        }
    }
}

/// `gantry job cancel`: waits until the work has really ended and prints the receipt.
struct JobCancel: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel jobs for everybody.",
        discussion: """
            Of several that are named each is cancelled; the code is that of the first that is not there. Many jobs are chosen by options: \
            without --yes they are only counted. With it the front cancels those of them that have not \
            changed since, the newest first, and goes on with that also over a restart.

            Example: gantry job cancel 42 43
            """)

    @OptionGroup var targets: JobTargets
    @OptionGroup var options: FrontOptions
    @OptionGroup var waiting: WaitOptions

    func run() async throws {
        let (options, target, isMeant, noWait) = (options, try targets.value(), targets.yes, waiting.noWait)
        let command = (["gantry job cancel"] + targets.words).joined(separator: " ")
        try await options.withClient("job cancel") { client in
            guard case .named(let ids) = target else {
                return try await BulkRun(client: client, options: options, command: command).run(.cancel, target, isMeant: isMeant)
            }
            try await JobCancelling(client: client, options: options).cancel(ids, noWait: noWait)
        }
    }
}

/// `gantry job reprioritize`: a waiting job goes before or behind others.
struct JobReprioritize: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprioritize", abstract: "Give a waiting or scheduled job another priority.",
        discussion: """
            It then stands in line as if it had been submitted with that priority: what it has waited counts. A job that runs or has \
            ended is refused. Many jobs are chosen by options: without --yes they are only counted.

            Example: gantry job reprioritize 42 --priority 9
            """)

    @OptionGroup var targets: JobTargets

    @Option(name: .long, parsing: .unconditional, help: "0 to 9, 9 most urgent.")
    var priority: UInt8

    @OptionGroup var options: FrontOptions

    func run() async throws {
        try Self.check("--priority", priority, 0...JobPriority.highest)
        let (options, target, isMeant, priority) = (options, try targets.value(), targets.yes, priority)
        let command = (["gantry job reprioritize"] + targets.words + ["--priority \(priority)"]).joined(separator: " ")
        try await options.withClient("job reprioritize") { client in
            guard case .named(let ids) = target else {
                let bulk = BulkRun(client: client, options: options, command: command)
                return try await bulk.run(.reprioritize(priority), target, isMeant: isMeant)
            }
            try await options.each(ids) { id in
                try await CommandFailure.ofChange(to: id) { try await client.reprioritize(id, to: priority) }
                return NamedJobEnd(json: Self.json(id, priority), text: Self.text(id, priority))
            }
        }
    }

    /// For people.
    static func text(_ job: JobID, _ priority: UInt8) -> String { "job \(job): priority \(priority)" }

    /// For programs.
    static func json(_ job: JobID, _ priority: UInt8) -> JSONValue {
        .object(("id", .string(job.description)), ("priority", .count(UInt64(priority))))
    }
}
