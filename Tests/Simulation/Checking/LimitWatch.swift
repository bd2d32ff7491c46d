//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What counts in limits, as durable entries tell it. Reckoned beside the front, never from its state.
struct LimitWatch {
    /// What each limit says.
    private var capacities: [String: UInt32] = [:]
    /// Those that have a rate.
    private var rated: Set<String> = []
    /// Jobs that workers hold.
    private var inUse: [LimitKey: Int] = [:]
    /// What was granted.
    private(set) var grants = GrantCounts()
    /// Those that a feed's job is to count in.
    var ofFeeds: (JournalEntry.FeedJob) -> [LimitKey] = { _ in [] }

    /// A limit says something else, or is no more.
    mutating func take(_ changed: JournalEntry.LimitChanged) {
        capacities[changed.name] = changed.rule.map { $0.capacity ?? .max }
        if changed.rule?.refill == nil { rated.remove(changed.name) } else { rated.insert(changed.name) }
    }

    /// A feed's job is accepted.
    /// - Returns: in what it breaks them; nil: in nothing.
    func fault(of job: JournalEntry.FeedJob) -> String? {
        let (keys, given) = (ofFeeds(job), job.options.limitKeys)
        guard keys != given else { return nil }
        let texts = [given, keys].map { $0.map(\.text).joined(separator: ", ") }
        return "job \(job.job), the \(job.operation) of \(job.key), counts in the limits \"\(texts[0])\", not in \"\(texts[1])\""
    }

    /// Whether each of the limits is there.
    func knows(_ keys: [LimitKey]) -> Bool { keys.allSatisfy { capacities[$0.limit] != nil } }

    /// A worker is given a job.
    ///
    /// - Parameter isGrant: Whether it is to begin it; else it has named it as one that it runs.
    /// - Returns: the limit that it breaks; nil: none.
    mutating func take(_ keys: [LimitKey], isGrant: Bool) -> String? {
        for key in keys { inUse[key.unweighted, default: 0] += Int(key.weight) }
        if isGrant { countGrant(keys) }
        guard let broken = keys.first(where: { (inUse[$0.unweighted] ?? 0) > Int(capacities[$0.limit] ?? .max) }) else { return nil }
        return "\(inUse[broken.unweighted] ?? 0) permits of the limit \(broken.text) are held (capacity \(capacities[broken.limit] ?? 0))"
    }

    private mutating func countGrant(_ keys: [LimitKey]) {
        grants.all += 1
        if !keys.isEmpty { grants.limited += 1 }
        if isFull(keys) { grants.last += 1 }
    }

    /// Jobs were granted together, each with its limits.
    mutating func countFull(after granted: [[LimitKey]]) { grants.full += UInt64(granted.count(where: isFull)) }

    /// Whether one of those limits has no permit left.
    private func isFull(_ keys: [LimitKey]) -> Bool {
        keys.contains { inUse[$0.unweighted] == capacities[$0.limit].map { Int($0) } }
    }

    /// Nobody holds a job any more.
    mutating func free(_ keys: [LimitKey]) { for key in keys { inUse[key.unweighted, default: 0] -= Int(key.weight) } }

    /// Whether no permit is taken.
    var isFree: Bool { inUse.values.allSatisfy { $0 == 0 } }

    /// Whether a limit has as many permits at all as a job needs.
    func mayFit(_ key: LimitKey) -> Bool { Int(key.weight) <= Int(capacities[key.limit] ?? .max) }

    /// Whether a limit has fewer free permits than a job needs of it, and as many at all.
    func isShort(of key: LimitKey) -> Bool {
        let capacity = Int(capacities[key.limit] ?? .max)
        return Int(key.weight) <= capacity && (inUse[key.unweighted] ?? 0) + Int(key.weight) > capacity
    }

    /// Whether a job surely found room before others, each of them with its limits, were granted. That a limit with a rate had a token is sure where
    /// one of the others took it.
    func hadRoom(for keys: [LimitKey], before others: [[LimitKey]]) -> Bool {
        keys.allSatisfy { key in
            let shared = others.flatMap { $0.filter { $0.unweighted == key.unweighted } }
            let taken = shared.reduce(0) { $0 + Int($1.weight) }
            return (inUse[key.unweighted] ?? 0) - taken + Int(key.weight) <= Int(capacities[key.limit] ?? .max)
                && (taken > 0 || !rated.contains(key.limit))
        }
    }
}
