//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import GantryPlatform
package import StateFormatting

/// The time from a load request until every observer has seen the feed loading.
package struct LoadingMeasurement: Sendable {
    private let observers: Int
    private let requests: Int
    private let durability: MeasuredDurability

    /// What was found.
    package struct Report: MeasurementReport {
        var measurement = "loading"
        var durability: MeasuredDurability
        var observers: Int
        var requests: Int
        var times: MeasuredTimes

        package var line: String {
            "peer=gantry mode=\(measurement)-\(durability.rawValue) n=\(requests) observers=\(observers) p50_us=\(Int(times.median)) "
                + "p99_us=\(Int(times.p99)) max_us=\(Int(times.largest))"
        }

        package var json: JSONValue {
            .object(
                ("largestMicroseconds", .number(times.largest)), ("measurement", .string(measurement)),
                ("medianMicroseconds", .number(times.median)), ("observers", .whole(observers)),
                ("p99Microseconds", .number(times.p99)), ("requests", .whole(requests)))
        }
    }

    /// What one observer saw.
    private struct Sighting: Sendable {
        let observer: Int
        let activity: Activity
        let at: Int64
    }

    /// - Parameters:
    ///   - observers: how many the feed has.
    ///   - requests: how many are made, one after the other.
    ///   - durability: whether the front has a journal.
    package init(observers: Int, requests: Int, durability: MeasuredDurability) {
        (self.observers, self.requests, self.durability) = (observers, requests, durability)
    }

    /// Measures once, in a folder of its own below the given one.
    /// - Throws: `MeasuringError` when a process does not start or ends early.
    package func run(in folder: String) async throws -> Report {
        let times = try await MeasuredFeed.withOrigin { port in
            try await MeasuredProcesses.with(in: folder, configuration: Self.configuration(port: port)) { try await measure($0) }
        }
        return Report(durability: durability, observers: observers, requests: requests, times: MeasuredTimes(nanoseconds: times))
    }

    private static func configuration(port: Int) -> String {
        """
        version: 1
        http: { allow: ["127.0.0.1:\(port)"] }
        feeds:
          items:
            source: { http: { url: "http://127.0.0.1:\(port)/items?count=3", items: "" } }
            item: { id: /id, title: /title }
        """
    }

    /// The time of each request, nanoseconds.
    private func measure(_ processes: MeasuredProcesses) async throws -> [Int64] {
        _ = try await processes.startFront(durability)
        _ = try await processes.startWorker(1)
        let client = try await GantryClient(connect: Endpoint(address: processes.requests))
        let key = MeasuredFeed.key
        _ = try await client.load(key)
        let (sightings, sink) = AsyncStream.makeStream(of: Sighting.self)
        var watching: [Task<Void, any Error>] = []
        let endpoint = Endpoint(address: processes.requests)
        for number in 0..<observers {
            watching.append(
                Task {
                    let observer = try await GantryClient(connect: endpoint)
                    for await state in observer.observe(.feed(key), limit: 64) {
                        guard let feed = state.feed else { continue }
                        sink.yield(Sighting(observer: number, activity: feed.activity, at: SystemClock.monotonicNanoseconds()))
                    }
                    await observer.close()
                })
        }
        var seen = sightings.makeAsyncIterator()
        // Each observer is in step once it has seen the feed at rest.
        _ = await Self.cycle(of: nil, observers, &seen)
        var times: [Int64] = []
        for _ in 0..<requests {
            let begin = SystemClock.monotonicNanoseconds()
            guard let job = try await client.refresh(key).job else { continue }
            times.append(await Self.cycle(of: job, observers, &seen) - begin)
        }
        for task in watching { task.cancel() }
        await client.close()
        return times
    }

    /// Waits until every observer has seen the feed loading with that job and then at rest; when the last saw it loading.
    private static func cycle(of job: JobID?, _ count: Int, _ seen: inout AsyncStream<Sighting>.Iterator) async -> Int64 {
        var sawLoading = Array(repeating: job == nil, count: count)
        var sawRest = Array(repeating: false, count: count)
        var last: Int64 = 0
        while sawRest.contains(false), let sighting = await seen.next() {
            switch sighting.activity {
            case .loading(job, _, _) where !sawLoading[sighting.observer]:
                sawLoading[sighting.observer] = true
                last = max(last, sighting.at)
            case .idle where sawLoading[sighting.observer]: sawRest[sighting.observer] = true
            case .idle, .loading, .waiting: continue
            }
        }
        return last
    }
}
