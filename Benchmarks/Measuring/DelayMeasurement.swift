//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import GantryPlatform
package import StateFormatting

/// What a delayed job costs, how fast a killed front is back with many of them, and how late jobs start whose time comes beside them.
package struct DelayMeasurement: Sendable {
    private let jobs: Int
    private let due: Int
    private let durability: MeasuredDurability

    /// Over which time the jobs are due that are timed.
    private static let span = Duration.seconds(10)
    /// How long before the first of them the last one is submitted at least.
    private static let lead = Duration.seconds(5)

    /// What was found.
    package struct Report: MeasurementReport {
        var measurement = "delays"
        var durability: MeasuredDurability
        var jobs: Int
        var due: Int
        var bytesPerDelayedJob: Double
        var restartToReadySeconds: Double?
        var late: MeasuredTimes

        package var line: String {
            let restart = restartToReadySeconds.map { " restart_to_ready_ms=\(Int($0 * 1_000))" } ?? ""
            return "peer=gantry mode=\(measurement)-\(durability.rawValue) n=\(jobs) bytes_per_delayed_job=\(Int(bytesPerDelayedJob))"
                + "\(restart) due=\(due) late_p50_us=\(Int(late.median)) late_p99_us=\(Int(late.p99)) late_max_us=\(Int(late.largest))"
        }

        package var json: JSONValue {
            .object(
                ("bytesPerDelayedJob", .number(bytesPerDelayedJob)), ("due", .whole(due)), ("jobs", .whole(jobs)),
                ("lateMicroseconds", late.json), ("measurement", .string(measurement)),
                ("restartToReadySeconds", restartToReadySeconds.map { .number($0) }))
        }
    }

    /// - Parameters:
    ///   - jobs: how many wait for an hour.
    ///   - due: how many are due meanwhile, one after the other within ten seconds.
    ///   - durability: whether the front has a journal; without one nothing is there after a restart.
    package init(jobs: Int, due: Int, durability: MeasuredDurability) {
        (self.jobs, self.due, self.durability) = (jobs, due, durability)
    }

    /// Measures once, in a folder of its own below the given one.
    /// - Throws: `MeasuringError` when a process does not start or ends early.
    package func run(in folder: String) async throws -> Report {
        try await MeasuredProcesses.with(in: folder) { try await measure($0) }
    }

    private func measure(_ processes: MeasuredProcesses) async throws -> Report {
        let front = try await processes.startFront(durability)
        let filling = try await GantryClient(connect: Endpoint(address: processes.requests))
        let before = front.memory.resident
        let options = JobOptions(start: .after(.seconds(3_600)))
        for start in stride(from: 0, to: jobs, by: 1_000) {
            let arguments = Array(repeating: [UInt8](repeating: 120, count: 64), count: min(1_000, jobs - start))
            _ = try await filling.submit(loader: "noop", arguments: arguments, options: options, anyLoader: true)
        }
        let grown = Double(front.memory.resident - before)
        await filling.close()
        var restartSeconds: Double?
        if durability == .full {
            front.stop(with: .kill)
            await front.waitUntilEnded(grace: .seconds(5))
            let restart = SystemClock.monotonicNanoseconds()
            _ = try await processes.startFront(durability)
            restartSeconds = Double(SystemClock.monotonicNanoseconds() - restart) / 1e9
        }
        _ = try await processes.startWorker(1)
        let client = try await GantryClient(connect: Endpoint(address: processes.requests))
        let late = try await times(client)
        await client.close()
        return Report(
            durability: durability, jobs: jobs, due: due, bytesPerDelayedJob: grown / Double(max(1, jobs)),
            restartToReadySeconds: restartSeconds, late: MeasuredTimes(nanoseconds: late))
    }

    /// How long after its time the outcome of each job was here, in nanoseconds: more than it started late.
    private func times(_ client: GantryClient) async throws -> [Int64] {
        let first = WallTime(milliseconds: SystemClock.wallMilliseconds()).advanced(by: Self.lead)
        return try await withThrowingTaskGroup(of: Int64.self) { group in
            for index in 0..<due {
                let time = first.advanced(by: Self.span * index / due)
                group.addTask {
                    _ = try await client.submitAndWait(loader: "noop", options: JobOptions(start: .at(time)), timeout: .seconds(120))
                    return (SystemClock.wallMilliseconds() - time.milliseconds) * 1_000_000
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
