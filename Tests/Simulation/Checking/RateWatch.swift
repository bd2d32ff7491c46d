//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// How many attempts of limits with a rate really begin, each by the time of its grant: what a slow network delivers together was granted apart.
struct RateWatch {
    /// The most that was ever asked for, by limit: tokens in a millisecond, and the burst. Whether and when that holds, only the journal says.
    private var greatest: [String: (count: Double, burst: Double)] = [:]
    /// When each job was granted last, by the clock of lengths, nil where nothing says that any token was taken; and the limits that had a rate then.
    private var grants: [UInt64: (at: Int64?, rated: Set<String>)] = [:]
    /// The limits that have a rate now.
    private var rated: Set<String> = []
    /// The grants of attempts that have really begun, of each value the last ones, oldest first.
    private var starts: [LimitKey: [Int64]] = [:]

    /// So many starts of a value are looked at.
    private static let kept = 256

    /// A client asks for a rate.
    mutating func asks(_ name: String, for refill: LimitRefill?) {
        guard let refill else { return }
        let known = greatest[name] ?? (0, 0)
        let count = Double(refill.count) / Double(refill.period.wholeMilliseconds)
        greatest[name] = (max(known.count, count), max(known.burst, Double(refill.burst)))
    }

    /// The most tokens that a limit can have had; nil: nobody asked for any.
    func greatestBurst(of name: String) -> Int? { (greatest[name]?.burst).map { Int($0) } }

    /// The front has decided that, in one turn or in several that were written together: what its grants take stands before them. A limit that was
    /// deleted begins anew.
    mutating func take(_ entries: [JournalEntry]) {
        var time: Int64?
        for entry in entries {
            if case .tokensChanged(let tokens) = entry { time = tokens.levels.last?.lengthTime }
            if case .granted(let granted) = entry, !granted.isReregistration { for job in granted.jobs { grants[job] = (time, rated) } }
            guard case .limitChanged(let changed) = entry else { continue }
            if changed.rule?.refill == nil { rated.remove(changed.name) } else { rated.insert(changed.name) }
            if changed.rule?.refill == nil { starts = starts.filter { $0.key.limit != changed.name } }
        }
    }

    /// An attempt of a job begins at a worker.
    /// - Returns: the limit that it breaks; nil: none, or it is not known when it was granted.
    mutating func start(_ job: UInt64, _ keys: [LimitKey]) -> String? {
        guard let grant = grants[job] else { return nil }
        for key in keys where grant.rated.contains(key.limit) {
            guard let rate = greatest[key.limit] else { continue }
            guard let time = grant.at else { return "it is granted without a token of the limit \(key.text)" }
            let key = key.unweighted
            var times = starts[key] ?? []
            times.insert(time, at: times.firstIndex { $0 > time } ?? times.endIndex)
            if times.count > Self.kept { times.removeFirst() }
            starts[key] = times
            // Of all windows that begin earlier the worst one: what it had too many, less what came since.
            var worst = Double.infinity
            for (index, time) in times.enumerated() {
                let due = Double(index) - rate.count * Double(time)
                worst = min(worst, due)
                guard due - worst + 1 > rate.burst + 1e-6 else { continue }
                return "\(due - worst + 1) attempts of the limit \(key.text) begin beyond what comes in the time (burst \(rate.burst))"
            }
        }
        return nil
    }
}
