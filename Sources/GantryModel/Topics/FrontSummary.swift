//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What observers see of the front.
package struct FrontSummary: Hashable, Sendable {
    /// The front.
    package var front: FrontID
    /// Its epoch.
    package var epoch: Epoch
    /// When this epoch began.
    package var startedAt: WallTime
    /// The version of the program.
    package var version: String
    /// What becomes of accepted jobs when it ends.
    package var durability: JobDurability
    /// Whether there is room for what it must keep.
    package var storage: StorageState
    /// Open sessions.
    package var sessions: UInt32
    /// Malformed frames and unreadable or unknown messages that no reply answers, each message once, counted since the start.
    package var malformedMessages: UInt64
    /// Reports that came too late or twice, counted since the start.
    package var lateReports: UInt64
    /// Topics that are subscribed or asked for now.
    package var subscriptions: UInt64
    /// Topics that were not brought up because of the bound, counted since the start.
    package var refusedTopics: UInt64
    /// Subscriptions that observers have made, counted since the start: one for each observer of each topic.
    package var subscriptionsMade: UInt64

    /// A front that just started.
    package init(front: FrontID, epoch: Epoch, startedAt: WallTime, version: String, durability: JobDurability) {
        self.front = front
        self.epoch = epoch
        self.startedAt = startedAt
        self.version = version
        self.durability = durability
        self.storage = .ok
        self.sessions = 0
        self.malformedMessages = 0
        self.lateReports = 0
        self.subscriptions = 0
        self.refusedTopics = 0
        self.subscriptionsMade = 0
    }
}

/// What happens to accepted jobs when the front ends; later versions may add words.
package struct JobDurability: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself.
    package let rawValue: String

    /// Wraps a word, also one that this version does not know.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// They survive a power cut and the end of the front.
    package static let full = Self(rawValue: "full")
    /// They survive neither.
    package static let memory = Self(rawValue: "memory")

    package var description: String { rawValue }
}

/// What observers see of what the front has stored. Sizes are bytes of files; nil: not looked at yet, or they cannot be.
package struct StorageSummary: Hashable, Sendable {
    /// The files of the journal together.
    package var journalByteCount: UInt64?
    /// The objects in the cache.
    package var cacheByteCount: UInt64?
    /// The file that is removed when the disk is full.
    package var ballastByteCount: UInt64?
    /// When a checkpoint was completed last in this epoch; nil: none was.
    package var lastCheckpoint: WallTime?

    /// Nothing is known yet.
    package init() {}
}

/// Whether the disk has room for what the front must keep; later versions may add words.
package struct StorageState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself.
    package let rawValue: String

    /// Wraps a word, also one that this version does not know.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// It does.
    package static let ok = Self(rawValue: "ok")
    /// The disk is full: nothing new is accepted, and nothing accepted is lost.
    package static let full = Self(rawValue: "full")

    package var description: String { rawValue }
}

/// Who is connected: open sessions by the label of their client.
package struct ClientsSummary: Hashable, Sendable {
    /// How many labels are listed, at most.
    package static let listed = 100

    /// Those with most sessions first, ties by label; 100 at most.
    package var clients: [ClientCount]
    /// Sessions of all other labels together.
    package var otherSessions: UInt64

    /// Clients with so many sessions beside theirs.
    package init(_ clients: [ClientCount], otherSessions: UInt64 = 0) { (self.clients, self.otherSessions) = (clients, otherSessions) }
}

/// How many sessions clients of one label have.
package struct ClientCount: Hashable, Sendable {
    /// The label; empty: none was given.
    package var label: String
    /// Their open sessions.
    package var sessions: UInt64

    /// A label with so many.
    package init(_ label: String, _ sessions: UInt64) { (self.label, self.sessions) = (label, sessions) }
}

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
