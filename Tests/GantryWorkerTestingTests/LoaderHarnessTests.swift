//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryWorker
import GantryWorkerTesting
import Synchronization
import Testing

@testable import WorkerExample

@Suite("The harness of loaders", .timeLimit(.minutes(5)))
struct LoaderHarnessTests {
    /// Takes a few steps, with a file that is there in the middle of them.
    private struct Stepper: Loader {
        enum Habit { case good, hangs, leaves, returns }

        let name = "step"
        let folder: String
        var habit = Habit.good

        func run(_ job: JobContext) async throws -> LoaderResult {
            let draft = folder + "/draft"
            for step in UInt8(0)..<3 {
                if Task.isCancelled { return try await end(job, draft) }
                if step == 1 { try "x".write(toFile: draft, atomically: false, encoding: .utf8) }
                job.report(JobProgress(percent: step))
                // A child task on the same executor, which runs when this one waits: the steps are the same each time.
                async let pause: Void = nothing()
                await pause
            }
            if Task.isCancelled { return try await end(job, draft) }
            try FileManager.default.moveItem(atPath: draft, toPath: folder + "/done")
            return LoaderResult(bytes: job.argument)
        }

        private func nothing() async {}

        private func end(_ job: JobContext, _ draft: String) async throws -> LoaderResult {
            // Only once the file is there do bad habits show.
            guard FileManager.default.fileExists(atPath: draft) else { throw CancellationError() }
            if habit != .leaves { try FileManager.default.removeItem(atPath: draft) }
            if habit == .returns { return LoaderResult() }
            if habit == .hangs { await Task.detached { for await _ in AsyncStream<Void>.makeStream().stream {} }.value }
            throw CancellationError()
        }
    }

    /// The first step after the one that writes the draft: a clean run takes one step, and as many for each of its three pauses; how many that are is the
    /// compiler's own.
    private func stepWithDraft() async throws -> Int {
        let perPause = (try await harness(.good).run().stepCount - 1) / 3
        return perPause + 2
    }

    private func harness(_ habit: Stepper.Habit) -> LoaderHarness { LoaderHarness { Stepper(folder: $0, habit: habit) } }

    @Test("a run gives the result, the progress, the files that are left and the number of steps")
    func run() async throws {
        let run = try await harness(.good).run(HarnessJob(text: "x"))
        #expect(run.result == LoaderResult(text: "x"))
        #expect(run.progress.map(\.percent) == [0, 1, 2])
        #expect(run.files == ["done"])
        #expect(run.stepCount > 3)
    }

    @Test("a loader that behaves is cancelled at each step, the first of them before it did anything, and reads the reason")
    func behaves() async throws {
        let report = try await harness(.good).cancelAtEachStep(mustStop: true)
        #expect(report.fault == nil)
        #expect(report.stepCount > 3 && report.cancelCount == report.stepCount)
        #expect(report.description == "cancelled at \(report.stepCount) of \(report.stepCount) steps, each time it ended as it should")

        let reasons = Mutex<[CancelReason?]>([])
        struct Reading: Loader {
            let name = "read"
            let read: @Sendable (CancelReason?) -> Void
            func run(_ job: JobContext) async throws -> LoaderResult {
                read(job.cancelReason)
                return LoaderResult()
            }
        }
        let reading = LoaderHarness { _ in Reading { reason in reasons.withLock { $0.append(reason) } } }
        #expect(try await reading.cancelAtEachStep(because: .leaseLost).cancelCount == 1)
        #expect(reasons.withLock { $0 } == [nil, .leaseLost])
    }

    @Test("a longer run is cancelled at as many steps as are asked for")
    func spread() async throws {
        let report = try await harness(.good).cancelAtEachStep(maximumRuns: 2)
        #expect(report.stepCount > 3 && report.cancelCount == 2)
    }

    @Test("the first step at which a loader does not end is named")
    func hangs() async throws {
        let fault = try await harness(.hangs).cancelAtEachStep(within: .milliseconds(20)).fault
        let step = try await stepWithDraft()
        #expect(fault?.step == step && fault?.code == .didNotEnd && fault?.limit == .milliseconds(20))
        #expect(fault?.description.hasPrefix("cancelled before step \(step), the loader did not end within 0.02 seconds; look at") == true)
    }

