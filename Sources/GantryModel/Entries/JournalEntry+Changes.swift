//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What entries hold, in the order of `Generated/JournalEntryList.swift`; those of many jobs stand in `JournalEntry+Jobs.swift`, those of limits and pauses in `JournalEntry+Flow.swift`.
extension JournalEntry {
    /// A session that exists.
    package struct SessionOpened: EntryKind {
        package static let survivesMemoryMode = false

        /// Its id.
        package var session: SessionID
        /// Its name for people.
        package var label: String
        /// The number of the hello that opened it; 0: none.
        package var nonce: UInt64
        /// The name under which its jobs share the workers.
        package var client: String

        /// A session as its hello describes it.
        package init(_ session: SessionID, label: String, nonce: UInt64 = 0, client: String = "") {
            (self.session, self.label, self.nonce, self.client) = (session, label, nonce, client)
        }
    }

    /// A session that has ended.
    package struct SessionEnded: EntryKind {
        package static let survivesMemoryMode = false

        /// Its id.
        package var session: SessionID

        /// The end of that session.
        package init(_ session: SessionID) { self.session = session }
    }

    /// A request that was answered.
    package struct ReplyRetained: EntryKind {
        package static let survivesMemoryMode = false

        /// The session that asked.
        package var session: SessionID
        /// The reply, with the number of the request.
        package var reply: RetainedReply
        /// The client has all replies below that number: they are forgotten.
        package var lowestUnanswered: RequestNumber

        /// What is kept for that session, which has all replies below that number.
        package init(_ session: SessionID, _ reply: RetainedReply, lowestUnanswered: RequestNumber) {
            (self.session, self.reply, self.lowestUnanswered) = (session, reply, lowestUnanswered)
        }

        package var roughByteCount: Int { reply.roughByteCount }
    }

    /// A cancel that was accepted.
    package struct CancelRequested: EntryKind {
        package static let survivesMemoryMode = false

        /// The job.
        package var job: JobID
        /// The label of the client that asked.
        package var by: String
        /// When.
        package var at: WallTime

        /// A cancel of a job that has not ended.
        package init(_ job: JobID, by label: String, at time: WallTime) { (self.job, self.by, self.at) = (job, label, time) }
    }

    /// How a waiting job is run from now on.
    package struct TermsChanged: EntryKind {
        package static let survivesMemoryMode = false

        /// The job.
        package var job: JobID
        /// All its options.
        package var options: JobOptions
        /// Its place in line.
        package var rank: Int64

        /// A job with those options and that place.
        package init(_ job: JobID, _ options: JobOptions, rank: Int64) { (self.job, self.options, self.rank) = (job, options, rank) }

        package var roughByteCount: Int { options.byteCount + RoughSize.message }
    }

    /// A worker that is registered.
    package struct WorkerRegistered: EntryKind {
        package static let survivesMemoryMode = true

        /// Its id.
        package var worker: WorkerID
        /// The number of its registration.
        package var registrationNumber: RegistrationNumber
        /// What it is.
        package var registration: WorkerMessage.Registration
        /// Whether somebody asked that it drain: it gets no new jobs.
        package var drains: Bool

        /// A worker as it registered.
        package init(
            _ worker: WorkerID, _ registrationNumber: RegistrationNumber, _ registration: WorkerMessage.Registration, drains: Bool = false
        ) {
            (self.worker, self.registrationNumber, self.registration, self.drains) = (worker, registrationNumber, registration, drains)
        }

        package var roughByteCount: Int {
            RoughSize.wide + registration.loaders.count * RoughSize.record + registration.held.count * 2 * RoughSize.number
        }
    }

    /// A worker whose lease is over.
    package struct WorkerLost: EntryKind {
        package static let survivesMemoryMode = true

        /// Its id.
        package var worker: WorkerID
        /// Whether somebody asked that it drain: it gets no jobs either when it comes back.
        package var drains: Bool

        /// The loss of that worker.
        package init(_ worker: WorkerID, drains: Bool = false) { (self.worker, self.drains) = (worker, drains) }
    }

