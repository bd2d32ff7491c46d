//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import GantryPlatform
import SampleOrigin
package import StateFormatting

// What is measured of feeds: the time until all see one loading, and a large list.

/// The feed `items` that measurements load, and its origin.
enum MeasuredFeed {
    /// Its key.
    static let key: FeedKey = {
        guard let key = FeedKey(name: "items") else { preconditionFailure("items is a feed's name") }
        return key
    }()

    /// Runs `body` while the sample origin serves in this process, at a port that the system chooses.
    static func withOrigin<Value: Sendable>(_ body: @escaping @Sendable (_ port: Int) async throws -> Value) async throws -> Value {
        let (ports, sink) = AsyncStream.makeStream(of: Int.self)
        let server = OriginServer(OriginConfiguration(port: 0)) { port in
            sink.yield(port)
            sink.finish()
        }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await server.run()
                return nil
            }
            group.addTask {
                for await port in ports { return try await body(port) }
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() { if let result { return result } }
            throw MeasuringError(.notStarted, "the origin ended before the measurement")
        }
    }
}

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

/// A large list: loaded, sorted, read in pages.
package struct ListMeasurement: Sendable {
    private let items: Int
    private let pages: Int
    private let pageSize: UInt32

    /// What was found.
    package struct Report: MeasurementReport {
        var measurement = "list"
        var items: Int
        var loadSeconds = 0.0
        var sortSeconds = 0.0
        var firstPage = MeasuredTimes()
        var middlePage = MeasuredTimes()
        var lastPage = MeasuredTimes()
        var workerPeakBytes = 0
        var frontGrowthBytes = 0

        package var line: String {
            func times(_ name: String, _ times: MeasuredTimes) -> String {
                "\(name)_p50_us=\(Int(times.median)) \(name)_p99_us=\(Int(times.p99))"
            }
            return "peer=gantry mode=list n=\(items) load_s=\(String(format: "%.2f", loadSeconds)) "
                + "sort_s=\(String(format: "%.2f", sortSeconds)) \(times("start", firstPage)) "
                + "\(times("middle", middlePage)) \(times("end", lastPage)) "
                + "worker_peak_mib=\(workerPeakBytes >> 20) front_growth_kib=\(frontGrowthBytes >> 10)"
        }

        package var json: JSONValue {
            .object(
                ("firstPage", firstPage.json), ("frontGrowthBytes", .whole(frontGrowthBytes)), ("items", .whole(items)),
                ("lastPage", lastPage.json), ("loadSeconds", .number(loadSeconds)), ("measurement", .string(measurement)),
                ("middlePage", middlePage.json), ("sortSeconds", .number(sortSeconds)), ("workerPeakBytes", .whole(workerPeakBytes)))
        }
    }

    /// - Parameters:
    ///   - items: how many the list has.
    ///   - pages: how many are read at each place.
    ///   - pageSize: items on a page.
    package init(items: Int, pages: Int, pageSize: UInt32) { (self.items, self.pages, self.pageSize) = (items, pages, pageSize) }

    /// Runs origin, front and worker in a folder of their own.
    /// - Throws: `MeasuringError` when a process does not start or ends early, or the list cannot be loaded.
    package func run(in folder: String) async throws -> Report {
        try await MeasuredFeed.withOrigin { port in
            try await MeasuredProcesses.with(in: folder, configuration: configuration(port: port)) { try await measure($0) }
        }
    }

    private func configuration(port: Int) -> String {
        """
        version: 1
        http: { allow: ["127.0.0.1:\(port)"], max-body: 1GiB, timeout: { connect: 5s, idle: 30s, total: 600s } }
        feeds:
          items:
            source: { http: { url: "http://127.0.0.1:\(port)/items?count=\(items)", items: "" } }
            item: { id: /id, title: /title, description: /description, fields: { value: { path: /value, type: number } } }
        """
    }

    private func measure(_ processes: MeasuredProcesses) async throws -> Report {
        let front = try await processes.startFront(.full)
        let worker = try await processes.startWorker(1)
        let client = try await GantryClient(connect: Endpoint(address: processes.requests))
        let key = MeasuredFeed.key
        var report = Report(items: items)
        let before = front.memory.resident
        report.loadSeconds = try await seconds { try await finish(try await client.load(key), client) }
        report.sortSeconds = try await seconds { try await finish(try await client.sort(key, by: SortOrder(field: "value")), client) }
        let last = UInt64(max(0, items - Int(pageSize)))
        guard let revision = try await client.page(of: key).view.revision else { throw ClientError(.notFound, "the list has no content") }
        report.firstPage = try await time(revision, around: 0, client)
        report.middlePage = try await time(revision, around: last / 2, client)
        report.lastPage = try await time(revision, around: last, client)
        report.workerPeakBytes = worker.memory.peak
        report.frontGrowthBytes = front.memory.resident - before
        await client.close()
        return report
    }

    private func finish(_ answer: FeedAnswer, _ client: GantryClient) async throws {
        guard let job = answer.job else { return }
        let ended = try await client.wait(for: job, timeout: .seconds(900))
        guard ended.state == .succeeded else {
            throw MeasuringError(.failed, "job \(job) (\(ended.subject)): \(ended.failure?.text ?? "ended as \(ended.state.name)")")
        }
    }

    private func seconds(_ body: () async throws -> Void) async throws -> Double {
        let begin = SystemClock.monotonicNanoseconds()
        try await body()
        return Double(SystemClock.monotonicNanoseconds() - begin) / 1e9
    }

    /// Pages at and beside a place, so that not only one block is read again and again.
    private func time(_ revision: ViewRevision, around offset: UInt64, _ client: GantryClient) async throws -> MeasuredTimes {
        var times: [Int64] = []
        for step in 0..<UInt64(pages) {
            let shift = (step % 20) * UInt64(pageSize)
            let position = offset >= shift ? offset - shift : offset + shift
            let begin = SystemClock.monotonicNanoseconds()
            _ = try await client.page(by: revision, offset: position, limit: pageSize)
            times.append(SystemClock.monotonicNanoseconds() - begin)
        }
        return MeasuredTimes(nanoseconds: times)
    }
}
