//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import GantryPlatform
import StateFormatting

/// From when on a job may be granted, as options of a command.
struct JobStartOptions: ParsableArguments {
    @Option(
        name: .long, help: "Not before so long from now, for example 90s or 2h; at most 365d.", transform: { try TimeLimit(argument: $0) })
    var delay: TimeLimit?

    @Option(name: .long, help: "Not before that time, for example 2026-12-24T18:00:00Z; at most 365 days ahead. A past one means now.")
    var runAt: String?

    /// What was given; nil: neither.
    /// - Throws: `ValidationError` for both, and for a time that cannot be read.
    func value() throws -> JobStart? {
        switch (delay, runAt) {
        case (nil, nil): return nil
        case (let delay?, nil): return .after(delay.duration)
        case (nil, let text?):
            guard let time = WallTime(readingRFC3339: text) else {
                throw ValidationError(
                    "--run-at: \"\(text)\" is no time: write it as RFC 3339 has it, with its zone, like 2026-12-24T18:00:00Z or "
                        + "2026-12-24T19:00:00+01:00")
            }
            let start = JobStart.at(time)
            if let fault = start.fault(at: WallTime(milliseconds: SystemClock.wallMilliseconds())) {
                throw ValidationError("--run-at: \(fault)")
            }
            return start
        case (.some, .some): throw ValidationError("--delay and --run-at are two times: give one of them")
        }
    }

    /// The options that say the same.
    var words: [String] { (delay.map { ["--delay \($0.text)"] } ?? []) + (runAt.map { ["--run-at \(ShellWord.of($0))"] } ?? []) }
}

extension JobStart {
    /// Whether it names a time that is over: such a job is due at once.
    func isOver(at now: WallTime = WallTime(milliseconds: SystemClock.wallMilliseconds())) -> Bool {
        if case .at(let time) = self { time <= now } else { false }
    }
}

extension FrontOptions {
    /// Says that jobs run at once because their time was over: mostly the year, the zone or the day is a slip of the hand.
    /// - Parameter count: How many of them there are.
    func noteTimeIsOver(of count: Int) {
        guard count > 0 else { return }
        notice("the time of --run-at is over: \(count == 1 ? "the job is" : "\(count) jobs are") due at once")
    }
}

/// How often a job is tried, as options of a command.
struct JobRetryOptions: ParsableArguments {
    @Option(
        name: .long,
        help: """
            How many attempts it has where failures may pass, 1 to 1,000; by default as `gantry.yaml` says of its loader, else 5. A run \
            whose worker is lost uses none up, though `attempts` of job list and show counts each run. A loader that is declared not \
            repeatable has one attempt, whatever is said here.
            """)
    var attempts: UInt32?

    @Option(
        name: .long, help: "The most that the second attempt waits, for example 500ms; it doubles with each further one. By default 1s.",
        transform: { try TimeLimit(argument: $0) })
    var backOff: TimeLimit?

    @Option(
        name: .long, help: "The most that any attempt waits, at most 1d. By default 10m, or --back-off where that is longer.",
        transform: { try TimeLimit(argument: $0) })
    var longestBackOff: TimeLimit?

    @Option(
        name: .long,
        help: "How long one attempt may run before its loader is asked to stop, for example 30s; at most 30d. Then it has failed.",
        transform: { try TimeLimit(argument: $0) })
    var attemptTimeout: TimeLimit?

    @Option(
        name: .long,
        help: """
            How long it may take in all, waiting included, from its acceptance or its own time on, for example 1h; at most 30d. Then it fails for \
            good.
            """,
        transform: { try TimeLimit(argument: $0) })
    var totalTimeout: TimeLimit?

    @Option(
        name: .long,
        help: """
            End it as expired if it has not started by then: a length from now, for example 10m, or a time like 2026-12-24T18:00:00Z; at \
            most 365d ahead.
            """)
    var expires: String?

