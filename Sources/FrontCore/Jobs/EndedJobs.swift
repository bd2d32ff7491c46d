//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

/// The jobs that have ended and are still known, oldest first: which go next, what they failed with, and what they take.
///
/// Each kind is kept apart, failed and quarantined ones longer: none is hidden behind newer jobs of another, however many. Those that ended since the last
/// checkpoint are in memory, in lines; before the next one they go into bundles beside the journal. Those that a client may ask to repeat by their
/// failure alone stay.
struct EndedJobs {
    /// Those in memory, but for those that may be repeated.
    private var lines = ByEndedKind(repeating: JobLine())
    /// Saves, orders and details that failed or were quarantined: what they did is nowhere else. A load that failed is done again as any other load is.
    private(set) var repeatable = JobLine()
    /// Those in memory that failed or were quarantined, newest number first: each as what is left to the largest number.
    private var failedOrder = SortedKeys<UInt64>()
    /// Those in bundles.
    private(set) var bundled = BundledJobs()
    /// Why, of those in memory that say so.
    private(set) var failures: [UInt64: Failure] = [:]
    /// What those that failed did so with.
    private(set) var failureCounts = FailureCounts()
    /// Bytes that they take in memory.
    private var memoryByteCount = ByEndedKind(repeating: 0)

    /// Those of a kind in memory that may go into a bundle.
    func line(of kind: EndedKind) -> JobLine { lines[kind] }

    /// What those of a kind take.
    func byteCount(of kind: EndedKind) -> Int { memoryByteCount[kind] + bundled[kind].byteCount }

    /// How many of a kind there are.
    func count(of kind: EndedKind) -> Int {
        let inMemory =
            switch kind {
            case .succeeded, .cancelled: lines[kind].count
            case .failed: lines[.failed].count + repeatable.count
            }
        return inMemory + bundled[kind].jobCount
    }

    var count: Int { EndedKind.allCases.reduce(0) { $0 + count(of: $1) } }

    /// Failed and quarantined jobs in memory below one, newest first; nil: all of them.
    func failedJobs(below job: UInt64?) -> some Sequence<UInt64> {
        failedOrder.keys(after: job.map { .max - $0 }).lazy.map { .max - $0 }
    }

    /// What a job in memory failed with, that stands among those that did.
    func failureCode(of id: UInt64, in slab: JobSlab) -> FailureCode {
        failures[id]?.code ?? (slab[id].state == .quarantined ? .quarantined : FailureCode(rawValue: "unknown"))
    }

    /// Notes why a job failed.
    mutating func noteFailure(_ failure: Failure, of id: UInt64) { failures[id] = failure }

    /// Puts a job that has ended at the end of its line.
    /// - Parameter operation: What it did for a feed; nil: it is none of a feed.
    mutating func append(_ id: UInt64, _ state: JobState, _ operation: FeedOperation?, in slab: inout JobSlab) {
        let kind = EndedKind(state)
        if kind == .failed { failedOrder.insert(.max - id) }
        changeLine(of: kind, operation) { $0.append(id, .ended, in: &slab) }
    }

    /// Changes the line of jobs of a kind that did this.
    @inline(__always)
    private mutating func changeLine(of kind: EndedKind, _ operation: FeedOperation?, _ change: (inout JobLine) -> Void) {
        if kind == .failed, Self.isRepeatable(operation) { change(&repeatable) } else { change(&lines[kind]) }
    }

    /// Whether a failed job that did this may be repeated by its failure.
    private static func isRepeatable(_ operation: FeedOperation?) -> Bool {
        switch operation {
        case .create, .update, .sort, .detail: true
        case .load, .merge, nil: false
        }
    }

    /// Counts in what a job takes that stands in a line, once all is known of it.
    mutating func count(_ id: UInt64, byteCount: Int, in slab: JobSlab) {
        let kind = slab[id].endedKind
        if kind == .failed { failureCounts.add(failureCode(of: id, in: slab)) }
        memoryByteCount[kind] += byteCount
    }

    /// Takes a job out of its line.
    mutating func remove(_ id: UInt64, byteCount: Int, _ operation: FeedOperation?, in slab: inout JobSlab) {
        let kind = slab[id].endedKind
        memoryByteCount[kind] -= byteCount
        if kind == .failed {
            failureCounts.remove(failureCode(of: id, in: slab))
            failedOrder.remove(.max - id)
        }
        changeLine(of: kind, operation) { $0.remove(id, in: &slab) }
        // Nearly every job succeeds, and an empty table is not worth a look for each.
        if !failures.isEmpty { failures[id] = nil }
    }

