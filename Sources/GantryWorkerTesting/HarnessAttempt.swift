//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform
import GantryWorker
import Synchronization

/// When a run is cancelled, and what is asked of it then.
struct HarnessCancel: Sendable {
    let step: Int
    let reason: CancelReason
    let limit: Duration
    /// Whether a file must not be left.
    let isExtra: @Sendable (String) -> Bool
}

/// One run of a job in a harness.
struct HarnessAttempt: Sendable {
    /// How the loader ended; not at all in time counts as a failure here.
    let result: Result<LoaderResult, any Error>
    let progress: [JobProgress]
    /// What the loader saved last, or what it began with.
    let resumeState: [UInt8]
    let files: [String]
    let stepCount: Int
    let wasCancelled: Bool
    /// Files that should not be there.
    let extras: [String]

    private struct DidNotEnd: Error {}

    /// What is wrong with a run that was cancelled.
    func fault(mustStop: Bool) -> CancelFault.Code? {
        switch result {
        case .failure(is DidNotEnd): .didNotEnd
        case .success where mustStop: .returnedResult
        case .success, .failure: extras.isEmpty ? nil : .leftFiles
        }
    }

    /// What the loader threw, unless that it was cancelled.
    var cause: ErrorCause? {
        guard case .failure(let error) = result, !(error is DidNotEnd), !(error is CancellationError) else { return nil }
        return ErrorCause(error)
    }

    /// Runs a job with a loader and a folder of its own.
    static func run(
        _ job: HarnessJob, cancel: HarnessCancel? = nil, of makeLoader: @Sendable (String) async throws -> any Loader
    ) async throws -> HarnessAttempt {
        let folder = try HarnessFolder()
        let loader = try await makeLoader(folder.path)
        try await loader.prepare()
        let progress = Mutex<[JobProgress]>([])
        let saved = Mutex(job.resumeState)
        let running = Mutex<Task<LoaderResult, any Error>?>(nil)
        let cancellation = Cancellation()
        let (ends, end) = AsyncStream.makeStream(of: Result<LoaderResult, any Error>.self)
        let executor = SteppingExecutor { step in
            guard let cancel, step == cancel.step else { return }
            cancellation.note(cancel.reason)
            running.withLock { $0 }?.cancel()
            Task.detached {
                guard (try? await Task.sleep(for: cancel.limit)) != nil else { return }
                end.yield(.failure(DidNotEnd()))
            }
        }
        let context = JobContext(
            job: JobID(1), attempt: job.attempt, grantedAt: job.grantedAt, argument: job.argument, feedWork: job.feedWork,
            resumeState: job.resumeState, cancellation: cancellation, report: { report in progress.withLock { $0.append(report) } },
            log: { log in if let state = log.resumeState { saved.withLock { $0 = state } } })
        let task = Task(executorPreference: executor) { try await loader.run(context) }
        running.withLock { $0 = task }
        executor.begin()
        Task.detached { end.yield(await task.result) }
        let result = await ends.first { _ in true } ?? .failure(CancellationError())
        let extras = try await folder.extras(for: cancel)
        let files = try folder.files()
        if case .failure(is DidNotEnd) = result {} else { await loader.shutdown() }
        return HarnessAttempt(
            result: result, progress: progress.withLock { $0 }, resumeState: saved.withLock { $0 }, files: files,
            stepCount: executor.stepCount, wasCancelled: cancellation.reason != nil, extras: extras)
    }
}

/// A folder for the files of one run, removed with everything in it.
final class HarnessFolder: Sendable {
    /// Between two looks at the files of a run that was cancelled: calls that it has abandoned may still be removing some.
    private static let pause = Duration.milliseconds(5)

    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/gantry-loader-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// All files in it and below, as paths from there, sorted; folders are none.
    func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).filter { file in
            // One that is gone meanwhile is no file any more.
            let type = (try? FileManager.default.attributesOfItem(atPath: path + "/" + file))?[.type] as? FileAttributeType
            return type.map { $0 != .typeDirectory } ?? false
        }.sorted()
    }

    /// The files that a cancelled run must not leave, and that are not gone within its limit.
    func extras(for cancel: HarnessCancel?) async throws -> [String] {
        guard let cancel else { return [] }
        let end = ContinuousClock.now.advanced(by: cancel.limit)
        var extras = try files().filter(cancel.isExtra)
        while !extras.isEmpty, ContinuousClock.now < end {
            try await Task.sleep(for: Self.pause)
            extras = try files().filter(cancel.isExtra)
        }
        return extras
    }
}
