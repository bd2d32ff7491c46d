//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import GantryPlatform

/// No-op jobs end to end: a front and workers of its own, one client, some observers.
package struct JobsMeasurement: Sendable {
    /// What is measured, with which processes.
    package struct Settings: Sendable {
        /// How many jobs.
        package var jobs = 1_000_000
        /// How many of them are in flight at once.
        package var inFlight = 1_000
        /// How many jobs one call submits.
        package var batch = 250
        /// Bytes of each job's argument.
        package var payload = 64
        /// How many workers.
        package var workers = 2
        /// How many observers of the topic `jobs`.
        package var observers = 1
        /// Which limits the jobs count in.
        package var limits = MeasuredLimits.none
        /// Whether the front has a journal.
        package var durability = MeasuredDurability.full
        /// Seconds after which a run fails.
        package var limit = 120.0
        /// Where the folder of the run is made.
        package var folder = "/tmp"

        package init() {}
    }

    private let settings: Settings

    /// Jobs before the measurement begins: tables and buffers find their size, and the processors their speed.
    private static let warmUpJobs = 5_000
    /// Jobs of the round trip, one at a time.
    private static let roundTrips = 3_000

    package init(_ settings: Settings) { self.settings = settings }

    /// Measures once.
    /// - Throws: `MeasuringError` when a process does not start or ends early, or an observer does not hold what the front has.
    package func run() async throws -> Report {
        try await MeasuredProcesses.with(in: settings.folder) { processes in
            let front = try await processes.startFront(settings.durability)
            var workers: [MeasuredProcess] = []
            for number in 1...settings.workers { workers.append(try await processes.startWorker(number)) }
            let observers = try JobsObservers(count: settings.observers, requests: processes.requests)
            defer { observers.stop() }
            if settings.observers > 0 { try await observers.start() }
            var client = try JobsClient(
                requests: processes.requests, payloadByteCount: settings.payload, batch: settings.batch, limits: settings.limits)
            if settings.limits != .none { try client.setLimit() }
            let disk = settings.durability == .full ? DiskProbe(folder: processes.folder) : nil
            var report = try measure(&client, front, workers, disk)
            if settings.observers > 0 { report.note(try await observers.agree(ended: client.finishedInAll)) }
            return report
        }
    }

    private func measure(
        _ client: inout JobsClient, _ front: MeasuredProcess, _ workers: [MeasuredProcess], _ disk: DiskProbe?
    ) throws -> Report {
        var report = Report(settings)
        _ = try client.run(count: min(settings.jobs, Self.warmUpJobs), window: settings.inFlight, until: settings.limit)
        report.failed += client.failed
        // Before and after, not meanwhile: a probe that syncs beside the journal would be a part of what is measured.
        var syncTimes = try disk?.syncTimes() ?? []
        let before = CPUUse(front, workers)
        let seconds = try client.run(count: settings.jobs, window: settings.inFlight, until: settings.limit)
        let used = CPUUse(front, workers).since(before)
        syncTimes += try disk?.syncTimes() ?? []
        if disk != nil { report.note(syncTimes: syncTimes) }
        report.calls = client.calls
        report.jobsPerSecond = Double(client.finished) / seconds
        let busy = MeasuredTimes(nanoseconds: client.latencies)
        (report.busyMedianMicroseconds, report.busyP99Microseconds) = (busy.median, busy.p99)
        report.note(used, jobs: client.finished, seconds: seconds)
        report.failed += client.failed + (settings.jobs - client.finished)
        let atRest = CPUUse(front, workers)
        _ = try client.run(count: min(settings.jobs, Self.roundTrips), window: 1, until: settings.limit)
        report.roundTripCPUMicroseconds = CPUUse(front, workers).since(atRest).perJob(client.finished).all
        let single = MeasuredTimes(nanoseconds: client.latencies)
        (report.medianMicroseconds, report.p99Microseconds) = (single.median, single.p99)
        report.failed += client.failed
        return report
    }
}

/// Which limits the jobs of a measurement count in. There is room for all of them: what the limits themselves cost is measured.
package enum MeasuredLimits: String, Sendable, CaseIterable {
    /// None.
    case none
    /// All in one.
    case one
    /// Those of each call in one of a thousand values of a limit.
    case keyed
    /// All in one, with a rate that none of them waits for.
    case rated

    /// The limit's name.
    static let name = "bench"
    /// How many values it has.
    private static let values: UInt64 = 1_000

    /// What the limit says: room for all of them.
    var rule: LimitRule {
        let refill = LimitRefill(LimitRefill.greatestCount, per: LimitRefill.shortestPeriod)
        return LimitRule(capacity: LimitRule.greatestCapacity, refill: self == .rated ? refill : nil)
    }

    /// The options of the jobs of a call.
    func options(ofCall call: UInt64) -> JobOptionsColumn {
        switch self {
        case .none: JobOptionsColumn()
        case .one, .rated: JobOptionsColumn(JobOptions(limitKeys: [LimitKey(Self.name)]))
        case .keyed: JobOptionsColumn(JobOptions(limitKeys: [LimitKey(Self.name, value: String(call % Self.values))]))
        }
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
