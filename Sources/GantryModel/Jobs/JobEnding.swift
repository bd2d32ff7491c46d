//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// When a job ends that has not ended by then. A point of the wall clock and a length of time are apart: no step of the wall clock changes the length.
package struct JobEnding: Hashable, Sendable {
    /// When it ends as expired if it has never started; nil: it does not expire.
    package var expiresAt: WallTime?
    /// How long it may take in all, in whole milliseconds; nil: as long as it does.
    package var totalTimeout: Duration?

    /// Neither, unless given.
    package init(expiresAt: WallTime? = nil, totalTimeout: Duration? = nil) {
        (self.expiresAt, self.totalTimeout) = (expiresAt, totalTimeout)
    }

    /// The longest that a job may take in all.
    package static let longestTotal = JobTime.longest
    /// How far ahead a job may expire: as far as it may be scheduled.
    package static let furthest = JobStart.furthest

    /// What is wrong with it for a job that starts then, as a sentence; nil: nothing.
    /// - Parameter now: What the wall clock shows; nil: it is not known here, so that a time is taken as it is.
    package func fault(of start: JobStart, at now: WallTime?) -> String? {
        if let totalTimeout, !(Duration.milliseconds(1)...Self.longestTotal).contains(totalTimeout) {
            return "a job may take 1 ms to \(JobTime.longestText) in all"
        }
        guard let expiresAt else { return nil }
        if case .at(let time) = start, time >= expiresAt {
            return "the job would expire at \(expiresAt.rfc3339), before its own time comes: let it expire later"
        }
        guard let now else { return nil }
        if expiresAt <= now { return "\(expiresAt.rfc3339) is over: choose a later time to expire at, or none" }
        if expiresAt.duration(since: now) > Self.furthest {
            return "\(expiresAt.rfc3339) is more than 365 days ahead: choose an earlier time to expire at"
        }
        if case .after(let delay) = start, now.advanced(by: delay) >= expiresAt {
            return "the job would expire at \(expiresAt.rfc3339), before its delay is over: let it expire later"
        }
        return nil
    }

    /// As words for people.
    package var lines: [String] {
        [expiresAt.map { "expires at \($0.rfc3339) unless started" }, totalTimeout.map { "at most \($0.line) in all" }].compactMap { $0 }
    }

    /// Its share of a request's fingerprint.
    func add(to print: inout Fingerprint) {
        if let expiresAt {
            print.add(5)
            print.add(UInt64(bitPattern: expiresAt.milliseconds))
        }
        if let totalTimeout {
            print.add(6)
            print.add(UInt64(bitPattern: totalTimeout.wholeMilliseconds))
        }
    }
}

/// How often a job was snoozed: its loader asked to be run again later.
package struct SnoozeCount: Hashable, Sendable {
    /// How often.
    package var count: UInt32
    /// Whether it is what the job is scheduled for.
    package var goesOn: Bool

    /// A job that was snoozed so often.
    package init(_ count: UInt32, goesOn: Bool) { (self.count, self.goesOn) = (count, goesOn) }

    /// The longest time after which a loader may ask to be run again.
    package static let longest = JobTime.longest
}

/// How long things about jobs may take that somebody chooses.
///
/// One bound for all of them, so that nobody has to look up which is which: a month is more than any work between two looks of a person at it, and
/// in milliseconds it is a number of 32 bits. Only what is meant to wait for a date, or for somebody, may take a year: `JobStart`, `PauseTarget`.
package enum JobTime {
    /// The longest time of attempts, of a job in all, of a snooze, of a key that stays taken, and of the period of a rate.
    package static let longest = Duration.seconds(30 * 86_400)
    /// The same for people.
    package static let longestText = "30 days"
}

extension EndedKind {
    /// All of them, in the order in which they are bundled and looked for: those that are kept longer first. In that of `allCases` they make room, and a
    /// checkpoint lists them.
    package static let failedFirst: [Self] = allCases.reversed()

