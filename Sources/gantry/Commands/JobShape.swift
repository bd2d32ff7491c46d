//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import GantryPlatform

/// How a job is to be run, on the command line and in a line of a file of jobs.
struct JobShapeOptions: ParsableArguments {
    @Flag(name: .long, help: "Show the argument to nobody but the loader: where others look it says (secret).")
    var secretArgument = false

    @Option(name: .long, parsing: .unconditional, help: "0 to 9, 9 most urgent.")
    var priority = JobPriority.usual

    @Option(name: .long, help: "A label to find it by, at most 64 bytes without commas; up to 8 of them.")
    var tag: [String] = []

    @OptionGroup var start: JobStartOptions
    @OptionGroup var retry: JobRetryOptions
    @OptionGroup var limits: JobLimitOptions
    @OptionGroup var key: JobUniqueOptions

    /// The options of each of so many jobs.
    /// - Throws: `ValidationError` for what cannot be.
    func value(ofJobs count: Int = 1) throws -> JobOptions {
        guard (0...JobPriority.highest).contains(priority) else {
            throw ValidationError("--priority is 0 to \(JobPriority.highest), not \(priority)")
        }
        let start = try start.value() ?? .now
        let ending = try retry.ending(of: start, at: WallTime(milliseconds: SystemClock.wallMilliseconds()))
        guard start == .now || key.debounce == nil else {
            throw ValidationError("--debounce says when the job starts: leave --delay and --run-at out")
        }
        let options = JobOptions(
            priority: priority, tags: tag, start: start, retry: try retry.value(), attemptTimeout: retry.attemptTimeout?.duration,
            limitKeys: limits.limit, uniqueKey: try key.value(ofJobs: count), expiresAt: ending.expiresAt,
            totalTimeout: ending.totalTimeout, hasSecretArgument: secretArgument)
        if let fault = JobOptions(attemptTimeout: options.attemptTimeout).fault { throw ValidationError("--attempt-timeout: \(fault)") }
        if let fault = JobOptions(limitKeys: options.limitKeys).fault { throw ValidationError("--limit: \(fault)") }
        if let fault = options.fault { throw ValidationError(JobOptions(tags: options.tags).fault.map { "--tag: \($0)" } ?? fault) }
        return options
    }
}

/// The unique key of a job, as options of a command.
struct JobUniqueOptions: ParsableArguments {
    /// Until when a key is taken, as people say it.
    enum Until: String, ExpressibleByArgument, CaseIterable {
        case started, ended, replace, buffer

        fileprivate var mode: UniqueMode {
            switch self {
            case .started: .untilStarted
            case .ended: .untilEnded
            case .replace: .replace
            case .buffer: .buffer
            }
        }
    }

    @Option(name: .long, help: "A key, at most 128 bytes: while a job of the loader has it, no second one with the same work is made.")
    var unique: String?

    @Option(
        name: .long,
        help: """
            How long the key is taken. started: until the job has started. ended: until it has ended; the default. replace: as ended, and until \
            its first start a submit with another argument or other options changes the job. buffer: as replace, and while the job runs one more \
            waits behind it, which works on what the last submit says.
            """)
    var uniqueUntil: Until?

    @Option(
        name: .long, help: "How much longer the key stays taken after the end, for example 10m; at most 30d.",
        transform: { try TimeLimit(argument: $0) })
    var uniqueFor: TimeLimit?

    @Option(
        name: .long,
        help: """
            Debounces the key: the job starts once nobody has submitted with the key for that long, for example 5s, and works on what the last \
            submit says; 1ms to 30d.
            """,
        transform: { try TimeLimit(argument: $0) })
    var debounce: TimeLimit?

    @Option(
        name: .long, help: "With --debounce: the job starts so long after the first submit in any case; ten times as long unless said.",
        transform: { try TimeLimit(argument: $0) })
    var debounceLongest: TimeLimit?

    /// The key; nil: none was given.
    /// - Throws: `ValidationError` for one that cannot be, and for what belongs to a key without one.
    func value(ofJobs count: Int) throws -> UniqueKey? {
        guard let unique else {
            guard uniqueUntil == nil, uniqueFor == nil, debounce == nil, debounceLongest == nil else {
                throw ValidationError("--unique-until, --unique-for and --debounce belong to --unique KEY: add it, or leave them out")
            }
            return nil
        }
        guard count == 1 else { throw ValidationError("--unique is the key of one job: leave --count out") }
        guard debounce != nil || debounceLongest == nil else {
            throw ValidationError("--debounce-longest belongs to --debounce: add it, or leave --debounce-longest out")
        }
        guard debounce == nil || uniqueUntil == nil else {
            throw ValidationError("--debounce says until when the key is taken: leave --unique-until out")
        }
        let mode = debounce == nil ? uniqueUntil?.mode ?? .untilEnded : .debounce
        var key = UniqueKey(unique, mode: mode, afterEnd: uniqueFor?.duration ?? .zero)
        key.debounce = debounce.map { Debounce(quiet: $0.duration, longest: debounceLongest?.duration) }
        if let fault = key.fault { throw ValidationError("\(option(of: key)): \(fault)") }
        return key
    }
}

extension JobUniqueOptions {
    /// The option that is wrong about a key.
    private func option(of key: UniqueKey) -> String {
        guard UniqueKey(key.text).fault == nil else { return "--unique" }
        if let debounce = key.debounce, debounce.fault != nil {
            return Debounce(quiet: debounce.quiet).fault == nil ? "--debounce-longest" : "--debounce"
        }
        return uniqueFor == nil ? "--unique-until" : "--unique-for"
    }
}

extension FrontOptions {
    /// Says of a job that was submitted that it is an earlier one: whoever counts on a new one must see that.
    /// - Parameter mayHaveEnded: Whether it is waited for, so that its end is told anyway.
    /// - Throws: `CommandFailure` for one that has ended without success: the work that was asked for is not done.
    func note(_ submitted: SubmittedJob, _ client: GantryClient, mayHaveEnded: Bool) async throws {
        switch submitted.acceptance {
        case .new: return
        case .replaced: notice("job \(submitted.job) had not started: it works on this from now on")
        case .joined:
            let state = try? await client.explain(submitted.job).job.state
            let text = "joined job \(submitted.job)" + (state.map { ", which \($0.isFinal ? "has ended as" : "is") \($0.name)" } ?? "")
            guard !mayHaveEnded, let state, state.isFinal, state != .succeeded else { return notice(text) }
            throw CommandFailure(
                .conflict, code: .conflict, message: "\(text): nothing is done again", nextStep: "gantry job retry \(submitted.job)")
        }
    }
}
