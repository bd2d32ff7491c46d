//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel
import HeapModule

/// Ended jobs that the journal keeps in bundles beside its log: what is known of them without a reading.
///
/// Of each job that is its number and how it ended; whatever else is to be said of it is read when somebody asks. Each kind has bundles
/// of its own, since no kind makes room for another.
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
            // Mostly the first one: bundles go by age.
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

    /// The number of the next bundle: above that of each that was known in this epoch.
    var next: BundleNumber { last.advanced() }

    /// All bundles, those that failed last.
    var all: some Sequence<JournalEntry.EndedBundled> { EndedKind.allCases.lazy.map { kinds[$0].all }.joined() }

    /// Where a job is, and how it ended; nil: in no bundle.
    func find(_ job: UInt64) -> (bundle: BundleNumber, state: JobState)? {
        for kind in EndedKind.failedFirst {
            if let found = Self.find(job, in: kinds[kind].byJob) { return found }
        }
        return nil
    }

    private static func find(_ job: UInt64, in order: BundleOrder) -> (bundle: BundleNumber, state: JobState)? {
        var index = order.count(below: job &+ 1)
        // Bundles overlap, so one that begins earlier may have it, too; mostly the first look finds it.
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
        // Most bundles are distinguished by their range.
        guard let first = jobs.first, let last = jobs.last, first <= job, job <= last else { return nil }
        let place = count(below: job)
        return place < jobs.count && jobs[place] == job ? place : nil
    }

    /// How many of its jobs have a lower number.
    func count(below job: UInt64) -> Int { jobs.firstPlace { $0 >= job } }
}

/// Bundles by their oldest job. Bundles may overlap, mostly by little: those that can hold a job are found without a look at the others.
struct BundleOrder {
    private struct Entry {
        let bundle: JournalEntry.EndedBundled
        let oldest: UInt64
        /// The newest job of this bundle and of all before it.
        var newest: UInt64
    }

    private var entries: [Entry] = []

    /// The bundle at a place.
    func bundle(at index: Int) -> JournalEntry.EndedBundled { entries[index].bundle }

    /// No bundle before a place has a newer job than this; 0: there is none.
    func newest(before index: Int) -> UInt64 { index == 0 ? 0 : entries[index - 1].newest }

    /// How many bundles have a job below one.
    func count(below job: UInt64) -> Int { entries.firstPlace { $0.oldest >= job } }

    /// Adds a bundle.
    mutating func add(_ bundle: JournalEntry.EndedBundled) {
        guard let oldest = bundle.jobs.first else { return }
        let index = count(below: oldest)
        entries.insert(Entry(bundle: bundle, oldest: oldest, newest: 0), at: index)
        correct(from: index)
    }

    /// Takes a bundle out.
    mutating func remove(_ bundle: JournalEntry.EndedBundled) {
        guard let oldest = bundle.jobs.first,
            let index = entries[count(below: oldest)...].firstIndex(where: { $0.bundle.number == bundle.number })
        else { return }
        entries.remove(at: index)
        correct(from: index)
    }

    private mutating func correct(from index: Int) {
        for place in index..<entries.count {
            entries[place].newest = max(newest(before: place), entries[place].bundle.jobs.last ?? 0)
        }
    }
}

/// The jobs of bundles below one, newest first: found without a reading, in logarithmic time each.
struct BundledPage {
    /// A job, in which bundle it is, and how it ended.
    struct Item: Comparable {
        let job: UInt64
        let state: JobState
        fileprivate let bundle: JournalEntry.EndedBundled
        fileprivate let place: Int

        var number: BundleNumber { bundle.number }

        /// Whether it may have failed with that: its bundle knows its codes.
        func mayHaveFailed(with code: FailureCode) -> Bool { bundle.failures.contains { $0.code == code } }

        static func < (left: Self, right: Self) -> Bool { left.job < right.job }
        static func == (left: Self, right: Self) -> Bool { left.job == right.job }
    }

    /// Bundles of one kind that were not looked at: the next one stands before a place, and none of them has a newer job than `newest`.
    private struct Rest {
        let order: BundleOrder
        var count: Int

        var newest: UInt64 { order.newest(before: count) }
    }

    /// The next job of each bundle that was looked at.
    private var heads = Heap<Item>()
    private var rests: [Rest] = []
    private let before: UInt64
    /// What was looked at.
    private(set) var looks = 0

    /// - Parameters:
    ///   - before: the job that all are below; nil: there is no such.
    ///   - onlyFailed: whether jobs that succeeded or were cancelled are left out.
    init(of bundled: BundledJobs, below before: UInt64?, onlyFailed: Bool) {
        self.before = before ?? .max
        for kind in onlyFailed ? [.failed] : EndedKind.allCases {
            let order = bundled[kind].byJob
            rests.append(Rest(order: order, count: order.count(below: self.before)))
        }
        findFirst()
    }

    /// The newest job that was not taken; nil: there is none.
    var first: Item? { heads.max }
    /// Its number; 0: there is none.
    private(set) var firstJob: UInt64 = 0

    /// Takes the newest one.
    mutating func removeFirst() {
        guard let taken = heads.popMax() else { return }
        add(taken.bundle, taken.place)
        findFirst()
    }

    /// Looks at as many bundles as may have a newer job than those that were looked at.
    private mutating func findFirst() {
        for index in rests.indices {
            while rests[index].newest > heads.max?.job ?? 0 {
                rests[index].count -= 1
                let bundle = rests[index].order.bundle(at: rests[index].count)
                add(bundle, bundle.count(below: before))
            }
        }
        firstJob = heads.max?.job ?? 0
    }

    /// The job before a place stands for its bundle from now on.
    private mutating func add(_ bundle: JournalEntry.EndedBundled, _ count: Int) {
        looks += 1
        guard count > 0 else { return }
        heads.insert(Item(job: bundle.jobs[count - 1], state: bundle.states[count - 1], bundle: bundle, place: count - 1))
    }
}
