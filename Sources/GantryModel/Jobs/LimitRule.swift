//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a limit says, for each of its values: how many jobs run at once, how many are granted in a time, or both.
package struct LimitRule: Hashable, Sendable {
    /// How many jobs run at once at most, over all workers: 1 to `greatestCapacity`; nil: nothing bounds that, and there is a rate. A job has its
    /// permit from its grant until its run has ended at the worker, or that worker's lease and its grace are over; a cancel gives none back.
    package var capacity: UInt32?
    /// How many may be granted in a time; nil: nothing bounds that, and there is a capacity.
    package var refill: LimitRefill?

    /// The most that a capacity can be: beyond what all workers together can run.
    package static let greatestCapacity: UInt32 = 1_000_000

    /// So many at once, and no more of them in a time than that; one of both at least.
    package init(capacity: UInt32? = nil, refill: LimitRefill? = nil) { (self.capacity, self.refill) = (capacity, refill) }

    /// What is wrong with it, as a sentence; nil: nothing.
    package var fault: String? {
        if capacity == nil, refill == nil { return "a limit needs a capacity, a rate, or both" }
        if let capacity, !(1...Self.greatestCapacity).contains(capacity) {
            return "the capacity of a limit is 1 to \(Self.greatestCapacity.grouped), not \(capacity)"
        }
        return refill?.fault
    }

    /// Its share of a request's fingerprint.
    func add(to print: inout Fingerprint) {
        print.add(UInt64(capacity ?? 0))
        guard let refill else { return }
        print.add(UInt64(refill.count))
        print.add(UInt64(clamping: refill.period.millisecondsRoundedUp))
        print.add(UInt64(refill.burst))
        if refill.beyond != .wait { print.add(UInt64(refill.beyond.rawValue)) }
    }

    /// What it says, for people: `5 at once`, `500/s`, `5 at once, 10/m with a burst of 20`.
    package var line: String {
        [capacity.map { "\($0) at once" }, refill?.line].compactMap { $0 }.joined(separator: ", ")
    }
}

/// A token bucket: each attempt of a job takes a token, and tokens come back at a rate, up to as many as the bucket holds.
///
/// In any length of time no more attempts are granted than the burst and what comes in that time. So a fixed or sliding window is a bucket with that
/// refill: 100 in 15 minutes are `100/15m`; behind a pause up to the burst more are granted, which a smaller burst makes fewer.
package struct LimitRefill: Hashable, Sendable {
    /// Tokens that come in each period, one after the other and evenly: 1 to `greatestCount`.
    package var count: UInt32
    /// In which time they come, in whole milliseconds: `shortestPeriod` to `longestPeriod`.
    package var period: Duration
    /// The most tokens that there are, and as many as there are at first: 1 to `greatestCount`.
    package var burst: UInt32
    /// What becomes of jobs for which there is no token.
    package var beyond: LimitBeyond

    /// The most that may come in a period, and that a bucket holds.
    package static let greatestCount: UInt32 = 1_000_000
    /// The shortest time in which a count may come: a million in a second are more than a front can grant.
    package static let shortestPeriod: Duration = .seconds(1)
    /// The longest one.
    package static let longestPeriod = JobTime.longest

    /// So many in each period.
    /// - Parameters:
    ///   - burst: The most tokens that there are; nil: as many as come in a period.
    ///   - beyond: What becomes of jobs for which there is no token.
    package init(_ count: UInt32, per period: Duration, burst: UInt32? = nil, beyond: LimitBeyond = .wait) {
        (self.count, self.period, self.burst, self.beyond) = (count, period, burst ?? max(1, count), beyond)
    }

    /// What is wrong with it, as a sentence; nil: nothing.
    package var fault: String? {
        guard (1...Self.greatestCount).contains(count) else {
            return "the count of a rate is 1 to \(Self.greatestCount.grouped), not \(count)"
        }
        guard (Self.shortestPeriod...Self.longestPeriod).contains(period), period == .milliseconds(period.wholeMilliseconds) else {
            return "the time of a rate is 1 second to \(JobTime.longestText), in whole milliseconds"
        }
        guard (1...Self.greatestCount).contains(burst) else {
            return "the burst of a rate is 1 to \(Self.greatestCount.grouped), not \(burst)"
        }
        return nil
    }

    /// The rate as people write it: `500/s`, `100/15m`.
    package var rate: String {
        guard let (number, unit) = period.asWritten else { return "\(count)/?" }
        return "\(count)/\(number == 1 ? "" : String(number))\(unit)"
    }

    /// With its burst, where that is another number, and whether it refuses what is beyond.
    package var line: String {
        (burst == count ? rate : "\(rate) with a burst of \(burst)") + (beyond == .refuse ? ", refuses more" : "")
    }

    /// How many tokens there are, of a bucket that is full then.
    /// - Parameters:
    ///   - fullAt: When none is missing any more; nil: none is.
    ///   - now: The present, by the same clock.
    package func tokens(fullAt: WallTime?, at now: WallTime) -> UInt32 {
        guard let fullAt, fullAt > now else { return burst }
        // By the end of each share of the time left one comes: as many are missing as have begun to come.
        let left = Double(fullAt.milliseconds - now.milliseconds)
        let missing = (left * Double(count) / Double(max(1, period.wholeMilliseconds))).rounded(.up)
        return missing >= Double(burst) ? 0 : burst - UInt32(missing)
    }

    /// When the next token comes to a bucket that is full then; nil: there are some now.
    package func nextToken(fullAt: WallTime?, at now: WallTime) -> WallTime? {
        guard let fullAt, tokens(fullAt: fullAt, at: now) == 0 else { return nil }
        let share = Double(max(1, period.wholeMilliseconds)) / Double(max(1, count))
        return max(now, WallTime(milliseconds: fullAt.milliseconds - Int64((share * Double(burst - 1)).rounded(.down))))
    }
}

