//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import Measuring
import Testing

/// One process of a measurement, played by a shell.
@Suite("Measured processes", .timeLimit(.minutes(5)))
struct MeasuredProcessTests {
    /// What the process tells of its early end.
    private struct EarlyEnds {
        let errors: AsyncStream<MeasuringError>
        let sink: AsyncStream<MeasuringError>.Continuation

        var first: MeasuringError? { get async { await errors.first { _ in true } } }

        /// How many there were.
        func count() async -> Int {
            sink.finish()
            return await errors.reduce(0) { count, _ in count + 1 }
        }
    }

    private static func start(_ script: String) throws -> (process: MeasuredProcess, ends: EarlyEnds) {
        let (earlyEnds, sink) = AsyncStream.makeStream(of: MeasuringError.self)
        let request = SpawnRequest(executable: "/bin/sh", arguments: ["-c", script], environment: ["PATH": "/usr/bin:/bin"])
        let process = try MeasuredProcess("front", request) { sink.yield($0) }
        try process.start()
        return (process, EarlyEnds(errors: earlyEnds, sink: sink))
    }

    @Test("a process that dies while it is measured ends the measurement with its name and its signal, and is not started again")
    func killed() async throws {
        let (process, ends) = try Self.start("echo ready >&3; kill -9 $$")
        #expect(await process.waitUntilReady())
        let error = try #require(await ends.first)
        #expect(error.code == .processEnded)
        #expect(error.summary == "front was ended by signal 9 while it was measured, so there are no figures")
        await process.waitUntilEnded(grace: .seconds(5))
        #expect(await ends.count() == 0, "it was started again")
    }

    @Test("a process that ends before it is ready has not started, and its code is named")
    func neverReady() async throws {
        let (process, ends) = try Self.start("exit 73")
        #expect(await !process.waitUntilReady())
        let error = try #require(await ends.first)
        #expect(error.code == .notStarted && error.summary == "front did not start: it ended with code 73")
    }

    @Test("a process that the measurement stops ends no measurement")
    func stopped() async throws {
        let (process, ends) = try Self.start("echo ready >&3; exec sleep 600")
        #expect(await process.waitUntilReady())
        process.stop(with: .kill)
        await process.waitUntilEnded(grace: .seconds(5))
        #expect(await ends.count() == 0)
    }
}
