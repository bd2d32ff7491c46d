//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How often a job is tried, and how long it waits between two attempts.
///
/// An attempt is followed by another one only where its loader failed with `retryable`; a loader that is not asked twice (`Repeatable.no`) has one
/// attempt, whatever is said here. The death of a worker is no failure and uses up no attempt: see `FailureCode.quarantined`.
///
/// What is not said comes from the rule of the job's loader, where the configuration of the front has one, and is fixed when the job is accepted.
public struct RetryRule: Hashable, Sendable {
    /// Attempts that may fail, the last one too, 1 to `mostAttempts`; nil: as the loader's rule says, else `usualAttempts`.
    public var attempts: UInt32?
    /// The pauses between them.
    public var backOff: BackOff
    /// What holds after failures with some codes instead, by the names of the codes.
    public private(set) var codes: [CodeRetryRule]

    /// Most attempts that can be asked for.
    package static let mostAttempts: UInt32 = 1_000
    /// Attempts of a job for which no number is asked.
    package static let usualAttempts: UInt32 = 5
    /// How long a source may ask to be left alone: what is more counts as that.
    package static let longestAsked = Duration.seconds(3_600)

    /// A rule; what is not named is as usual.
    /// - Parameter codes: in any order, each code once; one that says nothing is left out.
    public init(attempts: UInt32? = nil, backOff: BackOff = BackOff(), codes: [CodeRetryRule] = []) {
        self.attempts = attempts
        self.backOff = backOff
        self.codes = codes.filter { $0 != CodeRetryRule($0.code) }.sorted { $0.code.rawValue < $1.code.rawValue }
    }

    /// What is wrong with it, as a sentence; nil: nothing.
    package var fault: String? {
        if let fault = Self.fault(of: attempts) ?? backOff.fault { return fault }
        for (index, rule) in codes.enumerated() {
            if let fault = rule.fault { return fault }
            guard index == 0 || codes[index - 1].code != rule.code else {
                return "a job says once how often it is tried after \(rule.code), not twice"
            }
        }
        return nil
    }

    /// What is wrong with a number of attempts, as a sentence; nil: nothing.
    fileprivate static func fault(of attempts: UInt32?) -> String? {
        guard let attempts, !(1...mostAttempts).contains(attempts) else { return nil }
        return "a job has 1 to \(UInt64(mostAttempts).grouped) attempts, not \(attempts)"
    }

