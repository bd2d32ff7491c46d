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
