//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import GantryPlatform
import GantrySettings
import StateFormatting

/// `gantry job submit`: prints the ids once they are durable.
struct JobSubmit: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit", abstract: "Submit jobs.",
        discussion: """
            When jobs are refused half-way, the ids of those that were accepted before are printed first. Ctrl-C submits no \
            more of them and waits up to 2 s for the ids of those on their way; a second one ends the command at once.

            With --unique no second job is made while a job of that loader has the key: the same work joins that job, other work is \
            refused with code 9. The key is free when the job has ended, or as --unique-until and --unique-for say. With --debounce the last \
            submit wins: the job starts once nobody has submitted with the key for that long. With --unique-until buffer one job runs and one more \
            waits behind it, which works on what the last submit says.

            With --expires a job that has not started by then ends as expired, be it that it waits, is paused or has a later time; one that has \
            started does not expire. --total-timeout counts from its acceptance, or from when its own time comes, waiting included: then it has \
            failed for good, and one that runs is stopped first.

            A job whose loader fails and may succeed later is tried again: by --attempts, --back-off and --retry-code where they say so, else as \
            `gantry.yaml` says of its loader when the job is accepted. --retry-code invalidData=never ends it with the first such failure, whatever \
            else is asked. A loader that is declared not repeatable has one attempt, whatever these say: gantry job explain tells it.

            --arguments-from takes one job a line, as JSON with the names of these options: "argument" (a text as it is, any other value as JSON), \
            "priority", "tags", "delay", "limits", "unique" and so on; what a line leaves out is as the command says. An argument that is no text \
            is given as "argumentBase64". A wrong line is named by its number, with code 10. A file is checked first; from \
            standard input, lines before the wrong one are already submitted. Ids are printed in the order of the lines.

            With --secret-argument no command and no observer shows the argument. It is stored as it is in the data folder, and `ps` shows it while \
            this command runs.

            A loader that no worker has offered within 30 days, and that `gantry.yaml` does not name, is refused with code 6 and the nearest \
            name; --any-loader is for jobs that are submitted before their first worker starts.

            Example: gantry job submit sleep --argument 250 --wait
            Example: gantry job submit sleep --argument 250 --secret-argument
            Example: gantry job submit sleep --arguments-from jobs.jsonl --wait
            Example: gantry job submit sleep --argument 250 --expires 10m --total-timeout 1h
            Example: gantry job submit sleep --argument 250 --attempts 8 --retry-code unreachable=20 --retry-code invalidData=never
            Example: gantry job submit sleep --argument 250 --any-loader
            Example: gantry job submit sleep --argument 250 --unique nightly --unique-for 10m
            Example: gantry job submit sleep --argument 250 --unique typed --debounce 500ms --debounce-longest 5s
            """)

    @Argument(help: "The loader to run.")
    var loader: String

    @Option(name: .long, parsing: .unconditional, help: "What the loader gets, at most 65,536 bytes.")
    var argument: String?

    @Option(
        name: .long,
        help: """
            A file with a job in each line as JSON, or - for standard input: {"argument": "250", "priority": 9, "tags": ["nightly"]}; its other \
            names are those of the options here.
            """)
    var argumentsFrom: String?

    @OptionGroup var shape: JobShapeOptions

    @Option(
        name: .long,
        help: """
            The client to which the jobs belong, at most 64 bytes: clients take turns at the workers, however many jobs each has. All commands are \
            one client unless they name another.
            """)
    var client: String?

    @Option(name: .long, help: "How many such jobs, 1 to 1,000,000.")
    var count: Int?

    @Flag(name: .long, help: "Take a loader, too, that no worker has offered within 30 days: its jobs wait until one does.")
    var anyLoader = false

    @Flag(name: .long, help: "Wait until every job has ended; the code is that of the first that did not succeed.")
    var wait = false

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let count = count ?? 1
        try Self.check("--count", count, 1...1_000_000)
        let jobOptions = try shape.value(ofJobs: count)
        if let client, !(1...MessageBounds.labelByteCount).contains(client.utf8.count) || client.hasControlCharacters {
            let range = "1 to \(MessageBounds.labelByteCount) bytes"
            throw ValidationError("--client is a name of \(range) without control characters, and this has \(client.utf8.count)")
        }
        if let argumentsFrom { return try await submitLines(of: JobFile(name: argumentsFrom, usual: jobOptions)) }
        let argument = argument ?? ""
        guard argument.utf8.count <= JobBatch.argumentByteLimit else {
            throw ValidationError("--argument is at most 65,536 bytes, not \(argument.utf8.count)")
        }
        let (options, loader, anyLoader, wait) = (options, loader, anyLoader, wait)
        let arguments = [[UInt8]](repeating: Array(argument.utf8), count: count)
        let printsAtOnce = printsAtOnce
        let timeIsOver = jobOptions.start.isOver()
        let weightedLimits = Set(jobOptions.limitKeys.filter { $0.weight > 1 }.map(\.limit))
        try await options.withClient("job submit", as: client) { client in
            let accepted = SubmittedJobs()
            do {
                defer { options.noteTimeIsOver(of: timeIsOver ? accepted.count : 0) }
                if jobOptions.uniqueKey != nil {
                    let submitted = try await client.submit(
                        loader: loader, argument: arguments[0], options: jobOptions, anyLoader: anyLoader)
                    accepted.take(submitted, printsAtOnce ? options : nil)
                    try await options.note(submitted, client, mayHaveEnded: wait)
                } else {
                    _ = try await client.submit(
                        loader: loader, arguments: arguments, options: jobOptions, anyLoader: anyLoader
                    ) { ids in
                        if printsAtOnce { accepted.show(ids, options) } else { accepted.add(ids) }
                    }
                }
                await options.noteIdleWeights(in: weightedLimits, client)
                if wait { try await accepted.follow(client, options) }
            } catch {
                // What was accepted runs whatever becomes of this command, so it must be known.
                let waitedFor = accepted.unprinted
                try accepted.showRest(options)
                guard Task.isCancelled else { throw await Self.advised(error, loader, jobOptions.limitKeys, client) }
                guard accepted.count < arguments.count else { throw CommandFailure.stoppedWaiting(for: waitedFor) }
                let isCertain = (error as? ClientError)?.code != .outcomeUnknown
                throw CommandFailure.stoppedSubmitting(accepted.count, of: arguments.count, isCertain: isCertain)
            }
            try accepted.showRest(options)
        }
    }

    /// One JSON object holds all ids, and the ids of awaited jobs are printed with their ends.
    private var printsAtOnce: Bool { !wait && options.printing.output != .json }

    /// Submits a job for each line. A file is looked at whole before the first is submitted; of what can be read but once, the lines before a
    /// wrong one are submitted.
    private func submitLines(of file: JobFile) async throws {
        guard argument == nil, count == nil else {
            throw ValidationError("--arguments-from has the argument of each job: leave --argument and --count out")
        }
        var file = file
        if file.isRepeatable { try await file.read { _ in } }
        let (known, options, loader, anyLoader, wait, printsAtOnce) = (file, options, loader, anyLoader, wait, printsAtOnce)
        try await options.withClient("job submit", as: client) { client in
            let accepted = SubmittedJobs()
            var file = known
            var submitter = JobLineSubmitter(client: client, loader: loader, takesAnyLoader: anyLoader)
            defer { options.noteTimeIsOver(of: submitter.overCount) }
            func accept(_ part: JobLineSubmitter.AcceptedPart) async throws {
                switch part {
                case .many(let ids): if printsAtOnce { accepted.show(ids, options) } else { accepted.add(ids) }
                case .one(let submitted):
                    accepted.take(submitted, printsAtOnce ? options : nil)
                    try await options.note(submitted, client, mayHaveEnded: wait)
                }
            }
            do {
                do {
                    try await file.read {
                        try await submitter.take($0, accept)
                    } pause: {
                        try await submitter.flush(accept)
                    }
                } catch let fault as CommandFailure where fault.status == .invalidData {
                    try await submitter.flush(accept)
                    throw fault.naming(submitted: accepted.count)
                }
                try await submitter.flush(accept)
                if accepted.count == 0 { options.notice("no jobs in \(file.name == "-" ? "standard input" : file.name)") }
                await options.noteIdleWeights(in: submitter.weightedLimits, client)
                if wait { try await accepted.follow(client, options) }
            } catch {
                let waitedFor = accepted.unprinted
                try accepted.showRest(options)
                guard Task.isCancelled else {
                    let advised = await Self.advised(error, loader, [], client)
                    guard let error = advised as? ClientError else { throw advised }
                    throw CommandFailure(error).naming(lastLine: submitter.lastLine)
                }
                if wait, !waitedFor.isEmpty { throw CommandFailure.stoppedWaiting(for: waitedFor) }
                throw CommandFailure.stoppedSubmitting(lines: submitter.lastLine, accepted: accepted.count)
            }
            try accepted.showRest(options)
        }
    }

    /// A word that names no loader is answered with those that there are, and a limit that is not there likewise.
    private static func advised(
        _ error: any Error, _ loader: String, _ limits: [LimitKey], _ client: GantryClient
    ) async -> any Error {
        guard let error = error as? ClientError else { return error }
        if error.code == ClientErrorCode(.unknownItem), !limits.isEmpty {
            var failure = CommandFailure(error)
            let known = (try? await client.current(.limits).limits.map(\.name)) ?? []
            failure.advise(LimitArgument.nextStep(insteadOf: limits.map(\.limit).first { !known.contains($0) } ?? "NAME", among: known))
            return failure
        }
        // The front itself says what to do about a loader that it does not know.
        guard error.code == ClientErrorCode(.unknownLoader), error.nextStep.isEmpty else { return error }
        let workers = (try? await client.current(.workers).workers) ?? []
        var failure = CommandFailure(error)
        failure.advise(nextStep(insteadOf: loader, among: Set(workers.flatMap(\.loaders)).sorted()))
        return failure
    }

    /// What to submit to instead of a loader that is none.
    static func nextStep(insteadOf loader: String, among offered: [String]) -> String {
        guard !offered.isEmpty else { return "start a worker that offers loaders, then name one of them" }
        let names = offered.joined(separator: ", ")
        return SpellingDistance.nearest(to: loader, in: offered).map { "use \($0), or another that workers offer: \(names)" }
            ?? "name a loader that workers offer: \(names)"
    }
}
