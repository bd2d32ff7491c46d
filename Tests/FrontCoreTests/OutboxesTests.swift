//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("What waits for slow peers")
struct OutboxesTests {
    private let slow = PeerID(1)
    private let other = PeerID(2)

    private func frame(_ peer: PeerID, _ number: UInt8, byteCount: Int = 10) -> OutgoingFrame {
        OutgoingFrame(peer: peer, bytes: Array(repeating: number, count: byteCount), cause: .start)
    }

    /// Outboxes with two frames for one peer and one for another, in turns.
    private func waiting() -> Outboxes {
        var outboxes = Outboxes(peerByteLimit: 100, byteLimit: 1_000)
        for (peer, number) in [(slow, UInt8(1)), (other, 2), (slow, 3)] { #expect(outboxes.append(frame(peer, number)) == true) }
        return outboxes
    }

    /// Tries once, and gives the numbers of the frames that were tried.
    private func tried(_ outboxes: inout Outboxes, _ result: (OutgoingFrame) -> SendResult?) -> (numbers: [UInt8], lost: [UInt8]) {
        var numbers: [UInt8] = []
        let lost = outboxes.send { frame in
            numbers.append(frame.bytes[0])
            return result(frame)
        }
        return (numbers, lost.map { $0.bytes[0] })
    }

    @Test("a peer's frames leave in their order, the peers' in that in which they became slow, and then nothing waits")
    func order() {
        var outboxes = waiting()
        #expect(outboxes.isSlow(slow) && outboxes.isSlow(other) && outboxes.byteCount == 30)
        #expect(tried(&outboxes) { _ in .sent } == ([1, 3, 2], []))
        #expect(outboxes.isEmpty && !outboxes.isSlow(slow) && outboxes.byteCount == 0 && outboxes.largestByteCount == 0)
        #expect(tried(&outboxes) { _ in .sent } == ([], []))
    }

    @Test("a socket that takes no more keeps its own frames back, and nobody else's")
    func full() {
        var outboxes = waiting()
        #expect(tried(&outboxes) { $0.peer == slow ? .full : .sent } == ([1, 2], []))
        #expect(outboxes.isSlow(slow) && !outboxes.isSlow(other))
        #expect(outboxes.byteCount == 20 && outboxes.byteCount(for: slow) == 20 && outboxes.byteCount(for: other) == 0)
        // One leaves, and what comes meanwhile goes behind the other.
        #expect(tried(&outboxes) { $0.bytes[0] == 1 ? .sent : .full } == ([1, 3], []))
        #expect(outboxes.append(frame(other, 4)) == true)
        #expect(outboxes.append(frame(slow, 5)) == true)
        #expect(tried(&outboxes) { _ in .sent } == ([3, 5, 4], []))
    }

    @Test("of a peer that is gone one frame is named, and nothing is kept")
    func gone() {
        var outboxes = waiting()
        #expect(tried(&outboxes) { $0.peer == slow ? .gone : .full } == ([1, 2], [1]))
        #expect(!outboxes.isSlow(slow) && outboxes.byteCount == 10 && outboxes.largestByteCount == 10)
        outboxes.forget(other)
        outboxes.forget(other)
        #expect(outboxes.isEmpty && outboxes.byteCount == 0)
    }

    @Test("a peer that was forgotten and is slow again has one place, the last")
    func slowAgain() {
        var outboxes = waiting()
        outboxes.forget(slow)
        #expect(outboxes.append(frame(slow, 4)) == true)
        #expect(tried(&outboxes) { _ in .full } == ([2, 4], []))
    }

    @Test("when nothing may be sent, nothing else is tried and nothing is lost")
    func withoutAuthority() {
        var outboxes = waiting()
        #expect(tried(&outboxes) { $0.bytes[0] == 1 ? .sent : nil } == ([1, 3], []))
        #expect(outboxes.byteCount == 20 && outboxes.isSlow(slow) && outboxes.isSlow(other))
    }

    @Test("a frame beyond its peer's bound is dropped, and a smaller one is not; a first one that does not fit makes nobody slow")
    func peerBound() {
        var outboxes = Outboxes(peerByteLimit: 25, byteLimit: 1_000)
        #expect(outboxes.append(frame(slow, 1, byteCount: 26)) == false)
        #expect(!outboxes.isSlow(slow) && outboxes.isEmpty && outboxes.byteCount == 0)
        #expect(outboxes.append(frame(slow, 2, byteCount: 20)) == true)
        #expect(outboxes.append(frame(slow, 3, byteCount: 6)) == false)
        #expect(outboxes.append(frame(slow, 4, byteCount: 5)) == true)
        #expect(outboxes.byteCount(for: slow) == 25)
        #expect(outboxes.append(frame(other, 5, byteCount: 25)) == true)
        #expect(outboxes.byteCount == 50 && outboxes.largestByteCount == 25)
    }

    @Test("once all together have reached the bound nothing more is kept for anybody, until something has left")
    func bound() {
        var outboxes = Outboxes(peerByteLimit: 100, byteLimit: 25)
        #expect(outboxes.append(frame(slow, 1, byteCount: 20)) == true)
        // The one that fills it is taken whole.
        #expect(outboxes.append(frame(other, 2, byteCount: 20)) == true)
        #expect(outboxes.append(frame(slow, 3, byteCount: 1)) == false)
        #expect(outboxes.append(frame(PeerID(3), 4, byteCount: 1)) == false)
        #expect(tried(&outboxes) { $0.peer == slow ? .sent : .full } == ([1, 2], []))
        #expect(outboxes.append(frame(PeerID(3), 5, byteCount: 1)) == true)
        #expect(outboxes.byteCount == 21)
    }
}
