//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWorker
import GantryWorkerTesting
import Synchronization
import Testing

@testable import Loaders

@Suite("Sleep")
struct SleepLoaderTests {
    @Test(
        "takes milliseconds as text and seconds as JSON",
        arguments: [("250", Duration.milliseconds(250)), ("{\"seconds\":1.5}", .milliseconds(1_500)), ("0", .zero)])
    func arguments(text: String, duration: Duration) throws {
        #expect(try SleepLoader.duration(of: Array(text.utf8)) == duration)
    }

    @Test("refuses anything else by name", arguments: ["", "soon", "-5", "{\"seconds\":-1}", "{\"seconds\":1e300}", "99999999999"])
    func refused(text: String) {
        #expect(throws: LoaderFailure.self) { try SleepLoader.duration(of: Array(text.utf8)) }
    }

    @Test("sleeps the whole time in steps and reports up to 100 percent")
    func steps() async throws {
        let slept = Mutex(Duration.zero)
        let percents = Mutex<[UInt8]>([])
        let loader = SleepLoader { step in slept.withLock { $0 += step } }
        let job = JobContext(job: JobID(1), grantedAt: WallTime(milliseconds: 0), argument: Array("200".utf8)) { progress in
            percents.withLock { $0.append(progress.percent ?? 0) }
        }
        #expect(try await loader.run(job) == LoaderResult())
        #expect(slept.withLock { $0 } == .milliseconds(200))
        #expect(percents.withLock { $0 } == [25, 50, 75, 100])
    }

    @Test("ends soon wherever it is cancelled")
    func cancelledAnywhere() async throws {
        let harness = LoaderHarness { _ in
            SleepLoader { _ in
                async let pause: Void = {}()
                await pause
                try Task.checkCancellation()
            }
        }
        let report = try await harness.cancelAtEachStep(HarnessJob(text: "200"))
        #expect(report.fault == nil)
        #expect(report.cancelCount >= 5)
    }

    @Test("ends with its task's cancellation")
    func cancelled() async {
        let loader = SleepLoader { _ in throw CancellationError() }
        let job = JobContext(job: JobID(1), grantedAt: WallTime(milliseconds: 0), argument: Array("200".utf8))
        await #expect(throws: CancellationError.self) { try await loader.run(job) }
    }
}
