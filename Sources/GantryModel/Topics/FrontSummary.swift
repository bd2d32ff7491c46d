//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What observers see of the front.
public struct FrontSummary: Hashable, Sendable {
    /// The front.
    public var front: FrontID
    /// Its epoch.
    public var epoch: Epoch
    /// When this epoch began.
    public var startedAt: WallTime
    /// The version of the program.
    public var version: String
    /// What becomes of accepted jobs when it ends.
    public var durability: JobDurability
    /// Whether there is room for what it must keep.
    public var storage: StorageState
    /// Open sessions.
    public var sessions: UInt32
    /// Malformed frames and unreadable or unknown messages that no reply answers, each message once, counted since the start.
    public var malformedMessages: UInt64
    /// Reports that came too late or twice, counted since the start.
    public var lateReports: UInt64
    /// Topics that are subscribed or asked for now.
    public var subscriptions: UInt64
    /// Topics that were not brought up because of the bound, counted since the start.
    public var refusedTopics: UInt64
    /// Subscriptions that observers have made, counted since the start: one for each observer of each topic.
    public var subscriptionsMade: UInt64

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
public struct JobDurability: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself.
    public let rawValue: String

    /// Wraps a word, also one that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// They survive a power cut and the end of the front.
    public static let full = Self(rawValue: "full")
    /// They survive neither.
    public static let memory = Self(rawValue: "memory")

    public var description: String { rawValue }
}

/// What observers see of what the front has stored. Sizes are bytes of files; nil: not looked at yet, or they cannot be.
public struct StorageSummary: Hashable, Sendable {
    /// The files of the journal together.
    public var journalByteCount: UInt64?
    /// The objects in the cache.
    public var cacheByteCount: UInt64?
    /// The file that is removed when the disk is full.
    public var ballastByteCount: UInt64?
    /// When a checkpoint was completed last in this epoch; nil: none was.
    public var lastCheckpoint: WallTime?

    /// Nothing is known yet.
    package init() {}
}

/// Whether the disk has room for what the front must keep; later versions may add words.
public struct StorageState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself.
    public let rawValue: String

    /// Wraps a word, also one that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It does.
    public static let ok = Self(rawValue: "ok")
    /// The disk is full: nothing new is accepted, and nothing accepted is lost.
    public static let full = Self(rawValue: "full")

    public var description: String { rawValue }
}

/// Who is connected: open sessions by the label of their client.
public struct ClientsSummary: Hashable, Sendable {
    /// How many labels are listed, at most.
    package static let listed = 100

    /// Those with most sessions first, ties by label; 100 at most.
    public var clients: [ClientCount]
    /// Sessions of all other labels together.
    public var otherSessions: UInt64

    /// Clients with so many sessions beside theirs.
    package init(_ clients: [ClientCount], otherSessions: UInt64 = 0) { (self.clients, self.otherSessions) = (clients, otherSessions) }
}

/// How many sessions clients of one label have.
public struct ClientCount: Hashable, Sendable {
    /// The label; empty: none was given.
    public var label: String
    /// Their open sessions.
    public var sessions: UInt64

    /// A label with so many.
    package init(_ label: String, _ sessions: UInt64) { (self.label, self.sessions) = (label, sessions) }
}
