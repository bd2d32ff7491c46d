//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Logging
import Model

/// One job in the hands of one loader.
struct LoaderRun: Sendable {
    let loader: any Loader
    let job: JobContext
    let logger: Logger

    /// Runs the loader and says how it ended; a failure after the task was cancelled counts as cancelled.
    func end() async -> WorkEnd {
        do {
            try Task.checkCancellation()
            let result = try await loader.run(job)
            return .succeeded(result.bytes, result.feed)
        } catch is CancellationError {
            return .cancelled
        } catch let failure as LoaderFailure {
            return Task.isCancelled ? .cancelled : .failed(failure.failure)
        } catch {
            if Task.isCancelled { return .cancelled }
            // Descriptions often carry addresses with tokens: everybody sees the failure, few the log.
            let metadata: Logger.Metadata = ["job": "\(job.job)", "loader": "\(loader.name)", "error": "\(error)"]
            logger.error("a loader failed with an error of its own", metadata: metadata)
            let text = "loader \(loader.name) failed with \(type(of: error)): see the worker's log of job \(job.job), then retry"
            return .failed(LoaderFailure(.loaderFailed, text, retryable: true).failure)
        }
    }
}
