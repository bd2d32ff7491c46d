//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import GantryPlatform

/// No-op jobs end to end: a front and workers of its own, one client, some observers.
struct BenchRun {
    let command: BenchJobs

    /// Jobs before the measurement begins: tables and buffers find their size, and the processors their speed.
    private static let warmUpJobs = 5_000
    /// Jobs of the round trip, one at a time.
    private static let roundTrips = 3_000

    func run() async throws -> BenchReport {
        try await BenchProcesses.with(in: command.place.folder) { processes in
            let front = try await processes.startFront(command.durability)
            var workers: [SupervisedChild] = []
            for number in 1...command.workers { workers.append(try await processes.startWorker(number)) }
            let observers = try BenchObservers(count: command.observers, requests: processes.requests)
            defer { observers.stop() }
            if command.observers > 0 { try await observers.start() }
            var client = try BenchClient(requests: processes.requests, payloadByteCount: command.payload, batch: command.jobsPerCall)
            let disk = command.durability == .full ? DiskProbe(folder: processes.folder) : nil
            var report = try measure(&client, front, workers, disk)
            if command.observers > 0 { report.note(try await observers.agree(ended: client.finishedInAll)) }
            return report
        }
    }

    private func measure(
        _ client: inout BenchClient, _ front: SupervisedChild, _ workers: [SupervisedChild], _ disk: DiskProbe?
    ) throws -> BenchReport {
        var report = BenchReport(command)
        _ = client.run(count: min(command.jobs, Self.warmUpJobs), window: command.inFlight, until: command.limit)
        report.failed += client.failed
        // Before and after, not meanwhile: a probe that syncs beside the journal would be a part of what is measured.
        var syncTimes = try disk?.syncTimes() ?? []
        let before = CPUUse(front, workers)
        let seconds = client.run(count: command.jobs, window: command.inFlight, until: command.limit)
        let used = CPUUse(front, workers).since(before)
        syncTimes += try disk?.syncTimes() ?? []
        if disk != nil { report.note(syncTimes: syncTimes) }
        report.calls = client.calls
        report.jobsPerSecond = Double(client.finished) / seconds
        report.busyMedianMicroseconds = BenchReport.percentile(client.latencies, 0.5)
        report.busyP99Microseconds = BenchReport.percentile(client.latencies, 0.99)
        report.note(used, jobs: client.finished, seconds: seconds)
        report.failed += client.failed + (command.jobs - client.finished)
        let atRest = CPUUse(front, workers)
        _ = client.run(count: min(command.jobs, Self.roundTrips), window: 1, until: command.limit)
        report.roundTripCPUMicroseconds = CPUUse(front, workers).since(atRest).perJob(client.finished).all
        report.medianMicroseconds = BenchReport.percentile(client.latencies, 0.5)
        report.p99Microseconds = BenchReport.percentile(client.latencies, 0.99)
        report.failed += client.failed
        return report
    }
}

/// How long the disk below a measurement takes to sync: without it a time in durable mode says little, for another program that syncs can
/// make it ten times as long.
struct DiskProbe {
    /// Where the front has its journal.
    let folder: String

    /// Bytes of one write: a page of the journal.
    private static let writeByteCount = 16 << 10
    /// Syncs of one look: half a second of them at a millisecond each.
    private static let syncCount = 500
    /// Writes after which the file is written from its start again, as the journal's log is.
    private static let placeCount = 64

    /// How long each sync after a write took, in nanoseconds.
    func syncTimes() throws -> [Int64] {
        let clock = SystemClientClock()
        let file = try OwnedDescriptor(path: "\(folder)/disk-probe", options: [.write, .create])
        let bytes = [UInt8](repeating: 0x78, count: Self.writeByteCount)
        for place in 0..<Self.placeCount { try file.write(bytes, at: Int64(place * bytes.count)) }
        try file.sync()
        return try (0..<Self.syncCount).map { number in
            try file.write(bytes, at: Int64(number % Self.placeCount * bytes.count))
            let begin = clock.now().nanoseconds
            try file.syncData()
            return clock.now().nanoseconds - begin
        }
    }
}