    /// The state of a feed.
    package struct FeedChanged: EntryKind {
        package static let survivesMemoryMode = true

        /// The state.
        package var state: FeedState
        /// Whether some session asked for it with `load`.
        package var isAskedFor: Bool
        /// The version of its next content; none: one above the content's.
        package var nextVersion: ContentVersion
        /// Contents that are kept before this one, oldest first.
        package var older: [FeedContent] = []
        /// Versions that turned out damaged, oldest first.
        package var damaged: [DamagedVersion] = []

        /// A feed in that state.
        package init(_ state: FeedState, isAskedFor: Bool, nextVersion: ContentVersion = .none) {
            (self.state, self.isAskedFor, self.nextVersion) = (state, isAskedFor, nextVersion)
        }

        package var roughByteCount: Int {
            RoughSize.wide + state.key.text.utf8.count + (state.failure?.roughByteCount ?? 0)
                + (older.count + damaged.count) * RoughSize.record
        }
    }

    /// A feed that is forgotten.
    package struct FeedForgotten: EntryKind {
        package static let survivesMemoryMode = true

        /// Its key.
        package var key: FeedKey

        /// The end of that feed.
        package init(_ key: FeedKey) { self.key = key }
    }

    /// The state of a view.
    package struct ViewChanged: EntryKind {
        package static let survivesMemoryMode = true

        /// The feed's key.
        package var key: FeedKey
        /// The state.
        package var view: ViewState
        /// The newest job there was when its selection was asked for; none: nobody selected yet.
        package var selectedAfter: JobID

        /// A view in that state.
        package init(_ key: FeedKey, _ view: ViewState, selectedAfter: JobID = .none) {
            (self.key, self.view, self.selectedAfter) = (key, view, selectedAfter)
        }

        package var roughByteCount: Int { RoughSize.wide + key.text.utf8.count + view.byteCount }
    }

    /// A view that is forgotten.
    package struct ViewForgotten: EntryKind {
        package static let survivesMemoryMode = true

        /// The feed's key.
        package var key: FeedKey
        /// The view's name.
        package var view: String

        /// The end of that view.
        package init(_ key: FeedKey, _ view: String) { (self.key, self.view) = (key, view) }
    }

    /// Ids that may have been handed out.
    package struct IDsReserved: EntryKind {
        package static let survivesMemoryMode = true

        /// Those of jobs are below.
        package var jobs: JobID
        /// Those of leases are below.
        package var leases: LeaseID

        /// A reservation up to those ids.
        package init(jobs: JobID, leases: LeaseID) { (self.jobs, self.leases) = (jobs, leases) }
    }

    /// Bundles that are forgotten.
    package struct BundlesForgotten: EntryKind {
        package static let survivesMemoryMode = true

        /// Their numbers.
        package var bundles: [BundleNumber]

        /// The end of these.
        package init(_ bundles: [BundleNumber]) { self.bundles = bundles }

        package var roughByteCount: Int { bundles.count * RoughSize.number }
    }

    /// Totals that no live record carries.
    package struct CountsStored: EntryKind {
        package static let survivesMemoryMode = true

        /// Jobs by state.
        package var counts: JobCounts
        /// The next job's id.
        package var nextJob: JobID
        /// The next lease's id.
        package var nextLease: LeaseID
        /// The next registration's number.
        package var nextRegistrationNumber: RegistrationNumber
        /// The level of the clock that ranks are made of, in milliseconds.
        package var lastRankTime: Int64
        /// The clock of lengths.
        package var lengths: LengthClock

        /// The totals at one turn.
        package init(
            _ counts: JobCounts, nextJob: JobID, nextLease: LeaseID, nextRegistrationNumber: RegistrationNumber, lastRankTime: Int64 = 0,
            lengths: LengthClock = LengthClock()
        ) {
            (self.counts, self.nextJob, self.nextLease) = (counts, nextJob, nextLease)
            (self.nextRegistrationNumber, self.lastRankTime, self.lengths) = (nextRegistrationNumber, lastRankTime, lengths)
        }
    }

    /// An epoch began.
    package struct EpochBegan: EntryKind {
        package static let survivesMemoryMode = true

        /// Its number.
        package var epoch: Epoch
        /// The boot of the machine, from the kernel; empty where it is unknown.
        package var bootID: String
        /// CLOCK_BOOTTIME in milliseconds when it held the lock.
        package var bootMilliseconds: Int64

        package init(epoch: Epoch, bootID: String, bootMilliseconds: Int64) {
            self.epoch = epoch
            self.bootID = bootID
            self.bootMilliseconds = bootMilliseconds
        }
    }
}

