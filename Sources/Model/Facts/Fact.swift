//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One durable change. Facts state resulting values, never differences, so that applying one twice changes nothing.
public enum Fact: Hashable, Sendable {
    /// A session exists; `nonce`: the number of the hello that opened it, 0: none.
    case sessionOpened(SessionID, label: String, role: String, nonce: UInt64 = 0)
    /// A session and its replies are gone.
    case sessionEnded(SessionID)
    /// A request was answered; the same number gets the same reply.
    case replyKept(SessionID, KeptReply)
    /// Submitted jobs were accepted; also the kept reply to their request.
    case jobsAccepted(AcceptedJobs)
    /// A feed's job was accepted.
    case feedJobAccepted(FeedJob)
    /// Jobs were granted to a worker; a grant made before ends with it.
    case granted(GrantedJobs)
    /// Unstarted grants came back: the jobs wait again, the grant does not count.
    case returned(jobs: [UInt64])
    /// The jobs' worker was lost: they wait again.
    case requeued([RequeuedJob])
    /// Jobs ended.
    case ended(EndedJobs)
    /// A cancel was accepted; of a waiting job, its end follows in the same row.
    case cancelRequested(JobID, by: String, at: WallTime)
    /// A worker is attached.
    case workerAttached(WorkerID, AttachmentNumber, WorkerMessage.Registration)
    /// A worker's lease is over; its jobs were dealt with by facts of their own.
    case workerLost(WorkerID)
    /// A feed has this state; `isAskedFor`: some session asked for it with `load`; `nextVersion`: that of its next content, none: one above
    /// the content's.
    case feedChanged(FeedState, isAskedFor: Bool, nextVersion: ContentVersion = .none)
    /// A feed is forgotten, with its views.
    case feedForgotten(FeedKey)
    /// A view has this state; `selectedAfter`: the newest job there was when its selection was asked for, none: nobody selected yet.
    case viewChanged(FeedKey, ViewState, selectedAfter: JobID = .none)
    /// A view is forgotten.
    case viewForgotten(FeedKey, String)
    /// Ids below these may have been handed out by a front that does not journal its jobs.
    case idsReserved(jobs: JobID, leases: LeaseID)
    /// Whole jobs, written by a checkpoint.
    case jobsStored(StoredJobs)
    /// Totals that no live record carries, written by a checkpoint; `lastRankTime`: the level of the clock that ranks are made of, in
    /// milliseconds.
    case countsStored(
        JobCounts, nextJob: JobID, nextLease: LeaseID, nextAttachment: AttachmentNumber, lastRankTime: Int64 = 0)
    /// A life of the front began.
    case epochBegan(EpochBegan)

    /// Submitted jobs with consecutive ids.
    public struct AcceptedJobs: Hashable, Sendable {
        /// The first id.
        public var first: JobID
        /// When they were accepted.
        public var acceptedAt: WallTime
        /// Their place in line: accepted time less what the priority is worth, in milliseconds since 1970.
        public var rank: Int64
        /// Who handed them in, with what.
        public let submit: ClientMessage.Submit
        /// The fingerprint of what was handed in.
        private let fingerprint: UInt64
        /// The session.
        public var session: SessionID

        /// Joins the parts.
        /// - Parameter fingerprint: that of `submit`, for who has it already: it goes over every byte. Nil: it is made here.
        public init(
            first: JobID, acceptedAt: WallTime, rank: Int64, submit: ClientMessage.Submit, session: SessionID, fingerprint: UInt64? = nil
        ) {
            self.first = first
            self.acceptedAt = acceptedAt
            self.rank = rank
            self.submit = submit
            self.fingerprint = fingerprint ?? submit.fingerprint
            self.session = session
        }

        /// The reply to their request.
        public var keptReply: KeptReply {
            let reply = Reply.jobsAccepted(first: first, count: UInt32(submit.lengths.count))
            return KeptReply(number: submit.number, reply: reply, fingerprint: fingerprint)
        }
    }

    /// One job of a feed, as accepted.
    public struct FeedJob: Hashable, Sendable {
        /// Its id.
        public var job: JobID
        /// The feed.
        public var key: FeedKey
        /// What it does.
        public var operation: FeedOperation
        /// The loader that does it.
        public var loader: String
        /// What asked for it.
        public var cause: LoadCause
        /// The view it is for.
        public var view: String
        /// The item's id of an update or a detail.
        public var itemID: String?
        /// The item of a create or update.
        public var item: [UInt8]
        /// The fetched source of a merge.
        public var source: ObjectReference?
        /// Who asked.
        public var session: SessionID
        /// Who asked, for people, where that session may be over by now; empty: the session says it.
        public var label: String
        /// When it was accepted.
        public var acceptedAt: WallTime
        /// Its place in line.
        public var rank: Int64
        /// 0 to 9, 9 is the most urgent.
        public var priority: UInt8
        /// The failed save that this one repeats; none: it is the first of its kind.
        public var repeats: JobID
        /// The newest save that repeats this failed one; none: nobody asked yet.
        public var repeatedBy: JobID
        /// The order that an arrange makes; nil: the list's own.
        public var sort: SortOrder?
        /// The text that an arrange filters by; empty: all items.
        public var filter: String
        /// What an arrange was asked for by: its cancel or failure takes back these requests and no others.
        public var requests: ViewRequests
        /// The selected item that a cancelled detail gives way to; nil: none.
        public var previousItemID: String?

