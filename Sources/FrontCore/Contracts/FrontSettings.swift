//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// The settings of a front.
package struct FrontSettings: Sendable {
    /// The installation.
    package var front: FrontID
    /// This epoch.
    package var epoch: Epoch
    /// When this epoch began, by the machine's boot.
    package var boot = BootInstant.unknown
    /// Whether jobs, grants and replies are journaled.
    package var durability = Durability.full
    /// The feeds that the configuration declares.
    package var feeds: [FeedDefinition] = []
    /// How long a lease lasts from the sending of a renewal: four renewals may be lost before it ends.
    package var lease: Duration = .seconds(5)
    /// How long after the end of a lease its slots are freed: the kernel has ended the worker by then, 200 ms after the end of the lease.
    package var grace: Duration = .milliseconds(500)
    /// How often workers renew and clients send heartbeats: clients take the front for lost after three without an answer, so in about 3 s.
    package var heartbeat: Duration = .seconds(1)
    /// How long a worker waits at most for the acknowledgment of its reports, if no grant goes to it before: a busy one gets a grant
    /// earlier, and needs no message that only acknowledges.
    package var acknowledgmentPause: Duration = .milliseconds(20)
    /// The time from one publication of the counts of `jobs` to the next, at least: people cannot follow more than 20 a second.
    package var countsPause: Duration = .milliseconds(50)
    /// How many copies of them go out in a second at most, if each client observes them: a copy costs the front some 20 us in all its threads. All of
    /// them take a tenth of one processor then.
    package var countsCopies: Int64 = 5_000
    /// How long attachments outlive the last heartbeat: four heartbeats may be lost before they lapse.
    package var attachmentGracePeriod: Duration = .seconds(5)
    /// How long a session and its replies outlive the last heartbeat: a client that was cut off for minutes learns what became of its requests.
    package var sessionGracePeriod: Duration = .seconds(600)
    /// How long a feed that loaded by itself goes on after its last attachment: a client that leaves and comes back at once finds its load
    /// still running.
    package var linger: Duration = .seconds(2)
    /// Crashes of workers after which a job is quarantined: only those count that it can have caused, and one or two may be chance.
    package var crashLimit: UInt8 = 3
    /// Where changes are published, as sent to clients.
    package var changesEndpoint = ""
    /// Where pages are read, as sent to clients.
    package var pagesEndpoint = ""
    /// The program's version, for people.
    package var version = ""
    /// The token that a hello, a registration and a request for pages must carry; nil: the transport proves the sender (ipc).
    package var token: SharedToken?
    /// Limits that hold for loaders and feeds, loaders that jobs may name, and what clients weigh.
    package var flow = FlowSettings()
    /// Whether jobs of a loader are refused that nobody knows, unless the submit asks otherwise: most such names are mistyped, and their jobs would
    /// wait for ever.
    package var refusesUnknownLoaders = true
    /// How long a job waits for room in limits before it may reserve what becomes free: until then luck may bring all of it at once, and nothing lies
    /// idle for it.
    package var reservationPause: Duration = .seconds(60)
    /// What session numbers are made of: 128 random bits, new for each epoch. Without them anybody could compute the numbers of others.
    package var sessionKey: SessionKey
    /// What is the matter when the disk is full, for people.
    package var fullDiskText = WaitReason.storageFull.line
    /// Named bounds.
    package var bounds = Bounds()

    /// Whether an acknowledgment means that the job survives a power cut.
    package enum Durability: String, Sendable {
        /// It does.
        case full
        /// It does not: only epoch, ids, feeds, views and kept content do.
        case memory
    }

    /// The defaults for one epoch.
    package init(front: FrontID, epoch: Epoch, sessionKey: SessionKey) {
        self.front = front
        self.epoch = epoch
        self.sessionKey = sessionKey
    }
}

