//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import GantryPlatform

/// What a waiting job costs, and how fast a killed front is back.
struct QueueMeasurement {
    let command: BenchQueue

    /// What was found.
    struct Report {
        var measurement = "queue"
        var jobs: Int
        var payloadBytes: Int
        var submitPerSecond: Double
        var bytesPerQueuedJob: Double
        var restartToReadySeconds: Double?
        var restartToFirstGrantSeconds: Double?
    }

    /// Fills the queue of a front, kills it and starts it again.
    func run(_ processes: BenchProcesses) async throws -> Report {
        let front = try await processes.startFront(command.durability)
        let client = try await GantryClient(connect: Endpoint(address: processes.requests))
        let argument = Array(repeating: UInt8(ascii: "x"), count: command.payload)
        let before = front.memory.resident
        let begin = SystemClock.monotonicNanoseconds()
        for start in stride(from: 0, to: command.jobs, by: 1_000) {
            _ = try await client.submit(loader: "noop", arguments: Array(repeating: argument, count: min(1_000, command.jobs - start)))
        }
        let seconds = Self.seconds(since: begin)
        let grown = Double(front.memory.resident - before)
        var report = Report(
            jobs: command.jobs, payloadBytes: command.payload, submitPerSecond: Double(command.jobs) / seconds,
            bytesPerQueuedJob: grown / Double(command.jobs))
        await client.close()
        guard command.durability == .full else { return report }
        front.stop(with: .kill)
        await front.waitUntilEnded(grace: .seconds(5))
        _ = try await processes.startWorker(1, waits: false)
        let restart = SystemClock.monotonicNanoseconds()
        _ = try await processes.startFront(command.durability)
        report.restartToReadySeconds = Self.seconds(since: restart)
        let observer = try await GantryClient(connect: Endpoint(address: processes.requests))
        for await state in observer.observe(.jobs) {
            if let counts = state.counts, counts.running + counts.succeeded > 0 { break }
        }
        report.restartToFirstGrantSeconds = Self.seconds(since: restart)
        await observer.close()
        return report
    }

    private static func seconds(since begin: Int64) -> Double { Double(SystemClock.monotonicNanoseconds() - begin) / 1e9 }
}
