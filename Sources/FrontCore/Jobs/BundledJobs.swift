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
    /// The bundles of one kind.
    struct Bundles {
        /// Oldest first.
        private(set) var all = Deque<JournalEntry.EndedBundled>()
        /// The same by their jobs.
        private(set) var byJob = BundleOrder()
        /// Jobs in them.
        private(set) var jobCount = 0
        /// Bytes that they took in memory before: what the bounds of ended jobs count.
        private(set) var byteCount = 0

        /// Adds a bundle behind the others.
        fileprivate mutating func add(_ bundle: JournalEntry.EndedBundled) {
            all.append(bundle)
            byJob.add(bundle)
            jobCount += bundle.jobs.count
            byteCount += Int(bundle.byteCount)
        }

        /// Takes a bundle out; nil: there is none of that number.
        fileprivate mutating func remove(_ number: BundleNumber) -> JournalEntry.EndedBundled? {
            guard let index = all.firstIndex(where: { $0.number == number }) else { return nil }
            let removed = all.remove(at: index)
            byJob.remove(removed)
            jobCount -= removed.jobs.count
            byteCount -= Int(removed.byteCount)
            return removed
        }
    }

    private var kinds = ByEndedKind(repeating: Bundles())
    private var last = BundleNumber.none

    /// The bundles of a kind.
    subscript(kind: EndedKind) -> Bundles { kinds[kind] }

    /// The number of the next bundle: above that of each that was known in this life.
    var next: BundleNumber { last.advanced() }

    /// All bundles, those that failed last.
    var all: some Swift.Sequence<JournalEntry.EndedBundled> { EndedKind.allCases.lazy.map { kinds[$0].all }.joined() }

    /// Where a job is, and how it ended; nil: in no bundle.
    func find(_ job: UInt64) -> (bundle: BundleNumber, state: JobState)? {
        for kind in EndedKind.failedFirst {
            if let found = Self.find(job, in: kinds[kind].byJob) { return found }
        }
        return nil
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
    func bundle(_ number: BundleNumber) -> JournalEntry.EndedBundled? { all.first { $0.number == number } }

    /// Adds a bundle behind the others of its kind.
    /// - Returns: whether it was not there.
    mutating func add(_ bundle: JournalEntry.EndedBundled) -> Bool {
        guard self.bundle(bundle.number) == nil else { return false }
        last = max(last, bundle.number)
        kinds[bundle.kind].add(bundle)
        return true
    }

    /// Takes a bundle out; nil: there is none of that number.
    mutating func remove(_ number: BundleNumber) -> JournalEntry.EndedBundled? {
        for kind in EndedKind.allCases {
            if let removed = kinds[kind].remove(number) { return removed }
        }
        return nil
    }
}

extension JournalEntry.EndedBundled {
    /// Which of its jobs that is; nil: none.
    func place(of job: UInt64) -> Int? {
        // Most bundles are told apart by their range.
        guard let first = jobs.first, let last = jobs.last, first <= job, job <= last else { return nil }
        let place = count(below: job)
        return place < jobs.count && jobs[place] == job ? place : nil
    }

    /// How many of its jobs have a lower number.
    func count(below job: UInt64) -> Int { jobs.firstPlace { $0 >= job } }
}
