//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import GantryPlatform
package import StateFormatting

/// How long a running job goes on after its cancel, whose loader stops as soon as it is told.
package struct CancelMeasurement: Sendable {
    private let jobs: Int
    private let durability: MeasuredDurability

    /// What was found.
    package struct Report: MeasurementReport {
        var measurement = "cancels"
        var durability: MeasuredDurability
        var jobs: Int
        var times: MeasuredTimes

        package var line: String {
            "peer=gantry mode=\(measurement)-\(durability.rawValue) n=\(jobs) p50_us=\(Int(times.median)) p99_us=\(Int(times.p99)) "
                + "max_us=\(Int(times.largest))"
        }

        package var json: JSONValue {
            .object(("jobs", .whole(jobs)), ("measurement", .string(measurement)), ("stoppedMicroseconds", times.json))
        }
    }

    /// - Parameters:
    ///   - jobs: how many are cancelled, one after the other.
    ///   - durability: whether the front has a journal.
    package init(jobs: Int, durability: MeasuredDurability) { (self.jobs, self.durability) = (jobs, durability) }

    /// Measures once, in a folder of its own below the given one.
    /// - Throws: `MeasuringError` when a process does not start or ends early.
    package func run(in folder: String) async throws -> Report {
        try await MeasuredProcesses.with(in: folder) { try await measure($0) }
    }

    /// The time from each cancel until the client knows that the job has stopped.
    private func measure(_ processes: MeasuredProcesses) async throws -> Report {
        _ = try await processes.startFront(durability)
        _ = try await processes.startWorker(1)
        let client = try await GantryClient(connect: Endpoint(address: processes.requests))
        var times: [Int64] = []
        for _ in 0..<jobs {
            let job = try await client.submit(loader: "sleep", argument: Array("600000".utf8)).job
            for await state in client.observe(.job(job)) { if state.job?.state == .running { break } }
            let begin = SystemClock.monotonicNanoseconds()
            _ = try await client.cancel(job)
            let ended = try await client.wait(for: job, timeout: .seconds(60))
            guard ended.state == .cancelled else { throw MeasuringError(.failed, "job \(job) ended as \(ended.state.name)") }
            times.append(SystemClock.monotonicNanoseconds() - begin)
        }
        await client.close()
        return Report(durability: durability, jobs: jobs, times: MeasuredTimes(nanoseconds: times))
    }
}
