//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What observers see of a job.
public struct JobSummary: Hashable, Sendable {
    /// The job.
    public var id: JobID
    /// The loader that runs it; empty: that cannot be read.
    public var loader: String
    /// Its state.
    public var state: JobState
    /// The feed it works for; nil for a submitted job.
    public var feed: FeedKey?
    /// What it does for the feed.
    public var operation: FeedOperation?
    /// The label of the session that asked for it, also when that session is over; empty: the front itself, or a session without one.
    public var askedBy: String
    /// How it is run.
    public var options: JobOptions
    /// When it was accepted; nil: that cannot be read.
    public var acceptedAt: WallTime?
    /// When it was granted last.
    public var startedAt: WallTime?
    /// When it ended.
    public var endedAt: WallTime?
    /// How often it was granted; for people only.
    public var attempts: UInt32
    /// How often its loader has asked to be run again later; no such run is counted in `attempts`.
    package var snoozeCount: UInt32
    /// The newest job that repeats it after its end; nil: none does.
    package var repeatedBy: JobID?
    /// How many crashes of workers count against it.
    package var crashCount: UInt32
    /// When its time comes; nil unless it is scheduled.
    public var dueAt: WallTime?
    /// When it has had its total time, and ends; nil: it has none, has ended, or its time has not come.
    package var endsBy: WallTime?
    /// Why it waits.
    public var waitReason: WaitReason?
    /// The name of the worker that holds it.
    public var worker: String
    /// How far a cancel has come; of a running job whose time is over, how far its worker has come in stopping it.
    public var cancel: CancelReceipt?
    /// Why it failed; while it is tried again, why its last attempt did.
    public var failure: Failure?
    /// Its result when it is inline, at most 64 KiB.
    public var result: [UInt8]

    /// A job that was just accepted; without loader and time one of which nothing else can be read.
    package init(id: JobID, loader: String, state: JobState, acceptedAt: WallTime?) {
        self.id = id
        self.loader = loader
        self.state = state
        self.askedBy = ""
        self.options = JobOptions()
        self.acceptedAt = acceptedAt
        self.attempts = 0
        self.snoozeCount = 0
        self.crashCount = 0
        self.worker = ""
        self.result = []
    }
}

/// How far a job is, as its loader reports it.
public struct JobProgress: Hashable, Sendable {
    /// 0 to 100; nil when the total is unknown. From counts: `UInt8(done * 100 / total)`.
    public var percent: UInt8?
    /// What is done so far, in `unit`.
    public var completed: UInt64
    /// What there is to do, in `unit`; nil when unknown.
    public var total: UInt64?
    /// The unit of the two counts: `bytes` or `items`, at most 64 bytes; empty when there are none.
    public var unit: String
    /// One short sentence for people; at most 256 bytes.
    public var message: String

    /// A report; percent over 100 becomes 100.
    public init(percent: UInt8? = nil, completed: UInt64 = 0, total: UInt64? = nil, unit: String = "", message: String = "") {
        self.percent = percent.map { min($0, 100) }
        self.completed = completed
        self.total = total
        self.unit = unit
        self.message = message
    }
}

/// Counts of jobs by state and by outcome.
public struct JobCounts: Hashable, Sendable {
    /// Not yet granted.
    public var waiting: UInt64 = 0
    /// Accepted, and their time has not come.
    public var scheduled: UInt64 = 0
    /// Granted to a worker.
    public var running: UInt64 = 0
    /// Cancel asked, still running.
    public var cancelling: UInt64 = 0
    /// Ended with a result since the journal began.
    public var succeeded: UInt64 = 0
    /// Ended with a failure since the journal began.
    public var failed: UInt64 = 0
    /// Ended by a cancel since the journal began.
    public var cancelled: UInt64 = 0
    /// Ended unstarted at the time at which they expire, since the journal began.
    public var expired: UInt64 = 0
    /// Quarantined now.
    public var quarantined: UInt64 = 0
    /// How often jobs waited again since the journal began, because their worker was lost or had them no longer.
    package var requeuedTotal: UInt64 = 0
    /// How often jobs were to be tried again since the journal began, because an attempt had failed.
    package var retriedTotal: UInt64 = 0
    /// How often loaders asked to be run again later since the journal began.
    package var snoozedTotal: UInt64 = 0
    /// When the oldest waiting job was accepted.
    public var oldestWaiting: WallTime?
    /// Failed and quarantined jobs that are still known, by code, most first.
    package var failures: [FailureCount] = []
    /// Waiting jobs whose loader no registered worker offers, by loader, most first; those that wait for another job of their key are left out.
    package var unoffered: [LoaderCount] = []
    /// Such jobs of loaders that are not named, since there are too many.
    package var unofferedOthers: UInt64 = 0
    /// Actions with many jobs that are under way, and the last that have ended since the front began, oldest first.
    package var bulkActions: [BulkSummary] = []

    /// No jobs.
    package init() {}

    /// How a count is shown.
    package typealias Shown = (key: String, word: String, about: String, count: @Sendable (JobCounts) -> UInt64)

