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
            refused with code 9. The key is free when the job has ended, or as --unique-until and --unique-for say.

            With --expires a job that has not started by then ends as expired, be it that it waits, is paused or has a later time; one that has \
            started does not expire. --total-timeout counts from its acceptance, or from when its own time comes, waiting included: then it has \
            failed for good, and one that runs is stopped first.

            Example: gantry job submit sleep --argument 250 --wait
            Example: gantry job submit sleep --argument 250 --expires 10m --total-timeout 1h
            Example: gantry job submit sleep --argument 250 --unique nightly --unique-for 10m
            """)

    @Argument(help: "The loader to run.")
    var loader: String

    @Option(name: .long, parsing: .unconditional, help: "What the loader gets, at most 65,536 bytes.")
    var argument = ""

    @Option(name: .long, help: "0 to 9, 9 most urgent.")
    var priority = JobPriority.usual

    @Option(name: .long, help: "A label to find it by, at most 64 bytes without commas; up to 8 of them.")
    var tag: [String] = []

    @OptionGroup var start: JobStartOptions
    @OptionGroup var retry: JobRetryOptions
    @OptionGroup var limits: JobLimitOptions
    @OptionGroup var key: JobUniqueOptions

    @Option(
        name: .long,
        help: """
            The name under which they share the workers with jobs of other clients, at most 64 bytes: clients take turns, whoever has how many \
            jobs. All commands are one client unless they say so.
            """)
    var client: String?

    @Option(name: .long, help: "How many such jobs, 1 to 1,000,000.")
    var count = 1

    @Flag(name: .long, help: "Wait until every job has ended; the code is that of the first that did not succeed.")
    var wait = false

    @OptionGroup var options: FrontOptions

    func run() async throws {
        try Self.check("--priority", priority, 0...JobPriority.highest)
        try Self.check("--count", count, 1...1_000_000)
        let start = try start.value() ?? .now
        let ending = try retry.ending(of: start, at: WallTime(milliseconds: SystemClock.wallMilliseconds()))
        if let client, !(1...MessageBounds.labelByteCount).contains(client.utf8.count) || client.hasControlCharacters {
            throw ValidationError(
                "--client is 1 to \(MessageBounds.labelByteCount) bytes without control characters, not \(client.utf8.count)")
        }
        let jobOptions = JobOptions(
            priority: priority, tags: tag, start: start, retry: try retry.value(),
            attemptTimeout: retry.attemptTimeout?.duration, limitKeys: limits.limit, uniqueKey: try key.value(ofJobs: count),
            expiresAt: ending.expiresAt, totalTimeout: ending.totalTimeout)
        if let fault = JobOptions(attemptTimeout: retry.attemptTimeout?.duration).fault {
            throw ValidationError("--attempt-timeout: \(fault)")
        }
        if let fault = JobOptions(limitKeys: limits.limit).fault { throw ValidationError("--limit: \(fault)") }
        if let fault = jobOptions.fault { throw ValidationError("--tag: \(fault)") }
        guard argument.utf8.count <= JobBatch.argumentByteLimit else {
            throw ValidationError("--argument is at most 65,536 bytes, not \(argument.utf8.count)")
        }
        let (options, loader, wait, name) = (options, loader, wait, client)
        let arguments = [[UInt8]](repeating: Array(argument.utf8), count: count)
        // One JSON object holds all ids, and the ids of awaited jobs are printed with their ends.
        let printsAtOnce = !wait && options.printing.output != .json
        try await options.withClient("job submit", as: name) { client in
            let accepted = SubmittedJobs()
            do {
                if jobOptions.uniqueKey != nil {
                    let submitted = try await client.submit(loader: loader, argument: arguments[0], options: jobOptions)
                    accepted.take(submitted, printsAtOnce ? options : nil)
                    try await options.note(submitted, client, mayHaveEnded: wait)
                } else {
                    _ = try await client.submit(loader: loader, arguments: arguments, options: jobOptions) { ids in
                        if printsAtOnce { accepted.show(ids, options) } else { accepted.add(ids) }
                    }
                }
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
        guard error.code == ClientErrorCode(.unknownLoader) else { return error }
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
