//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("every state of a bundle's reading with everything that can happen to it")
struct BundleReadingsTests {
    private static let (one, other) = (BundleNumber(1), BundleNumber(2))

    /// How far a bundle is: nobody asks for a job of it, somebody does, it is being read, or it was read.
    enum Start: CaseIterable { case unread, wanted, asked, read }

    /// What happens to it. `takenNext`: the next bundle is asked for.
    enum Event: CaseIterable { case waitedFor, takenNext, read, failed, forgotten }

    /// What becomes of each start by each event, in the order of `Event`: which questions can be answered, by their job, `!` where the bundle was not
    /// read; whether its jobs are known; whether it is asked for next.
    private static let rows: [Start: [String]] = [
        .unread: ["unknown, asked for", "unknown", "known", "unknown", "unknown"],
        .wanted: ["unknown, asked for", "unknown, asked for", "1, known", "1!, unknown", "unknown, asked for"],
        .asked: ["unknown", "unknown", "1, known", "1!, unknown", "unknown"],
        // A question that waits behind another wants it once more; what can be answered by then needs its jobs.
        .read: ["known, asked for", "known", "known", "known", "unknown"],
    ]

    private func readings(_ start: Start) -> BundleReadings {
        var readings = BundleReadings()
        guard start != .unread else { return readings }
        readings.wait(.observed(1), for: Self.one)
        guard start != .wanted else { return readings }
        #expect(readings.takeWanted() == Self.one)
        guard start != .asked else { return readings }
        readings.take(Self.one, Self.jobs)
        #expect(readings.takeAnswerable() != nil)
        return readings
    }

    private static let jobs = [
        UInt64(1): ReadJob(
            summary: JobSummary(id: JobID(1), loader: "noop", state: .succeeded, acceptedAt: nil), argument: [], isFromFront: false)
    ]

    private func text(_ answerable: BundleReadings.Answerable) -> String? {
        guard case .observed(let job) = answerable.question else { return nil }
        return "\(job)\(answerable.isRead ? "" : "!")"
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let row = try #require(Self.rows[start])
        #expect(row.count == Event.allCases.count)
        for (event, expected) in zip(Event.allCases, row) {
            var readings = readings(start)
            var asked: BundleNumber?
            switch event {
            case .waitedFor: readings.wait(.observed(2), for: Self.one)
            case .takenNext: asked = readings.takeWanted()
            case .read, .failed:
                // Of one that nobody waits for the front counts that.
                #expect(readings.take(Self.one, event == .read ? Self.jobs : nil) == [.wanted, .asked].contains(start))
            case .forgotten: #expect(readings.forget(Self.one).isEmpty)
            }
            var seen: [String] = []
            while let next = readings.takeAnswerable() { seen += [text(next)].compactMap { $0 } }
            seen.append(readings.job(1, of: Self.one) == nil ? "unknown" : "known")
            if asked ?? readings.takeWanted() == Self.one { seen.append("asked for") }
            #expect(readings.takeWanted() == nil, "nothing is asked for twice")
            #expect(seen.joined(separator: ", ") == expected, "\(start) and \(event)")
        }
    }

    @Test("so many are read at a time, in the order in which they were wanted; the next when one was read or cannot be")
    func atOnce() {
        var readings = BundleReadings()
        for number in 1...6 as ClosedRange<UInt64> { readings.wait(.observed(number), for: BundleNumber(number)) }
        var asked: [BundleNumber] = []
        while let next = readings.takeWanted() { asked.append(next) }
        #expect(asked == (1...4).map { BundleNumber($0) })
        for (number, jobs) in [(UInt64(2), nil), (3, Self.jobs)] as [(UInt64, [UInt64: ReadJob]?)] {
            readings.take(BundleNumber(number), jobs)
            #expect(readings.takeWanted() == nil, "none while questions can be answered")
            #expect(readings.takeAnswerable() != nil)
        }
        #expect(readings.takeWanted() == BundleNumber(5) && readings.takeWanted() == BundleNumber(6) && readings.takeWanted() == nil)
    }

    @Test("one that is read though nobody has asked for it yet is not asked for any more")
    func unasked() {
        var readings = readings(.wanted)
        readings.wait(.observed(2), for: Self.other)
        readings.take(Self.one, Self.jobs)
        #expect(readings.takeAnswerable() != nil && readings.takeAnswerable() == nil)
        #expect(readings.takeWanted() == Self.other && readings.takeWanted() == nil)
        #expect(readings.questionCount == 1)
    }
}
