//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import AsyncHTTPClient
import GantryFileCache
import GantryModel
import GantryWorker
import Synchronization

/// What the loaders of one worker share: threads for calls that may block, and memory.
///
/// Host names, files and parsing have threads of their own each: a name server or a folder that hangs holds up only the jobs that need it.
package final class LoaderResources: Sendable {
    /// The memory of all loads and sorts together unless set otherwise: 256 MiB.
    package static let defaultMemoryByteCount = 256 << 20

    let resolver: HostResolver
    let memory: MemoryBudget
    let closing = ClosingClients()
    private let files: BlockingPool
    private let parsers: BlockingPool
    private let touchesDisk: @Sendable () -> Void

    /// Resources that nothing uses yet.
    /// - Parameter memoryByteCount: the memory of all loads and sorts together.
    package convenience init(memoryByteCount: Int = LoaderResources.defaultMemoryByteCount) {
        self.init(memoryByteCount: memoryByteCount, resolver: HostResolver())
    }

    /// - Parameter touchesDisk: called first by each call on files; it may block as a disk may.
    init(
        memoryByteCount: Int = LoaderResources.defaultMemoryByteCount, resolver: HostResolver,
        touchesDisk: @escaping @Sendable () -> Void = {}
    ) {
        (self.resolver, self.touchesDisk) = (resolver, touchesDisk)
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
    var fileCounts: BlockingPool.Counts { files.counts }

    /// Reads or writes on a thread that may wait; the flag that `body` gets is raised when the task is cancelled.
    ///
    /// - Throws: `CancellationError` at once after a cancellation, also when `body` noticed it; the cache's errors as `LoaderFailure`.
    func withFiles<Value: Sendable>(_ body: @escaping @Sendable (StopFlag) throws -> Value) async throws -> Value {
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
    func withParser<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await parsers.run { _ in try body() }
    }
}

/// Closes the clients of transfers that have ended, without holding up anybody.
///
/// A client cannot give up a connection that is being made: it has closed when the connection stands or the connect time-out is over. Whoever
/// cancelled the transfer, or lost the lease of its job, is not to wait for that; so such clients are bounded here.
final class ClosingClients: Sendable {
    /// Twice the most slots that a worker has: each can leave one, and another within the same connect time-out.
    private static let usualLimit = 128

    private let limit: Int
    private let closing = Mutex(0)

    init(limit: Int = ClosingClients.usualLimit) { self.limit = limit }

    /// Clients that are not closed yet.
    var count: Int { closing.withLock { $0 } }

    /// Refuses a transfer while too many earlier ones are not closed.
    /// - Throws: `busy`.
    func admit(_ target: HTTPTarget) throws(LoaderFailure) {
        let count = count
        guard count >= limit else { return }
        throw LoaderFailure(
            .busy, "\(count) connections of earlier jobs are still being made: check the network to \(target.shown), then retry in 10 s",
            retryable: true)
    }

    /// Closes a client whose request has ended, and returns at once.
    func close(_ client: HTTPClient) {
        closing.withLock { $0 += 1 }
        Task.detached {
            // What a shutdown complains about is of no use to a transfer that has its result.
            try? await client.shutdown()
            self.closing.withLock { $0 -= 1 }
        }
    }
}

extension LoaderFailure {
    /// A failure of the cache in the words that observers know.
    init(cache error: FileCacheError) {
        switch error.code {
        case .full: self.init(.storageFull, "the cache has no room: \(error.sentence)", retryable: true)
        case .tooLarge: self.init(.tooLarge, error.sentence)
        case .duplicateID:
            let positions = error.positions.map(String.init)
            self.init(.invalidData, error.sentence, arguments: zip(["first", "second"], positions).flatMap { [$0, $1] })
        case .invalidItem: self.init(.invalidData, error.sentence)
        case .unknownItem: self.init(.unknownItem, error.sentence)
        case .cancelled: self.init(.cancelled, error.sentence)
        default: self.init(.storageFailed, "the cache failed: \(error.sentence)", retryable: true)
        }
    }
}
