//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Which ended jobs were repeated, and by which job last: who repeats all that have failed means those that nobody has repeated yet.
///
/// It follows from the entries that accept jobs, and lasts for as long as the ended job is known: so there are no more than ended jobs.
struct RepeatedJobs {
    private var newest: [UInt64: UInt64] = [:]
    /// The ended jobs in order: a checkpoint goes through as many as a slice has room for.
    private var order = SortedKeys<UInt64>()

    /// Those that one entry of a checkpoint has.
    private static let storedAtOnce = 1_024

    var isEmpty: Bool { newest.isEmpty }

    /// The newest job that repeats one; nil: none does.
    func newest(of job: UInt64) -> JobID? { newest.isEmpty ? nil : newest[job].map { JobID($0) } }

    /// A job repeats one that has ended.
    mutating func note(_ job: UInt64, by repeating: UInt64) {
        let old = newest.updateValue(max(repeating, newest[job] ?? 0), forKey: job)
        if old == nil { order.insert(job) }
    }

    /// An ended job is known no longer.
    mutating func forget(_ job: UInt64) {
        guard !newest.isEmpty, newest.removeValue(forKey: job) != nil else { return }
        order.remove(job)
        // What the last one leaves behind is memory for as many.
        if newest.isEmpty { newest = [:] }
    }

    /// Those that are known no longer: a smaller bound of ended jobs forgets some without an entry.
    func unknown(to isKnown: (UInt64) -> Bool) -> [UInt64] { newest.keys.filter { !isKnown($0) } }

    /// Those behind a job, as many as one entry has; nil: there are none.
    func entry(behind job: UInt64) -> JournalEntry.RepeatsStored? {
        let jobs = Array(order.keys(after: job).prefix(Self.storedAtOnce))
        return jobs.isEmpty ? nil : JournalEntry.RepeatsStored(jobs, by: jobs.map { newest[$0] ?? 0 })
    }
}
