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
