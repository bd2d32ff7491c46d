//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FileCache
import NIOPosix
import WorkerKit

/// Runs code that waits for the disk away from the threads of Swift's tasks.
enum Blocking {
    /// Runs `body` on a thread that may wait; the flag it gets is raised when the task is cancelled.
    ///
    /// - Throws: `CancellationError` after a cancellation, also when `body` noticed it; the cache's errors as `LoaderFailure`.
    static func run<Value: Sendable>(_ body: @escaping @Sendable (StopFlag) throws -> Value) async throws -> Value {
        let stop = StopFlag()
        do {
            return try await withTaskCancellationHandler {
                try await NIOThreadPool.singleton.runIfActive { try body(stop) }
            } onCancel: {
                stop.raise()
            }
        } catch let error as FileCacheError {
            if error.code == .cancelled { throw CancellationError() }
            throw LoaderFailure(cache: error)
        }
    }
}
