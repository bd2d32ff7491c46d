//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFileCache
import GantryModel
package import GantryWorker

/// What the loaders of one worker share: threads for calls that may block, and memory.
///
/// Files and parsing have threads of their own each, as host names have elsewhere: a folder that hangs holds up only the jobs that need it.
public final class LoaderResources: Sendable {
    /// The memory of all loads and sorts together unless set otherwise: 256 MiB.
    public static let defaultMemoryByteCount = 256 << 20

    package let memory: MemoryBudget
    private let files: BlockingPool
    private let parsers: BlockingPool
    private let touchesDisk: @Sendable () -> Void

    /// Resources that nothing uses yet.
    /// - Parameter memoryByteCount: the memory of all loads and sorts together.
    public convenience init(memoryByteCount: Int = LoaderResources.defaultMemoryByteCount) {
        self.init(memoryByteCount: memoryByteCount, touchesDisk: {})
    }

    /// - Parameter touchesDisk: called first by each call on files; it may block as a disk may.
    package init(memoryByteCount: Int = LoaderResources.defaultMemoryByteCount, touchesDisk: @escaping @Sendable () -> Void) {
        self.touchesDisk = touchesDisk
        memory = MemoryBudget(byteCount: memoryByteCount)
        files = BlockingPool(name: "gantry-files", limit: BlockingPool.usualLimit) { counts in
            LoaderFailure(
                .busy, "\(counts.abandoned) file operations of earlier jobs hang: check the disk of the objects folder, then retry in 10 s",
                retryable: true)
        }
        // A part that is parsed for a job that was cancelled ends by itself, so nothing but a starved machine reaches this limit.
        parsers = BlockingPool(name: "gantry-parsers", limit: BlockingPool.usualLimit) { counts in
            LoaderFailure(
                .busy, "\(counts.running) answers are being parsed: give the worker fewer slots or more processors, then retry in 10 s",
                retryable: true)
        }
    }

    /// What hangs or runs among the calls on files.
    package var fileCounts: BlockingPool.Counts { files.counts }

    /// Reads or writes on a thread that may wait; the flag that `body` gets is raised when the task is cancelled.
    ///
    /// - Throws: `CancellationError` at once after a cancellation, also when `body` noticed it; the cache's errors as `LoaderFailure`.
    package func withFiles<Value: Sendable>(_ body: @escaping @Sendable (StopFlag) throws -> Value) async throws -> Value {
        do {
            return try await files.run { [touchesDisk] stop in
                touchesDisk()
                return try body(stop)
            }
        } catch let error as FileCacheError {
            if error.code == .cancelled { throw CancellationError() }
            throw LoaderFailure(cache: error)
        }
    }

    /// Parses on a thread of its own kind: long work for a processor is to delay neither the tasks of other jobs nor calls on files.
    /// - Throws: `CancellationError` at once after a cancellation; what `body` throws.
    package func withParser<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await parsers.run { _ in try body() }
    }
}

extension LoaderFailure {
    /// A failure of the cache in the words that observers know.
    init(cache error: FileCacheError) {
        switch error.code {
        case .full: self.init(.storageFull, "the cache has no room: \(error.sentence)", retryable: true, cause: error)
        case .tooLarge: self.init(.tooLarge, error.sentence, cause: error)
        case .duplicateID:
            let positions = error.positions.map(String.init)
            self.init(.invalidData, error.sentence, arguments: zip(["first", "second"], positions).flatMap { [$0, $1] }, cause: error)
        case .invalidItem: self.init(.invalidData, error.sentence, cause: error)
        case .unknownItem: self.init(.unknownItem, error.sentence, cause: error)
        case .cancelled: self.init(.cancelled, error.sentence, cause: error)
        default: self.init(.storageFailed, "the cache failed: \(error.sentence)", retryable: true, cause: error)
        }
    }
}
