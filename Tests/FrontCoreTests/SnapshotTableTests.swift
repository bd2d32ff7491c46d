//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire
import Testing

@testable import FrontCore

@Suite("Snapshots on their way")
struct SnapshotTableTests {
    private let peer = PeerID(7)
    private let now = MonotonicTime(nanoseconds: 0)

    private func queue(_ topic: Topic, parts: Int, byteCount: Int = 10) -> SnapshotQueue {
        SnapshotQueue(
            key: SnapshotKey(peer: peer, session: SessionID(1), topic: topic), parts: Array(repeating: [1], count: parts),
            byteCount: byteCount, touchedAt: now)
    }

    @Test("a part is filled up to its bound and not beyond")
    func parts() {
        var live = LiveTopic(.workers, sequence: SequenceNumber(1), now: now)
        for key in UInt8(1)...4 { _ = live.set([key], [1, 2, 3]) }
        let size = 4 + RoughSize.item
        for (limit, count) in [(2 * size, 2), (2 * size - 1, 4), (4 * size, 1), (1, 4)] {
            let image = SnapshotImage(SnapshotImage.Shape(topic: .workers, asked: nil, partByteLimit: limit), of: live, WireCodec())
            #expect(image.parts.count == count && image.byteCount == 4 * size)
        }
    }

    @Test("of many parts only as many go as the client may leave unread, and one more for each that it has read")
    func inFlight() {
        var table = SnapshotTable(limit: 4, peerByteLimit: 100)
        let long = queue(.jobs, parts: 5)
        let isBegun = table.begin(long)
        var taken: [Int?] = []
        for reads in [0, 0, 1, 2, 0] {
            for _ in 0..<reads { _ = table.confirm(long.key, at: now) }
            taken.append(table.takeParts(long.key, inFlight: 2, at: now)?.count)
        }
        // The last ones need no confirmation: nothing is left to be asked for.
        #expect(isBegun && taken == [2, 0, 1, 2, nil])
        #expect(table.count == 0)
    }

    @Test("one with a deadline that ends gives its number back, once, and has no deadline any more")
    func deadline() {
        var table = SnapshotTable(limit: 4, peerByteLimit: 100)
        let long = queue(.jobs, parts: 5)
        let isBegun = table.begin(long)
        let number = table.watch(long.key)
        table.end(long.key)
        let ended = [table.takeEnded(), table.takeEnded()]
        let again = table.expire(number ?? 0, at: now, after: .seconds(1))
        #expect(isBegun && number != nil && ended == [[number ?? 0], []] && again == nil)
        // Nor has the next one of its topic, by that number.
        let isBegunAgain = table.begin(long)
        let later = table.expire(number ?? 0, at: now, after: .seconds(1))
        #expect(isBegunAgain && later == nil && table.count == 1)
    }

    @Test("a connection's bytes count until its snapshots are over, each by itself")
    func bytes() {
        var table = SnapshotTable(limit: 4, peerByteLimit: 100)
        let first = queue(.jobs, parts: 1, byteCount: 60)
        var begun = [table.begin(first), table.begin(queue(.workers, parts: 2, byteCount: 40))]
        begun.append(table.begin(queue(.front, parts: 1, byteCount: 1)))
        table.end(first.key)
        begun += [61, 60].map { table.begin(queue(.front, parts: 1, byteCount: $0)) }
        #expect(begun == [true, true, false, false, true])
        table.forget(peer)
        let isBegunAgain = table.begin(queue(.jobs, parts: 1, byteCount: 1_000))
        #expect(isBegunAgain && table.count == 1)
        table.forget(peer)
        #expect(table.count == 0 && table.keysOfPeer.isEmpty, "of who is gone nothing is kept")
    }
}
