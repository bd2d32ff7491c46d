//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing

@testable import FrontCore

@Suite("Frames that wait to be handled")
struct InboxTests {
    private func frame(_ byteCount: Int) -> Inbox<Int>.Frame { .init(principal: Principal(), bytes: Array(repeating: 1, count: byteCount)) }

    @Test("peers have their turns one after the other, however much one of them has sent")
    func turns() {
        var inbox = Inbox<Int>(peerByteLimit: 1_000_000, byteLimit: 1_000_000)
        for _ in 0..<3 { inbox.append(frame(1), of: PeerID(1)) }
        inbox.append(frame(1), of: PeerID(2))
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
        var inbox = Inbox<Int>(peerByteLimit: 1_000, byteLimit: 1_000)
        inbox.append(frame(1), of: PeerID(1))
        inbox.putBack(.init(principal: Principal(), envelope: 9, next: 4), of: PeerID(1))
        #expect(inbox.takeOpen(of: PeerID(1))?.next == 4)
        #expect(inbox.takeOpen(of: PeerID(1)) == nil)
        #expect(inbox.takeFrame(of: PeerID(1)) != nil)
    }

    @Test("a peer at its bound closes the socket until it has had its turns; empty frames count too")
    func room() {
        var inbox = Inbox<Int>(peerByteLimit: 200, byteLimit: 1_000)
        for _ in 0..<4 { inbox.append(frame(0), of: PeerID(1)) }
        #expect(!inbox.hasRoom)
        _ = inbox.takeFrame(of: PeerID(1))
        #expect(inbox.hasRoom)
        for peer in UInt64(2)..<15 { inbox.append(frame(6), of: PeerID(peer)) }
        #expect(!inbox.hasRoom)
    }

    @Test("after a frame was dropped at the bound those that follow are dropped too, so that order holds")
    func dropping() {
        var inbox = Inbox<Int>(peerByteLimit: 200, byteLimit: 1_000)
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
