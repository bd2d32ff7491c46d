//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What observers see of a worker.
public struct WorkerSummary: Hashable, Sendable {
    /// What this front says of a worker; another one may have further words.
    public enum State: String, Sendable {
        case attached
        /// Old work of it has not ended.
        case overdue
        case draining
        /// Its lease is running out.
        case silent
    }

    /// The worker's life.
    public var id: WorkerID
    /// Its label.
    public var name: String
    /// Its process id on its machine.
    public var processID: UInt32
    /// How many jobs it runs at once.
    public var slots: UInt32
    /// How many slots are taken.
    public var slotsTaken: UInt32
    /// Short jobs that it holds beyond its slots.
    public var prefetched: UInt32
    /// The loaders it offers.
    public var loaders: [String]
    /// A word of `State`, or one that this program does not know.
    public var state: String

    /// A worker with nothing to do.
    public init(id: WorkerID, name: String, slots: UInt32) {
        self.id = id
        self.name = name
        self.processID = 0
        self.slots = slots
        self.slotsTaken = 0
        self.prefetched = 0
        self.loaders = []
        self.state = State.attached.rawValue
    }
}
