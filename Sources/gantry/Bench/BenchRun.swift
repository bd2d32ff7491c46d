//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Platform
import Settings

/// Starts a front and workers, measures, and stops them.
struct BenchRun {
    let command: BenchCommand

    func run() async throws -> BenchReport {
        let folder = "\(command.folder)/gantry-bench-\(ProcessControl.currentID)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let front = ChildPlan(name: "front", arguments: ["front", "--data", folder, "--durability", command.durability.rawValue])
        let workers = (1...command.workers).map {
            ChildPlan(name: "worker-\($0)", arguments: ["worker", "--data", folder, "--name", "worker-\($0)"])
        }
        let children = try ([front] + workers).map { try SupervisedChild($0, report: { _ in }) }
        defer { for child in children { child.stop(with: .kill) } }
        for child in children {
            try child.start()
            guard await child.waitUntilReady() else {
                throw CommandFailure(.internalError, code: "notStarted", message: "\(child.plan.name) did not start")
            }
        }
        let report = try measure(requests: "ipc://\(folder)/run/requests", children)
        for child in children.reversed() { child.stop(with: .terminate) }
        for child in children.reversed() { await child.waitUntilEnded(grace: .seconds(5)) }
        return report
    }

    private func measure(requests: String, _ children: [SupervisedChild]) throws -> BenchReport {
        let observer = try BenchObserver()
        if command.observers > 0 { try observer.start(requests: requests, count: command.observers) }
        defer { observer.stop() }
        var client = try BenchClient(requests: requests, payloadByteCount: command.payload)
        _ = client.run(count: min(command.jobs, 5_000), window: command.inFlight, until: command.limit)
        let before = children.map(\.cpuMicroseconds)
        let seconds = client.run(count: command.jobs, window: command.inFlight, until: command.limit)
        let used = zip(children.map(\.cpuMicroseconds), before).map { $0 - $1 }
        let (busy, finished) = (client.latencies, client.finished)
        var failed = client.failed + (command.jobs - finished)
        _ = client.run(count: min(command.jobs, 3_000), window: 1, until: command.limit)
        failed += client.failed
        return BenchReport(
            mode: command.durability.rawValue, jobs: command.jobs, inFlight: command.inFlight, payloadBytes: command.payload,
            observers: command.observers, jobsPerSecond: Double(finished) / seconds,
            busyMedianMicroseconds: BenchReport.percentile(busy, 0.5), busyP99Microseconds: BenchReport.percentile(busy, 0.99),
            medianMicroseconds: BenchReport.percentile(client.latencies, 0.5),
            p99Microseconds: BenchReport.percentile(client.latencies, 0.99),
            frontCPUMicrosecondsPerJob: (used.first ?? 0) / Double(finished),
            workersCPUMicrosecondsPerJob: used.dropFirst().reduce(0, +) / Double(finished), failed: failed)
    }
}
