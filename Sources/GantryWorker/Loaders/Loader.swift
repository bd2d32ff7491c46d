//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel

/// Code that does one kind of job. Each job runs in a task of its own and occupies a slot until `run` has returned.
///
/// ```swift
/// struct Greeter: Loader {
///     let name = "greet"
///
///     func run(_ job: JobContext) async throws -> LoaderResult {
///         job.report(JobProgress(percent: 50, message: "thinking"))
///         guard !job.argument.isEmpty else { throw LoaderFailure(.invalidData, "nobody to greet: submit a name") }
///         return LoaderResult(text: "hello \(String(decoding: job.argument, as: UTF8.self))")
///     }
/// }
/// ```
///
/// The task is cancelled when somebody cancels the job, when the worker has lost its front and when the worker stops;
/// ``JobContext/cancelReason`` says which. Then return soon, by throwing `CancellationError` or otherwise. Work that outlives its lease ends with the process, which the kernel kills.
public protocol Loader: NamedLoader {
    /// Does a job.
    ///
    /// Never block the thread for long: jobs share the few threads of Swift's tasks. ``JobContext/blocking(_:)`` has threads for that.
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
    /// Gets what all jobs need: opens a database, reads a model. Called once, before the worker registers; until it returns, no job is granted.
    ///
    /// The loaders of a worker prepare one after the other, in the order in which it has them.
    /// - Throws: whatever keeps the loader from working: the worker then ends with `loaderNotPrepared`, which names the loader and the error.
    func prepare() async throws
    /// Gives back what `prepare` got. Called once if `prepare` has returned: after the last job of the worker has ended, also when the worker failed or its
    /// task was cancelled; the task that calls it is not cancelled.
    ///
    /// The loaders of a worker shut down one after the other, the last one first. A process that the kernel or somebody kills calls nothing: what must
    /// not be lost is written by the jobs.
    func shutdown() async
}

extension NamedLoader {
    /// A second run is harmless.
    public var repeatable: Repeatable { .yes }

    /// Nothing to get.
    public func prepare() async throws {}

    /// Nothing to give back.
    public func shutdown() async {}
}