    /// As words for people; nil: it is the usual one.
    package var line: String? {
        let parts = [attempts.map(Self.words), backOff.line].compactMap { $0 } + codes.map { $0.line(beside: backOff) }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    fileprivate static func words(of attempts: UInt32) -> String { attempts == 1 ? "1 attempt" : "\(attempts) attempts" }

    /// What is said of a code alone; nil: nothing.
    private func rule(after code: FailureCode) -> CodeRetryRule? { codes.isEmpty ? nil : codes.first { $0.code == code } }

    /// How many attempts a job of a loader has when one fails with that code, however those before it failed.
    package func attempts(of repeatable: Repeatable, after code: FailureCode) -> UInt32 {
        switch repeatable {
        case .yes: rule(after: code)?.attempts ?? attempts ?? Self.usualAttempts
        case .no: 1
        }
    }

    /// How long a job waits before its next attempt: what its back-off gives, or what a source has asked for and up to a tenth more.
    ///
    /// What is drawn comes from the job and the attempt alone, so that a repeat of the decision gives the same; jobs that failed together do not
    /// come back together.
    package func pause(of job: JobID, after attempts: UInt32, _ code: FailureCode, asked: Duration?) -> Duration {
        let backOff = rule(after: code)?.backOff.filled(by: backOff) ?? backOff
        var draw = Fingerprint(kind: 0)
        draw.add(job.rawValue)
        draw.add(UInt64(attempts))
        let most = backOff.most(after: attempts)
        let own = backOff.isDrawn ? Self.share(draw.value, of: most) : most
        guard let asked = asked.map({ max(.zero, min($0, Self.longestAsked)) }) else { return own }
        draw.add(1)
        return max(own, asked + Self.share(draw.value, of: asked / 10))
    }

    /// A part of a length, in whole milliseconds from none to all of it.
    private static func share(_ draw: UInt64, of length: Duration) -> Duration {
        .milliseconds(Int64(draw % (UInt64(max(0, length.wholeMilliseconds)) + 1)))
    }

    /// Its share of a request's fingerprint.
    func add(to print: inout Fingerprint) {
        print.add(3)
        print.add(attempts.map(UInt64.init))
        backOff.add(to: &print)
        for rule in codes {
            print.add(rule.code.rawValue)
            print.add(rule.attempts.map(UInt64.init))
            rule.backOff.add(to: &print)
        }
    }
}

extension RetryRule {
    /// The rule of a job whose loader has another: what the job says for itself comes first, field by field and code by code.
    ///
    /// A job's own number of attempts, and its own pauses, hold after each code; but where the loader's rule says *never* of a code, only what the job
    /// says of that code itself does.
    package func filled(by usual: RetryRule) -> RetryRule {
        let others = usual.codes.filter { other in !codes.contains { $0.code == other.code } }.map { CodeRetryRule($0.code) }
        let rules = (codes + others).map { rule in
            guard let its = usual.rule(after: rule.code) else { return rule }
            let most = its.isNever ? its.attempts : its.attempts.map { attempts ?? $0 }
            return CodeRetryRule(
                rule.code, attempts: rule.attempts ?? most, backOff: rule.backOff.filled(by: its.backOff.yielding(to: backOff)))
        }
        return RetryRule(attempts: attempts ?? usual.attempts, backOff: backOff.filled(by: usual.backOff), codes: rules)
    }
}

/// How often a job is tried that fails with some code, and how long it waits then. Attempts that failed otherwise count, too.
public struct CodeRetryRule: Hashable, Sendable {
    /// The code, one of those that this version knows.
    public var code: FailureCode
    /// How many attempts have failed when such a failure ends the job, that one too, 1 to `RetryRule.mostAttempts`: 1 means that a job is never tried
    /// again after it. Nil: as many as after other codes.
    public var attempts: UInt32?
    /// The pauses after such a failure; what is not said is as after other codes.
    public var backOff: BackOff

    /// What holds after failures with a code.
    public init(_ code: FailureCode, attempts: UInt32? = nil, backOff: BackOff = BackOff()) {
        (self.code, self.attempts, self.backOff) = (code, attempts, backOff)
    }

    /// The first failure with that code is the job's end.
    public static func never(after code: FailureCode) -> CodeRetryRule { CodeRetryRule(code, attempts: 1) }

    /// Whether it says so.
    package var isNever: Bool { attempts == 1 }

    /// What is wrong with it, as a sentence; nil: nothing.
    package var fault: String? {
        if let fault = code.faultOfName { return fault }
        return (RetryRule.fault(of: attempts) ?? backOff.fault).map { "after \(code): \($0)" }
    }

    /// As words for people.
    /// - Parameter usual: The pauses after other codes.
    fileprivate func line(beside usual: BackOff) -> String {
        if isNever { return "never again after \(code)" }
        let pauses = backOff.line == nil ? nil : backOff.filled(by: usual).line
        return "after \(code) " + [attempts.map(RetryRule.words), pauses].compactMap { $0 }.joined(separator: " and ")
    }

    /// Bytes of its text, with its numbers.
    var byteCount: Int { code.rawValue.utf8.count + RoughSize.message }
}

/// The pauses between attempts: the first one, doubled with each attempt up to the longest.
public struct BackOff: Hashable, Sendable {
    /// In milliseconds, 0: not said. Many jobs have such a rule for themselves, so it takes little room.
    private var firstMilliseconds: UInt32 = 0
    private var longestMilliseconds: UInt32 = 0
    /// Whether each pause is drawn between none and that ("full jitter"), so that jobs that failed together do not come back together; else it is
    /// exactly that. Nil: as the loader's rule says, else it is.
    ///
    /// See [Exponential Backoff and Jitter](https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
    public var hasJitter: Bool?

