//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import GantryPlatform
package import StateFormatting

/// What a waiting job costs, and how fast a killed front is back.
package struct QueueMeasurement: Sendable {
    private let jobs: Int
    private let payload: Int
    private let durability: MeasuredDurability

    /// What was found.
    package struct Report: MeasurementReport {
        var measurement = "queue"
        var durability: MeasuredDurability
        var jobs: Int
        var payloadBytes: Int
        var submitPerSecond: Double
        var bytesPerQueuedJob: Double
        var restartToReadySeconds: Double?
        var restartToFirstGrantSeconds: Double?

        package var line: String {
            var line =
                "peer=gantry mode=\(measurement)-\(durability.rawValue) n=\(jobs) submit_per_s=\(Int(submitPerSecond)) "
                + "bytes_per_queued_job=\(Int(bytesPerQueuedJob)) payload=\(payloadBytes)"
            if let ready = restartToReadySeconds, let grant = restartToFirstGrantSeconds {
                line += " restart_to_ready_ms=\(Int(ready * 1_000)) restart_to_first_grant_ms=\(Int(grant * 1_000))"
            }
            return line
        }

        package var json: JSONValue {
            .object(
                ("bytesPerQueuedJob", .number(bytesPerQueuedJob)), ("jobs", .whole(jobs)), ("measurement", .string(measurement)),
                ("payloadBytes", .whole(payloadBytes)), ("restartToFirstGrantSeconds", restartToFirstGrantSeconds.map { .number($0) }),
                ("restartToReadySeconds", restartToReadySeconds.map { .number($0) }), ("submitPerSecond", .number(submitPerSecond)))
        }
    }

    /// - Parameters:
    ///   - jobs: how many wait.
    ///   - payload: bytes of each job's argument.
    ///   - durability: whether the front has a journal; without one nothing is there after a restart.
    package init(jobs: Int, payload: Int, durability: MeasuredDurability) {
        (self.jobs, self.payload, self.durability) = (jobs, payload, durability)
    }

    /// Fills the queue of a front in a folder of its own, kills the front and starts it again.
    /// - Throws: `MeasuringError` when a process does not start or ends early.
    package func run(in folder: String) async throws -> Report {
        try await MeasuredProcesses.with(in: folder) { try await measure($0) }
    }

    private func measure(_ processes: MeasuredProcesses) async throws -> Report {
        let front = try await processes.startFront(durability)
        let client = try await GantryClient(connect: Endpoint(address: processes.requests))
        let argument = Array(repeating: UInt8(ascii: "x"), count: payload)
        let before = front.memory.resident
        let begin = SystemClock.monotonicNanoseconds()
        for start in stride(from: 0, to: jobs, by: 1_000) {
            let arguments = Array(repeating: argument, count: min(1_000, jobs - start))
            _ = try await client.submit(loader: "noop", arguments: arguments, anyLoader: true)
        }
        let seconds = Self.seconds(since: begin)
        let grown = Double(front.memory.resident - before)
        var report = Report(
            durability: durability, jobs: jobs, payloadBytes: payload, submitPerSecond: Double(jobs) / seconds,
            bytesPerQueuedJob: grown / Double(jobs))
        await client.close()
        guard durability == .full else { return report }
        front.stop(with: .kill)
        await front.waitUntilEnded(grace: .seconds(5))
        _ = try await processes.startWorker(1, waits: false)
        let restart = SystemClock.monotonicNanoseconds()
        _ = try await processes.startFront(durability)
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
