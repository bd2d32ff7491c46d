//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import HeapModule
import Model

/// The jobs of bundles below one, newest first: found without a reading, in logarithmic time each.
struct BundledPage {
    /// A job, in which bundle it is, and how it ended.
    struct Item: Comparable {
        let job: UInt64
        let state: JobState
        fileprivate let bundle: Fact.EndedBundled
        fileprivate let place: Int

        var number: BundleNumber { bundle.number }

        static func < (left: Self, right: Self) -> Bool { left.job < right.job }
        static func == (left: Self, right: Self) -> Bool { left.job == right.job }
    }

    /// The next job of each bundle.
    private var heads = Heap<Item>()
    /// What was looked at.
    private(set) var looks = 0

    /// - Parameters:
    ///   - before: the job that all are below; nil: there is no such.
    ///   - onlyFailed: whether jobs that succeeded or were cancelled are left out.
    init(of bundled: BundledJobs, below before: UInt64?, onlyFailed: Bool) {
        for bundle in bundled.failed { add(bundle, bundle.count(below: before ?? .max)) }
        for bundle in bundled.others where !onlyFailed { add(bundle, bundle.count(below: before ?? .max)) }
        firstJob = heads.max?.job ?? 0
    }

    /// The newest job that was not taken; nil: there is none.
    var first: Item? { heads.max }
    /// Its number; 0: there is none.
    private(set) var firstJob: UInt64 = 0

    /// Takes the newest one.
    mutating func removeFirst() {
        guard let taken = heads.popMax() else { return }
        add(taken.bundle, taken.place)
        firstJob = heads.max?.job ?? 0
    }

    /// The job before a place stands for its bundle from now on.
    private mutating func add(_ bundle: Fact.EndedBundled, _ count: Int) {
        looks += 1
        guard count > 0, let state = JobState(rawValue: bundle.states[count - 1]) else { return }
        heads.insert(Item(job: bundle.jobs[count - 1], state: state, bundle: bundle, place: count - 1))
    }
}