    /// When the job ends if it has not by then.
    /// - Parameter now: What the clock of this machine shows.
    /// - Throws: `ValidationError` for a time that cannot be read, or cannot be.
    func ending(of start: JobStart, at now: WallTime) throws -> JobEnding {
        let ending = JobEnding(expiresAt: try expires.map { try Self.time($0, from: now) }, totalTimeout: totalTimeout?.duration)
        let total = JobEnding(totalTimeout: ending.totalTimeout)
        if let fault = total.fault(of: start, at: now) { throw ValidationError("--total-timeout: \(fault)") }
        if let fault = ending.fault(of: start, at: now) { throw ValidationError("--expires: \(fault)") }
        return ending
    }

    private static func time(_ text: String, from now: WallTime) throws -> WallTime {
        if let time = WallTime(readingRFC3339: text) { return time }
        guard let length = try? TimeLimit(argument: text) else {
            throw ValidationError(
                "--expires: \"\(text)\" is neither a length like 10m nor a time: write a time as RFC 3339 has it, like 2026-12-24T18:00:00Z"
            )
        }
        return now.advanced(by: length.duration)
    }

    @Flag(name: .long, inversion: .prefixedNo, help: "Draw each pause at random, up to that, as usual; or wait exactly that long.")
    var jitter: Bool?

    @Option(
        name: .long,
        help: """
            How often it is tried after failures with one code: unreachable=10 is 10 attempts in all, invalidData=never ends it with the first \
            such failure; once for each code.
            """)
    var retryCode: [String] = []

    /// The rule: what is not given is as the front says of the loader.
    /// - Throws: `ValidationError` for one that cannot be.
    func value() throws -> RetryRule {
        let backOff = BackOff(first: backOff?.duration, longest: longestBackOff?.duration, hasJitter: jitter)
        if let fault = RetryRule(attempts: attempts).fault { throw ValidationError("--attempts: \(fault)") }
        if let fault = RetryRule(backOff: backOff).fault { throw ValidationError("--back-off, --longest-back-off: \(fault)") }
        let rule = RetryRule(attempts: attempts, backOff: backOff, codes: try retryCode.map(Self.rule))
        if let fault = rule.fault { throw ValidationError("--retry-code: \(fault)") }
        return rule
    }

    private static func rule(_ text: String) throws -> CodeRetryRule {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let code = FailureCode(rawValue: parts[0])
        guard !parts[0].isEmpty else {
            let example = "write for example unreachable=10, or invalidData=never"
            throw ValidationError("--retry-code: \"\(text)\" names no failure code: \(example)")
        }
        if let fault = code.faultOfName { throw ValidationError("--retry-code: \(fault)") }
        guard parts.count == 2, parts[1] == "never" || UInt32(parts[1]) != nil else {
            let problem = parts.count == 2 ? "\"\(parts[1])\" is neither a number of attempts nor never" : "\"\(text)\" lacks the attempts"
            let several = text.contains(",") ? "; for several codes, give the option once for each" : ""
            throw ValidationError("--retry-code: \(problem): write for example \(code)=10, or \(code)=never\(several)")
        }
        return parts[1] == "never" ? .never(after: code) : CodeRetryRule(code, attempts: UInt32(parts[1]))
    }
}

/// `gantry job delay`: a job that waits goes to another time.
struct JobDelay: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "delay", abstract: "Move a job that waits, or is scheduled, to another time.",
        discussion: """
            Until then it is scheduled and stands in no line; its place in line counts from that time. A delay goes on while no front \
            runs, and no step of the wall clock moves it. A job that runs, has ended or works for a feed is refused. With a debounced key the last word \
            wins: the next submit with that key moves the time again.

            Example: gantry job delay 42 --delay 10m
            """)

    @OptionGroup var targets: JobTargets
    @OptionGroup var start: JobStartOptions
    @OptionGroup var options: FrontOptions

    /// What undoes a delay, where something may; nil: nothing does.
    static func notice(of job: JobSummary) -> String? {
        guard let key = job.options.uniqueKey, key.mode == .debounce, job.state == .scheduled else { return nil }
        return "its key \"\(key.text)\" is debounced: the next submit with that key moves its time again"
    }

    func run() async throws {
        guard let value = try start.value() else { throw ValidationError("give --delay or --run-at; gantry job promote makes it due now") }
        let (options, target, isMeant) = (options, try targets.value(), targets.yes)
        let command = (["gantry job delay"] + targets.words + start.words).joined(separator: " ")
        try await options.withClient("job delay") { client in
            guard case .named(let ids) = target else {
                return try await BulkRun(client: client, options: options, command: command).run(.delay(value), target, isMeant: isMeant)
            }
            try await options.each(ids) { id in
                try await CommandFailure.ofChange(to: id) { try await client.delay(id, to: value) }
                options.noteTimeIsOver(of: value.isOver() ? 1 : 0)
                let job = try await client.explain(id).job
                if let notice = Self.notice(of: job) { options.notice(notice) }
                return NamedJobEnd(json: job.json(), text: "\(id): \(job.line())")
            }
        }
    }
}

