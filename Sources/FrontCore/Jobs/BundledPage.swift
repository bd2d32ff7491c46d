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
        fileprivate let bundle: JournalEntry.EndedBundled
        fileprivate let place: Int

        var number: BundleNumber { bundle.number }

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
