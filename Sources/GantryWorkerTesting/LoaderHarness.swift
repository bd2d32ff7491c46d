//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel
import GantryWire
public import GantryWorker

/// Runs a loader without a front: each run has a folder of its own for the files, and a loader of its own that prepares and shuts down.
///
/// ```swift
/// let harness = LoaderHarness { folder in Copier(folder: folder) }
/// let run = try await harness.run(CopyFile(path: #filePath))
/// #expect(run.result.byteCount > 1_000)
/// #expect(run.progress.map(\.percent) == [90])
/// #expect(run.files == ["LoaderHarnessTests.swift"])
/// let report = try await harness.cancelAtEachStep(CopyFile(path: #filePath))
/// #expect(report.fault == nil)
/// ```
///
/// It needs no test framework: what goes wrong is thrown or returned.
public struct LoaderHarness: Sendable {
    let makeLoader: @Sendable (_ folder: String) async throws -> any Loader

    /// A harness.
    /// - Parameter makeLoader: makes the loader of a run, which may use the folder as its cache; the folder is empty, and removed after the run.
    public init(_ makeLoader: @escaping @Sendable (_ folder: String) async throws -> any Loader) { self.makeLoader = makeLoader }

    /// Runs a job until it ends.
    /// - Throws: what the loader throws, also in `prepare`; the system's error when there is no temporary folder.
    public func run(_ job: HarnessJob = HarnessJob()) async throws -> HarnessRun<LoaderResult> {
        let attempt = try await HarnessAttempt.run(job, of: makeLoader)
        return HarnessRun(
            result: try attempt.result.get(), progress: attempt.progress, resumeState: attempt.resumeState, files: attempt.files,
            stepCount: attempt.stepCount)
    }

    /// Runs a typed job until it ends, through the same bytes as a front would carry.
    /// - Throws: what the loader throws; `LoaderFailure` with `invalidData` or `tooLarge` for an argument or result that could not travel.
    public func run<Job: TypedJob>(_ job: Job) async throws -> HarnessRun<Job.Result> {
        let run = try await run(HarnessJob(job))
        let result = try TypedJobCoding.result(of: Job.self, from: run.result.bytes)
        return HarnessRun(
            result: result, progress: run.progress, resumeState: run.resumeState, files: run.files, stepCount: run.stepCount)
    }

    /// Runs a job to its end, then again and again, cancelled each time one step later: before its first step, before its second one, and so on until the
    /// last step of the clean run. A step is what a task does from one suspension, an `await` that waits, to the next.
    ///
    /// It stops at the first step at which the loader does not behave: it does not end in time, it leaves files that the clean run does not leave, or it
    /// returns a result though `mustStop` says that it does not.
    ///
    /// - Parameters:
    ///   - job: what the loader is to do each time; its clean run must succeed.
    ///   - reason: what the loader reads in `JobContext.cancelReason`.
    ///   - limit: how soon after the cancel it must have ended and its files must be gone. A worker that loses its front gives its jobs two seconds.
    ///   - mustStop: whether the loader says that it gives no result any more once it is cancelled. Without that it may, as when its work was done
    ///     already.
    ///   - maximumRuns: how often it is run at most; a clean run of more steps is cancelled at as many of them, evenly spread.
    ///   - mayLeave: whether a cancelled run may leave a file though the clean run has none of that name, for example one with a random name.
    /// - Returns: how many steps there are, and what is wrong first.
    /// - Throws: what the clean run throws, and what the loader throws in `prepare`.
    public func cancelAtEachStep(
        _ job: HarnessJob = HarnessJob(), because reason: CancelReason = .requested, within limit: Duration = .seconds(2),
        mustStop: Bool = false, maximumRuns: Int = 1_000, mayLeave: @escaping @Sendable (_ file: String) -> Bool = { _ in false }
    ) async throws -> CancelReport {
        let clean = try await run(job)
        let files = Set(clean.files)
        let stride = max(1, (clean.stepCount + maximumRuns - 1) / max(maximumRuns, 1))
        var report = CancelReport(stepCount: clean.stepCount)
        for step in Swift.stride(from: 1, through: clean.stepCount, by: stride) {
            let cancel = HarnessCancel(step: step, reason: reason, limit: limit) { !files.contains($0) && !mayLeave($0) }
            let attempt = try await HarnessAttempt.run(job, cancel: cancel, of: makeLoader)
            // A run may take fewer steps than the clean one, where its parts overtake each other.
            guard attempt.wasCancelled else { continue }
            report.cancelCount += 1
            if let code = attempt.fault(mustStop: mustStop) {
                report.fault = CancelFault(step: step, code: code, files: attempt.extras, limit: limit, cause: attempt.cause)
                break
            }
        }
        return report
    }

