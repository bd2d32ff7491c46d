//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWorker
import GantryWorkerTesting
import Testing

/// The examples of the documentation of what a loader says beside its result.
@Suite("Loaders that snooze, and those with a process of their own", .timeLimit(.minutes(5)))
struct SnoozeExampleTests {
    /// Has the reports of some days.
    private struct Archive {
        func report(of day: String) async throws -> String? { day == "monday" ? "all is well" : nil }
    }

    private struct Reporter: Loader {
        let name = "report"
        let archive = Archive()

        func run(_ context: JobContext) async throws -> LoaderResult {
            let job = (day: String(decoding: context.argument, as: UTF8.self), context: context)
            guard let report = try await archive.report(of: job.day) else { throw JobSnooze(for: .seconds(300)) }
            return LoaderResult(text: report)
        }
    }

    private struct Keeper: Loader {
        let name = "keep"
        let child = (id: Int32(1_000_000_000), name: "nobody")

        func run(_ context: JobContext) async throws -> LoaderResult {
            context.hasProcess(child.id, leadsGroup: true)
            defer { context.hasNoProcess() }
            return LoaderResult()
        }
    }

    @Test("what is not there yet is asked for again later, and a loader stops in ten seconds unless it says another time")
    func reporter() async throws {
        let harness = LoaderHarness { _ in Reporter() }
        #expect(try await harness.run(HarnessJob(text: "monday")).result == LoaderResult(text: "all is well"))
        let snooze = await #expect(throws: JobSnooze.self) { try await harness.run(HarnessJob(text: "tuesday")) }
        #expect(snooze?.length == .seconds(300))
        #expect(Reporter().stopTime == .seconds(10))
    }

    @Test("a loader that has a process of its own ends as any other")
    func keeper() async throws {
        #expect(try await LoaderHarness { _ in Keeper() }.run().result == LoaderResult())
    }
}
