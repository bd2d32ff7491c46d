//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import GantryPlatform

/// The time from a load request until every observer has seen the feed loading.
struct LoadingMeasurement: Sendable {
    let observers: Int
    let requests: Int
    let durability: FrontServiceCommand.DurabilityOption

    /// What was found.
    struct Report {
        var measurement = "loading"
        var observers: Int
        var requests: Int
        var medianMicroseconds: Double
        var p99Microseconds: Double
        var largestMicroseconds: Double
    }

    /// What one observer saw.
    private struct Sighting: Sendable {
        let observer: Int
        let activity: Activity
        let at: Int64
    }

    /// The time of each request, nanoseconds.
    func run(in folder: String) async throws -> [Int64] {
        try await withBenchOrigin { port in
            try await BenchProcesses.with(in: folder, configuration: Self.configuration(port: port)) { try await measure($0) }
        }
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

    private func measure(_ processes: BenchProcesses) async throws -> [Int64] {
        _ = try await processes.startFront(durability)
        _ = try await processes.startWorker(1)
        let client = try await GantryClient(connect: Endpoint(address: processes.requests))
        let key = benchFeed
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
