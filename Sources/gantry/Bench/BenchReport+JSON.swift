//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import StateJSON

extension BenchReport {
    /// For programs.
    var json: JSONValue {
        .object(
            ("batch", .whole(batch)), ("busyMedianMicroseconds", .number(busyMedianMicroseconds)),
            ("busyP99Microseconds", .number(busyP99Microseconds)), ("calls", .whole(calls)), ("clientBusyShare", .number(clientBusyShare)),
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

extension QueueMeasurement.Report {
    /// For programs.
    var json: JSONValue {
        .object(
            ("bytesPerQueuedJob", .number(bytesPerQueuedJob)), ("jobs", .whole(jobs)), ("measurement", .string(measurement)),
            ("payloadBytes", .whole(payloadBytes)), ("restartToFirstGrantSeconds", restartToFirstGrantSeconds.map { .number($0) }),
            ("restartToReadySeconds", restartToReadySeconds.map { .number($0) }), ("submitPerSecond", .number(submitPerSecond)))
    }
}

extension LoadingMeasurement.Report {
    /// For programs.
    var json: JSONValue {
        .object(
            ("largestMicroseconds", .number(largestMicroseconds)), ("measurement", .string(measurement)),
            ("medianMicroseconds", .number(medianMicroseconds)), ("observers", .whole(observers)),
            ("p99Microseconds", .number(p99Microseconds)), ("requests", .whole(requests)))
    }
}

extension ListMeasurement.Report {
    /// For programs.
    var json: JSONValue {
        .object(
            ("firstPage", firstPage.json), ("frontGrowthBytes", .whole(frontGrowthBytes)), ("items", .whole(items)),
            ("lastPage", lastPage.json), ("loadSeconds", .number(loadSeconds)), ("measurement", .string(measurement)),
            ("middlePage", middlePage.json), ("sortSeconds", .number(sortSeconds)), ("workerPeakBytes", .whole(workerPeakBytes)))
    }
}

extension ListMeasurement.Times {
    fileprivate var json: JSONValue { .object(("median", .number(median)), ("p99", .number(p99))) }
}
