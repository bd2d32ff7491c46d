//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire
import Testing

@testable import FrontCore

@Suite("The topic storage")
struct StorageTopicTests {
    /// What changes of the topic say, oldest first.
    private func summaries(_ front: LoopHarness) throws -> [StorageSummary] {
        try front.takePublished().flatMap { publication -> [StorageSummary] in
            guard case .change(let change) = publication else { return [] }
            return try change.puts.compactMap { put in
                guard put.key == Array("storage".utf8), case .storage(let summary) = try WireCodec().decodeItem(put.value) else {
                    return nil
                }
                return summary
            }
        }
    }

    private func stored(_ front: LoopHarness) -> StorageSummary? {
        if case .storage(let summary)? = front.loop.item("storage", of: .storage) { summary } else { nil }
    }

    @Test("sizes are wanted only while somebody observes or has asked, and published where they have changed")
    func sizes() throws {
        let front = try LoopHarness()
        try front.turn()
        #expect(!front.loop.wantsSizes)
        front.subscribe(.storage)
        try front.turn()
        #expect(front.loop.wantsSizes && front.loop.item("storage", of: .storage) == .storage(StorageSummary()))
        _ = front.takePublished()
        for count in [UInt64(5), 5, 7] {
            front.loop.noteStored { $0.journalByteCount = count }
            try front.turn()
        }
        #expect(try summaries(front).map(\.journalByteCount) == [5, 7])
        front.subscribe(.storage, isWanted: false)
        try front.turn()
        front.pass(milliseconds: 600_000)
        try front.turn()
        #expect(!front.loop.wantsSizes)
    }

    @Test("a checkpoint is told once its last row is durable, and not before the first")
    func checkpoint() throws {
        let front = try LoopHarness(checkpointByteCount: 1)
        front.subscribe(.storage)
        front.holdsRows = true
        front.client(PeerID(1), .none, .hello(ClientMessage.Hello(label: "test")))
        try front.turn(4)
        #expect(stored(front)?.lastCheckpoint == nil)
        var (expected, hasSlice): (WallTime?, Bool) = (nil, false)
        for _ in 0..<20 {
            front.pass(milliseconds: 10)
            let slice = front.held.first?.slice
            if let slice, !slice.isLast, expected == nil { hasSlice = true }
            if slice?.isLast == true { expected = front.now().wall }
            front.release()
            try front.turn(2)
            #expect(stored(front)?.lastCheckpoint == expected)
        }
        #expect(hasSlice && expected != nil)
        #expect(try summaries(front).last?.lastCheckpoint == expected)
    }
}