/// What becomes of jobs for which a limit has no token.
package enum LimitBeyond: UInt8, Hashable, Sendable, CaseIterable {
    /// They are accepted and wait for one, which is called throttling.
    case wait = 0
    /// They are refused with `rateLimited` when they are submitted, and loads of feeds when somebody asks for them, so that none of them ever comes
    /// late. Jobs that were accepted before and have not started have the next tokens; what else feeds need, and jobs that repeat ended ones, wait in
    /// such a limit too.
    case refuse = 1

    /// As people write it.
    package var word: String {
        switch self {
        case .wait: "wait"
        case .refuse: "refuse"
        }
    }

    /// What a word says; nil: nothing.
    package init?(word: String) {
        guard let beyond = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = beyond
    }
}

/// What a limit has none of for a job.
public enum LimitShortage: Hashable, Sendable {
    /// So many permits of its capacity are taken.
    case permits(inUse: UInt64, capacity: UInt32)
    /// There is no token; the next one comes then.
    case tokens(next: WallTime)
    /// What is free is kept for that job, which waits for longer and needs it.
    case reserved(for: JobID)
}

/// How many in which time, as people write it: `500/s`, `100/15m`.
package struct LimitRate: Hashable, Sendable {
    /// How many.
    package let count: UInt32
    /// In which time.
    package let period: Duration

    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

    /// What to write instead of a text that is no rate.
    package static let advice = "write a count and a time in s, m, h or d, like 500/s, 10/m, 100/15m or 1/d"

    /// Nil: it is no rate, or its count or time is none. How much of each can be, the rule says.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts.last?.dropLast() ?? ""
        guard parts.count == 2, let count = Self.number(parts[0]), let unit = parts[1].last.flatMap({ Self.units[$0] }),
            let number = digits.isEmpty ? 1 : Self.number(digits)
        else { return nil }
        (self.count, period) = (count, .seconds(Int64(number) * unit))
    }

    /// A number of digits alone, and not none.
    private static func number(_ text: Substring) -> UInt32? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt32(text), number > 0 else { return nil }
        return number
    }
}
