//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import GantryPlatform
package import StateFormatting

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

extension JobsMeasurement {
    /// The figures of one run.
    package struct Report: MeasurementReport {
        var measurement = "jobs"
        var mode: String
        package private(set) var jobs: Int
        var inFlight: Int
        /// How many jobs one call submits.
        var batch: Int
        var payloadBytes: Int
        var workers: Int
        var observers: Int
        /// Calls by which they were submitted.
        var calls = 0
        /// From the first submit to the last outcome.
        var jobsPerSecond = 0.0
        /// From a job's submit to its outcome, with so many in flight.
        var busyMedianMicroseconds = 0.0
        var busyP99Microseconds = 0.0
        /// How long the disk took to sync right before and after it; nil where nothing waits for the disk.
        var syncMedianMicroseconds: Double?
        var syncP99Microseconds: Double?
        /// The same with one job at a time.
        var medianMicroseconds = 0.0
        var p99Microseconds = 0.0
        var frontCPUMicrosecondsPerJob = 0.0
        var workersCPUMicrosecondsPerJob = 0.0
        /// The client's, and that of the observers in its process.
        var clientCPUMicrosecondsPerJob = 0.0
        /// How much of the time the busiest thread of each stage was at work, 0 to 1; the client's without the observers in its process.
        var frontBusyShare = 0.0
        var workersBusyShare = 0.0
        var clientBusyShare = 0.0
        /// The stage with the busiest of these threads. If that is the client, the front can do more than was measured.
        var slowest = CPUUse.Stage.front
        /// Of all processes, for each job of the round trip.
        var roundTripCPUMicroseconds = 0.0
        /// Changes that the observers have seen and verified, all together.
        var verifiedChanges = 0
        /// Observers that held in the end what the front has.
        var observersVerified = 0
        /// Subscriptions to `jobs` that the front itself has counted.
        var subscriptionsAtFront = 0
        /// The front's sum over the items of `jobs` in the end.
        var checksum: String?
        package internal(set) var failed = 0

        /// A run whose figures are not known yet.
        init(_ settings: Settings) {
            mode = settings.durability.rawValue + (settings.limits == .none ? "" : "-limits-\(settings.limits.rawValue)")
            (jobs, inFlight, batch) = (settings.jobs, settings.inFlight, settings.batch)
            (payloadBytes, workers, observers) = (settings.payload, settings.workers, settings.observers)
        }

        /// Notes what the busy part of the run used, with so many jobs ended in so many seconds.
        mutating func note(_ used: CPUUse, jobs: Int, seconds: Double) {
            let each = used.perJob(jobs)
            (frontCPUMicrosecondsPerJob, workersCPUMicrosecondsPerJob, clientCPUMicrosecondsPerJob) = (
                each.front, each.workers, each.client
            )
            let share = { used.busiestThread(of: $0) / max(seconds * 1e6, 1) }
            (frontBusyShare, workersBusyShare, clientBusyShare) = (share(.front), share(.workers), share(.client))
            slowest = used.slowest
        }

        mutating func note(_ standing: JobsObservers.Standing) {
            verifiedChanges = standing.verifiedChanges
            observersVerified = standing.verified
            subscriptionsAtFront = standing.countedByFront
            checksum = standing.checksum?.description
        }

        mutating func note(syncTimes: [Int64]) {
            let times = MeasuredTimes(nanoseconds: syncTimes)
            (syncMedianMicroseconds, syncP99Microseconds) = (times.median, times.p99)
        }

        /// For people, and one line as the peers' benchmarks print it.
        package var line: String {
            func text(_ value: Double) -> String { String(format: "%.1f", value) }
            func share(_ value: Double) -> String { String(format: "%.2f", value) }
            let sync = syncMedianMicroseconds.map { "sync_p50_us=\(text($0)) sync_p99_us=\(text(syncP99Microseconds ?? 0)) " } ?? ""
            return
                "peer=gantry mode=\(mode) n=\(jobs) in_flight=\(inFlight) batch=\(batch) observers=\(observers) jobs_per_s=\(Int(jobsPerSecond)) "
                + "busy_p50_us=\(text(busyMedianMicroseconds)) busy_p99_us=\(text(busyP99Microseconds)) "
                + "\(sync)p50_us=\(text(medianMicroseconds)) "
                + "p99_us=\(text(p99Microseconds)) front_cpu_us_per_job=\(text(frontCPUMicrosecondsPerJob)) "
                + "workers_cpu_us_per_job=\(text(workersCPUMicrosecondsPerJob)) client_cpu_us_per_job=\(text(clientCPUMicrosecondsPerJob)) "
                + "front_busy=\(share(frontBusyShare)) workers_busy=\(share(workersBusyShare)) client_busy=\(share(clientBusyShare)) "
                + "slowest=\(slowest.rawValue) "
                + "round_trip_cpu_us=\(text(roundTripCPUMicroseconds)) verified_changes=\(verifiedChanges) "
                + "observers_verified=\(observersVerified) subscriptions_at_front=\(subscriptionsAtFront) failed=\(failed)"
        }

        package var json: JSONValue {
            .object(
                ("batch", .whole(batch)), ("busyMedianMicroseconds", .number(busyMedianMicroseconds)),
                ("busyP99Microseconds", .number(busyP99Microseconds)), ("calls", .whole(calls)),
                ("clientBusyShare", .number(clientBusyShare)),
                ("clientCPUMicrosecondsPerJob", .number(clientCPUMicrosecondsPerJob)), ("checksum", checksum.map { .string($0) }),
                ("failed", .whole(failed)), ("frontBusyShare", .number(frontBusyShare)),
                ("frontCPUMicrosecondsPerJob", .number(frontCPUMicrosecondsPerJob)), ("inFlight", .whole(inFlight)), ("jobs", .whole(jobs)),
                ("jobsPerSecond", .number(jobsPerSecond)), ("measurement", .string(measurement)),
                ("medianMicroseconds", .number(medianMicroseconds)), ("mode", .string(mode)), ("observers", .whole(observers)),
                ("observersVerified", .whole(observersVerified)), ("p99Microseconds", .number(p99Microseconds)),
                ("payloadBytes", .whole(payloadBytes)), ("roundTripCPUMicroseconds", .number(roundTripCPUMicroseconds)),
                ("slowest", .string(slowest.rawValue)), ("subscriptionsAtFront", .whole(subscriptionsAtFront)),
                ("syncMedianMicroseconds", syncMedianMicroseconds.map { .number($0) }),
                ("syncP99Microseconds", syncP99Microseconds.map { .number($0) }), ("verifiedChanges", .whole(verifiedChanges)),
                ("workers", .whole(workers)), ("workersBusyShare", .number(workersBusyShare)),
                ("workersCPUMicrosecondsPerJob", .number(workersCPUMicrosecondsPerJob)))
        }
    }
}
