//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryPackedColumns

extension JournalEntry {
    /// Submitted jobs with consecutive ids. What their request was answered is an entry of its own, in the same row: jobs may be accepted
    /// for whom there is no request.
    package struct AcceptedJobs: EntryKind {
        package static let survivesMemoryMode = false

        /// The first id.
        package var first: JobID
        /// When they were accepted.
        package var acceptedAt: WallTime
        /// What the clock of ranks showed, in milliseconds since 1970: the place in line of each is that less what its priority is worth.
        package var rankTime: Int64
        /// On whose behalf.
        package var submitter: Submitter
        /// The loader that is to run them.
        package var loader: String
        /// How each is to be run.
        package var options: JobOptionsColumn
        /// Whether the outcomes are to be sent to the submitter's session by themselves.
        package var reportsOutcomes: Bool
        /// The argument of each job: as many as there are jobs.
        package var arguments: PackedBytes
        /// What the clock of lengths showed, in milliseconds, where a job has a delay: it is due so much later.
        package var lengthTime: Int64 = 0
        /// Who asked, where that session may be over by now; nobody: the submitter says it.
        package var asker = JobTerms.Asker()
        /// Of a job with a unique key: tells its argument and options, as they were submitted, apart from others; 0: those above do.
        package var fingerprint: UInt64 = 0
        /// Of rows that do the work of an ended job again, which each of them names as its `retryOf`: that job. Who repeats all that have failed passes
        /// over it.
        package var repeats: [Indexed<JobID>] = []

        /// Jobs of one loader, one for each argument.
        package init(
            first: JobID, acceptedAt: WallTime, rankTime: Int64, submitter: Submitter, loader: String,
            options: JobOptionsColumn = JobOptionsColumn(), reportsOutcomes: Bool = false, arguments: PackedBytes
        ) {
            (self.first, self.acceptedAt, self.rankTime, self.submitter) = (first, acceptedAt, rankTime, submitter)
            (self.loader, self.options, self.reportsOutcomes, self.arguments) = (loader, options, reportsOutcomes, arguments)
        }

        package var roughByteCount: Int {
            let own = options.byteCount + options.distinct.count * RoughSize.message + options.indexes.count * RoughSize.length
            return arguments.byteCount + arguments.count * RoughSize.length + own + submitter.byteCount + asker.byteCount
                + repeats.count * RoughSize.number + RoughSize.record
        }
    }
}

/// What entries of many jobs hold: columns of one length each, and what a feed's job is.
extension JournalEntry {
    /// One job of a feed, as accepted.
    package struct FeedJob: EntryKind {
        package static let survivesMemoryMode = false

        /// Its id.
        package var job: JobID
        /// The feed.
        package var key: FeedKey
        /// What it does.
        package var operation: FeedOperation
        /// The loader that does it.
        package var loader: String
        /// What asked for it.
        package var cause: LoadCause
        /// The view it is for.
        package var view: String
        /// The item's id of an update or a detail.
        package var itemID: String?
        /// The item of a create or update.
        package var item: [UInt8]
        /// The fetched source of a merge.
        package var source: ObjectReference?
        /// On whose behalf.
        package var submitter: Submitter
        /// Who asked, where that session may be over by now; nobody: the submitter says it.
        package var asker = JobTerms.Asker()
        /// When it was accepted.
        package var acceptedAt: WallTime
        /// Its place in line.
        package var rank: Int64
        /// How it is run.
        package var options: JobOptions
        /// The failed save that this one repeats; none: it is the first of its kind.
        package var repeats: JobID
        /// The newest save that repeats this failed one; none: nobody asked yet.
        package var repeatedBy: JobID
        /// The order that a sort makes; nil: the list's own.
        package var sort: SortOrder?
        /// The text that a sort filters by; empty: all items.
        package var filter: String
        /// What a sort was asked for by: its cancel or failure takes back these requests and no others.
        package var requests: ViewRequests
        /// The selected item that a cancelled detail gives way to; nil: none.
        package var previousItemID: String?
        /// When it was delayed first, by the clock of lengths in milliseconds: its longest wait counts from then. Nil: it was not.
        package var delayedSince: Int64?

        /// A job of a feed; the rest is filled in by the caller.
        package init(job: JobID, key: FeedKey, operation: FeedOperation, loader: String, acceptedAt: WallTime) {
            self.job = job
            self.key = key
            self.operation = operation
            self.loader = loader
            self.cause = .asked
            self.view = ViewName.shared
            self.item = []
            self.submitter = .front
            self.acceptedAt = acceptedAt
            self.rank = acceptedAt.milliseconds
            self.options = JobOptions()
            self.repeats = .none
            self.repeatedBy = .none
            self.filter = ""
            self.requests = []
        }

        package var roughByteCount: Int { byteCount + RoughSize.feed }

        /// The name of the feed whose source it asks; empty: what the loader of lists does asks none.
        package var askedFeed: String { loader == LoaderName.list ? "" : key.name }
    }

