//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel

/// Code that does one kind of job. Each job runs in a task of its own and occupies a slot until `run` has returned.
///
///     struct Greeter: Loader {
///         let name = "greet"
///         func run(_ job: JobContext) async throws -> LoaderResult {
///             job.report(JobProgress(percent: 50, message: "thinking"))
///             return LoaderResult(text: "hello \(String(decoding: job.argument, as: UTF8.self))")
///         }
///     }
///
/// The task is cancelled when somebody cancels the job and when the worker has lost its front; then return soon, by throwing
/// `CancellationError` or otherwise. Work that outlives its lease ends with the process, which the kernel kills.
public protocol Loader: NamedLoader {
    /// Does a job.
    ///
    /// Never block the thread for long: jobs share the few threads of Swift's tasks.
    /// - Parameter job: what to do, and where to report progress.
    /// - Returns: the result, at most 64 KiB.
    /// - Throws: `LoaderFailure` to say what went wrong and whether a repeat may help; any other error counts as `loaderFailed`,
    ///   retryable; observers read its type's name, the worker's log has its description.
    func run(_ job: JobContext) async throws -> LoaderResult
}

/// What every loader says of itself. Conform to `Loader` or `BulkLoader`.
public protocol NamedLoader: Sendable {
    /// The name that jobs ask for: a lower-case letter, then up to 62 lower-case letters, digits or dashes. Unique in a worker.
    var name: String { get }
    /// Whether a job may run a second time when its outcome is unknown. `yes` unless said otherwise; say `no` when a second run does harm.
    var repeatable: Repeatable { get }
}

extension NamedLoader {
    /// A second run is harmless.
    public var repeatable: Repeatable { .yes }
}

/// A job as its loader sees it.
public struct JobContext: Sendable {
    /// The job's id: also the key for origins that honour idempotency keys.
    public let job: JobID
    /// How often it was granted, from 1, this time included.
    public let attempt: UInt32
    /// The front's wall clock when it granted the job.
    public let grantedAt: WallTime
    /// What the job was submitted with: opaque bytes, empty for a feed's job.
    public let argument: [UInt8]
    /// What is to be done for a feed; nil for other jobs.
    public let feedWork: FeedWork?

    private let reporter: @Sendable (JobProgress) -> Void

    /// A job, for example to try a loader in a test.
    /// - Parameter report: receives every progress report, on the loader's thread.
    public init(
        job: JobID, attempt: UInt32 = 1, grantedAt: WallTime, argument: [UInt8] = [], feedWork: FeedWork? = nil,
        report: @escaping @Sendable (JobProgress) -> Void = { _ in }
    ) {
        self.job = job
        self.attempt = attempt
        self.grantedAt = grantedAt
        self.argument = argument
        self.feedWork = feedWork
        reporter = report
    }

    /// Says how far the job is. Cheap and never blocking; at most 20 reports a second leave the worker, the last one among them.
    /// - Parameter progress: its message is cut at 256 bytes, its unit at 64.
    public func report(_ progress: JobProgress) {
        var progress = progress
        progress.message = progress.message.cut(to: MessageBounds.progressByteCount)
        progress.unit = progress.unit.cut(to: MessageBounds.labelByteCount)
        reporter(progress)
    }
}

/// What a job came to.
public struct LoaderResult: Hashable, Sendable {
    /// Opaque bytes for who asked, at most 65,536; more makes the job fail as `tooLarge`.
    public var bytes: [UInt8]
    /// For a feed's job: the objects that were made.
    public var feed: FeedResult?

    /// A result of bytes, or of objects of a feed.
    public init(bytes: [UInt8] = [], feed: FeedResult? = nil) {
        self.bytes = bytes
        self.feed = feed
    }

    /// A result that is a text, in UTF-8.
    public init(text: String) {
        self.init(bytes: Array(text.utf8))
    }
}
