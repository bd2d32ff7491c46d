//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Frames that wait to be handled")
struct InboxTests {
    private func frame(_ byteCount: Int) -> Inbox<Int>.Frame { .init(principal: .everything, bytes: Array(repeating: 1, count: byteCount)) }

    private func inbox(_ peerByteLimit: Int, _ byteLimit: Int) -> Inbox<Int> {
        Inbox(peerByteLimit: peerByteLimit, byteLimit: byteLimit, closedGracePeriod: .milliseconds(100))
    }

    private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    @Test("peers have their turns one after the other, however much one of them has sent")
    func turns() {
        var inbox = inbox(1_000_000, 1_000_000)
        for _ in 0..<3 { inbox.appendIfRoom(frame(1), of: PeerID(1)) }
        inbox.appendIfRoom(frame(1), of: PeerID(2))
        var order: [UInt64] = []
        while let peer = inbox.beginTurn() {
            order.append(peer.rawValue)
            #expect(inbox.takeFrame(of: peer) != nil)
            inbox.endTurn(of: peer)
        }
        #expect(order == [1, 2, 1, 1])
        #expect(inbox.isEmpty && inbox.byteCount == 0)
    }

    @Test("what is left of a frame comes before the peer's later frames")
    func open() {
        var inbox = inbox(1_000, 1_000)
        inbox.appendIfRoom(frame(1), of: PeerID(1))
        inbox.putBack(.init(principal: .everything, envelope: 9, byteCount: 400, next: 4), of: PeerID(1))
        #expect(inbox.byteCount >= 400)
        #expect(inbox.takeOpen(of: PeerID(1))?.next == 4)
        #expect(inbox.takeOpen(of: PeerID(1)) == nil)
        #expect(inbox.takeFrame(of: PeerID(1)) != nil)
        #expect(inbox.byteCount == 0)
    }

    @Test("a peer whose open frame alone is over the bound is at its bound")
    func openFrameCounts() {
        var inbox = inbox(1_000, 10_000)
        inbox.appendIfRoom(frame(1), of: PeerID(1))
        _ = inbox.takeFrame(of: PeerID(1))
        inbox.putBack(.init(principal: .everything, envelope: 9, byteCount: 5_000, next: 4), of: PeerID(1))
        #expect(!inbox.mayRead)
        inbox.appendIfRoom(frame(1), of: PeerID(1))
        #expect(inbox.takeFrame(of: PeerID(1)) == nil)
    }

    @Test("while as many bytes are open as may be read, no other large frame is opened; small ones are")
    func openFramesAreBounded() {
        var inbox = inbox(100_000, 20_000)
        for (peer, size) in [(UInt64(1), 5_000), (2, 5_000), (3, 512), (4, 513)] { inbox.appendIfRoom(frame(size), of: PeerID(peer)) }
        _ = inbox.takeFrame(of: PeerID(1))
        inbox.putBack(.init(principal: .everything, envelope: 9, byteCount: 20_000, next: 4), of: PeerID(1))
        #expect(inbox.takeFrame(of: PeerID(2)) == nil)
        #expect(inbox.hasFrame(of: PeerID(2)))
        #expect(inbox.takeFrame(of: PeerID(3)) != nil && inbox.takeFrame(of: PeerID(4)) == nil)
        _ = inbox.takeOpen(of: PeerID(1))
        #expect(inbox.takeFrame(of: PeerID(2)) != nil && inbox.takeFrame(of: PeerID(4)) != nil)
        #expect(!inbox.hasFrame(of: PeerID(2)))
    }

    @Test("a peer that stays at its bound closes the socket for 100 ms, then only what it sends itself is dropped")
    func gracePeriod() {
        var inbox = inbox(200, 1_000)
        for _ in 0..<4 { inbox.appendIfRoom(frame(0), of: PeerID(1)) }
        for (now, mayRead) in [(Int64(0), false), (99, false), (100, true)] {
            inbox.noteTime(time(now))
            #expect(inbox.mayRead == mayRead)
        }
        inbox.appendIfRoom(frame(1), of: PeerID(1))
        inbox.appendIfRoom(frame(2), of: PeerID(2))
        #expect(inbox.takeFrame(of: PeerID(2))?.bytes?.count == 2)
        for _ in 0..<4 { _ = inbox.takeFrame(of: PeerID(1)) }
        #expect(inbox.takeFrame(of: PeerID(1)) == nil)
        inbox.endTurn(of: PeerID(1))
        // A moment below its bound does not let it keep the others out anew; once it has been so for as long, its time begins again.
        func fill() { for _ in 0..<4 { inbox.appendIfRoom(frame(0), of: PeerID(1)) } }
        inbox.noteTime(time(101))
        fill()
        inbox.noteTime(time(102))
        #expect(inbox.mayRead)
        for _ in 0..<4 { _ = inbox.takeFrame(of: PeerID(1)) }
        inbox.endTurn(of: PeerID(1))
        for now: Int64 in [103, 203] { inbox.noteTime(time(now)) }
        fill()
        inbox.noteTime(time(204))
        #expect(!inbox.mayRead)
    }

