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
