//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel
import GantryWire

/// The id of a job whose type is known, so that its result can be read later.
public struct TypedJobID<Job: TypedJob>: Hashable, Sendable, CustomStringConvertible {
    /// The id, as the command line shows it.
    public let job: JobID

    /// The id of a job that was submitted as that type, for example one whose number was stored.
    public init(_ job: JobID) { self.job = job }

    public var description: String { job.description }
}

extension GantryClient {
    /// Submits a job, waits for its end and gives its result.
    ///
    /// ```swift
    /// let counted = try await client.run(CountWords(path: "README.md"))
    /// return counted.wordCount
    /// ```
    ///
    /// Runs that are started at the same time, in a task group, travel together. When the wait ends early, by a cancellation or `timeout`, the job goes on:
    /// submit it with ``submit(_:options:anyLoader:timeout:)`` if you want to come back to it.
    ///
    /// - Parameters:
    ///   - job: what to do.
    ///   - options: how it is to be run.
    ///   - anyLoader: whether it waits where no worker has offered its loader within 30 days, instead of being refused.
    ///   - timeout: how long to wait in all; nil waits for ever.
    /// - Returns: the result that its loader gave.
    /// - Throws: `tooLarge` for an argument over 64 KiB and `invalidInput` for one that JSON does not have, both before anything is sent; the failure of
    ///   the job with its code and text; `jobCancelled`; `invalidData` for a result that does not fit the type.
    public func run<Job: TypedJob>(
        _ job: Job, options: JobOptions = JobOptions(), anyLoader: Bool = false, timeout: Duration? = nil
    ) async throws(ClientError) -> Job.Result {
        let outcome = try await submitAndWait(
            loader: Job.loaderName, argument: Self.argument(of: job), options: options, anyLoader: anyLoader, timeout: timeout)
        guard outcome.state != .succeeded else { return try Self.result(outcome.result, of: TypedJobID<Job>(outcome.job)) }
        return try await Self.result(of: TypedJobID<Job>(outcome.job), in: explain(outcome.job).job)
    }

    /// Submits a job and gives its id once it is durable; ``result(of:timeout:onChange:)`` waits for the result. With a unique key the id may be
    /// that of the job that has the key.
    ///
    /// - Parameters:
    ///   - job: what to do.
    ///   - options: how it is to be run.
    ///   - anyLoader: as for a job that is waited for.
    /// - Throws: `tooLarge` for an argument over 64 KiB and `invalidInput` for one that JSON does not have, both before anything is sent.
    public func submit<Job: TypedJob>(
        _ job: Job, options: JobOptions = JobOptions(), anyLoader: Bool = false, timeout: Duration? = nil
    ) async throws(ClientError) -> TypedJobID<Job> {
        let argument = try Self.argument(of: job)
        let submitted = try await submit(
            loader: Job.loaderName, argument: argument, options: options, anyLoader: anyLoader, timeout: timeout)
        return TypedJobID(submitted.job)
    }

    /// Submits jobs of one kind, all or none of each thousand, as ``submit(loader:arguments:options:anyLoader:timeout:onAccepted:)`` does.
    ///
    /// - Parameters:
    ///   - jobs: what to do.
    ///   - options: how each is to be run.
    ///   - anyLoader: as for a job that is waited for.
    ///   - onAccepted: the ids of each part once they are durable, in order.
    /// - Returns: the ids, in the order of the jobs.
    /// - Throws: `tooLarge` for an argument over 64 KiB and `invalidInput` for one that JSON does not have, both before anything is sent.
    public func submit<Job: TypedJob>(
        _ jobs: [Job], options: JobOptions = JobOptions(), anyLoader: Bool = false, timeout: Duration? = nil,
        onAccepted: (@Sendable ([TypedJobID<Job>]) -> Void)? = nil
    ) async throws(ClientError) -> [TypedJobID<Job>] {
        var arguments: [[UInt8]] = []
        for job in jobs { arguments.append(try Self.argument(of: job)) }
        let accepted = try await submit(
            loader: Job.loaderName, arguments: arguments, options: options, anyLoader: anyLoader, timeout: timeout
        ) { ids in
            onAccepted?(ids.map { TypedJobID($0) })
        }
        return accepted.map { TypedJobID($0) }
    }

    /// Waits until a job has ended, whoever submitted it and however long ago, and gives its result.
    ///
    /// - Parameters:
    ///   - job: its id.
    ///   - timeout: how long to wait; nil waits for ever.
    ///   - onChange: sees each state on the way.
    /// - Throws: the failure of the job with its code and text; `jobCancelled`; `invalidData` for a result that does not fit the type; `invalidInput` for a
    ///   job of another loader; `notFound` for a job that the front does not know; `timedOut`, `cancelled`.
    public func result<Job: TypedJob>(
        of job: TypedJobID<Job>, timeout: Duration? = nil, onChange: (@Sendable (TopicState) -> Void)? = nil
    ) async throws(ClientError) -> Job.Result {
        try Self.result(of: job, in: await wait(for: job.job, timeout: timeout, onChange: onChange))
    }

    private static func argument(of job: some TypedJob) throws(ClientError) -> [UInt8] {
        do throws(TypedJobFault) {
            return try TypedJobCoding.argument(of: job)
        } catch {
            throw ClientError(error.code == .tooLarge ? .tooLarge : .invalidInput, error.context, nextStep: error.nextStep)
        }
    }

    private static func result<Job: TypedJob>(_ bytes: [UInt8], of job: TypedJobID<Job>) throws(ClientError) -> Job.Result {
        do throws(TypedJobFault) {
            return try TypedJobCoding.result(of: Job.self, from: bytes)
        } catch {
            throw ClientError(ClientErrorCode(.invalidData), "job \(job) succeeded, but \(error.context)", nextStep: error.nextStep)
        }
    }

    /// The result of a job that has ended.
    private static func result<Job: TypedJob>(of job: TypedJobID<Job>, in summary: JobSummary) throws(ClientError) -> Job.Result {
        guard summary.loader.isEmpty || summary.loader == Job.loaderName else {
            throw ClientError(
                .invalidInput, "job \(job) is one of loader \(summary.loader), not of \(Job.loaderName)",
                nextStep: "name it with the type that it was submitted as")
        }
        switch summary.state {
        case .succeeded: return try result(summary.result, of: job)
        case .cancelled: throw ClientError(.jobCancelled, "job \(job) was cancelled", nextStep: "submit it again if it is still wanted")
        case .expired:
            throw ClientError(.jobExpired, "job \(job) expired before it started", nextStep: "submit it again if it is still wanted")
        case .failed, .quarantined, .waiting, .scheduled, .running, .cancelling:
            guard let failure = summary.failure else {
                throw ClientError(.unexpectedAnswer, "job \(job) is \(summary.state.name), and nothing says why")
            }
            var error = ClientError(failure)
            error.context = "job \(job) failed: \(error.context)"
            throw error
        }
    }
}
