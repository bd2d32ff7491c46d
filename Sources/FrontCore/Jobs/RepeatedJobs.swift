//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Which ended jobs were repeated, and by which job last: who repeats all that have failed means those that nobody has repeated yet.
///
/// The entries that accept jobs say it, and it lasts for as long as the ended job is known: so there are no more than ended jobs. A job that repeats
/// another one stands in its place, however it ends: who cancels it, or lets it expire, does not want that work any more. Who names the ended job is
/// not kept from it by one that was cancelled before it began.
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

    /// An ended job of which another front that took the same entries says something else; nil: there is none.
    /// - Parameter isKnown: Whether a job is known here: what is forgotten, is without an entry.
    func difference(from other: RepeatedJobs, isKnown: (UInt64) -> Bool) -> UInt64? {
        newest.keys.filter { other.newest[$0] != newest[$0] }.min()
            ?? other.newest.keys.filter { newest[$0] == nil && isKnown($0) }.min()
    }

    /// Those that are known no longer: a smaller bound of ended jobs forgets some without an entry.
    func unknown(to isKnown: (UInt64) -> Bool) -> [UInt64] { newest.keys.filter { !isKnown($0) } }

    /// Those behind a job, as many as one entry has; nil: there are none.
    func entry(behind job: UInt64) -> JournalEntry.RepeatsStored? {
        let jobs = Array(order.keys(after: job).prefix(Self.storedAtOnce))
        return jobs.isEmpty ? nil : JournalEntry.RepeatsStored(jobs, by: jobs.map { newest[$0] ?? 0 })
    }
}
