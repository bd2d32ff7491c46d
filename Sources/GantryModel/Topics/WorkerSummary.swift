//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What observers see of a worker.
package struct WorkerSummary: Hashable, Sendable {
    /// What a front says of a worker; open for words of later versions.
    package struct State: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word itself.
        package let rawValue: String

        /// Wraps a word, also one that this version does not know.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// It is there and works.
        package static let live = Self(rawValue: "live")
        /// Old work of it has not ended.
        package static let overdue = Self(rawValue: "overdue")
        /// It ends what it holds and takes nothing more.
        package static let draining = Self(rawValue: "draining")
        /// Its lease is running out.
        package static let silent = Self(rawValue: "silent")

        /// All that this version says.
        package static let known: [Self] = [.live, .overdue, .draining, .silent]

        package var description: String { rawValue }
    }

    /// The worker process.
    package var id: WorkerID
    /// Its label.
    package var name: String
    /// Its process id on its machine.
    package var processID: UInt32
    /// How many jobs it runs at once.
    package var slots: UInt32
    /// How many slots are taken.
    package var slotsTaken: UInt32
    /// Bulk jobs that it holds beyond its slots.
    package var prefetched: UInt32
    /// The loaders it offers.
    package var loaders: [String]
    /// How it is.
    package var state: State

    /// A worker with nothing to do.
    package init(id: WorkerID, name: String, slots: UInt32) {
        self.id = id
        self.name = name
        self.processID = 0
        self.slots = slots
        self.slotsTaken = 0
        self.prefetched = 0
        self.loaders = []
        self.state = .live
    }
}
