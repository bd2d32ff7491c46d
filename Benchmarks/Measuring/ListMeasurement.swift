//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import GantryPlatform
package import StateFormatting

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
