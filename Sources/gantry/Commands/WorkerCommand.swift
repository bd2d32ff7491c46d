//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import StateFormatting

/// `gantry worker`: everything that is done with workers; alone it runs one.
struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Run a worker, or list, show, pause and drain workers.",
        discussion: """
            Alone, unlike `gantry feed` or `gantry cache`, it does not print this help but starts a worker, as `gantry worker run` does.

            Example: gantry worker list
            """,
        subcommands: [WorkerRun.self, WorkerList.self, WorkerShow.self, WorkerPause.self, WorkerResume.self, WorkerDrain.self],
        defaultSubcommand: WorkerRun.self)
}

/// `gantry worker list`: who is registered, how many slots are taken, which loaders are offered.
struct WorkerList: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the workers.",
        discussion: """
            Other commands take a worker's name, or its id where several share a name.

            Example: gantry worker list --output json
            """)

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let options = options
        try await options.withClient("worker list") { client in
            let workers = try await client.current(.workers).workers
            let pauses = workers.isEmpty ? [] : try await client.current(.pauses).pauses
            let shown = ListedWorker.all(workers, paused: pauses)
            let table = Self.table(workers, pauses, columns: options.printing.columns)
            try options.show(items: shown.map(\.json.text), json: JSONValue.workers(workers, paused: pauses).text, table: table)
            if workers.isEmpty { options.notice("no worker is registered; start one with: gantry worker") }
        }
    }

    /// A terminal would cut ids beside the loaders: there those stand below, as a worker's pause does everywhere.
    static func table(_ workers: [WorkerSummary], _ pauses: [Pause] = [], columns: Int?) -> String {
        let isTerminal = columns != nil
        var table = TextTable(["worker", "id", "state", "slots", "ahead", "process"] + (isTerminal ? [] : ["loaders"]))
        for worker in workers {
            let loaders = worker.loaders.joined(separator: " ")
            let slots = "\(worker.slotsTaken)/\(worker.slots)"
            let names = [worker.name, worker.id.description, worker.state.rawValue]
            let cells = names + [slots, String(worker.prefetched), worker.processText]
            let pause = pauses.first { $0.target == .worker(worker.name) }?.line
            let notes = (isTerminal && !loaders.isEmpty ? [loaders] : []) + [pause].compactMap { $0 }
            table.add(cells + (isTerminal ? [] : [loaders]), note: notes.isEmpty ? nil : notes.joined(separator: "; "))
        }
        return table.text(columns: columns)
    }
}

/// `gantry worker show`: the worker as observers see it, and the jobs that it holds.
struct WorkerShow: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a worker and the jobs that it holds.",
        discussion: """
            Where workers share a name, the jobs of all of them are shown for each.

            Example: gantry worker show worker-1 --output json
            """)

    @OptionGroup var argument: WorkerArgument
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, argument) = (options, argument)
        try await options.withClient("worker show") { client in
            let worker = try argument.worker(among: try await client.current(.workers).workers)
            let pause = try await client.current(.pauses).pauses.first { $0.target == .worker(worker.name) }
            let shown = ShownWorker(worker: worker, jobs: try await client.jobs(heldBy: worker), pause: pause)
            try options.show(shown.json.text, shown.text)
        }
    }
}

