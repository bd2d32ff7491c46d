//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What entries hold, in the order of the list (`JournalEntryList.swift`, made of the journal's protocol); those of many jobs stand in
/// `EntryColumns.swift`, newer kinds in files of their own.
extension JournalEntry {
    /// A session that exists.
    public struct SessionOpened: Hashable, Sendable {
        /// Its id.
        public var session: SessionID
        /// Its name for people.
        public var label: String
        /// The number of the hello that opened it; 0: none.
        public var nonce: UInt64

        /// A session as its hello describes it.
        public init(_ session: SessionID, label: String, nonce: UInt64 = 0) {
            (self.session, self.label, self.nonce) = (session, label, nonce)
        }
    }

    /// A session that is gone.
    public struct SessionEnded: Hashable, Sendable {
        /// Its id.
        public var session: SessionID

        /// The end of that session.
        public init(_ session: SessionID) { self.session = session }
    }

    /// A request that was answered.
    public struct ReplyRetained: Hashable, Sendable {
        /// The session that asked.
        public var session: SessionID
        /// The reply, with the number of the request.
        public var reply: RetainedReply
        /// The client has all replies below that number: they are forgotten.
        public var lowestUnanswered: RequestNumber

        /// What is kept for that session, which has all replies below that number.
        public init(_ session: SessionID, _ reply: RetainedReply, lowestUnanswered: RequestNumber) {
            (self.session, self.reply, self.lowestUnanswered) = (session, reply, lowestUnanswered)
        }
    }

    /// A cancel that was accepted.
    public struct CancelRequested: Hashable, Sendable {
        /// The job.
        public var job: JobID
        /// The label of who asked.
        public var by: String
        /// When.
        public var at: WallTime

        /// A cancel of a job that has not ended.
        public init(_ job: JobID, by label: String, at time: WallTime) { (self.job, self.by, self.at) = (job, label, time) }
    }

    /// How a waiting job is run from now on.
    public struct TermsChanged: Hashable, Sendable {
        /// The job.
        public var job: JobID
        /// All its options.
        public var options: JobOptions
        /// Its place in line.
        public var rank: Int64

        /// A job with those options and that place.
        public init(_ job: JobID, _ options: JobOptions, rank: Int64) { (self.job, self.options, self.rank) = (job, options, rank) }
    }

    /// A worker that is attached.
    public struct WorkerRegistered: Hashable, Sendable {
        /// Its id.
        public var worker: WorkerID
        /// The number of its attachment.
        public var registrationNumber: RegistrationNumber
        /// What it is.
        public var registration: WorkerMessage.Registration

        /// A worker as it registered.
        public init(_ worker: WorkerID, _ registrationNumber: RegistrationNumber, _ registration: WorkerMessage.Registration) {
            (self.worker, self.registrationNumber, self.registration) = (worker, registrationNumber, registration)
        }
    }

    /// A worker whose lease is over.
    public struct WorkerLost: Hashable, Sendable {
        /// Its id.
        public var worker: WorkerID

        /// The loss of that worker.
        public init(_ worker: WorkerID) { self.worker = worker }
    }

    /// The state of a feed.
    public struct FeedChanged: Hashable, Sendable {
        /// The state.
        public var state: FeedState
        /// Whether some session asked for it with `load`.
        public var isAskedFor: Bool
        /// The version of its next content; none: one above the content's.
        public var nextVersion: ContentVersion
        /// Contents that are kept before this one, oldest first.
        public var older: [FeedContent] = []
        /// Versions that turned out damaged, oldest first.
        public var damaged: [DamagedVersion] = []

        /// A feed in that state.
        public init(_ state: FeedState, isAskedFor: Bool, nextVersion: ContentVersion = .none) {
            (self.state, self.isAskedFor, self.nextVersion) = (state, isAskedFor, nextVersion)
        }
    }

    /// A feed that is forgotten.
    public struct FeedForgotten: Hashable, Sendable {
        /// Its key.
        public var key: FeedKey

        /// The end of that feed.
        public init(_ key: FeedKey) { self.key = key }
    }

    /// The state of a view.
    public struct ViewChanged: Hashable, Sendable {
        /// The feed's key.
        public var key: FeedKey
        /// The state.
        public var view: ViewState
        /// The newest job there was when its selection was asked for; none: nobody selected yet.
        public var selectedAfter: JobID

