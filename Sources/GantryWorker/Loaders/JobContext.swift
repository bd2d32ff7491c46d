//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel
import GantryPlatform

/// A job as its loader sees it.
public struct JobContext: Sendable {
    /// The job's id: also the key for origins that honor idempotency keys.
    public let job: JobID
    /// How often it was granted, from 1, this time included.
    public let attempt: UInt32
    /// The front's wall clock when it granted the job.
    package let grantedAt: WallTime
    /// What the job was submitted with: opaque bytes, empty for a feed's job.
    public let argument: [UInt8]
    /// What an earlier attempt saved last with ``save(resumeState:)``; empty: none has, as before the first one.
    public let resumeState: [UInt8]
    /// What is to be done for a feed; nil for other jobs.
    package var feedWork: FeedWork?

    private let cancellation: Cancellation
    private let pool: BlockingPool
    /// The calls of ``blocking(_:)`` that have not returned.
    package let calls = OpenCalls()
    private let reporter: @Sendable (JobProgress) -> Void
    private let writer: @Sendable (JobLog) -> Void

    /// A job; tests of loaders get theirs from `LoaderHarness` of `GantryWorkerTesting`.
    /// - Parameters:
    ///   - cancellation: where ``cancelReason`` is read; none unless said otherwise.
    ///   - pool: where ``blocking(_:)`` makes its calls; one of its own unless said otherwise.
    ///   - report: receives every progress report, on the loader's thread.
    ///   - log: receives every line and whatever is saved, on the loader's thread.
    package init(
        job: JobID, attempt: UInt32 = 1, grantedAt: WallTime, argument: [UInt8] = [], feedWork: FeedWork? = nil,
        resumeState: [UInt8] = [], cancellation: Cancellation = Cancellation(), pool: BlockingPool = BlockingPool(name: "gantry-jobs"),
        report: @escaping @Sendable (JobProgress) -> Void = { _ in }, log: @escaping @Sendable (JobLog) -> Void = { _ in }
    ) {
        self.job = job
        self.attempt = attempt
        self.grantedAt = grantedAt
        self.argument = argument
        self.feedWork = feedWork
        self.resumeState = resumeState
        self.cancellation = cancellation
        self.pool = pool
        (reporter, writer) = (report, log)
    }

    /// Why the job's task is cancelled; nil while it is not. It is there before the task is cancelled, so every handler of a cancellation finds it.
    ///
    /// ```swift
    /// } catch is CancellationError where context.cancelReason == .requested {
    ///     try? FileManager.default.removeItem(atPath: draft)
    ///     throw CancellationError()
    /// }
    /// ```
    public var cancelReason: CancelReason? { cancellation.reason }

    /// Says that the job's work runs in a process of its own. Where the loader does not stop in its time once the job is cancelled, that process is killed, and
    /// the worker ends only if the loader has not returned in as much time again.
    ///
    /// ```swift
    /// context.hasProcess(child.id, leadsGroup: true)
    /// defer { context.hasNoProcess() }
    /// ```
    /// - Parameters:
    ///   - id: its number. Say ``hasNoProcess()`` before you reap it: then the kernel may give the number to another process.
    ///   - leadsGroup: whether it leads a process group, which is killed with it.
    public func hasProcess(_ id: Int32, leadsGroup: Bool = false) { cancellation.process = OwnProcess(id, leadsGroup: leadsGroup) }

    /// The process of the job has ended.
    public func hasNoProcess() { cancellation.process = nil }

    /// Says how far the job is. Cheap and never blocking; at most 20 reports a second leave the worker, the last one among them.
    /// - Parameter progress: its message is cut at 256 bytes, its unit at 64.
    public func report(_ progress: JobProgress) {
        var progress = progress
        progress.message = progress.message.cut(to: MessageBounds.progressByteCount)
        progress.unit = progress.unit.cut(to: MessageBounds.labelByteCount)
        reporter(progress)
    }

    /// Keeps a line with the job, for people who look at it with `gantry job show --log`. Cheap and never blocking.
    ///
    /// ```swift
    /// context.log("copies \(job.path)")
    /// ```
    ///
    /// The last 50 lines, or 16 KiB, of all attempts stay until the job is forgotten, with how many there were before. They leave the worker once a
    /// second while the job runs, and the rest with its outcome; what a worker that dies has not sent is lost. No secrets: everybody who sees
    /// the job sees its lines.
    /// - Parameter text: a line, cut at 1,024 bytes, without control characters; each line of a longer text is one.
    public func log(_ text: String) {
        let now = WallTime(milliseconds: SystemClock.wallMilliseconds())
        for line in text.split(whereSeparator: \.isNewline) { writer(JobLog([LogLine(attempt: attempt, at: now, text: String(line))])) }
    }

    /// Keeps what the job's next attempt is to go on with, in place of what was saved before: it reads it as ``resumeState``. Cheap and never blocking.
    ///
    /// ```swift
    /// try context.save(resumeState: Array("page 3".utf8))
    /// ```
    ///
    /// It leaves the worker once a second while the job runs, and with its outcome; a worker that dies loses what it has not sent, and the next attempt
    /// goes on with what was saved before that. So save what has been done, not what is about to be. Once the job has ended for good it is gone: a job
    /// that repeats it begins anew.
    /// - Parameter resumeState: at most 64 KiB; empty: the next attempt begins anew.
    /// - Throws: `tooLarge` for more; then nothing is saved, and what was saved before stays.
    public func save(resumeState: [UInt8]) throws(LoaderFailure) {
        guard resumeState.count <= JobLog.resumeByteCount else {
            let text = "\(resumeState.count) bytes cannot be saved for the next attempt (limit \(JobLog.resumeByteCount))"
            throw LoaderFailure(.tooLarge, "\(text): save where it goes on, not all that was done")
        }
        writer(JobLog(resumeState: resumeState))
    }

    /// Makes a call that may block, on a thread where it may: the tasks of all jobs share a few threads, which must not.
    ///
    /// ```swift
    /// let byteCount = try await context.blocking { stop in try copy(job.path, to: draft, stop) }
    /// ```
    ///
    /// When the job is cancelled, this throws at once and the flag is raised; the call goes on until it looks at the flag or returns by itself. The job
    /// runs as long as one of its calls does: until then its limits and its unique key are taken, and no other attempt begins. At most 128 calls of
    /// one worker run at a time, abandoned ones included.
    ///
    /// - Parameter body: gets a flag that is raised when the job is cancelled; long work looks at it between two steps.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; `CancellationError` at once when the job is cancelled; `LoaderFailure` with `busy`, retryable, beyond the limit.
    public func blocking<Value: Sendable>(_ body: @escaping @Sendable (StopFlag) throws -> Value) async throws -> Value {
        try await pool.run(among: calls, body)
    }
}

/// What a job came to.
public struct LoaderResult: Hashable, Sendable {
    /// Opaque bytes for the submitter, at most 65,536; more makes the job fail as `tooLarge`.
    public var bytes: [UInt8]
    /// For a feed's job: the objects that were made.
    package var feed: FeedResult?

    /// A result of bytes.
    public init(bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// A result of objects of a feed.
    package init(bytes: [UInt8] = [], feed: FeedResult) {
        self.bytes = bytes
        self.feed = feed
    }

    /// A result that is a text, in UTF-8.
    public init(text: String) {
        self.init(bytes: Array(text.utf8))
    }
}
