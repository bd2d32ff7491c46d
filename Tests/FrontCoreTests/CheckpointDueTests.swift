//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("When a checkpoint is due")
struct CheckpointDueTests {
    @Test("a front that is killed often writes checkpoints all the same: its log is never much longer than what makes one due")
    func killedOften() throws {
        let (limit, argument) = (64_000, 10_000)
        var front = try LoopHarness(checkpointByteCount: limit)
        var logs: [Int] = []
        for life in UInt64(0)..<20 {
            if life > 0 { front = try LoopHarness(after: front, checkpointByteCount: limit) }
            let client = PeerID(100 + life)
            let submit = ClientMessage.Submit(
                number: RequestNumber(1), lowestUnanswered: RequestNumber(1), loader: "slow", reportsOutcomes: true,
                arguments: [Array(repeating: 7, count: argument)])
            front.client(client, try front.open(client), .submit(submit))
            try front.turn(8)
            logs.append(front.rows.filter { !$0.isSlice }.reduce(0) { $0 + $1.entries.count })
        }
        #expect(logs.allSatisfy { $0 < limit + 2 * argument }, "\(logs)")
        // And none is written sooner than that.
        #expect(logs[4] > 4 * argument, "\(logs)")
        #expect(front.loop.present.state.jobs.totals.counts.waiting == 20)
    }

    @Test("many short entries make one due as few long ones do, be they written or read by a restart, which takes as long for them")
    func shortEntries() {
        var (writer, restored) = (CheckpointWriter(), CheckpointWriter())
        writer.note(byteCount: 40_000, entries: 1_000)
        restored.noteRestored(
            RestoredRow(turn: TurnNumber(1), entries: Array(repeating: 0, count: 40_000), isSlice: false), entries: 1_000)
        for known in [writer, restored] { #expect(known.isDue(after: 40_000 + 256_000) && !known.isDue(after: 40_000 + 256_001)) }
    }
}