        /// A view in that state.
        public init(_ key: FeedKey, _ view: ViewState, selectedAfter: JobID = .none) {
            (self.key, self.view, self.selectedAfter) = (key, view, selectedAfter)
        }
    }

    /// A view that is forgotten.
    public struct ViewForgotten: Hashable, Sendable {
        /// The feed's key.
        public var key: FeedKey
        /// The view's name.
        public var view: String

        /// The end of that view.
        public init(_ key: FeedKey, _ view: String) { (self.key, self.view) = (key, view) }
    }

    /// Ids that may have been handed out.
    public struct IDsReserved: Hashable, Sendable {
        /// Those of jobs are below.
        public var jobs: JobID
        /// Those of leases are below.
        public var leases: LeaseID

        /// A reservation up to those ids.
        public init(jobs: JobID, leases: LeaseID) { (self.jobs, self.leases) = (jobs, leases) }
    }

    /// Bundles that are forgotten.
    public struct BundlesForgotten: Hashable, Sendable {
        /// Their numbers.
        public var bundles: [BundleNumber]

        /// The end of these.
        public init(_ bundles: [BundleNumber]) { self.bundles = bundles }
    }

    /// Totals that no live record carries.
    public struct CountsStored: Hashable, Sendable {
        /// Jobs by state.
        public var counts: JobCounts
        /// The next job's id.
        public var nextJob: JobID
        /// The next lease's id.
        public var nextLease: LeaseID
        /// The next registration's number.
        public var nextRegistrationNumber: RegistrationNumber
        /// The level of the clock that ranks are made of, in milliseconds.
        public var lastRankTime: Int64

        /// The totals at one turn.
        public init(
            _ counts: JobCounts, nextJob: JobID, nextLease: LeaseID, nextRegistrationNumber: RegistrationNumber, lastRankTime: Int64 = 0
        ) {
            (self.counts, self.nextJob, self.nextLease) = (counts, nextJob, nextLease)
            (self.nextRegistrationNumber, self.lastRankTime) = (nextRegistrationNumber, lastRankTime)
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

        public init(epoch: Epoch, bootID: String, bootMilliseconds: Int64) {
            self.epoch = epoch
            self.bootID = bootID
            self.bootMilliseconds = bootMilliseconds
        }
    }
}

/// A version of a feed's content that turned out damaged, or gone.
public struct DamagedVersion: Hashable, Sendable {
    /// The list.
    public var object: ObjectDigest
    /// When it was found damaged.
    public var foundAt: WallTime

    /// That version.
    public init(_ object: ObjectDigest, foundAt: WallTime) { (self.object, self.foundAt) = (object, foundAt) }
}

extension JournalEntry {
    /// Work that one event brought about for many, and no turn does alone: where the next turn, or the next life, goes on.
    public struct WorkLeft: Hashable, Sendable {
        /// What is done.
        public var work: Work
        /// When that was decided.
        public var since: WallTime
        /// What comes next; nil: nothing is left.
        public var cursor: Cursor?

        /// Work that goes on there; nil: it is done.
        public init(_ work: Work, since time: WallTime, at cursor: Cursor?) {
            (self.work, since, self.cursor) = (work, time, cursor)
        }

        /// What is done for many.
        public enum Work: Hashable, Sendable {
            /// Feeds let go of an object that was found damaged. A content that was stored later is another file of that name.
            case damage(ObjectDigest)
            /// The jobs of a worker that is gone wait again, or end.
            case loss(LostWorker)
            /// The jobs of a feed that was reset are cancelled, in the name of that client.
            case reset(FeedKey, by: String)
        }

        /// What comes next.
        public enum Cursor: Hashable, Sendable {
            /// That feed, then those behind it by key.
            case feed(FeedKey)
            /// That job, then those that stand before it.
            case job(JobID)
        }
    }

    /// A worker that is gone, and what that says of the jobs that it held.
    public struct LostWorker: Hashable, Sendable {
        /// The worker.
        public var worker: WorkerID
        /// Why its jobs wait again.
        public var cause: AttemptEndCause
        /// Whether each of them may have crashed it.
        public var isSuspected: Bool
        /// Whether its death counts against them.
        public var isCounted: Bool

        /// A worker that is gone for that reason; unless said otherwise its jobs are not to blame.
        public init(_ worker: WorkerID, _ cause: AttemptEndCause, isSuspected: Bool = false, isCounted: Bool = false) {
            (self.worker, self.cause, self.isSuspected, self.isCounted) = (worker, cause, isSuspected, isCounted)
        }
    }
}
