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
    public var snoozeCount: UInt32
    /// The newest job that repeats it after its end; nil: none does.
    public var repeatedBy: JobID?
    /// How many crashes of workers count against it.
    public var crashCount: UInt32
    /// When its time comes; nil unless it is scheduled.
    public var dueAt: WallTime?
    /// When it has had its total time, and ends; nil: it has none, has ended, or its time has not come.
    public var endsBy: WallTime?
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
