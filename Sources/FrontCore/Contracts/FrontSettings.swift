//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel

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

/// When this life of the front began on its machine: what outlives a restart, so that leases of dead workers are not counted anew by each.
public struct BootInstant: Hashable, Sendable {
    /// The boot of the machine, from the kernel; empty where it is unknown.
    public var id: String
    /// How long the machine had been up then, by CLOCK_BOOTTIME in whole milliseconds as the journal has it, read after the lock was
    /// held: no earlier life decided anything after that.
    public var uptime: Duration

    /// An instant of a boot.
    public init(id: String, uptime: Duration) {
        self.id = id
        self.uptime = uptime
    }

    /// Nothing is known of the machine's boot: leases count from each start.
    public static let unknown = BootInstant(id: "", uptime: .zero)
}

/// Every bound of the front, named; what is answered at each is in the documentation's table.
public struct Bounds: Hashable, Sendable {
    /// Open sessions; beyond it one that has asked for nothing gives its place to a connection that has fewer, or `hello` is refused with `busy`.
    public var sessions = 5_000
    /// Sessions that one connection speaks for; beyond it `hello` is refused with `busy`, so that one client cannot take all.
    public var sessionsPerConnection = 64
    /// Known workers, 65,535 at most; beyond it `register` is refused.
    public var workers = 256
    /// Waiting jobs; beyond it a submit is refused with `busy`.
    public var queuedJobs = 2_000_000
    /// Bytes of what jobs that have not ended carry, and of the names of clients; beyond it whatever makes a job is refused with `busy`.
    public var queuedByteCount = 256 << 20
    /// Bytes of one argument or inline result; beyond it `tooLarge`.
    public var payloadByteCount = MessageBounds.payloadByteCount
    /// Unanswered requests of one session; beyond it the request is refused with `busy`.
    public var requestWindow = UInt64(MessageBounds.requestWindow)
    /// Bytes of replies to changes, about, that a session has not confirmed; beyond it a change is refused with `busy`.
    public var retainedByteCount = 1 << 20
    /// Bytes of them of all sessions together; beyond it each may have `sparedByteCount`, so that none is shut out by others.
    public var allRetainedByteCount = 64 << 20
    /// What a session may have of them however many there are.
    public var sparedByteCount = 8_192
    /// Replies to reading requests that a session has not confirmed; beyond it such a request is refused with `busy`.
    public var readingRequests = 64
    /// Bytes of those replies, about; beyond it likewise.
    public var readingByteCount = 4 << 20
    /// Outcomes of one message to a client; the rest goes into a next one.
    public var answerRows = MessageBounds.rowCount
    /// Bytes of results with which one question for outcomes is answered; the rest is left out, and asked for again.
    public var answerByteCount = 4 << 20
    /// About so many bytes of jobs or feeds in one page of them, at most half of the client's largest frame; the rest is on the next one.
    public var pageByteCount = 256 * 1_024
    /// Different loaders that jobs name, and as many again that a worker offers; beyond it a submit is refused with `busy`.
    public var loaderNames = 1_000
    /// Loaders that one worker offers; beyond it `register` is refused.
    public var loadersPerWorker = 64
    /// Live feeds; beyond it the longest idle is forgotten, or the request is refused with `busy`.
    public var feeds = 10_000
    /// Views of one feed; beyond it the request is refused with `busy`.
    public var viewsPerFeed = 64
    /// Views of all feeds; beyond it the request is refused with `busy`. What one keeps beside its detail is bounded by itself: an item's id, a
    /// filter, and a failure of `shownFailureByteCount`.
    public var views = 20_000
    /// Views that one session is attached to; beyond it `attach` is refused with `busy`.
    public var attachments = 1_024
    /// The same for all sessions together.
    public var allAttachments = 100_000
    /// Bytes of a failure in a feed or a view, about: the last of its arguments are left out, and `explain` of its job has them.
    public var shownFailureByteCount = 8 << 10
    /// Feeds and views that are looked at in one turn for damaged objects that they name; the rest is in the next ones.
    public var damageLooks = 1_024
    /// Jobs of lost workers that one turn takes back; the rest is in the next ones. One costs some 5 us.
    public var lostJobs = 1_024
    /// Jobs that one turn cancels because their feeds were reset; the rest is in the next ones.
    public var resetJobs = 1_024
    /// Lists of each kind of left work (damage, lost workers, resets) that one turn goes on with; the next one goes on behind them.
    public var workLists = 64
    /// Ended jobs that one turn forgets, beside as many as end in it; the rest is in the next ones. A restart after a week may find that all are
    /// too old at once.
    public var forgottenJobs = 4_096
    /// Feeds that wait, and observed jobs that wait, of which one turn tells another reason; the rest is in the next ones: when the last worker
    /// goes, thousands may have one.
    public var waitLooks = 256
    /// How long a view other than `shared` is kept after its last attachment or request.
    public var viewAge: Duration = .seconds(86_400)
    /// Bytes of details in views; beyond it a detail fails with `busy`.
    public var detailByteCount = 256 << 20
    /// Bytes of an item's id; beyond it `tooLarge`.
    public var itemIDByteCount = MessageBounds.itemIDByteCount
    /// Jobs that succeeded or were cancelled and are kept; the oldest go first.
    public var endedJobs = 100_000
    /// The same of failed and quarantined jobs.
    public var failedJobs = 100_000
    /// Bytes of results that are kept, and as many again of failures with the items of failed saves; the oldest go first. Where more small ones
    /// have to go for large ones than a turn forgets (`forgottenJobs`), there are more of them for some turns.
    public var endedByteCount = 256 << 20
    /// Ended jobs of one bundle beside the journal.
    public var bundleJobs = 512
    /// Bytes of one bundle, about: it ends with the job that brings it there.
    public var bundleByteCount = 256 << 10
    /// Questions that wait for ended jobs to be read; beyond it the request is refused with `busy`.
    public var endedReadings = 4_096
    /// Bytes of them, about; beyond it likewise.
    public var endedReadingByteCount = 16 << 20
    /// How long ended jobs are kept.
    public var endedAge: Duration = .seconds(86_400)
    /// How long failed and quarantined jobs are kept.
    public var failedAge: Duration = .seconds(7 * 86_400)
    /// Running jobs that the topic `jobs` lists one by one.
    public var listedJobs = 200
    /// Running jobs of which it is known how far they are, each with two texts of some hundred bytes; of further ones nothing is shown.
    public var progressingJobs = 65_536
    /// Bytes of one grant message as it is sent; the rest goes into a next one.
    public var grantByteCount = 512 * 1_024
    /// Leases that a worker may hold when it registers; beyond it `register` is refused, as its answer would not fit a frame.
    public var heldLeases = 32_768
    /// Jobs of one grant message.
    public var grantJobs = 4_096

    /// The defaults.
    public init() {}
}