    /// Pauses; what is not said is as the loader's rule says, else they begin at a second, end at ten minutes and are drawn.
    public init(first: Duration? = nil, longest: Duration? = nil, hasJitter: Bool? = nil) {
        self.hasJitter = hasJitter
        (self.first, self.longest) = (first, longest)
    }

    /// At most so long after the first attempt, in whole milliseconds from 1 ms to `longest`; nil: not said.
    public var first: Duration? {
        get { Self.length(firstMilliseconds) }
        set { firstMilliseconds = Self.milliseconds(newValue) }
    }

    /// At most so long after any, at most a day; nil: not said.
    public var longest: Duration? {
        get { Self.length(longestMilliseconds) }
        set { longestMilliseconds = Self.milliseconds(newValue) }
    }

    private static func length(_ milliseconds: UInt32) -> Duration? { milliseconds == 0 ? nil : .milliseconds(Int64(milliseconds)) }

    // No time at all is none that a pause can have at most, as one that is too long.
    private static func milliseconds(_ length: Duration?) -> UInt32 {
        length.map { $0 > .zero ? UInt32(clamping: $0.millisecondsRoundedUp) : .max } ?? 0
    }

    private static let usual = (first: Duration.seconds(1), longest: Duration.seconds(600))
    private static let furthest = Duration.seconds(86_400)

    /// The first pause at most. Who asks for short ones alone means it.
    package var firstPause: Duration { first ?? min(Self.usual.first, longest ?? Self.usual.first) }
    /// Any pause at most. Who asks for a long first one alone means it.
    package var longestPause: Duration { longest ?? max(Self.usual.longest, first ?? .zero) }
    /// Whether pauses are drawn.
    package var isDrawn: Bool { hasJitter ?? true }

    /// What is wrong with them, as a sentence; nil: nothing.
    package var fault: String? {
        guard firstPause <= Self.furthest, longestPause <= Self.furthest else { return "a back-off is 1 ms or more, and at most a day" }
        guard firstPause <= longestPause else {
            return "the longest back-off, \(longestPause.line), is shorter than the first, \(firstPause.line): raise it"
        }
        return nil
    }

    /// As words for people; nil: they are the usual ones.
    var line: String? {
        guard self != BackOff() else { return nil }
        let growth = firstPause == longestPause ? "" : ", doubling, at most \(longestPause.longLine)"
        return "\(isDrawn ? "random pauses up to" : "pauses of") \(firstPause.longLine)\(growth)"
    }

    /// The longest pause after that many attempts.
    func most(after attempts: UInt32) -> Duration {
        // 2 to the 27th milliseconds are more than a day.
        let doublings = min(27, max(1, attempts) - 1)
        return min(longestPause, firstPause * (1 << Int(doublings)))
    }

    /// Its share of a request's fingerprint.
    fileprivate func add(to print: inout Fingerprint) {
        print.add(UInt64(bitPattern: firstPause.wholeMilliseconds))
        print.add(UInt64(bitPattern: longestPause.wholeMilliseconds))
        print.add(isDrawn ? 1 : 0)
    }
}

extension BackOff {
    /// What is said here, and what another says where nothing is: bounded so that the other contradicts nothing.
    func filled(by other: BackOff) -> BackOff {
        var filled = self
        if first == nil, let its = other.first { filled.first = longest.map { min($0, its) } ?? its }
        if longest == nil, let its = other.longest { filled.longest = max(its, filled.first ?? its) }
        if hasJitter == nil { filled.hasJitter = other.hasJitter }
        return filled
    }

    /// What is said here, with what another says in its place, or bounded by that.
    fileprivate func yielding(to other: BackOff) -> BackOff {
        let both = other.filled(by: self)
        return BackOff(
            first: first == nil ? nil : both.first, longest: longest == nil ? nil : both.longest,
            hasJitter: hasJitter == nil ? nil : both.hasJitter)
    }
}

/// Whether an operation may run a second time when its outcome is unknown.
public enum Repeatable: UInt8, Hashable, Sendable {
    /// A second run is harmless.
    case yes = 0
    /// Never run a second time by itself.
    case no = 2
}