    /// Jobs that one worker holds from now on.
    package struct GrantedJobs: EntryKind {
        package static let survivesMemoryMode = false

        /// The worker.
        package var worker: WorkerID
        /// The front's wall time of the turn.
        package var at: WallTime
        /// Job ids.
        package var jobs: [UInt64]
        /// The lease of each.
        package var leases: [UInt64]
        /// Whether the worker held them before: the grant is then not counted as an attempt.
        package var isReregistration: Bool

        /// A grant without a job.
        package init(worker: WorkerID, at: WallTime, isReregistration: Bool = false) {
            self.worker = worker
            self.at = at
            self.jobs = []
            self.leases = []
            self.isReregistration = isReregistration
        }

        package var roughByteCount: Int { jobs.count * 2 * RoughSize.number + RoughSize.message }
    }

    /// Ended jobs as columns.
    package struct EndedJobs: EntryKind {
        package static let survivesMemoryMode = false

        /// The front's wall time of the turn.
        package var at: WallTime
        /// Job ids.
        package var jobs: [UInt64]
        /// How each ended.
        package var states: [JobState]
        /// The result of each; empty where there is none.
        package var results: PackedBytes
        /// The failure of each job that failed, by its index in the columns.
        package var failures: [Indexed<Failure>]
        /// Crashes of workers that count against a job, by its index in the columns, where its end counts one: of those in quarantine.
        package var crashCounts: [Indexed<UInt8>]
        /// What the clock of lengths showed, in milliseconds, where one of them has had its total time, or its unique key stays taken: that is free so
        /// much later.
        package var lengthTime: Int64 = 0
        /// The run of each that a worker held, by its index in the columns, where it is kept: one that succeeded at once is not. What it failed with
        /// stands in `failures`.
        package var runs: [Indexed<JobRun>] = []

        /// No job yet.
        package init(at: WallTime) {
            self.at = at
            (jobs, states, results, failures, crashCounts) = ([], [], PackedBytes(), [], [])
        }

        package var roughByteCount: Int {
            failures.reduce(results.byteCount + jobs.count * RoughSize.answer + RoughSize.message + runs.roughByteCount) {
                $0 + $1.value.roughByteCount + RoughSize.record
            }
        }
    }

    /// Whole jobs as columns, in order of id; feed jobs also have a `feedJobAccepted` before it in the same checkpoint.
    package struct StoredJobs: EntryKind {
        package static let survivesMemoryMode = false

        /// Job ids.
        package var jobs: [UInt64] = []
        /// The session of each.
        package var sessions: [UInt64] = []
        /// The rank of each.
        package var ranks: [Int64] = []
        /// When each was accepted, milliseconds since 1970.
        package var acceptedAt: [Int64] = []
        /// When each was granted last or ended, milliseconds since 1970; 0: never.
        package var changedAt: [Int64] = []
        /// The lease of each; 0: none.
        package var leases: [UInt64] = []
        /// The worker of each; 0: none.
        package var workers: [UInt64] = []
        /// The state of each.
        package var states: [JobState] = []
        /// Crashes of workers that count against each.
        package var crashCounts: [UInt8] = []
        /// What else is so of each.
        package var flags: [Flags] = []
        /// Attempts of each.
        package var attempts: [UInt32] = []
        /// Names of loaders, each once.
        package var loaders: [String] = []
        /// Index in `loaders` of each.
        package var loaderIndexes: [UInt32] = []
        /// Who asked for them and how they are run, each once.
        package var terms: [JobTerms] = []
        /// Index in `terms` of each.
        package var termIndexes: [UInt32] = []
        /// The argument of each; empty where there is none.
        package var arguments = PackedBytes()
        /// The result of each; empty where there is none.
        package var results = PackedBytes()
        /// The failure of each failed job, by its index in the columns.
        package var failures: [Indexed<Failure>] = []
        /// The receipt of each job whose cancel was asked, by its index in the columns.
        package var cancels: [Indexed<CancelReceipt>] = []
        /// When the time of each scheduled job comes, by its index in the columns.
        package var dues: [Indexed<JobDue>] = []
        /// The unique key of each job that was submitted with one, by its index in the columns: whether it is taken is said apart.
        package var uniqueKeys: [Indexed<UniqueKey>] = []
        /// When each job has had its total time whose time has come and that has not ended, by the clock of lengths, by its index in the columns.
        package var deadlines: [Indexed<Int64>] = []
        /// Of those that were snoozed, by their indexes in the columns.
        package var snoozes: [Indexed<SnoozeCount>] = []
        /// The runs of each of which some are known, by its index in the columns.
        package var runs: [Indexed<JobRuns>] = []
        /// The lines of each that has written some, by its index in the columns.
        package var logs: [Indexed<JobLog>] = []

        /// Yes-or-no properties of a job that are kept after an epoch.
        package struct Flags: OptionSet, Hashable, Sendable {
            /// The bits that are stored.
            package let rawValue: UInt8
            /// The session that asked wants the outcome by itself.
            package static let reportsOutcome = Flags(rawValue: 1)
            /// Its worker died while others ran there: it runs next, alone in its worker for a while.
            package static let suspected = Flags(rawValue: 2)
            /// It works for a feed.
            package static let isFeedJob = Flags(rawValue: 4)
            /// All that there are.
            package static let all: Flags = [.reportsOutcome, .suspected, .isFeedJob]

            /// Those with these bits.
            package init(rawValue: UInt8) { self.rawValue = rawValue }
        }

        /// No jobs yet.
        package init() {}

        package var roughByteCount: Int {
            let texts = loaders.reduce(0) { $0 + $1.utf8.count } + terms.reduce(0) { $0 + $1.byteCount + RoughSize.message }
            let failed = failures.reduce(0) { $0 + $1.value.roughByteCount + RoughSize.record }
            let keys = uniqueKeys.reduce(0) { $0 + $1.value.text.utf8.count + RoughSize.message }
            let written = logs.reduce(0) { $0 + $1.value.roughByteCount }
            let times = runs.reduce((deadlines.count + snoozes.count) * RoughSize.item) { $0 + $1.value.roughByteCount }
            return arguments.byteCount + results.byteCount + texts + failed + keys + times + written + (jobs.count + cancels.count)
                * RoughSize.record
        }
    }