    /// The kind of a job that has ended so.
    package init(_ state: JobState) {
        switch state {
        case .failed, .quarantined: self = .failed
        case .cancelled, .expired: self = .cancelled
        case .waiting, .scheduled, .running, .cancelling, .succeeded: self = .succeeded
        }
    }
}

/// How a job ended, as a worker reports it in one byte.
package enum Outcome: UInt8, Hashable, Sendable {
    /// With a result, which may be empty.
    case succeeded = 0
    /// With a failure.
    case failed = 1
    /// Its task was cancelled and has really ended.
    case cancelled = 2
    /// The worker gives it back unstarted.
    case returned = 3
    /// Its loader asked to be run again later.
    case snoozed = 4
}

extension JobState {
    /// Whether nothing more will happen to the job by itself.
    @inlinable public var isFinal: Bool { rawValue >= JobState.succeeded.rawValue }

    /// The state in a sentence about a job: `has succeeded`, `is running`.
    package var clause: String {
        switch self {
        case .waiting, .scheduled, .running, .cancelling, .quarantined: "is \(name)"
        case .succeeded, .failed, .expired: "has \(name)"
        case .cancelled: "was \(name)"
        }
    }
}

/// For how long a front knows jobs that have ended, and how many of them: of each kind the oldest go first, and none makes room for another.
///
/// What their results and failures take together is bounded too, by a bound of the front that is none of the configuration.
package struct JobRetention: Hashable, Sendable {
    /// Jobs that succeeded.
    package var ended: Rule
    /// Jobs that were cancelled or expired: their work was not done, and nothing has failed.
    package var cancelled: Rule
    /// Jobs that failed or are quarantined: the dead set.
    package var failed: Rule

    /// A day and a week, of each kind the newest 100,000: who was down over night still learns what became of its jobs, and a failed one waits for somebody
    /// to look at it after days off.
    /// - Parameter cancelled: Nil: as `ended`.
    package init(
        ended: Rule = Rule(age: .seconds(86_400), count: 100_000), cancelled: Rule? = nil,
        failed: Rule = Rule(age: .seconds(7 * 86_400), count: 100_000)
    ) {
        (self.ended, self.cancelled, self.failed) = (ended, cancelled ?? ended, failed)
    }

    /// What holds for jobs of one kind.
    package struct Rule: Hashable, Sendable {
        /// How long after its end a job is known, in whole milliseconds: `shortestAge` to `longestAge`.
        package var age: Duration
        /// How many are known at most: 1 to `greatestCount`.
        package var count: Int

        /// The shortest time: a client asks for an outcome after its end.
        package static let shortestAge = Duration.seconds(1)
        /// The longest time.
        package static let longestAge = Duration.seconds(365 * 86_400)
        /// The most: some hundred bytes of each stay in memory, the rest is in files.
        package static let greatestCount = 1_000_000

        /// So long, and so many.
        package init(age: Duration, count: Int) { (self.age, self.count) = (age, count) }

        /// What is wrong with it, as a sentence; nil: nothing.
        package var fault: String? {
            guard age >= Self.shortestAge, age <= Self.longestAge else { return "ended jobs are known for 1 second to 365 days" }
            guard (1...Self.greatestCount).contains(count) else {
                return "1 to \(Self.greatestCount.grouped) ended jobs are known, not \(count)"
            }
            return nil
        }
    }

    /// The same for people.
    package var line: String {
        let counts = Set([ended.count, cancelled.count, failed.count]).count == 1 ? "of each the newest \(ended.count.grouped)" : nil
        func words(_ rule: Rule) -> String {
            let age = rule.age.asWritten.map { "\($0.number) \($0.unit)" } ?? rule.age.line
            return age + (counts == nil ? " (the newest \(rule.count.grouped))" : "")
        }
        let kinds = [("", ended), ("cancelled and expired ones ", cancelled), ("failed and quarantined ones ", failed)]
        let times = "jobs that succeeded are known " + kinds.map { "\($0)for \(words($1))" }.joined(separator: ", ")
        return times + (counts.map { ", \($0)" } ?? "")
    }
}
