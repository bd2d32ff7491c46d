//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import GantryPlatform
package import StateFormatting

// What is measured of the times of jobs: delays, cancels and estimates.

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

/// How far the time that `explain` estimates for a job is from when it starts.
package struct EstimateMeasurement: Sendable {
    private let jobs: Int
    private let clients: Int
    private let permits: UInt32?

    /// The limit in which the jobs count, where they do.
    private static let limit = "bench"
    /// Milliseconds that jobs run, in turn: the longest ten times as long as the shortest.
    private static let lengths = [100, 150, 200, 300, 500, 1_000]
    /// Jobs that have ended before the first estimate: without any, none is made.
    private static let warmUp = 24
    /// Jobs between two that are asked about.
    private static let asked = 4

    /// What was found.
    package struct Report: MeasurementReport {
        var measurement = "estimates"
        var jobs: Int
        var clients: Int
        /// How many of them a limit lets run at once; nil: they count in none.
        var permits: UInt32?
        var estimated: Int
        /// Jobs that waited, and nobody could say how long they would.
        var unknown: Int
        /// How far estimates were from what came, as shares of that.
        var medianError: Double
        var p90Error: Double
        /// Estimates that were wrong by more than three times.
        package private(set) var wrong: Int

        /// - Parameters:
        ///   - scores: those of the jobs that were asked about and waited.
        ///   - jobs: how many there were.
        ///   - clients: how many submitted them.
        ///   - permits: how many of them a limit let run at once; nil: they counted in none.
        init(_ scores: [Score], jobs: Int, clients: Int, permits: UInt32? = nil) {
            let errors = scores.compactMap(\.error).sorted()
            func percentile(_ share: Double) -> Double {
                errors.isEmpty ? 0 : errors[min(errors.count - 1, Int(Double(errors.count) * share))]
            }
            (self.jobs, self.clients, self.permits) = (jobs, clients, permits)
            (estimated, unknown) = (errors.count, scores.count - errors.count)
            (medianError, p90Error) = (percentile(0.5), percentile(0.9))
            wrong = scores.count(where: \.isWrong)
        }

        package var line: String {
            "peer=gantry mode=\(measurement) n=\(jobs) clients=\(clients)\(permits.map { " permits=\($0)" } ?? "") "
                + "estimated=\(estimated) unknown=\(unknown) "
                + "median_error_percent=\(Int(medianError * 100)) "
                + "p90_error_percent=\(Int(p90Error * 100)) wrong_by_three_times=\(wrong)"
        }

        package var json: JSONValue {
            .object(
                ("clients", .whole(clients)), ("estimated", .whole(estimated)), ("jobs", .whole(jobs)),
                ("measurement", .string(measurement)), ("medianError", .number(medianError)), ("p90Error", .number(p90Error)),
                ("permits", permits.map { .whole(Int($0)) }), ("unknown", .whole(unknown)), ("wrongByThreeTimes", .whole(wrong)))
        }
    }

    /// What was estimated of a job, and what came, both in seconds.
    struct Score: Sendable {
        /// nil: nobody knew.
        let estimate: Double?
        let waited: Double

        var error: Double? { estimate.map { abs($0 - waited) / waited } }
        var isWrong: Bool { estimate.map { max($0, waited) > 3 * min($0, waited) } ?? false }
    }

    /// - Parameters:
    ///   - jobs: how many wait, of all clients together.
    ///   - clients: how many submit them: the first one half of them, the others as many each, after it.
    ///   - permits: how many of them a limit lets run at once; nil: they count in none, and wait for slots.
    package init(jobs: Int, clients: Int, permits: UInt32? = nil) { (self.jobs, self.clients, self.permits) = (jobs, clients, permits) }

    /// Measures once, in a folder of its own below the given one.
    /// - Throws: `MeasuringError` when a process does not start or ends early.
    package func run(in folder: String) async throws -> Report {
        let scores = try await MeasuredProcesses.with(in: folder) { try await measure($0) }
        return Report(scores, jobs: jobs, clients: clients, permits: permits)
    }

    private func measure(_ processes: MeasuredProcesses) async throws -> [Score] {
        _ = try await processes.startFront(.full)
        _ = try await processes.startWorker(1)
        var members: [GantryClient] = []
        for number in 0..<clients {
            var options = ClientOptions()
            options.client = "client-\(number)"
            members.append(try await GantryClient(connect: Endpoint(address: processes.requests), options: options))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<Self.warmUp {
                group.addTask { [members] in
                    _ = try await members[0].submitAndWait(loader: "sleep", argument: Self.argument(index), timeout: .seconds(60))
                }
            }
            try await group.waitForAll()
        }
        var limited = JobOptions()
        if let permits {
            try await members[0].setLimit(Self.limit, to: LimitRule(capacity: permits))
            limited.limitKeys = [LimitKey(Self.limit)]
        }
        var submitted: [(job: JobID, index: Int, by: GantryClient)] = []
        for (number, client) in members.enumerated() {
            let first = clients == 1 ? jobs : jobs / 2
            let count = number == 0 ? first : (jobs - first) / (clients - 1)
            for index in 0..<count {
                let job = try await client.submit(loader: "sleep", argument: Self.argument(index), options: limited).job
                submitted.append((job, index, client))
            }
        }
        let scores = try await withThrowingTaskGroup(of: Score?.self) { group in
            for (place, entry) in submitted.enumerated() where place.isMultiple(of: Self.asked) {
                let estimate = try await entry.by.explain(entry.job).estimate
                let begin = SystemClock.monotonicNanoseconds()
                group.addTask {
                    _ = try await entry.by.wait(for: entry.job, timeout: .seconds(600))
                    let ended = Double(SystemClock.monotonicNanoseconds() - begin) / 1e9
                    let waited = ended - Double(Self.length(entry.index)) / 1_000
                    // What starts at once says nothing of estimates.
                    return waited < 0.1 ? nil : Score(estimate: estimate?.inSeconds, waited: waited)
                }
            }
            return try await group.reduce(into: [Score]()) { scores, score in if let score { scores.append(score) } }
        }
        for client in members { await client.close() }
        return scores
    }

    private static func length(_ index: Int) -> Int { lengths[index % lengths.count] }

    private static func argument(_ index: Int) -> [UInt8] { Array(String(length(index)).utf8) }
}