    /// Adds a bundle, whose jobs stand in no line any more.
    /// - Returns: whether it was not there.
    mutating func add(_ bundle: JournalEntry.EndedBundled) -> Bool {
        guard bundled.add(bundle) else { return false }
        for failure in bundle.failures { failureCounts.add(failure.code, failure.count) }
        return true
    }

    /// Takes a bundle out; nil: there is none of that number.
    mutating func remove(_ number: BundleNumber) -> JournalEntry.EndedBundled? {
        guard let bundle = bundled.remove(number) else { return nil }
        for failure in bundle.failures { failureCounts.remove(failure.code, failure.count) }
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

    /// What goes next because there are too many of its kind, or they take too much; nil: nothing has to. No kind makes room for another.
    func firstBeyond(_ bounds: Bounds, in slab: JobSlab) -> Oldest? {
        for kind in EndedKind.allCases where count(of: kind) > bounds.retention[kind].count || byteCount(of: kind) > bounds.endedByteCount {
            if let next = oldest(of: kind, in: slab) { return next.oldest }
        }
        return nil
    }

    /// What is too old first, and when; nil: there is nothing. A bundle is as old as its youngest job.
    func firstAged(_ bounds: Bounds, in slab: JobSlab) -> (oldest: Oldest, at: WallTime)? {
        var first: (oldest: Oldest, at: WallTime)?
        for kind in EndedKind.allCases {
            guard let next = oldest(of: kind, in: slab) else { continue }
            let at = next.endedAt.advanced(by: bounds.retention[kind].age)
            if first.map({ at < $0.at }) ?? true { first = (next.oldest, at) }
        }
        return first
    }

    private typealias Candidate = (oldest: Oldest, endedAt: WallTime)

    private func oldest(of kind: EndedKind, in slab: JobSlab) -> Candidate? {
        let inLine = Self.first(of: lines[kind], in: slab)
        let inMemory =
            switch kind {
            case .succeeded, .cancelled: inLine
            case .failed: Self.older(inLine, Self.first(of: repeatable, in: slab))
            }
        return Self.older(Self.first(of: bundled[kind].all), inMemory)
    }

    private static func first(of bundles: Deque<JournalEntry.EndedBundled>) -> Candidate? {
        bundles.first.map { (.bundle($0.number), $0.endedAt) }
    }

    private static func first(of line: JobLine, in slab: JobSlab) -> Candidate? {
        line.isEmpty ? nil : (.job(line.first), slab[line.first].changedAt)
    }

    private static func older(_ one: Candidate?, _ other: Candidate?) -> Candidate? {
        guard let one, let other else { return one ?? other }
        return other.endedAt < one.endedAt ? other : one
    }
}

/// Failed jobs that are still known, counted by code as they come and go.
struct FailureCounts {
    /// By the code's word: workers make them up, so there may be as many as failed jobs.
    private var counts = RankedCounts<String>()

    /// How often it has changed.
    var version: UInt64 { counts.version }

    /// How many codes observers see; the rest is summed up as `other`.
    private static let listedCodes = 32
    private static let other = "other"

    /// Counts jobs in.
    mutating func add(_ code: FailureCode, _ count: UInt64 = 1) { counts.add(code.rawValue, count) }

    /// Counts jobs out that were counted in.
    mutating func remove(_ code: FailureCode, _ removed: UInt64 = 1) { counts.remove(code.rawValue, removed) }

    /// All codes: most first, ties by code.
    var all: [FailureCount] { counts.all.map { FailureCount(FailureCode(rawValue: $0.key), $0.count) } }

    /// What observers see: most first, ties by code, and last the rest. It costs the same however many codes there are.
    ///
    /// A code that a worker has called `other` is counted with the rest: a code that stood there twice would be read as one of both.
    var listed: [FailureCount] {
        guard counts.keyCount > Self.listedCodes else { return all }
        let (first, rest) = counts.first(Self.listedCodes - 1)
        let own = first.first { $0.key == Self.other }?.count ?? 0
        return first.filter { $0.key != Self.other }.map { FailureCount(FailureCode(rawValue: $0.key), $0.count) }
            + [FailureCount(FailureCode(rawValue: Self.other), rest + own)]
    }
}
