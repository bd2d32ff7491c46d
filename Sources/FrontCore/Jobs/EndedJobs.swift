//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// The jobs that have ended and are still known, oldest first: which go next, what they failed with, and what they take.
///
/// Failed and quarantined ones are kept apart, and longer: none is hidden behind newer jobs, however many. Those that ended since the last
/// checkpoint are in memory, in lines; before the next one they go into bundles beside the journal. Jobs of feeds that failed stay: whoever was
/// told of one may ask to repeat it.
struct EndedJobs {
    /// Those in memory that succeeded or were cancelled.
    private(set) var others = JobLine()
    /// Those in memory that failed or were quarantined, but for those of feeds.
    private(set) var failed = JobLine()
    /// Jobs of feeds that failed or were quarantined.
    private(set) var repeatable = JobLine()
    /// Those in memory that failed or were quarantined, newest number first: each as what is left to the largest number.
    private var failedOrder = SortedKeys<UInt64>()
    /// Those in bundles.
    private(set) var bundled = BundledJobs()
    /// Why, of those in memory that say so.
    private(set) var failures: [UInt64: Failure] = [:]
    /// What those that failed did so with.
    private(set) var tally = FailureTally()
    /// Bytes that the others take in memory, and that those that failed do.
    private var memoryBytes = (other: 0, failed: 0)

    var otherByteCount: Int { memoryBytes.other + bundled.otherByteCount }
    var failedByteCount: Int { memoryBytes.failed + bundled.failedByteCount }

    /// Those that succeeded or were cancelled, and those that failed or were quarantined.
    var otherCount: Int { others.count + bundled.otherCount }
    var failedCount: Int { failed.count + repeatable.count + bundled.failedCount }

    var count: Int { otherCount + failedCount }

    /// Failed and quarantined jobs in memory below one, newest first; nil: all of them.
    func failedJobs(below job: UInt64?) -> some Swift.Sequence<UInt64> {
        failedOrder.keys(after: job.map { .max - $0 }).lazy.map { .max - $0 }
    }

    /// What a job in memory failed with, that stands among those that did.
    func failureCode(of id: UInt64, in slab: JobSlab) -> FailureCode {
        failures[id]?.code ?? (slab[id].state == .quarantined ? .quarantined : FailureCode(rawValue: "unknown"))
    }

    /// Notes why a job failed.
    mutating func noteFailure(_ failure: Failure, of id: UInt64) { failures[id] = failure }

    /// Puts a job that has ended at the end of its line.
    mutating func append(_ id: UInt64, _ state: JobState, in slab: inout JobSlab) {
        guard state == .failed || state == .quarantined else { return others.append(id, .history, in: &slab) }
        slab[id].keepLonger()
        failedOrder.insert(.max - id)
        let isRepeatable = slab[id].flags.contains(.isFeedJob)
        if isRepeatable { repeatable.append(id, .history, in: &slab) } else { failed.append(id, .history, in: &slab) }
    }

    /// Counts in what a job takes that stands in a line, once all is known of it.
    mutating func count(_ id: UInt64, byteCount: Int, in slab: JobSlab) {
        if slab[id].flags.contains(.inFailedHistory) {
            tally.add(failureCode(of: id, in: slab))
            memoryBytes.failed += byteCount
        } else {
            memoryBytes.other += byteCount
        }
    }

    /// Takes a job out of its line.
    mutating func remove(_ id: UInt64, byteCount: Int, in slab: inout JobSlab) {
        if slab[id].flags.contains(.inFailedHistory) {
            tally.remove(failureCode(of: id, in: slab))
            memoryBytes.failed -= byteCount
            failedOrder.remove(.max - id)
            if slab[id].flags.contains(.isFeedJob) { repeatable.remove(id, in: &slab) } else { failed.remove(id, in: &slab) }
        } else {
            memoryBytes.other -= byteCount
            others.remove(id, in: &slab)
        }
        if !failures.isEmpty { failures[id] = nil }
    }

    /// Adds a bundle, whose jobs stand in no line any more.
    /// - Returns: whether it was not there.
    mutating func add(_ bundle: Fact.EndedBundled) -> Bool {
        guard bundled.add(bundle) else { return false }
        for failure in bundle.failures { tally.add(failure.code, failure.count) }
        return true
    }

    /// Takes a bundle out; nil: there is none of that number.
    mutating func remove(_ number: BundleNumber) -> Fact.EndedBundled? {
        guard let bundle = bundled.remove(number) else { return nil }
        for failure in bundle.failures { tally.remove(failure.code, failure.count) }
        return bundle
    }
}

// MARK: What goes next

extension EndedJobs {
    /// What is forgotten at once.
    enum Oldest: Equatable {
        case job(UInt64)
        case bundle(BundleNumber)
    }

    /// What goes next because there are too many of its kind, or they take too much; nil: nothing has to. Neither kind makes room for the other.
    func firstBeyond(_ bounds: Bounds, in slab: JobSlab) -> Oldest? {
        let isBeyond = otherCount > bounds.endedJobs || otherByteCount > bounds.endedByteCount
        if isBeyond, let other = oldestOther(in: slab) { return other.oldest }
        guard failedCount > bounds.failedJobs || failedByteCount > bounds.endedByteCount else { return nil }
        return oldestFailed(in: slab)?.oldest
    }

    /// What is too old first, and when; nil: there is nothing. A bundle is as old as its youngest job.
    func firstAged(_ bounds: Bounds, in slab: JobSlab) -> (oldest: Oldest, at: WallTime)? {
        let other = oldestOther(in: slab).map { ($0.oldest, $0.endedAt.advanced(by: bounds.endedAge)) }
        guard let failed = oldestFailed(in: slab) else { return other }
        let at = failed.endedAt.advanced(by: bounds.failedAge)
        guard let other, other.1 <= at else { return (failed.oldest, at) }
        return other
    }

    private typealias Candidate = (oldest: Oldest, endedAt: WallTime)

    private func oldestOther(in slab: JobSlab) -> Candidate? {
        Self.older(Self.first(of: bundled.others), Self.first(of: others, in: slab))
    }

    private func oldestFailed(in slab: JobSlab) -> Candidate? {
        let inMemory = Self.older(Self.first(of: failed, in: slab), Self.first(of: repeatable, in: slab))
        return Self.older(Self.first(of: bundled.failed), inMemory)
    }

    private static func first(of bundles: Deque<Fact.EndedBundled>) -> Candidate? {
        bundles.first.map { (.bundle($0.number), $0.endedAt) }
    }

    private static func first(of line: JobLine, in slab: JobSlab) -> Candidate? {
        line.isEmpty ? nil : (.job(line.first), WallTime(milliseconds: slab[line.first].changedAt))
    }

    private static func older(_ one: Candidate?, _ other: Candidate?) -> Candidate? {
        guard let one, let other else { return one ?? other }
        return other.endedAt < one.endedAt ? other : one
    }
}
