//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What a front is told before it starts.
public struct FrontSettings: Sendable {
    /// The installation.
    public var front: FrontID
    /// This life.
    public var epoch: Epoch
    /// When this life began, by the machine's boot.
    public var boot = BootInstant.unknown
    /// Whether jobs, grants and replies are journalled.
    public var durability = Durability.full
    /// The feeds that the configuration declares.
    public var feeds: [FeedDefinition] = []
    /// How long a lease lasts from the sending of a renewal.
    public var lease: Duration = .seconds(5)
    /// How long after the end of a lease its slots are freed.
    public var grace: Duration = .milliseconds(500)
    /// How often workers renew and clients send heartbeats.
    public var heartbeat: Duration = .seconds(1)
    /// How long a worker waits at most to be told that its reports are settled, if no grant goes to it before.
    public var acknowledgementPause: Duration = .milliseconds(20)
    /// The time from one publication of the counts of `jobs` to the next, at least.
    public var countsPause: Duration = .milliseconds(50)
    /// How many copies of them go out in a second at most, if each client observes them: a copy costs the front some 20 us in all its threads.
    public var countsCopies: Int64 = 5_000
    /// How long attachments outlive the last heartbeat.
    public var attachmentGracePeriod: Duration = .seconds(5)
    /// How long a session and its replies outlive the last heartbeat.
    public var sessionGracePeriod: Duration = .seconds(600)
    /// How long a feed that loaded by itself goes on after its last attachment.
    public var linger: Duration = .seconds(2)
    /// Deaths of workers after which a job is quarantined.
    public var crashLimit: UInt8 = 3
    /// Where changes are published, told to clients.
    public var changesEndpoint = ""
    /// Where pages are read, told to clients.
    public var pagesEndpoint = ""
    /// The program's version, for people.
    public var version = ""
    /// What everybody has to know who says hello, registers or asks for pages; nil: the transport proves who speaks (ipc).
    public var token: SharedToken?
    /// What session numbers are made of: 128 random bits, new for each life. Without them anybody could compute the numbers of others.
    public var sessionKey: SessionKey
    /// What is the matter when the disk is full, for people.
    public var fullDiskText = WaitReason.storageFull.line
    /// Named bounds.
    public var bounds = Bounds()

    /// Whether an acknowledgement means that the job survives a power cut.
    public enum Durability: String, Sendable {
        /// It does.
        case full
        /// It does not: only epoch, ids, feeds, views and kept content do.
        case memory
    }

    /// The defaults for one life of a front.
    public init(front: FrontID, epoch: Epoch, sessionKey: SessionKey) {
        self.front = front
        self.epoch = epoch
        self.sessionKey = sessionKey
    }
}
