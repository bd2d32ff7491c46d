//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
package import StateFormatting

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