    /// Each count in the order in which people and programs see it, with its key in JSON, its word for people and what it counts.
    package static let shown: [Shown] = [
        ("waiting", "waiting", "Accepted, not granted.", { $0.waiting }),
        ("scheduled", "scheduled", "Accepted, and their time has not come.", { $0.scheduled }),
        ("running", "running", "Granted to a worker.", { $0.running }),
        ("cancelling", "cancelling", "Cancel asked, still running.", { $0.cancelling }),
        ("succeeded", "succeeded", "Ended with a result since the journal began.", { $0.succeeded }),
        ("failed", "failed", "Ended with a failure since the journal began.", { $0.failed }),
        ("cancelled", "cancelled", "Ended by a cancel since the journal began.", { $0.cancelled }),
        ("expired", "expired", "Ended unstarted at the time at which they expire, since the journal began.", { $0.expired }),
        ("quarantined", "quarantined", "Quarantined now.", { $0.quarantined }),
        (
            "requeuedTotal", "requeued",
            "How often jobs waited again since the journal began, because their worker was lost or had them no longer.",
            { $0.requeuedTotal }
        ),
        (
            "retriedTotal", "retried", "How often jobs were to be tried again since the journal began, because an attempt had failed.",
            { $0.retriedTotal }
        ),
        (
            "snoozedTotal", "snoozed", "How often loaders asked to be run again later since the journal began.", { $0.snoozedTotal }
        ),
    ]
}

/// How many jobs failed in one way.
package struct FailureCount: Hashable, Sendable {
    /// The kind of failure; `other` for the sum of the rarest where there are too many kinds.
    package var code: FailureCode
    /// How many jobs.
    package var count: UInt64

    package init(_ code: FailureCode, _ count: UInt64) { (self.code, self.count) = (code, count) }
}

/// How many jobs of one loader there are.
package struct LoaderCount: Hashable, Sendable {
    /// The loader.
    package var loader: String
    /// How many jobs.
    package var count: UInt64

    package init(_ loader: String, _ count: UInt64) { (self.loader, self.count) = (loader, count) }
}

/// An action with many jobs as observers see it: under way, or one of the last that have ended since the front began.
package struct BulkSummary: Hashable, Sendable {
    /// Its number.
    package var number: UInt64
    /// What is done with each job, as the word of its command: a text, for an observer shows also what only newer fronts can do.
    package var action: String
    /// The label of the client that asked for it.
    package var by: String
    /// When it was asked for.
    package var since: WallTime
    /// Jobs with which it was done.
    package var done: UInt64
    /// Jobs that were chosen, and had changed since or could not take it.
    package var passedOver: UInt64
    /// Whether nothing is left to do.
    package var isFinished: Bool
    /// What it waits for at the moment, as a sentence; empty: it goes on.
    package var waitsFor: String

    /// One with which nothing was done yet.
    package init(number: UInt64, action: String, by label: String, since: WallTime) {
        (self.number, self.action, by, self.since) = (number, action, label, since)
        (done, passedOver, isFinished, waitsFor) = (0, 0, false, "")
    }
}

/// How far a cancel has come; each step is stamped once by the front's wall clock.
public struct CancelReceipt: Hashable, Sendable {
    /// Who asked: a session's label; `timeOut`: nobody did.
    public var requestedBy: String
    /// When the cancel was accepted.
    public var requestedAt: WallTime
    /// When the worker had it in hand.
    package var deliveredAt: WallTime?
    /// When the loader's task was asked to stop.
    package var stoppingAt: WallTime?
    /// When the worker killed the process that the work runs in, since the work had not stopped in its loader's time.
    public var killedAt: WallTime?
    /// When the worker began to end because of it, since nothing less stops the work.
    package var endingAt: WallTime?
    /// When the work had really ended.
    public var stoppedAt: WallTime?

    /// Who asks work to stop whose time is over.
    package static let timeOut = "a time-out"

    /// How far it has come at the worker, for people; nil: no further than that it was asked.
    package var stepLine: String? {
        if endingAt != nil { return "the work does not stop: its worker ends because of it" }
        if killedAt != nil { return "the work did not stop in its time: the process that it runs in was killed" }
        if stoppingAt != nil { return "its loader was asked to stop" }
        return deliveredAt == nil ? nil : "its worker has it in hand"
    }

    /// A cancel that was just accepted.
    package init(requestedBy: String, requestedAt: WallTime) {
        self.requestedBy = requestedBy
        self.requestedAt = requestedAt
    }
}

/// Who asks that a job be cancelled. On the wire and in the journal it is a label, since people read it.
package enum CancelRequester: Hashable, Sendable {
    /// A client, by its label.
    case client(String)
    /// The front: what the job was to make is of no use any more.
    case front
    /// Nobody is attached to the feed that it loads for.
    case nobodyAttached
    /// A newer job does its work too, and replaces it.
    case replacedBy(JobID)
    /// Another job has made the order that it was to make.
    case madeBy(JobID)

    /// What people read.
    package var label: String {
        switch self {
        case .client(let label): label
        case .front: "front"
        case .nobodyAttached: "nobody is attached"
        case .replacedBy(let job): "job \(job), which replaces it"
        case .madeBy(let job): "job \(job), which made that order too"
        }
    }
}
