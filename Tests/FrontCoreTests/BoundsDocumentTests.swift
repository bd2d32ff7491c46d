//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import TestSupport
import Testing

@testable import FrontCore

@Suite("Bounds in the protocol document")
struct BoundsDocumentTests {
    /// The row of the document's table that names each bound; nil: nobody outside can meet it.
    private static let rows: [String: String?] = [
        "sessions": "sessions of a connection; of the front", "sessionsPerConnection": "sessions of a connection; of the front",
        "workers": "workers", "drainedWorkers": "lost workers that were asked to drain",
        "queuedJobs": "jobs that have not ended", "queuedByteCount": "jobs that have not ended",
        "payloadByteCount": "an argument, a result, an item, a detail", "requestWindow": "unanswered requests of a session",
        "retainedByteCount": "replies to changes that a session has not confirmed",
        "allRetainedByteCount": "replies to changes that a session has not confirmed",
        "sparedByteCount": "replies to changes that a session has not confirmed",
        "readingRequests": "replies to reading requests under way to a session",
        "readingByteCount": "replies to reading requests under way to a session", "answerRows": nil,
        "answerByteCount": "results in the reply to `outcomes`", "pageByteCount": "jobs or feeds on one page",
        "limits": "limits; limits of a job; a value of a limit; the weight of a job in one", "limitValues": "values of limits with a rate",
        "pauses": "pauses; the reason of a pause", "uniqueKeyByteCount": "unique keys that are taken",
        "followedJobs": "jobs that sessions wait for and did not submit", "loaderNames": "different loaders that jobs name",
        "loadersPerWorker": "loaders that a worker offers", "offeredLoaders": "loaders of which it is known when they were offered last",
        "feeds": "live feeds",
        "viewsPerFeed": "views of a feed; of all feeds", "views": "views of a feed; of all feeds",
        "damageLooks": nil, "lostJobs": nil, "resetJobs": nil, "bulkActions": "actions with many jobs under way", "bulkActionLooks": nil,
        "bulkActionJobs": nil, "forgottenJobs": nil, "waitLooks": nil, "workLists": nil,
        "viewAge": "views of a feed; of all feeds", "detailByteCount": "details in views",
        "itemIDByteCount": "an id of an item, a key of a topic's item", "retention": "ended jobs", "endedByteCount": "ended jobs",
        "attachments": "views that a session is attached to; all sessions together",
        "allAttachments": "views that a session is attached to; all sessions together",
        "shownFailureByteCount": "a failure in a feed or a view",
        "endedReadingByteCount": "questions that wait for ended jobs to be read from the disk",
        "progressingJobs": "running jobs of which it is known how far they are",
        "logByteCount": "lines that jobs have written which have not ended", "turnLogByteCount": nil,
        "resumeByteCount": "what loaders have saved for next attempts of jobs that have not ended",
        "runByteCount": "runs of jobs that have not ended",
        "bundleJobs": nil, "bundleByteCount": nil, "endedReadings": "questions that wait for ended jobs to be read from the disk",
        "listedJobs": "running jobs that `jobs` lists one by one",
        "grantByteCount": nil, "turnGrantByteCount": nil, "heldLeases": "leases that a worker holds when it registers", "grantJobs": nil,
    ]

    private static func table() throws -> [String: Substring] {
        let text = try CheckoutFolder.text("Protocol/PROTOCOL.md")
        let section = try #require(text.firstRange(of: "\n## 3. Bounds\n"))
        let lines = text[section.upperBound...].split(separator: "\n").prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("| ") }
        return Dictionary(
            lines.compactMap { line in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                return cells.count == 3 ? (cells[0], line) : nil
            }, uniquingKeysWith: { first, _ in first })
    }

    /// How a bound may be written.
    private static func words(_ value: Any) -> [String] {
        let number = (value as? Int).map(Int64.init) ?? (value as? Int64) ?? (value as? UInt64).map(Int64.init(clamping:)) ?? -1
        if let length = value as? Duration {
            return length == .seconds(86_400) ? ["a day"] : length == .seconds(7 * 86_400) ? ["a week"] : []
        }
        var words = ["\(number.grouped)"]
        if number % (1 << 20) == 0 { words.append("\(number >> 20) MiB") }
        if number % (1 << 10) == 0 { words.append("\(number >> 10) KiB") }
        return words
    }

    /// The numbers and times of a bound.
    private static func parts(of value: Any) -> [Any] {
        guard let retention = value as? JobRetention else { return [value] }
        return EndedKind.allCases.flatMap { [retention[$0].count, retention[$0].age] as [Any] }
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
            for part in Self.parts(of: child.value) {
                #expect(Self.words(part).contains { row.contains($0) }, "\(name) in \(row)")
            }
        }
    }

    @Test("the largest frame is the same for all, and the document names it")
    func frame() throws {
        let most = MessageBounds.frameByteCount
        #expect(try #require(Self.table()["a frame"]).contains("| \(most.grouped) bytes |"))
        #expect(ClientMessage.Hello(label: "").largestFrame == most)
        #expect(FrontMessage.Welcome(session: .none, isResumed: false).largestFrame == most)
        #expect(LoopSettings().largestFrame == most)
    }
}