        /// A job of a feed; the rest is filled in by the caller.
        public init(job: JobID, key: FeedKey, operation: FeedOperation, loader: String, acceptedAt: WallTime) {
            self.job = job
            self.key = key
            self.operation = operation
            self.loader = loader
            self.cause = .asked
            self.view = "shared"
            self.item = []
            self.session = .none
            self.label = ""
            self.acceptedAt = acceptedAt
            self.rank = acceptedAt.milliseconds
            self.priority = 5
            self.repeats = .none
            self.repeatedBy = .none
            self.filter = ""
            self.requests = []
        }
    }

    /// A life of the front began.
    public struct EpochBegan: Hashable, Sendable {
        /// Its number.
        public var epoch: Epoch
        /// The boot of the machine, from the kernel; empty where it is unknown.
        public var bootID: String
        /// CLOCK_BOOTTIME in milliseconds when it held the lock.
        public var bootMilliseconds: Int64

        /// Joins the parts.
        public init(epoch: Epoch, bootID: String, bootMilliseconds: Int64) {
            self.epoch = epoch
            self.bootID = bootID
            self.bootMilliseconds = bootMilliseconds
        }
    }

    /// Jobs that one worker holds from now on.
    public struct GrantedJobs: Hashable, Sendable {
        /// The worker.
        public var worker: WorkerID
        /// The front's wall time of the turn.
        public var at: WallTime
        /// Job ids.
        public var jobs: [UInt64]
        /// The lease of each.
        public var leases: [UInt64]
        /// Whether the worker held them before: the grant is then not counted as an attempt.
        public var isReattachment: Bool

        /// A grant without a job.
        public init(worker: WorkerID, at: WallTime, isReattachment: Bool = false) {
            self.worker = worker
            self.at = at
            self.jobs = []
            self.leases = []
            self.isReattachment = isReattachment
        }
    }

    /// One job whose worker was lost.
    public struct RequeuedJob: Hashable, Sendable {
        /// The job.
        public var job: JobID
        /// Deaths of workers that count against it.
        public var deaths: UInt8
        /// Whether it runs next alone in a worker.
        public var isSuspected: Bool

        /// Joins the parts.
        public init(job: JobID, deaths: UInt8, isSuspected: Bool) {
            self.job = job
            self.deaths = deaths
            self.isSuspected = isSuspected
        }
    }

    /// Ended jobs as columns.
    public struct EndedJobs: Hashable, Sendable {
        /// The front's wall time of the turn.
        public var at: WallTime
        /// Job ids.
        public var jobs: [UInt64]
        /// The final `JobState` of each.
        public var states: [UInt8]
        /// Byte count of each result.
        public var lengths: [UInt32]
        /// The results one behind the other.
        public var results: [UInt8]
        /// The failure of each job that failed, by its index in the columns.
        public var failures: [Indexed<Failure>]

        /// No job yet.
        public init(at: WallTime) {
            self.at = at
            (jobs, states, lengths, results, failures) = ([], [], [], [], [])
        }
    }

    /// Whole jobs as columns, in order of id; feed jobs also have a `feedJobAccepted` before it in the same checkpoint.
    public struct StoredJobs: Hashable, Sendable {
        /// Job ids.
        public var jobs: [UInt64] = []
        /// The session of each.
        public var sessions: [UInt64] = []
        /// The rank of each.
        public var ranks: [Int64] = []
        /// When each was accepted, milliseconds since 1970.
        public var acceptedAt: [Int64] = []
        /// When each was granted last or ended, milliseconds since 1970; 0: never.
        public var changedAt: [Int64] = []
        /// The lease of each; 0: none.
        public var leases: [UInt64] = []
        /// The worker of each; 0: none.
        public var workers: [UInt64] = []
        /// `JobState` of each.
        public var states: [UInt8] = []
        /// The priority of each.
        public var priorities: [UInt8] = []
        /// Deaths of workers that count against each.
        public var deaths: [UInt8] = []
        /// Bits of each: 1 reports outcomes, 2 suspected.
        public var flags: [UInt8] = []
        /// Attempts of each.
        public var attempts: [UInt32] = []
        /// Names of loaders, each once.
        public var loaders: [String] = []
        /// Index in `loaders` of each.
        public var loaderIndexes: [UInt32] = []
        /// Labels of the clients that asked, each once; empty, as older versions wrote it: those of the sessions.
        public var labels: [String] = []
        /// Index in `labels` of each; none where there are none.
        public var labelIndexes: [UInt32] = []
        /// Byte count of each argument, or result once ended.
        public var lengths: [UInt32] = []
        /// The arguments or results one behind the other.
        public var bytes: [UInt8] = []
        /// The failure of each failed job, by its index in the columns.
        public var failures: [Indexed<Failure>] = []
        /// The receipt of each job whose cancel was asked, by its index in the columns.
        public var cancels: [Indexed<CancelReceipt>] = []

        /// No jobs yet.
        public init() {}
    }
}
