//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Logging
import Synchronization
import TestSupport
import Testing

@testable import GantryWorker

@Suite("Blocking calls of a job that is cancelled")
struct OpenCallTests {
    /// Calls that are under way, and what holds them until the job is cancelled.
    private final class Calls: Sendable {
        let running = Mutex(0)
        let gate = Gate()
    }

    /// Looks at its flag, and goes on for a while all the same.
    private struct Deaf: Loader {
        let name = "deaf"
        let calls: Calls

        func run(_ job: JobContext) async throws -> LoaderResult {
            try await job.blocking { [calls] stop in
                calls.running.withLock { $0 += 1 }
                calls.gate.pass()
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
        await calls.gate.arrived(1)
        task.cancel()
        calls.gate.open()
        #expect(await task.value == .cancelled)
        #expect(calls.running.withLock { $0 } == 0 && pool.counts == .init())
    }
}
