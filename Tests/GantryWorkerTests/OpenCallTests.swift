//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Logging
import Synchronization
import Testing

@testable import GantryWorker

@Suite("Blocking calls of a job that is cancelled")
struct OpenCallTests {
    /// Calls that are under way, and the first of them.
    private final class Calls: Sendable {
        let running = Mutex(0)
        let first = AsyncStream.makeStream(of: Void.self)
    }

    /// Looks at its flag, and goes on for a while all the same.
    private struct Deaf: Loader {
        let name = "deaf"
        let calls: Calls

        func run(_ job: JobContext) async throws -> LoaderResult {
            try await job.blocking { [calls] stop in
                calls.running.withLock { $0 += 1 }
                calls.first.continuation.yield()
                while !stop.isRaised {}
                let end = ContinuousClock.now.advanced(by: .milliseconds(50))
                while ContinuousClock.now < end {}
                calls.running.withLock { $0 -= 1 }
            }
            return LoaderResult()
        }
    }

    @Test("a run has ended when its calls have, not before: until then its limits and its key are taken")
    func ends() async {
        let (calls, pool) = (Calls(), BlockingPool(name: "calls"))
        let job = JobContext(job: JobID(1), grantedAt: WallTime(milliseconds: 0), pool: pool)
        let task = Task { await LoaderRun(loader: Deaf(calls: calls), job: job, logger: Logger(label: "test")).end() }
        for await _ in calls.first.stream { break }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(calls.running.withLock { $0 } == 0 && pool.counts == .init())
    }
}