/// A version of a feed's content that turned out damaged or missing.
package struct DamagedVersion: Hashable, Sendable {
    /// The list.
    package var object: ObjectDigest
    /// When it was found damaged.
    package var foundAt: WallTime

    /// That version.
    package init(_ object: ObjectDigest, foundAt: WallTime) { (self.object, self.foundAt) = (object, foundAt) }
}

extension JournalEntry {
    /// Work that one event brought about for many, and no turn does alone: where the next turn, or the next epoch, goes on.
    package struct WorkLeft: EntryKind {
        package static let survivesMemoryMode = true

        /// What is done.
        package var work: Work
        /// When that was decided.
        package var since: WallTime
        /// What comes next; nil: nothing is left.
        package var cursor: Cursor?

        /// Work that goes on there; nil: it is done.
        package init(_ work: Work, since time: WallTime, at cursor: Cursor?) {
            (self.work, since, self.cursor) = (work, time, cursor)
        }

        /// What is done for many.
        package enum Work: Hashable, Sendable {
            /// Feeds let go of an object that was found damaged. A content that was stored later is another file of that name.
            case damage(ObjectDigest)
            /// The jobs of a lost worker wait again, or end.
            case loss(LostWorker)
            /// The jobs of a feed that was reset are cancelled, in the name of that client.
            case reset(FeedKey, by: String)
            /// Something is done with the jobs of a selection that have not changed since.
            case bulk(BulkActionWork)
        }

        /// What comes next.
        package enum Cursor: Hashable, Sendable {
            /// That feed, then those behind it by key.
            case feed(FeedKey)
            /// That job, then those that stand before it.
            case job(JobID)
        }

        package var roughByteCount: Int {
            var texts = 0
            if case .bulk(let bulk) = work { texts += bulk.by.byteCount + bulk.selection.byteCount + RoughSize.wide }
            if case .reset(let key, let label) = work { texts += key.text.utf8.count + label.utf8.count }
            if case .feed(let key)? = cursor { texts += key.text.utf8.count }
            return RoughSize.wide + texts
        }
    }

    /// A lost worker, and what follows for the jobs that it held.
    package struct LostWorker: Hashable, Sendable {
        /// The worker.
        package var worker: WorkerID
        /// Why its jobs wait again.
        package var cause: AttemptEndCause
        /// Whether each of them may have crashed it.
        package var isSuspected: Bool
        /// Whether its death counts against them.
        package var isCounted: Bool

        /// A worker that is lost for that reason; without further notice no crash counts against its jobs.
        package init(_ worker: WorkerID, _ cause: AttemptEndCause, isSuspected: Bool = false, isCounted: Bool = false) {
            (self.worker, self.cause, self.isSuspected, self.isCounted) = (worker, cause, isSuspected, isCounted)
        }
    }
}

extension JournalEntry {
    /// An action with many jobs, and what has come of it so far.
    package struct BulkActionWork: Hashable, Sendable {
        /// Its number, which no other one has that is left.
        package var number: UInt64
        /// Which jobs.
        package var selection: JobQuery
        /// What is done with each.
        package var action: BulkAction
        /// The client that asked for it, which may be gone by now.
        package var by: JobTerms.Asker
        /// Jobs with which it was done.
        package var done: UInt64 = 0
        /// Jobs that were chosen, and had changed since or could not take it.
        package var passedOver: UInt64 = 0

        /// One with which nothing was done yet.
        package init(_ number: UInt64, _ selection: JobQuery, _ action: BulkAction, by asker: JobTerms.Asker) {
            (self.number, self.selection, self.action, by) = (number, selection, action, asker)
        }

        /// As observers see it.
        package func summary(since time: WallTime, isFinished: Bool) -> BulkSummary {
            var summary = BulkSummary(number: number, action: action.word, by: by.label, since: time)
            (summary.done, summary.passedOver, summary.isFinished) = (done, passedOver, isFinished)
            return summary
        }
    }
}