/// When this epoch began, by the clock of the machine, which goes on over a restart, so that leases of dead workers are not counted anew by each.
package struct BootInstant: Hashable, Sendable {
    /// The boot of the machine, from the kernel; empty where it is unknown.
    package var id: String
    /// How long the machine had been up then, by CLOCK_BOOTTIME in whole milliseconds as the journal has it, read after the lock was
    /// held: no earlier epoch decided anything after that.
    package var uptime: Duration

    /// An instant of a boot.
    package init(id: String, uptime: Duration) {
        self.id = id
        self.uptime = uptime
    }

    /// Nothing is known of the machine's boot: leases count from each start.
    package static let unknown = BootInstant(id: "", uptime: .zero)
}

/// Every bound of the front, named; what is answered at each is in the documentation's table.
package struct Bounds: Hashable, Sendable {
    /// Open sessions; beyond it one that has asked for nothing gives its place to a connection that has fewer, or `hello` is refused with `busy`. A
    /// heartbeat of each, once a second, fits into one turn (`LoopSettings.turnMessages`).
    package var sessions = 5_000
    /// Sessions that one connection speaks for; beyond it `hello` is refused with `busy`, so that one client cannot take all: that needs 79
    /// connections.
    package var sessionsPerConnection = 64
    /// Known workers, 65,535 at most, as records name them by 16 bits; beyond it `register` is refused. Some events look at all of them.
    package var workers = 256
    /// Workers that were asked to drain and were lost since, which get no jobs if they come back; beyond it the one that went first is forgotten. As
    /// many as there may be workers: all of them may be stopped at once.
    package var drainedWorkers = 256
    /// Waiting jobs; beyond it a submit is refused with `busy`. Beside what they carry, so many take about 230 MB of memory.
    package var queuedJobs = 2_000_000
    /// Bytes of what jobs that have not ended carry, and of the names of clients; beyond it whatever makes a job is refused with `busy`. About as
    /// much memory as the jobs themselves may take.
    package var queuedByteCount = 256 << 20
    /// Bytes of unique keys that are taken, with what finds them; beyond it a submit with one is refused with `busy`. Keys that stay taken outlast
    /// their jobs, and each checkpoint has all of them: so many are some 450,000.
    package var uniqueKeyByteCount = 256 << 20
    /// Jobs that sessions wait for which they did not submit, each counted for each session; beyond it an outcome does not come by itself and is
    /// to be asked for again. A turn may have as many outcomes to send, some bytes each.
    package var followedJobs = 65_536
    /// Bytes of one argument or inline result; beyond it `tooLarge`. Larger ones belong in files, so that one frame holds many.
    package var payloadByteCount = MessageBounds.payloadByteCount
    /// Unanswered requests of one session; beyond it the request is refused with `busy`.
    package var requestWindow = UInt64(MessageBounds.requestWindow)
    /// Bytes of replies to changes, about, that a session has not confirmed; beyond it a change is refused with `busy`. The journal has them too, and
    /// a restart reads them. Short ones of four full request windows fit.
    package var retainedByteCount = 1 << 20
    /// Bytes of them of all sessions together; beyond it each may have `sparedByteCount`, so that none is shut out by others. A restart reads them
    /// beside the rows behind its checkpoint, of which there are as many bytes (`LoopSettings.checkpointByteCount`).
    package var allRetainedByteCount = 64 << 20
    /// What a session may have of them however many there are: about 40 MB for as many sessions as may be open.
    package var sparedByteCount = 8_192
    /// Replies to reading requests that a session has not confirmed; beyond it such a request is refused with `busy`. They are kept for a repeat. So
    /// many with an argument or a result of 64 KiB fill `readingByteCount`.
    package var readingRequests = 64
    /// Bytes of those replies, about; beyond it likewise. As many as may wait for one client (`LoopSettings.outboxByteLimit`): more could not be
    /// sent.
    package var readingByteCount = 4 << 20
    /// Outcomes of one message to a client; the rest goes into a next one, as no column of a message may have more rows.
    package var answerRows = MessageBounds.rowCount
    /// Bytes of results with which one question for outcomes is answered; the rest is left out, and asked for again. As many as may wait for one
    /// client (`LoopSettings.outboxByteLimit`), or 64 of the largest results.
    package var answerByteCount = 4 << 20
    /// About so many bytes of jobs or feeds in one page of them, at most half of the client's largest frame; the rest is on the next one. A turn
    /// makes a page whole, and smaller ones cost who reads a long list more round trips: a quarter of the largest frame has about a thousand jobs.
    package var pageByteCount = 256 * 1_024
    /// Different loaders that jobs name, and as many again that a worker offers; beyond it a submit is refused with `busy`. The counts look at each.
    package var loaderNames = 1_000
    /// Limits; beyond it `set_limit` is refused with `busy`. Each is an item of the topic `limits`, and an entry of each checkpoint.
    package var limits = 1_000
    /// Pauses; beyond it `pause` is refused with `busy`. Each is an item of the topic `pauses`, and an entry of each checkpoint.
    package var pauses = 1_000
    /// Values of limits with a rate: those that jobs name which have not ended, and those of which tokens are missing. Beyond it a submit that names a
    /// further one, and a rate for a limit that has more, are refused with `busy`. Each takes some 250 bytes of memory, and one that nobody names is
    /// forgotten once all of its tokens are back.
    package var limitValues = 262_144
    /// Loaders that one worker offers; beyond it `register` is refused. The journal has them with each registration.
    package var loadersPerWorker = 64
    /// Loaders of which it is kept when a worker has offered them last, each with a name of 63 bytes at most; beyond it the one that was offered
    /// longest ago is forgotten. As many as jobs may name.
    package var offeredLoaders = 1_000
    /// Live feeds; beyond it the longest idle is forgotten, or the request is refused with `busy`. As many as topics are kept
    /// (`LoopSettings.topics`), so that each can be observed.
    package var feeds = 10_000
    /// Views of one feed; beyond it the request is refused with `busy`. What changes a feed looks at all of them in one turn.
    package var viewsPerFeed = 64
    /// Views of all feeds; beyond it the request is refused with `busy`. What one keeps beside its detail is bounded by itself: an item's id, a
    /// filter, and a failure of `shownFailureByteCount`. Two for each feed, `shared` and one more.
    package var views = 20_000
    /// Views that one session is attached to; beyond it `attach` is refused with `busy`. When it ends, one turn detaches it from all of them.
    package var attachments = 1_024
    /// The same for all sessions together: twenty for each, if as many as may be open have equal shares.
    package var allAttachments = 100_000
    /// Bytes of a failure in a feed or a view, about: the last of its arguments are left out, and `explain` of its job has them. It goes to all
    /// observers with each change of what it stands in. The longest text fits, and about as many bytes of arguments.
    package var shownFailureByteCount = 8 << 10
    /// Feeds and views that are looked at in one turn for damaged objects that they name; the rest is in the next ones, so that an object that
    /// thousands name keeps nobody waiting.
    package var damageLooks = 1_024
    /// Jobs of lost workers that one turn takes back; the rest is in the next ones. One costs some 5 us, so all of them no more than 5 ms.
    package var lostJobs = 1_024
    /// Jobs that one turn cancels because their feeds were reset; the rest is in the next ones, so that a feed with many jobs keeps nobody waiting.
    package var resetJobs = 1_024
    /// Actions with many jobs under way at once; beyond it one more is refused as busy.
    package var bulkActions = 16
    /// Jobs that one turn looks at for them; the rest is in the next ones. A look costs some tens of nanoseconds.
    package var bulkActionLooks = 65_536
    /// Jobs with which one turn does something for them: each is some entries, and a change for who observes it.
    package var bulkActionJobs = 1_024
    /// Lists of each kind of left work (damage, lost workers, resets, actions with many jobs) that one turn goes on with; the next one goes on behind them. Each costs a
    /// look, also when the turn may do no more in it.
    package var workLists = 64
    /// Ended jobs that one turn forgets, beside as many as end in it; the rest is in the next ones. A restart after a week may find that all are too
    /// old at once. Eight full bundles of them.
    package var forgottenJobs = 4_096
    /// Feeds that wait, and observed jobs that wait, of which one turn tells another reason; the rest is in the next ones: when the last worker goes,
    /// thousands may have one. Each may become a change that is published, so there are fewer of them than of jobs that are only taken back
    /// (`lostJobs`).
    package var waitLooks = 256
    /// How long a view other than `shared` is kept after its last attachment or request: daily use keeps it.
    package var viewAge: Duration = .seconds(86_400)
    /// Bytes of details in views; beyond it a detail fails with `busy`. They are in memory: the largest ones in all views would take 1.2 GiB.
    package var detailByteCount = 256 << 20
    /// Bytes of an item's id; beyond it `tooLarge`.
    package var itemIDByteCount = MessageBounds.itemIDByteCount
    /// How many ended jobs of each kind are known, and for how long, as people set it; the oldest of a kind go first. More than anybody looks through; in
    /// full bundles a kind is about 200 rows beside the journal.
    package var retention = JobRetention()
    /// Bytes of results that are kept, as many again of what cancelled and expired jobs leave, and of failures with the items of failed saves; the oldest
    /// go first. Where more small ones have to go for large ones than a turn forgets (`forgottenJobs`), there are more of them for some turns. As many
    /// as jobs that have not ended may carry (`queuedByteCount`).
    package var endedByteCount = 256 << 20
    /// Bytes of the runs of jobs that have not ended, roughly; beyond it runs that end are not kept. A job has at most 4 KiB of them, so 8,192 jobs may
    /// have had twenty failures each.
    package var runByteCount = 32 << 20
    /// Bytes of the lines that jobs have written which have not ended, roughly; beyond it lines are counted and not kept. A job has at most 16 KiB of
    /// them, so 4,096 jobs may have written all that they can.
    package var logByteCount = 64 << 20
    /// Bytes that loaders have saved for next attempts of jobs that have not ended; beyond it what they save is not kept, and their jobs' logs have that.
    /// 1,024 jobs may have saved as much as each can. A quarter of `queuedByteCount`, in which they count too.
    package var resumeByteCount = 64 << 20
    /// Bytes of lines that one turn takes: each goes into the turn's row, and a worker may send as many as it likes. Sixteen jobs with all that they can.
    package var turnLogByteCount = 256 << 10
    /// Ended jobs of one bundle beside the journal: who asks for one of them has the whole bundle read. Those with 512 bytes each fill
    /// `bundleByteCount` too.
    package var bundleJobs = 512
    /// Bytes of one bundle, about: it ends with the job that brings it there. One is written with each row before a checkpoint, and delays
    /// what waits for the row.
    package var bundleByteCount = 256 << 10
    /// Questions that wait for ended jobs to be read; beyond it the request is refused with `busy`. They are in memory until the disk answers. Four
    /// full request windows.
    package var endedReadings = 4_096
    /// Bytes of them, about; beyond it likewise. 4 KiB for each.
    package var endedReadingByteCount = 16 << 20
    /// Running jobs that the topic `jobs` lists one by one: more than a screen shows, and its counts have the others.
    package var listedJobs = 200
    /// Running jobs of which it is known how far they are, each with two texts of some hundred bytes; of further ones nothing is shown. Four for each
    /// slot that all workers may have.
    package var progressingJobs = 65_536
    /// Bytes of one grant message as it is sent, half of the largest frame; the rest goes into a next one.
    package var grantByteCount = MessageBounds.halfFrameByteCount
    /// Bytes of what one turn grants, about: the rest is granted in the next ones. As many as one worker's connection may be slow for
    /// (`LoopSettings.outboxByteLimit`), and 32,768 jobs without arguments: who waits for a turn waits some tens of milliseconds for one.
    package var turnGrantByteCount = 4 << 20
    /// Leases that a worker may hold when it registers; beyond it `register` is refused, as its answer would not fit a frame.
    package var heldLeases = 32_768
    /// Jobs of one grant message: as many as a worker takes ahead at most.
    package var grantJobs = 4_096

    /// The defaults.
    package init() {}
}