    /// What stays known at once of ended jobs that are in a bundle.
    package struct EndedBundled: EntryKind {
        package static let survivesMemoryMode = false

        /// The bundle.
        package var number: BundleNumber
        /// What kind its jobs are: each has bundles of its own.
        package var kind: EndedKind
        /// Job ids, ascending.
        package var jobs: [UInt64] = []
        /// How each ended.
        package var states: [JobState] = []
        /// When the last of them ended.
        package var endedAt = WallTime(milliseconds: 0)
        /// Bytes of what they leave behind, as memory counted them.
        package var byteCount: UInt64 = 0
        /// What those that failed did so with.
        package var failures: [FailureCount] = []

        /// A bundle without a job.
        package init(_ number: BundleNumber, _ kind: EndedKind) { (self.number, self.kind) = (number, kind) }

        package var roughByteCount: Int { jobs.count * (RoughSize.number + 1) + failures.count * RoughSize.name + RoughSize.message }
    }
}

extension JournalEntry.FeedJob {
    /// Bytes of the texts and the item that it carries.
    package var byteCount: Int {
        key.text.utf8.count + loader.utf8.count + view.utf8.count + item.count + submitter.byteCount + asker.byteCount + filter.utf8.count
            + options.byteCount + (itemID?.utf8.count ?? 0) + (previousItemID?.utf8.count ?? 0) + (sort?.field.utf8.count ?? 0)
    }
}

extension JournalEntry {
    /// Scheduled jobs whose time has come: they wait from now on.
    package struct JobsDue: EntryKind {
        package static let survivesMemoryMode = false

        /// Job ids, in the order in which their times came.
        package var jobs: [UInt64]
        /// What the clock of ranks showed, in milliseconds: the place in line of each is that less what its priority is worth.
        package var rankTime: Int64
        /// What the clock of lengths showed, in milliseconds.
        package var lengthTime: Int64

        /// Jobs that wait from now on.
        package init(_ jobs: [UInt64], rankTime: Int64, lengthTime: Int64) {
            (self.jobs, self.rankTime, self.lengthTime) = (jobs, rankTime, lengthTime)
        }

        package var roughByteCount: Int { jobs.count * RoughSize.number + RoughSize.message }
    }

    /// A job that waited, or was scheduled, has another time.
    package struct JobDelayed: EntryKind {
        package static let survivesMemoryMode = false

        /// The job.
        package var job: JobID
        /// When its time comes.
        package var due: JobDue
        /// What the clock of lengths showed, in milliseconds.
        package var lengthTime: Int64

        /// A job that is scheduled from now on.
        package init(_ job: JobID, _ due: JobDue, lengthTime: Int64) { (self.job, self.due, self.lengthTime) = (job, due, lengthTime) }
    }

    /// No crash of a worker counts against a waiting job any more: it runs beside others again.
    package struct CrashesForgiven: EntryKind {
        package static let survivesMemoryMode = false
        /// The job.
        package var job: JobID

        /// A job that is forgiven.
        package init(_ job: JobID) { self.job = job }
    }
}
