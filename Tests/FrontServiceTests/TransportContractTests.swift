//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model
import Testing

@Suite("The contract of a front's transport, simulated and real")
struct TransportContractTests {
    /// A deadline that is over: the wait looks and returns.
    private let now = MonotonicTime(nanoseconds: 0)

    @Test("what comes after the wait is received in the same turn", arguments: TransportKind.allCases)
    func afterTheWait(_ kind: TransportKind) throws {
        let bench = try kind.make()
        let peer = try bench.connect()
        bench.transport.wait(until: now)
        #expect(try bench.send([1], from: peer))
        #expect(bench.transport.receive(.workers)?.bytes == [1])
    }

    @Test("a channel is called empty only when all that had come was read", arguments: TransportKind.allCases)
    func empty(_ kind: TransportKind) throws {
        let bench = try kind.make()
        let peers = [try bench.connect(), try bench.connect()]
        for number in 0..<40 { #expect(try bench.send([UInt8(number)], from: peers[number % 2])) }
        bench.transport.wait(until: now)
        var read: Set<[UInt8]> = []
        while let frame = bench.transport.receive(.workers) { read.insert(frame.bytes ?? []) }
        #expect(read.count == 40)
        // Reading it empty does not close it.
        #expect(try bench.send([99], from: peers[0]))
        #expect(bench.transport.receive(.workers)?.bytes == [99])
    }

    @Test("the frames of one peer keep their order, both ways", arguments: TransportKind.allCases)
    func order(_ kind: TransportKind) throws {
        let bench = try kind.make()
        let peer = try bench.connect()
        for number in 0..<100 { #expect(try bench.send([UInt8(number)], from: peer)) }
        bench.transport.wait(until: now)
        var read: [UInt8] = []
        var id = PeerID.none
        while let frame = bench.transport.receive(.workers) {
            id = frame.peer
            read += frame.bytes ?? []
        }
        #expect(read == Array(0..<100))
        for number in 0..<100 { #expect(bench.transport.send([UInt8(number)], to: id) == .sent) }
        var answers: [UInt8] = []
        while let bytes = try bench.receive(at: peer) { answers += bytes }
        #expect(answers == Array(0..<100))
    }

    @Test("each peer has an id of its own, also after it has connected again", arguments: TransportKind.allCases)
    func identity(_ kind: TransportKind) throws {
        let bench = try kind.make()
        var ids: [PeerID] = []
        for _ in 0..<3 {
            let peer = try bench.connect()
            #expect(try bench.send([1], from: peer))
            bench.transport.wait(until: now)
            ids.append(try #require(bench.transport.receive(.workers)).peer)
            try bench.disconnect(peer)
        }
        #expect(Set(ids).count == 3)
    }

    @Test(
        "a peer that reads nothing is full at some point, which holds nobody up, and takes more once it has read",
        arguments: TransportKind.allCases)
    func highWaterMark(_ kind: TransportKind) throws {
        let bench = try kind.make()
        let (silent, other) = (try bench.connect(), try bench.connect())
        let ids = try [silent, other].map { peer in
            #expect(try bench.send([1], from: peer))
            bench.transport.wait(until: now)
            return try #require(bench.transport.receive(.workers)).peer
        }
        var count = 0
        while bench.transport.send([2], to: ids[0]) == .sent, count < 100_000 { count += 1 }
        #expect(count > 0 && count < 100_000)
        #expect(bench.transport.send([2], to: ids[0]) == .full)
        #expect(bench.transport.send([3], to: ids[1]) == .sent)
        var received = 0
        while try bench.receive(at: silent) != nil { received += 1 }
        // Nothing that was taken is lost while the connection stands.
        #expect(received == count)
        _ = bench.transport.receive(.workers)
        #expect(bench.transport.send([4], to: ids[0]) == .sent)
        #expect(try bench.receive(at: silent) == [4])
    }

    @Test("a frame to a peer that is gone, or never was, is said to be lost", arguments: TransportKind.allCases)
    func gone(_ kind: TransportKind) throws {
        let bench = try kind.make()
        let peer = try bench.connect()
        #expect(try bench.send([1], from: peer))
        bench.transport.wait(until: now)
        let id = try #require(bench.transport.receive(.workers)).peer
        try bench.disconnect(peer)
        // The socket learns of it when it is read.
        while bench.transport.receive(.workers) != nil {}
        #expect(bench.transport.send([2], to: id) == .gone)
        #expect(bench.transport.send([2], to: PeerID.none) == .gone)
    }
}
