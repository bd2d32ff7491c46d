//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// The figures of one run, printed as one line like those of the peers.
struct BenchReport: Encodable {
    var mode: String
    var jobs: Int
    var inFlight: Int
    var batch: Int
    var payloadBytes: Int
    var observers: Int
    var jobsPerSecond: Double
    var busyMedianMicroseconds: Double
    var busyP99Microseconds: Double
    var medianMicroseconds: Double
    var p99Microseconds: Double
    var frontCPUMicrosecondsPerJob: Double
    var workersCPUMicrosecondsPerJob: Double
    var verifiedChanges: Int
    var failed: Int

    var line: String {
        func text(_ value: Double) -> String { String(format: "%.1f", value) }
        return
            "peer=gantry mode=\(mode) n=\(jobs) in_flight=\(inFlight) batch=\(batch) observers=\(observers) jobs_per_s=\(Int(jobsPerSecond)) "
            + "busy_p50_us=\(text(busyMedianMicroseconds)) busy_p99_us=\(text(busyP99Microseconds)) p50_us=\(text(medianMicroseconds)) "
            + "p99_us=\(text(p99Microseconds)) front_cpu_us_per_job=\(text(frontCPUMicrosecondsPerJob)) "
            + "workers_cpu_us_per_job=\(text(workersCPUMicrosecondsPerJob)) verified_changes=\(verifiedChanges) failed=\(failed)"
    }

    /// The value below which a share of the sorted times lies, in microseconds.
    static func percentile(_ times: [Int64], _ share: Double) -> Double {
        guard !times.isEmpty else { return 0 }
        let sorted = times.sorted()
        return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1_000
    }
}