/// What a waiting job costs, and how fast a killed front is back.
package struct QueueMeasurement: Sendable {
    private let jobs: Int
    private let payload: Int
    private let durability: MeasuredDurability

    /// What was found.
    package struct Report: MeasurementReport {
        var measurement = "queue"
        var durability: MeasuredDurability
        var jobs: Int
        var payloadBytes: Int
        var submitPerSecond: Double
        var bytesPerQueuedJob: Double
        var restartToReadySeconds: Double?
        var restartToFirstGrantSeconds: Double?

        package var line: String {
            var line =
                "peer=gantry mode=\(measurement)-\(durability.rawValue) n=\(jobs) submit_per_s=\(Int(submitPerSecond)) "
                + "bytes_per_queued_job=\(Int(bytesPerQueuedJob)) payload=\(payloadBytes)"
            if let ready = restartToReadySeconds, let grant = restartToFirstGrantSeconds {
                line += " restart_to_ready_ms=\(Int(ready * 1_000)) restart_to_first_grant_ms=\(Int(grant * 1_000))"
            }
            return line
        }

        package var json: JSONValue {
            .object(
                ("bytesPerQueuedJob", .number(bytesPerQueuedJob)), ("jobs", .whole(jobs)), ("measurement", .string(measurement)),
                ("payloadBytes", .whole(payloadBytes)), ("restartToFirstGrantSeconds", restartToFirstGrantSeconds.map { .number($0) }),
                ("restartToReadySeconds", restartToReadySeconds.map { .number($0) }), ("submitPerSecond", .number(submitPerSecond)))
        }
    }

    /// - Parameters:
    ///   - jobs: how many wait.
    ///   - payload: bytes of each job's argument.
    ///   - durability: whether the front has a journal; without one nothing is there after a restart.
    package init(jobs: Int, payload: Int, durability: MeasuredDurability) {
        (self.jobs, self.payload, self.durability) = (jobs, payload, durability)
    }

    /// Fills the queue of a front in a folder of its own, kills the front and starts it again.
    /// - Throws: `MeasuringError` when a process does not start or ends early.
    package func run(in folder: String) async throws -> Report {
        try await MeasuredProcesses.with(in: folder) { try await measure($0) }
    }

    private func measure(_ processes: MeasuredProcesses) async throws -> Report {
        let front = try await processes.startFront(durability)
        let client = try await GantryClient(connect: Endpoint(address: processes.requests))
        let argument = Array(repeating: UInt8(ascii: "x"), count: payload)
        let before = front.memory.resident
        let begin = SystemClock.monotonicNanoseconds()
        for start in stride(from: 0, to: jobs, by: 1_000) {
            let arguments = Array(repeating: argument, count: min(1_000, jobs - start))
            _ = try await client.submit(loader: "noop", arguments: arguments, anyLoader: true)
        }
        let seconds = Self.seconds(since: begin)
        let grown = Double(front.memory.resident - before)
        var report = Report(
            durability: durability, jobs: jobs, payloadBytes: payload, submitPerSecond: Double(jobs) / seconds,
            bytesPerQueuedJob: grown / Double(jobs))
        await client.close()
        guard durability == .full else { return report }
        front.stop(with: .kill)
        await front.waitUntilEnded(grace: .seconds(5))
        _ = try await processes.startWorker(1, waits: false)
        let restart = SystemClock.monotonicNanoseconds()
        _ = try await processes.startFront(durability)
        report.restartToReadySeconds = Self.seconds(since: restart)
        let observer = try await GantryClient(connect: Endpoint(address: processes.requests))
        for await state in observer.observe(.jobs) {
            if let counts = state.counts, counts.running + counts.succeeded > 0 { break }
        }
        report.restartToFirstGrantSeconds = Self.seconds(since: restart)
        await observer.close()
        return report
    }

    private static func seconds(since begin: Int64) -> Double { Double(SystemClock.monotonicNanoseconds() - begin) / 1e9 }
}
