//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// One job in the hands of one loader.
struct LoaderRun: Sendable {
    let loader: any Loader
    let job: JobContext

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
            return .failed(LoaderFailure(.invalidData, "loader \(loader.name) failed: \(error)").failure)
        }
    }
}
