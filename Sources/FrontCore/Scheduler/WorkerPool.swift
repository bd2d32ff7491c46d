//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Workers that offer the same loaders in the same way: to a job each of them is as good as another, save for its load.
///
/// It has one heap of loaders whose jobs wait for any of them and one of members with room, so that a place that becomes free wakes the first of
/// a thousand loaders and looks at no other.
struct WorkerPool {
    /// What makes workers alike.
    struct Key: Hashable {
        var kind: WorkerRoom.Kind
        /// Indexes of the loaders' names, ascending.
        var loaders: [Int]
    }

    /// The order in which members get jobs: by load, then by index.
    struct Turn: Comparable {
        var load: Int
        var worker: Int

        // Ties go by index, never by a table's order: the same events have to choose the same worker.
        static func < (one: Turn, two: Turn) -> Bool { one.load != two.load ? one.load < two.load : one.worker < two.worker }
    }

    let key: Key
    /// Indexes of the workers, ascending.
    private(set) var members: [Int] = []
    /// Members with room for a job.
    var roomy = IndexedHeap<Turn>()
    /// Those of them that hold nothing.
    var idle = IndexedHeap<Turn>()
    /// Loaders whose jobs wait for a member, by the first of them.
    var waiting = IndexedHeap<RankKey>()
    /// The same for suspected jobs.
    var suspects = IndexedHeap<RankKey>()
    /// Members that offer free slots to waiting jobs, and the count of those slots.
    var offering = 0
    var slotsOffered = 0
    /// Members that run a suspected job.
    var alone = 0
    /// How suspected jobs and others take turns here.
    var share = SuspectShare()

    init(_ key: Key) { self.key = key }

    mutating func join(_ worker: Int) { members.insert(worker, at: members.firstIndex { $0 > worker } ?? members.count) }

    mutating func leave(_ worker: Int) { members.removeAll { $0 == worker } }
}

/// What a worker can take, as the scheduler needs to know it: set again after each change.
struct WorkerRoom: Equatable {
    /// The two kinds of places that a job can have at a worker.
    enum Kind: Hashable {
        /// A slot: the job runs at once.
        case slot
        /// A place ahead: a bulk job lies at the worker until its turn comes.
        case ahead

        /// How many jobs of a lane go to the same worker before others are looked at: short ones are worth no look each.
        var jobsAtOnce: Int {
            switch self {
            case .slot: 1
            case .ahead: Self.bulkJobsAtOnce
            }
        }

        /// So many bulk jobs run for less than a few milliseconds: no smaller rank of another lane waits for long behind them.
        private static var bulkJobsAtOnce: Int { 64 }
    }

    /// It is registered and does not drain: jobs may wait for it.
    var isOffering = false
    /// It takes jobs now.
    var isTaking = false
    /// It runs a suspected job that is to be alone there for so long from its grant on, see `SuspectRuns`; nil: it runs none.
    var aloneFor: Duration?
    /// Jobs that it holds.
    var held = 0
    var slots = 0
    var slotsTaken = 0
    var placesAhead = 0
    var takenAhead = 0

    /// Whether it takes nothing beside what it runs.
    var isAlone: Bool { aloneFor != nil }

    /// How many further jobs it can hold.
    func free(_ kind: Kind) -> Int {
        switch kind {
        case .slot: slots - slotsTaken
        case .ahead: placesAhead - takenAhead
        }
    }

    /// How finely a worker's share of taken slots is counted: finer than any number of slots that matters.
    private static let loadParts = 1_024

    /// What it has to do already: the next job goes where this is least.
    func load(_ kind: Kind) -> Int {
        switch kind {
        // In parts of its slots, so that a small worker is not filled before a large one.
        case .slot: slotsTaken * Self.loadParts / max(1, slots)
        case .ahead: takenAhead
        }
    }
}