    /// The same for a typed job.
    /// - Throws: what the clean run throws, and what the loader throws in `prepare`.
    public func cancelAtEachStep(
        _ job: some TypedJob, because reason: CancelReason = .requested, within limit: Duration = .seconds(2), mustStop: Bool = false,
        maximumRuns: Int = 1_000, mayLeave: @escaping @Sendable (_ file: String) -> Bool = { _ in false }
    ) async throws -> CancelReport {
        try await cancelAtEachStep(
            HarnessJob(job), because: reason, within: limit, mustStop: mustStop, maximumRuns: maximumRuns, mayLeave: mayLeave)
    }
}

/// What a loader is to do in a harness.
public struct HarnessJob: Sendable {
    /// Opaque bytes.
    public var argument: [UInt8]
    /// How often it was granted, from 1, this time included.
    public var attempt: UInt32
    /// What an earlier attempt has saved.
    public var resumeState: [UInt8] = []
    /// What is to be done for a feed; nil for other jobs.
    package var feedWork: FeedWork?
    /// The front's wall clock when it granted the job: the first second of 2026 unless said otherwise, so that each run has the same.
    package var grantedAt = WallTime(milliseconds: 1_767_225_600_000)

    /// A job of opaque bytes.
    public init(argument: [UInt8] = [], attempt: UInt32 = 1) {
        self.argument = argument
        self.attempt = attempt
    }

    /// A job whose argument is a text, in UTF-8.
    public init(text: String) { self.init(argument: Array(text.utf8)) }

    /// A typed job.
    /// - Throws: `tooLarge` for an argument over 64 KiB, `invalidData` for one that JSON does not have.
    public init<Job: TypedJob>(_ job: Job) throws(LoaderFailure) {
        do throws(TypedJobFault) {
            self.init(argument: try TypedJobCoding.argument(of: job))
        } catch {
            throw LoaderFailure(error, of: Job.loaderName)
        }
    }
}

/// What a job came to in a harness.
public struct HarnessRun<Value: Sendable>: Sendable {
    /// What the loader returned.
    public let result: Value
    /// Every report, in order; a worker sends at most 20 of them a second.
    public let progress: [JobProgress]
    /// What it saved last for its next attempt, or what it began with.
    public let resumeState: [UInt8]
    /// The files that the job left in the folder, as paths from there, sorted; before the loader shut down.
    public let files: [String]
    /// How many steps the job took.
    package let stepCount: Int
}

/// What came of cancelling a loader at each of its steps.
public struct CancelReport: Hashable, Sendable, CustomStringConvertible {
    /// How many steps the clean run took.
    public internal(set) var stepCount: Int
    /// How many runs were cancelled.
    package internal(set) var cancelCount = 0
    /// What is wrong at the first step at which something is; nil: nothing was found.
    public internal(set) var fault: CancelFault?

    public var description: String {
        fault?.description ?? "cancelled at \(cancelCount) of \(stepCount) steps, each time it ended as it should"
    }
}

/// What a loader did that it should not have done when it was cancelled.
public struct CancelFault: CodedError {
    /// A kind of fault; grows by static members.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// A word.
        public let description: String

        /// It went on for longer than the limit; its task still runs.
        public static let didNotEnd = Code(description: "didNotEnd")
        /// It left files that the clean run does not leave.
        public static let leftFiles = Code(description: "leftFiles")
        /// It returned a result though it was said to give none.
        public static let returnedResult = Code(description: "returnedResult")
    }

    /// The step before which it was cancelled, from 1, which is before it did anything.
    public let step: Int
    /// What it did.
    public let code: Code
    /// The files that it left, as paths from its folder, where it left some that the clean run does not leave.
    package let files: [String]
    /// How long it had.
    package let limit: Duration
    /// What it threw in the end; nil: nothing, or that it was cancelled, as it should.
    public let cause: ErrorCause?

    /// When it was cancelled, and what it did.
    public var context: String {
        let what =
            switch code {
            case .didNotEnd: "did not end within \(limit)"
            case .leftFiles: "left \(files.joined(separator: ", "))"
            default: "returned a result"
            }
        return "cancelled before step \(step), the loader \(what)"
    }

    /// What to change in it.
    public var nextStep: String {
        switch code {
        case .didNotEnd: "look at the flag of a long call, and await nothing that ignores a cancellation"
        case .leftFiles: "remove what is unfinished before it throws"
        default: "call Task.checkCancellation() before it returns"
        }
    }
}
