//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How often a job is tried, and how long it waits between two attempts.
///
/// An attempt is followed by another one only where its loader failed with `retryable`; a loader that is not asked twice (`Repeatable.no`) has one
/// attempt, whatever is said here. The death of a worker is no failure and uses up no attempt: see `FailureCode.quarantined`.
public struct RetryRule: Hashable, Sendable {
    /// Attempts that may fail, the last one too, 1 to `mostAttempts`; nil: `usualAttempts`.
    public var attempts: UInt32?
    /// The pauses between them.
    public var backOff: BackOff

    /// Most attempts that can be asked for.
    public static let mostAttempts: UInt32 = 1_000
    /// Attempts of a job for which no number is asked.
    public static let usualAttempts: UInt32 = 5
    /// How long a source may ask to be left alone: what is more counts as that.
    public static let longestAsked = Duration.seconds(3_600)

    /// A rule; what is not named is as usual.
    public init(attempts: UInt32? = nil, backOff: BackOff = BackOff()) {
        self.attempts = attempts
        self.backOff = backOff
    }

    /// What is wrong with it, as a sentence; nil: nothing.
    package var fault: String? {
        if let attempts, !(1...Self.mostAttempts).contains(attempts) {
            return "a job has 1 to \(UInt64(Self.mostAttempts).grouped) attempts, not \(attempts)"
        }
        return backOff.fault
    }

    /// As words for people; nil: it is the usual one.
    package var line: String? {
        let parts = [attempts.map { $0 == 1 ? "1 attempt" : "\($0) attempts" }, backOff.line].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// How many attempts a job of a loader has.
    package func attempts(of repeatable: Repeatable) -> UInt32 {
        switch repeatable {
        case .yes: attempts ?? Self.usualAttempts
        case .no: 1
        }
    }

    /// How long a job waits before its next attempt: what its back-off gives, or what a source has asked for and up to a tenth more.
    ///
    /// What is drawn comes from the job and the attempt alone, so that a repeat of the decision gives the same; jobs that failed together do not
    /// come back together.
    package func pause(of job: JobID, after attempts: UInt32, asked: Duration?) -> Duration {
        var draw = Fingerprint(kind: 0)
        draw.add(job.rawValue)
        draw.add(UInt64(attempts))
        let most = backOff.most(after: attempts)
        let own = backOff.hasJitter ? Self.share(draw.value, of: most) : most
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
        print.add(UInt64(bitPattern: backOff.first.wholeMilliseconds))
        print.add(UInt64(bitPattern: backOff.longest.wholeMilliseconds))
        print.add(backOff.hasJitter ? 1 : 0)
    }
}

/// The pauses between attempts: the first one, doubled with each attempt up to the longest.
public struct BackOff: Hashable, Sendable {
    /// At most so long after the first attempt, in whole milliseconds from 1 ms to `longest`.
    public var first: Duration
    /// At most so long after any, at most a day.
    public var longest: Duration
    /// Whether each pause is drawn between none and that ("full jitter"), so that jobs that failed together do not come back together; else it is
    /// exactly that.
    ///
    /// See [Exponential Backoff and Jitter](https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
    public var hasJitter: Bool

    /// Pauses; the usual ones begin at a second and end at ten minutes.
    public init(first: Duration = .seconds(1), longest: Duration = .seconds(600), hasJitter: Bool = true) {
        (self.first, self.longest, self.hasJitter) = (first, longest, hasJitter)
    }

    private static let furthest = Duration.seconds(86_400)

    /// What is wrong with them, as a sentence; nil: nothing.
    package var fault: String? {
        guard first >= .milliseconds(1) else { return "a back-off begins with 1 ms or more" }
        guard longest <= Self.furthest else { return "the longest back-off is at most a day" }
        guard first <= longest else {
            return "the longest back-off, \(longest.line), is shorter than the first, \(first.line): raise it"
        }
        return nil
    }

    /// As words for people; nil: they are the usual ones.
    var line: String? {
        guard self != BackOff() else { return nil }
        return "back-off \(first.line) to \(longest.line)\(hasJitter ? "" : " without jitter")"
    }

    /// The longest pause after that many attempts.
    func most(after attempts: UInt32) -> Duration {
        // 2 to the 27th milliseconds are more than a day.
        let doublings = min(27, max(1, attempts) - 1)
        return min(longest, first * (1 << Int(doublings)))
    }
}

/// Whether an operation may run a second time when its outcome is unknown.
public enum Repeatable: UInt8, Hashable, Sendable {
    /// A second run is harmless.
    case yes = 0
    /// Never run a second time by itself.
    case no = 2
}