    @Test("the first step at which files are left is named with them, unless they may be left")
    func leaves() async throws {
        let fault = try await harness(.leaves).cancelAtEachStep(within: .milliseconds(20)).fault
        let step = try await stepWithDraft()
        #expect(fault?.step == step && fault?.code == .leftFiles && fault?.files == ["draft"])
        #expect(fault?.description == "cancelled before step \(step), the loader left draft; remove what is unfinished before it throws")
        #expect(try await harness(.leaves).cancelAtEachStep(within: .milliseconds(20)) { $0 == "draft" }.fault == nil)
    }

    @Test("the first step at which a result is returned is named for a loader that says it returns none, and no fault for others")
    func returns() async throws {
        #expect(try await harness(.returns).cancelAtEachStep().fault == nil)
        let fault = try await harness(.returns).cancelAtEachStep(mustStop: true).fault
        let step = try await stepWithDraft()
        #expect(fault?.step == step && fault?.code == .returnedResult)
        #expect(fault?.description.hasPrefix("cancelled before step \(step), the loader returned a result; call") == true)
    }

    @Test("what the loader throws in a clean run is thrown, and so is what it throws when it is to prepare")
    func thrown() async throws {
        let greeter = LoaderHarness { _ in Greeter() }
        let failure = await #expect(throws: LoaderFailure.self) { try await greeter.run() }
        #expect(failure?.code == .invalidData)
        #expect(try await greeter.run(HarnessJob(text: "Ada")).result == LoaderResult(text: "hello Ada"))
        #expect(try await greeter.cancelAtEachStep(HarnessJob(text: "Ada")).fault == nil)
        let homeless = LoaderHarness { _ in Copier(folder: "/dev/null/x") }
        await #expect(throws: (any Error).self) { try await homeless.run(CopyFile(path: #filePath)) }
    }
}

/// The example of the documentation, whose checks stand there.
@Suite("The loaders of the example", .timeLimit(.minutes(5)))
struct WorkerExampleTests {
    @Test("the copier copies, and leaves no draft wherever it is cancelled")
    func copier() async throws {
        let harness = LoaderHarness { folder in Copier(folder: folder) }
        let run = try await harness.run(CopyFile(path: #filePath))
        #expect(run.result.byteCount > 1_000)
        #expect(run.progress.map(\.percent) == [90])
        #expect(run.files == ["LoaderHarnessTests.swift"])
        let report = try await harness.cancelAtEachStep(CopyFile(path: #filePath))
        #expect(report.fault == nil)
    }

    @Test("the counter counts the words of a text")
    func counter() async throws {
        let harness = LoaderHarness { _ in wordCounter }
        let run = try await harness.run(CountWords(path: #filePath, longerThan: 3))
        #expect(run.result.wordCount > 100)
        #expect(try await harness.cancelAtEachStep(CountWords(path: #filePath)).fault == nil)
    }

    /// Reads pages, and begins behind those that an earlier attempt has read.
    private struct Pager: Loader {
        let name = "pages"

        func run(_ context: JobContext) async throws -> LoaderResult {
            if context.resumeState.isEmpty {
                try context.save(resumeState: Array("page 2".utf8))
                try context.save(resumeState: Array("page 3".utf8))
                return LoaderResult(text: "from the start")
            }
            return LoaderResult(text: "from \(String(decoding: context.resumeState, as: UTF8.self))")
        }
    }

    @Test("what a job saves is there for the next attempt, the last of it")
    func resumes() async throws {
        let harness = LoaderHarness { _ in Pager() }
        let first = try await harness.run()
        #expect(String(decoding: first.result.bytes, as: UTF8.self) == "from the start" && first.resumeState == Array("page 3".utf8))
        var again = HarnessJob(attempt: 2)
        again.resumeState = first.resumeState
        let second = try await harness.run(again)
        #expect(String(decoding: second.result.bytes, as: UTF8.self) == "from page 3" && second.resumeState == first.resumeState)
    }
}
