//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing

@testable import FrontCore

/// A row of the journal carries a slice of a checkpoint beside what the turn decided, and whoever waits for the one waits for the other.
@Suite("Slices of a checkpoint")
struct CheckpointSliceTests {
    private static func jobs(_ facts: [Fact]) -> (ids: [UInt64], byteCount: Int) {
        for case .jobsStored(let stored) in facts { return (stored.jobs, stored.bytes.count) }
        return ([], 0)
    }

    @Test("a slice ends with the job that fills it, and the next one goes on behind it", arguments: [1, 40_000, 300_000])
    func bytes(limit: Int) {
        let argument = 10_000
        var front = FrontHarness()
        front.open()
        let submit = ClientMessage.Submit(
            number: RequestNumber(1), lowestUnanswered: RequestNumber(1), loader: "slow", priority: 5, reportsOutcomes: true,
            lengths: Array(repeating: UInt32(argument), count: 50), arguments: Array(repeating: 7, count: 50 * argument))
        _ = front.say(.submit(submit))
        var ids: [UInt64] = []
        var next: UInt64? = 1
        var slices = 0
        while let from = next {
            let slice = front.machine.checkpointSlice(from: from, chunkLimit: 100, byteLimit: limit)
            let (found, byteCount) = Self.jobs(slice.facts)
            #expect(byteCount < limit + argument)
            ids += found
            slices += 1
            next = slice.next
        }
        #expect(ids == Array(1...50))
        #expect(slices >= 50 * argument / (limit + argument))
    }

    @Test("the rows of a checkpoint are as small as they are to be, and a life that begins with it has every job")
    func rows() throws {
        let client = PeerID(7)
        var settings = LoopSettings()
        settings.checkpointByteCount = 1
        settings.sliceByteLimit = 2_000
        let first = try LoopHarness(loop: settings)
        let session = try first.open()
        first.client(client, session, LoopHarness.submit(1, 2_000))
        try first.turn(400)
        let slices = first.rows.filter(\.isSlice)
        #expect(slices.count >= 60)
        // Jobs are weighed roughly.
        #expect(slices.allSatisfy { $0.facts.count < 2 * settings.sliceByteLimit }, "\(slices.map(\.facts.count).max() ?? 0)")
        let next = try LoopHarness(after: first)
        guard case .counts(let counts)? = next.loop?.item("counts", of: .jobs) else {
            Issue.record("no counts")
            return
        }
        #expect(counts.waiting == 2_000)
    }
}
