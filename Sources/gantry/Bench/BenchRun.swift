//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Platform

/// No-op jobs end to end: a front and workers of its own, one client, some observers.
struct BenchRun {
    let command: BenchJobs

    func run() async throws -> BenchReport {
        try await BenchProcesses.with(in: command.place.folder) { processes in
            var children = [try await processes.startFront(command.durability)]
            for number in 1...command.workers { children.append(try await processes.startWorker(number)) }
            return try measure(requests: processes.requests, children)
        }
    }

    private func measure(requests: String, _ children: [SupervisedChild]) throws -> BenchReport {
        let observer = try BenchObserver()
        if command.observers > 0 { try observer.start(requests: requests, count: command.observers) }
        defer { observer.stop() }
        var client = try BenchClient(requests: requests, payloadByteCount: command.payload, batch: command.batch)
        _ = client.run(count: min(command.jobs, 5_000), window: command.inFlight, until: command.limit)
        let before = children.map(\.cpuMicroseconds)
        let seconds = client.run(count: command.jobs, window: command.inFlight, until: command.limit)
        let used = zip(children.map(\.cpuMicroseconds), before).map { $0 - $1 }
        let (busy, finished) = (client.latencies, client.finished)
        var failed = client.failed + (command.jobs - finished)
        _ = client.run(count: min(command.jobs, 3_000), window: 1, until: command.limit)
        failed += client.failed
        return BenchReport(
            mode: command.durability.rawValue, jobs: command.jobs, inFlight: command.inFlight, batch: command.batch,
            payloadBytes: command.payload, observers: command.observers, jobsPerSecond: Double(finished) / seconds,
            busyMedianMicroseconds: BenchReport.percentile(busy, 0.5), busyP99Microseconds: BenchReport.percentile(busy, 0.99),
            medianMicroseconds: BenchReport.percentile(client.latencies, 0.5),
            p99Microseconds: BenchReport.percentile(client.latencies, 0.99),
            frontCPUMicrosecondsPerJob: (used.first ?? 0) / Double(finished),
            workersCPUMicrosecondsPerJob: used.dropFirst().reduce(0, +) / Double(finished), verifiedChanges: observer.verifiedCount,
            failed: failed)
    }
}