/// `gantry job promote`: a scheduled job is due now.
struct JobPromote: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote", abstract: "Make a scheduled job due now.",
        discussion: """
            It stands in line as if it had been submitted now. A job that waits already goes on waiting; one that runs or has ended is \
            refused. Many jobs are chosen by options: without --yes they are only counted.

            Example: gantry job promote 42
            """)

    @OptionGroup var targets: JobTargets
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, target, isMeant) = (options, try targets.value(), targets.yes)
        let command = (["gantry job promote"] + targets.words).joined(separator: " ")
        try await options.withClient("job promote") { client in
            guard case .named(let ids) = target else {
                return try await BulkRun(client: client, options: options, command: command).run(.promote, target, isMeant: isMeant)
            }
            try await options.each(ids) { id in
                try await CommandFailure.ofChange(to: id) { try await client.promote(id) }
                let job = try await client.explain(id).job
                return NamedJobEnd(json: job.json(), text: "\(id): \(job.line())")
            }
        }
    }
}

/// `gantry job forgive`: no crash counts against a waiting job.
struct JobForgive: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "forgive", abstract: "Forget the crashes of workers that count against a waiting job.",
        discussion: """
            A job whose worker died runs alone for a while, and the third such crash ends it in quarantine. Forgive it once what the \
            workers died of is mended. A quarantined job has ended: repeat it with gantry job retry. Many jobs are chosen by options: \
            without --yes they are only counted.

            Example: gantry job forgive 42
            """)

    @OptionGroup var targets: JobTargets
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, target, isMeant) = (options, try targets.value(), targets.yes)
        let command = (["gantry job forgive"] + targets.words).joined(separator: " ")
        try await options.withClient("job forgive") { client in
            guard case .named(let ids) = target else {
                return try await BulkRun(client: client, options: options, command: command).run(.forgive, target, isMeant: isMeant)
            }
            try await options.each(ids) { id in
                var found: JobSummary?
                do {
                    try await CommandFailure.ofChange(to: id) {
                        found = try await client.explain(id).job
                        try await client.forgive(id)
                    }
                } catch let failure as CommandFailure where failure.status == .conflict {
                    throw found.map { Self.refusal(failure, of: $0) } ?? failure
                }
                let crashCount = found?.crashCount ?? 0
                let job = try await client.explain(id).job
                return NamedJobEnd(json: job.json(), text: Self.text(job, forgiven: crashCount))
            }
        }
    }

    /// What a refusal ends the command with: a job that runs can be forgiven once it waits again, and stays there while its loader is paused.
    static func refusal(_ failure: CommandFailure, of job: JobSummary) -> CommandFailure {
        var refusal = failure
        switch job.state {
        case .running, .cancelling:
            let pause = "let it wait when it goes back to the queue: gantry loader pause \(ShellWord.of(job.loader))"
            refusal.advise("gantry job wait \(job.id)" + (job.loader.isEmpty ? "" : ", or \(pause)"))
        case .quarantined: refusal.advise("gantry job retry \(job.id)")
        case .waiting, .scheduled, .succeeded, .failed, .cancelled, .expired: break
        }
        return refusal
    }

    /// For people.
    /// - Parameter crashCount: How many crashes counted against it before.
    static func text(_ job: JobSummary, forgiven crashCount: UInt32) -> String {
        crashCount == 0 ? "job \(job.id): no crash was counted against it" : "\(job.id): \(job.line())"
    }
}
