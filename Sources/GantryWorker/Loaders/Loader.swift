//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel
package import GantryWire

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
    /// How long a job may take to stop once its task is cancelled: 10 s unless said otherwise. A job that somebody cancelled, or whose time is over, and that
    /// runs on after that ends its worker: see <doc:WritingLoaders>.
    var stopTime: Duration { get }
}

extension Loader {
    /// What most work needs, and much more.
    public var stopTime: Duration { WorkerSettings.usualStopTime }
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

/// A loader whose jobs have a type: it gets the argument read and gives a result that is written for it.
///
/// An argument that does not fit fails the job with `invalidData`, which names the loader and the field; `run` is not called. For a loader that is one
/// function, see ``JobHandler``; <doc:WritingLoaders> has an example of both.
public protocol TypedLoader<Job>: Loader {
    /// Its kind of job.
    associatedtype Job: TypedJob

    /// Does a job; all that ``Loader/run(_:)`` says holds here too.
    ///
    /// - Parameters:
    ///   - job: what to do.
    ///   - context: its id, where to report progress, and why it is cancelled.
    /// - Returns: the result, at most 64 KiB as JSON; more fails the job with `tooLarge`.
    /// - Throws: `LoaderFailure` to say what went wrong and whether a repeat may help.
    func run(_ job: Job, in context: JobContext) async throws -> Job.Result
}

extension TypedLoader {
    /// The name that the type of its jobs has.
    public var name: String { Job.loaderName }

    /// Reads the argument, does the job and writes the result.
    /// - Throws: `LoaderFailure` with `invalidData` for an argument or result that cannot be read or written, `tooLarge` for a result over 64 KiB; what the
    ///   loader throws.
    public func run(_ job: JobContext) async throws -> LoaderResult {
        let result = try await run(job.argument(as: Job.self), in: job)
        return try LoaderResult(result, of: Job.self)
    }
}

/// A loader for one kind of job that is one function.
///
/// ```swift
/// let wordCounter = JobHandler(for: CountWords.self) { job, context in
///     let count = try await context.blocking { stop in try countWords(in: job.path, longerThan: job.longerThan ?? 0, stop) }
///     return CountWords.Result(wordCount: count)
/// }
/// ```
public struct JobHandler<Job: TypedJob>: TypedLoader {
    /// Whether a job may run a second time when its outcome is unknown.
    public let repeatable: Repeatable
    /// How long a job may take to stop once it is cancelled.
    public let stopTime: Duration
    private let body: @Sendable (Job, JobContext) async throws -> Job.Result

    /// A loader.
    /// - Parameters:
    ///   - type: its kind of job, which also names it.
    ///   - repeatable: whether a job may run a second time when its outcome is unknown; say `no` when a second run does harm.
    ///   - stopTime: how long a job may take to stop once it is cancelled; then the worker ends.
    ///   - body: does a job.
    public init(
        for type: Job.Type, repeatable: Repeatable = .yes, stopTime: Duration = .seconds(10),
        _ body: @escaping @Sendable (_ job: Job, _ context: JobContext) async throws -> Job.Result
    ) {
        self.repeatable = repeatable
        self.stopTime = stopTime
        self.body = body
    }

    /// Does a job.
    /// - Throws: what the function throws.
    public func run(_ job: Job, in context: JobContext) async throws -> Job.Result { try await body(job, context) }
}

extension JobContext {
    /// The argument as a value, for a loader that is not a ``TypedLoader``.
    /// - Throws: `invalidData`, which names the loader and the field, when the bytes do not fit.
    public func argument<Job: TypedJob>(as type: Job.Type) throws(LoaderFailure) -> Job {
        do throws(TypedJobFault) { return try TypedJobCoding.job(type, from: argument) } catch {
            throw LoaderFailure(error, of: Job.loaderName)
        }
    }
}

extension LoaderResult {
    /// The result of a typed job.
    /// - Throws: `invalidData` for a value that JSON does not have, `tooLarge` over 64 KiB.
    public init<Job: TypedJob>(_ result: Job.Result, of type: Job.Type) throws(LoaderFailure) {
        do throws(TypedJobFault) {
            self.init(bytes: try TypedJobCoding.bytes(of: result, of: type))
        } catch {
            throw LoaderFailure(error, of: Job.loaderName)
        }
    }
}

extension LoaderFailure {
    /// What is wrong with the argument or the result of a typed job.
    package init(_ fault: TypedJobFault, of loader: String) {
        let arguments = ["loader", loader] + (fault.field.isEmpty ? [] : ["field", fault.field])
        self.init(fault.code == .tooLarge ? .tooLarge : .invalidData, "\(fault.context): \(fault.nextStep)", arguments: arguments)
    }
}