    @Test("once there is no room for all, who has less takes the place of the newest frames of who has most, and of nobody else")
    func crowd() {
        var inbox = inbox(100_000, 4_000)
        for peer: UInt64 in [1, 1, 3, 3, 2, 2, 2, 2, 2] { inbox.appendIfRoom(frame(500), of: PeerID(peer)) }
        for now: Int64 in [0, 100] { inbox.noteTime(time(now)) }
        #expect(inbox.mayRead)
        // It would have more than anybody; then one of 2 gives way; with the last, 4 would have more than anybody.
        inbox.appendIfRoom(frame(3_000), of: PeerID(5))
        for size in [948, 948, 1] { inbox.appendIfRoom(frame(size), of: PeerID(4)) }
        inbox.appendIfRoom(frame(1), of: PeerID(2))
        inbox.appendIfRoom(frame(1), of: PeerID(5))
        var taken: [UInt64: [Int]] = [:]
        while let peer = inbox.beginTurn() {
            if let frame = inbox.takeFrame(of: peer) { taken[peer.rawValue, default: []].append(frame.bytes?.count ?? 0) }
            inbox.endTurn(of: peer)
        }
        #expect(taken == [1: [500, 500], 3: [500, 500], 2: [500, 500, 500], 4: [948]])
        #expect(inbox.isEmpty && inbox.byteCount == 0)
        inbox.appendIfRoom(frame(3_000), of: PeerID(5))
        #expect(inbox.hasFrame(of: PeerID(5)))
    }

    @Test("what follows a frame that gave way to another peer's is dropped too, also once there is room")
    func afterGivingWay() {
        var inbox = inbox(100_000, 3_000)
        for peer: UInt64 in [1, 1, 1, 1, 2] { inbox.appendIfRoom(frame(700), of: PeerID(peer)) }
        inbox.appendIfRoom(frame(701), of: PeerID(2))
        _ = inbox.takeFrame(of: PeerID(1))
        inbox.appendIfRoom(frame(3), of: PeerID(1))
        inbox.appendIfRoom(frame(4), of: PeerID(2))
        var taken: [UInt64: [Int]] = [:]
        while let peer = inbox.beginTurn() {
            if let frame = inbox.takeFrame(of: peer) { taken[peer.rawValue, default: []].append(frame.bytes?.count ?? 0) }
            inbox.endTurn(of: peer)
        }
        #expect(taken == [1: [700], 2: [700, 701, 4]])
    }

    @Test("who would have as much as who has most takes nobody's place")
    func equalShares() {
        var inbox = inbox(100_000, 1_000)
        for peer: UInt64 in 1...2 { inbox.appendIfRoom(frame(1_000), of: PeerID(peer)) }
        #expect(inbox.hasFrame(of: PeerID(1)) && !inbox.hasFrame(of: PeerID(2)))
    }

    @Test("large frames that are open leave half of the room to those of a usual size")
    func usualFrames() {
        var inbox = inbox(1 << 20, 4 << 20)
        for (peer, size) in [(UInt64(1), 5_000), (2, 1_000), (3, 1_025)] { inbox.appendIfRoom(frame(size), of: PeerID(peer)) }
        _ = inbox.takeFrame(of: PeerID(1))
        inbox.putBack(.init(principal: .everything, envelope: 9, byteCount: 2 << 20, next: 4), of: PeerID(1))
        #expect(inbox.takeFrame(of: PeerID(3)) == nil)
        #expect(inbox.takeFrame(of: PeerID(2)) != nil)
    }

    @Test("a peer at its bound closes the socket until it has had its turns; empty frames count too")
    func room() {
        var inbox = inbox(200, 1_000)
        for _ in 0..<4 { inbox.appendIfRoom(frame(0), of: PeerID(1)) }
        #expect(!inbox.mayRead)
        _ = inbox.takeFrame(of: PeerID(1))
        #expect(inbox.mayRead)
        for peer in UInt64(2)..<15 { inbox.appendIfRoom(frame(6), of: PeerID(peer)) }
        #expect(!inbox.mayRead)
    }

    @Test("a peer is at its bound with the byte that fills it, and below it as soon as one is free")
    func lastByte() {
        let size = frame(0).roughByteCount
        var inbox = inbox(size + 100, 10_000)
        inbox.appendIfRoom(frame(0), of: PeerID(1))
        #expect(inbox.mayRead)
        // It may pass its bound with its last frame, and then is at it exactly.
        inbox.appendIfRoom(frame(100), of: PeerID(1))
        #expect(!inbox.mayRead)
        _ = inbox.takeFrame(of: PeerID(1))
        #expect(!inbox.mayRead)
        _ = inbox.takeFrame(of: PeerID(1))
        #expect(inbox.mayRead)
        inbox.appendIfRoom(frame(100), of: PeerID(1))
        #expect(!inbox.mayRead)
        inbox.putBack(.init(principal: .everything, envelope: 9, byteCount: 50, next: 4), of: PeerID(1))
        _ = inbox.takeOpen(of: PeerID(1))
        #expect(!inbox.mayRead)
        _ = inbox.takeFrame(of: PeerID(1))
        #expect(inbox.mayRead)
    }

    @Test("after a frame was dropped at the bound those that follow are dropped too, so that order holds")
    func dropping() {
        var inbox = inbox(200, 1_000)
        for size in [100, 100, 1] { inbox.appendIfRoom(frame(size), of: PeerID(1)) }
        _ = inbox.takeFrame(of: PeerID(1))
        inbox.appendIfRoom(frame(2), of: PeerID(1))
        inbox.appendIfRoom(frame(3), of: PeerID(2))
        #expect(inbox.takeFrame(of: PeerID(1))?.bytes?.count == 100)
        #expect(inbox.takeFrame(of: PeerID(1)) == nil)
        #expect(inbox.takeFrame(of: PeerID(2))?.bytes?.count == 3)
        inbox.endTurn(of: PeerID(1))
        inbox.appendIfRoom(frame(4), of: PeerID(1))
        #expect(inbox.takeFrame(of: PeerID(1))?.bytes?.count == 4)
    }
}
