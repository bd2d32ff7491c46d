//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What observers see of a worker.
public struct WorkerSummary: Hashable, Sendable {
    /// What a front says of a worker; open for words of later versions.
    public struct State: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word itself.
        public let rawValue: String

        /// Wraps a word, also one that this version does not know.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It is there and works.
        public static let live = Self(rawValue: "live")
        /// Old work of it has not ended.
        public static let overdue = Self(rawValue: "overdue")
        /// It ends what it holds and takes nothing more.
        public static let draining = Self(rawValue: "draining")
        /// Its lease is running out.
        public static let silent = Self(rawValue: "silent")

        /// All that this version says.
        public static let known: [Self] = [.live, .overdue, .draining, .silent]

        public var description: String { rawValue }
    }

    /// The worker process.
    public var id: WorkerID
    /// Its label.
    public var name: String
    /// Its process id on its machine.
    public var processID: UInt32
    /// How many jobs it runs at once.
    public var slots: UInt32
    /// How many slots are taken.
    public var slotsTaken: UInt32
    /// Bulk jobs that it holds beyond its slots.
    public var prefetched: UInt32
    /// The loaders it offers.
    public var loaders: [String]
    /// How it is.
    public var state: State

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
