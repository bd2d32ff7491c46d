//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What a worker can take, as the scheduler needs to know it: told again whenever something of it has changed.
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

    /// In so many parts of all its slots it is said how many are taken: more than any worker has slots worth telling apart.
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
