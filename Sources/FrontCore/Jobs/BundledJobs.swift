//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// Ended jobs that the journal keeps in bundles beside its log: what is known of them without a reading.
///
/// Of each job that is its number and how it ended; whatever else is to be said of it is read when somebody asks. Those that failed have
/// bundles of their own, since they are kept longer.
struct BundledJobs {
    /// Oldest first.
    private(set) var others = Deque<Fact.EndedBundled>()
    private(set) var failed = Deque<Fact.EndedBundled>()
    /// The same by their jobs.
    private(set) var othersByJob = BundleOrder()
    private(set) var failedByJob = BundleOrder()
    private(set) var otherCount = 0
    private(set) var failedCount = 0
    /// Bytes that they took in memory before: what the bounds of ended jobs count.
    private(set) var otherByteCount = 0
    private(set) var failedByteCount = 0
    private var last = BundleNumber.none

    var count: Int { otherCount + failedCount }

    /// The number of the next bundle: above that of each that was known in this life.
    var next: BundleNumber { last.advanced() }

    /// All bundles, those that failed last.
    var all: some Swift.Sequence<Fact.EndedBundled> { [others, failed].joined() }

    /// Where a job is, and how it ended; nil: in no bundle.
    func find(_ job: UInt64) -> (bundle: BundleNumber, state: JobState)? {
        Self.find(job, in: failedByJob) ?? Self.find(job, in: othersByJob)
    }

    private static func find(_ job: UInt64, in order: BundleOrder) -> (bundle: BundleNumber, state: JobState)? {
        var index = order.count(below: job &+ 1)
        while order.newest(before: index) >= job, index > 0 {
            index -= 1
            let bundle = order.bundle(at: index)
            if let place = bundle.place(of: job) { return (bundle.number, bundle.states[place]) }
        }
        return nil
    }

    /// The bundle of a number; nil: there is none.
    func bundle(_ number: BundleNumber) -> Fact.EndedBundled? { all.first { $0.number == number } }

    /// Adds a bundle behind the others of its kind.
    /// - Returns: whether it was not there.
    mutating func add(_ bundle: Fact.EndedBundled) -> Bool {
        guard self.bundle(bundle.number) == nil else { return false }
        last = max(last, bundle.number)
        if bundle.areFailed {
            failed.append(bundle)
            failedByJob.add(bundle)
        } else {
            others.append(bundle)
            othersByJob.add(bundle)
        }
        count(bundle, 1)
        return true
    }

    /// Takes a bundle out; nil: there is none of that number.
    mutating func remove(_ number: BundleNumber) -> Fact.EndedBundled? {
        let removed: Fact.EndedBundled
        if let index = others.firstIndex(where: { $0.number == number }) {
            removed = others.remove(at: index)
            othersByJob.remove(removed)
        } else if let index = failed.firstIndex(where: { $0.number == number }) {
            removed = failed.remove(at: index)
            failedByJob.remove(removed)
        } else {
            return nil
        }
        count(removed, -1)
        return removed
    }

    private mutating func count(_ bundle: Fact.EndedBundled, _ change: Int) {
        if bundle.areFailed {
            failedCount += change * bundle.jobs.count
            failedByteCount += change * Int(bundle.byteCount)
        } else {
            otherCount += change * bundle.jobs.count
            otherByteCount += change * Int(bundle.byteCount)
        }
    }
}

extension Fact.EndedBundled {
    /// Which of its jobs that is; nil: none.
    func place(of job: UInt64) -> Int? {
        // Most bundles are told apart by their range.
        guard let first = jobs.first, let last = jobs.last, first <= job, job <= last else { return nil }
        let place = count(below: job)
        return place < jobs.count && jobs[place] == job ? place : nil
    }

    /// How many of its jobs have a lower number.
    func count(below job: UInt64) -> Int {
        var (low, high) = (0, jobs.count)
        while low < high {
            let middle = (low + high) / 2
            if jobs[middle] < job { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
