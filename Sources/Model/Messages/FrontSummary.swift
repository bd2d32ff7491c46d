//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What observers see of the front.
public struct FrontSummary: Hashable, Sendable {
    /// The front.
    public var front: FrontID
    /// Its life.
    public var epoch: Epoch
    /// When this life began.
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
    public init(front: FrontID, epoch: Epoch, startedAt: WallTime, version: String, durability: JobDurability) {
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