/// `gantry worker pause`: it gets no jobs from now on, and stays.
struct WorkerPause: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Give no jobs to a worker, which stays.",
        discussion: """
            Jobs that it holds go on; others go to other workers. The pause is of the name: it holds for all workers that have it, also for one \
            that starts later, until `gantry worker resume`, or for as long as --for says. `gantry worker drain` ends a worker instead.

            Example: gantry worker pause worker-1 --for 10m --reason "new disk"
            """)

    @Argument(help: "The worker's name, as `gantry worker list` shows it.") var worker: String
    @OptionGroup var pause: PauseTerms
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, name, pause) = (options, worker, pause)
        let target = try Self.target(name)
        try pause.check(target)
        try await options.withClient("worker pause") { client in
            try await pause.begin(target, client, options)
            let names = try await client.current(.workers).workers.map(\.name)
            guard !names.contains(name) else { return }
            let nearest = SpellingDistance.nearest(to: name, in: names).map { "; did you mean \($0)?" }
            let undo = "the pause waits for one that starts; to end it: gantry worker resume \(ShellWord.of(name))"
            options.notice("no worker is called \(name) now\(nearest ?? "")\n\(undo)")
        }
    }

    /// Whom a name means.
    /// - Throws: `ValidationError` for none.
    static func target(_ name: String) throws -> PauseTarget {
        guard !name.isEmpty else { throw ValidationError("name a worker") }
        return .worker(name)
    }
}

/// `gantry worker resume`: it gets jobs again.
struct WorkerResume: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Give jobs to a paused worker again.", discussion: "Example: gantry worker resume worker-1")

    @Argument(help: "The worker's name.") var worker: String
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, target) = (options, try WorkerPause.target(worker))
        if let fault = target.fault { throw ValidationError(fault) }
        try await options.withClient("worker resume") { client in
            try await options.end(target, client, listedBy: "gantry worker list")
        }
    }
}

/// `gantry worker drain`: waits until the worker has ended.
struct WorkerDrain: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain", abstract: "Give a worker no new jobs, so that it ends after its last one.",
        discussion: """
            Waiting jobs go to other workers. Running ones have the worker's grace to end (30 s, or `gantry worker run --grace`); then those \
            that may run again go back to the queue, and no attempt counts. Those that must not run twice have until their attempts' \
            time-outs, or 60 s without one (the grace, if that is longer); then the outcome is unknown. The process ends with code 0; \
            `gantry up` does not start a worker again that drains, whatever way it ends.

            Example: gantry worker drain worker-1
            """)

    @OptionGroup var argument: WorkerArgument
    @OptionGroup var options: FrontOptions
    @Flag(name: .long, help: "Return once the front has accepted it and do not wait until the worker has ended.")
    var noWait = false

    func run() async throws {
        let (options, argument, noWait) = (options, argument, noWait)
        try await options.withClient("worker drain", leaving: .stoppedWaitingForDrain) { client in
            let worker = try argument.worker(among: try await client.current(.workers).workers)
            try await CommandFailure.ofUnknown(listedBy: "gantry worker list") { try await client.drainWorker(worker.id) }
            if noWait { return try options.show(Self.json(worker, "draining").text, "\(worker.name): \(Self.draining)") }
            options.notice("\(worker.name): \(Self.draining)")
            let last = try await options.limited("worker \(worker.name) has not ended", nextStep: "gantry worker show \(worker.id)") {
                try await Self.lastState(of: worker, client, ProgressLines(options.printing))
            }
            let end = DrainEnd(of: last, mayComeBack: try await Self.mayComeBack(worker.id, client))
            if let failure = end.failure(of: worker.name) { throw failure }
            try options.show(Self.json(worker, "ended").text, "\(worker.name): has drained and ended")
        }
    }

    /// What happens from now on, for people.
    static let draining =
        "draining: jobs that still run at the end of its grace go back to the queue; of those that must not run twice the outcome is unknown "
        + "at their attempts' time-outs, or after 60 s without one"

    /// What was seen last of a worker that has gone since; nil: it had gone before it was looked at.
    private static func lastState(
        of worker: WorkerSummary, _ client: GantryClient, _ lines: ProgressLines
    ) async throws -> WorkerSummary? {
        var last: WorkerSummary?
        // Each change, for the last job ends just before the worker does.
        for await state in client.observe(.workers, limit: 4_096) {
            if let failure = state.failure { throw failure }
            guard state.isVerified else { continue }
            guard let now = state.workers.first(where: { $0.id == worker.id }) else { return last }
            last = now
            lines.show("\(now.name): \(now.state.rawValue), holds \(counted(now.heldCount, "job"))")
        }
        try Task.checkCancellation()
        return last
    }

    /// Whether a worker that has gone was lost: the front knows it as long as it may come back, and none that has closed or whose process has ended.
    private static func mayComeBack(_ worker: WorkerID, _ client: GantryClient) async throws(ClientError) -> Bool {
        do throws(ClientError) { try await client.drainWorker(worker) } catch {
            guard error.code == ClientErrorCode(.unknownItem) else { throw error }
            return false
        }
        return true
    }

    /// For programs.
    static func json(_ worker: WorkerSummary, _ state: String) -> JSONValue {
        .object(("worker", .string(worker.id.description)), ("name", .string(worker.name)), ("state", .string(state)))
    }
}

