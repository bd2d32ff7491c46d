//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Model
import Testing

@testable import FrontCore

@Suite("Bounds in the protocol document")
struct BoundsDocumentTests {
    /// The row of the document's table that names each bound; nil: nobody outside can meet it.
    private static let rows: [String: String?] = [
        "sessions": "sessions of a connection; of the front", "sessionsPerConnection": "sessions of a connection; of the front",
        "workers": "workers", "queuedJobs": "jobs that have not ended", "queuedByteCount": "jobs that have not ended",
        "payloadByteCount": "an argument, a result, an item, a detail", "requestWindow": "unanswered requests of a session",
        "keptByteCount": "replies to changes that a session has not confirmed",
        "allKeptByteCount": "replies to changes that a session has not confirmed",
        "sparedByteCount": "replies to changes that a session has not confirmed",
        "readingRequests": "replies to reading requests under way to a session",
        "readingByteCount": "replies to reading requests under way to a session", "answerRows": nil,
        "answerByteCount": "results in the reply to `outcomes`", "pageByteCount": "jobs or feeds on one page",
        "loaderNames": "different loaders that jobs name", "loadersPerWorker": "loaders that a worker offers", "feeds": "live feeds",
        "viewsPerFeed": "views of a feed; of all feeds", "views": "views of a feed; of all feeds",
        "viewMilliseconds": "views of a feed; of all feeds", "detailByteCount": "details in views",
        "itemIDByteCount": "an id of an item, a key of a topic's item", "endedJobs": "ended jobs", "endedByteCount": "ended jobs",
        "bundleJobs": nil, "bundleByteCount": nil, "endedReadings": "questions that wait for ended jobs to be read from the disk",
        "endedMilliseconds": "ended jobs", "failedMilliseconds": "ended jobs",
        "listedJobs": "running jobs that `jobs` lists one by one",
        "grantByteCount": nil, "heldLeases": "leases that a worker holds when it registers", "grantJobs": nil,
    ]

    private static func table() throws -> [String: Substring] {
        let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Protocol/PROTOCOL.md")
        let text = try String(contentsOf: document, encoding: .utf8)
        let section = try #require(text.firstRange(of: "\n## 3. Bounds\n"))
        let lines = text[section.upperBound...].split(separator: "\n").prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("| ") }
        return Dictionary(
            lines.compactMap { line in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                return cells.count == 3 ? (cells[0], line) : nil
            }, uniquingKeysWith: { first, _ in first })
    }

    /// How a bound may be written.
    private static func words(_ name: String, _ value: Any) -> [String] {
        let number = (value as? Int).map(Int64.init) ?? (value as? Int64) ?? (value as? UInt64).map(Int64.init(clamping:)) ?? -1
        var words = ["\(number.grouped)"]
        if number % (1 << 20) == 0 { words.append("\(number >> 20) MiB") }
        if number % (1 << 10) == 0 { words.append("\(number >> 10) KiB") }
        if name.hasSuffix("Milliseconds") { words += number == 86_400_000 ? ["a day"] : number == 604_800_000 ? ["a week"] : [] }
        return words
    }

    @Test("each bound that somebody outside can meet stands in the table, with its number")
    func documented() throws {
        let table = try Self.table()
        for child in Mirror(reflecting: Bounds()).children {
            let name = try #require(child.label)
            guard let known = Self.rows[name] else {
                Issue.record("\(name) is new: name its row of the table")
                continue
            }
            guard let known else { continue }
            let row = try #require(table[known], "no row \"\(known)\"")
            #expect(Self.words(name, child.value).contains { row.contains($0) }, "\(name) in \(row)")
        }
    }
}