/// How a worker has gone that was to drain.
enum DrainEnd: Equatable {
    /// It had ended its jobs, and then itself.
    case drained
    /// Its process ended while it held so many jobs.
    case died(holding: UInt64)
    /// Only its signs of life have stopped: its process may stand still, or be cut off.
    case lost(holding: UInt64)

    /// - Parameters:
    ///   - last: as it was seen last; nil: it was not.
    ///   - mayComeBack: whether the front still knows it as one that is to drain.
    init(of last: WorkerSummary?, mayComeBack: Bool) {
        let held = last?.heldCount ?? 0
        self = mayComeBack ? .lost(holding: held) : held > 0 ? .died(holding: held) : .drained
    }

    /// What the command ends with; nil: all is well.
    func failure(of name: String) -> CommandFailure? {
        let (what, held, nextStep): (String, UInt64, String)
        switch self {
        case .drained: return nil
        case .died(let holding): (what, held, nextStep) = ("ended before it had drained", holding, "gantry job list")
        case .lost(let holding):
            (what, held, nextStep) = (
                "was lost and has not ended", holding, "look at its process; if it comes back it gets no jobs and ends"
            )
        }
        let jobs = held == 0 ? "" : ": of the \(counted(held, "job")) that it held those that may be repeated wait for another one"
        return CommandFailure(.failed, code: .failed, message: "worker \(name) \(what)\(jobs)", nextStep: nextStep)
    }
}

/// A worker on the command line, by its id or its name.
struct WorkerArgument: ParsableArguments {
    @Argument(help: "The worker's name, as `gantry worker list` shows it, or its id.")
    var worker: String

    /// The worker that is meant.
    /// - Throws: `CommandFailure` with 6 where there is none, with 9 where several have the name.
    func worker(among workers: [WorkerSummary]) throws -> WorkerSummary {
        if let worker = workers.first(where: { $0.id.description == worker }) { return worker }
        let named = workers.filter { $0.name == worker }
        guard let first = named.first else {
            throw CommandFailure(
                .notFound, code: .notFound, message: "no worker \"\(worker)\" is registered", nextStep: "gantry worker list")
        }
        guard named.count == 1 else {
            let ids = named.map(\.id.description).joined(separator: ", ")
            throw CommandFailure(
                .conflict, code: .conflict, message: "\(named.count) workers are called \"\(worker)\"",
                nextStep: "name one by its id: \(ids)")
        }
        return first
    }
}

extension GantryClient {
    /// The jobs that a worker holds, newest first.
    fileprivate func jobs(heldBy worker: WorkerSummary) async throws(ClientError) -> [JobSummary] {
        var held: [JobSummary] = []
        for state in [JobState.running, .cancelling] {
            var query: JobQuery? = JobQuery(state: state, limit: 1_000)
            while let asked = query {
                let page = try await filledPage(asked)
                held += page.jobs.filter { $0.worker == worker.name }
                query = page.next.map { JobQuery(state: state, limit: 1_000, before: $0) }
            }
        }
        return held
    }
}
