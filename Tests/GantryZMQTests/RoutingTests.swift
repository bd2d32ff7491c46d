//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import GantryZMQ

@Suite("Router and dealer")
struct RoutingTests {
    @Test("a request reaches the router and its answer the same dealer")
    func roundTrip() throws {
        let context = try Context()
        let router = try Socket<Router>(context)
        let dealer = try Socket<Dealer>(context)
        try router.bind("inproc://requests")
        try dealer.connect("inproc://requests")
        #expect(try dealer.send([1, 2, 3]) == .sent)
        let request = try #require(try nextRouted(router))
        #expect(request.body == [1, 2, 3])
        #expect(request.from.bytes.count == 5)
        let answer: [UInt8] = [9, 8, 7, 6]
        #expect(try router.send(to: request.from, answer[1...2]) == .sent)
        #expect(try router.send(to: request.from, answer.span) == .sent)
        #expect(try waitReadable(dealer))
        #expect(try dealer.receive()?.copyBytes() == [8, 7])
        #expect(try waitReadable(dealer))
        guard let second = try dealer.receive() else { throw MissingMessage() }
        let sum = second.withBytes { span in
            var sum = 0
            for index in span.indices { sum += Int(span[index]) }
            return sum
        }
        #expect(sum == 30)
        var empty = Message()
        #expect(try router.receiveRouted(into: &empty) == .nothing)
    }

    @Test("a full peer answers wouldBlock, and everything that was called sent arrives")
    func highWaterMark() throws {
        let context = try Context()
        let router = try Socket<Router>(context)
        let dealer = try Socket<Dealer>(context)
        try router.apply(OptionSheet(sendHighWaterMark: 10, receiveHighWaterMark: 10))
        try dealer.apply(OptionSheet(sendHighWaterMark: 10, receiveHighWaterMark: 10))
        try router.bind("inproc://full")
        try dealer.connect("inproc://full")
        #expect(try dealer.send([0]) == .sent)
        let peer = try #require(try nextRouted(router)).from
        var outcomes: [RoutedSendOutcome] = []
        for number in 0..<1_000 {
            outcomes.append(try router.send(to: peer, [UInt8(number % 251)]))
        }
        let accepted = outcomes.count { $0 == .sent }
        #expect(accepted == 20)
        #expect(outcomes.suffix(980).allSatisfy { $0 == .wouldBlock })
        var received: [UInt8] = []
        var buffer = Message()
        while try dealer.receive(into: &buffer) == .message {
            buffer.withBytes { received.append($0[0]) }
        }
        #expect(received == (0..<20).map { UInt8($0) })
    }

    @Test("an unknown peer and one that left are unreachable")
    func unreachable() throws {
        let context = try Context()
        let router = try Socket<Router>(context)
        try router.bind("inproc://gone")
        let stranger = try #require(RoutingID(bytes: [0, 1, 2, 3, 4]))
        #expect(try router.send(to: stranger, [1]) == .unreachable)
        let dealer = try Socket<Dealer>(context)
        try dealer.connect("inproc://gone")
        #expect(try dealer.send([1]) == .sent)
        let peer = try #require(try nextRouted(router)).from
        try dealer.disconnect("inproc://gone")
        // A second peer's message arrives behind the end of the first connection.
        let next = try Socket<Dealer>(context)
        try next.connect("inproc://gone")
        #expect(try next.send([2]) == .sent)
        #expect(try nextRouted(router)?.body == [2])
        #expect(try router.send(to: peer, [1]) == .unreachable)
    }

    @Test("a dealer without a complete connection keeps nothing for a peer that may never come")
    func immediate() throws {
        let context = try Context()
        let dealer = try Socket<Dealer>(context)
        try dealer.apply(OptionSheet())
        try dealer.connect("tcp://127.0.0.1:1")
        #expect(try dealer.send([1]) == .wouldBlock)
    }

    @Test("extra frames are dropped, counted and reported, and the next message is whole")
    func malformed() throws {
        let context = try Context()
        let router = try Socket<Router>(context)
        let dealer = try Socket<Dealer>(context)
        try router.bind("inproc://rubbish")
        try dealer.connect("inproc://rubbish")
        #expect(try dealer.sendFrames([[1], [2], [3], []]) == .sent)
        #expect(try dealer.send([4]) == .sent)
        var body = Message()
        #expect(try waitReadable(router))
        guard case .malformed(let peer?) = try router.receiveRouted(into: &body) else {
            Issue.record("three body frames are malformed")
            return
        }
        #expect(router.malformedCount == 1)
        #expect(try waitReadable(router))
        #expect(try router.receiveRouted(into: &body) == .message(from: peer))
        #expect(body.copyBytes() == [4])
    }

    @Test("a peer that names itself with more than 16 bytes is malformed, with 16 it is not")
    func longNames() throws {
        let context = try Context()
        let router = try Socket<Router>(context)
        try router.bind("inproc://names")
        let routingID = SocketOption<String>(5, "ROUTING_ID")
        let short = try Socket<Dealer>(context)
        try short.set(routingID, to: "sixteen-byte-nam")
        try short.connect("inproc://names")
        #expect(try short.send([1]) == .sent)
        #expect(try nextRouted(router)?.from.bytes == Array("sixteen-byte-nam".utf8))
        let long = try Socket<Dealer>(context)
        try long.set(routingID, to: "seventeen-byte-na")
        try long.connect("inproc://names")
        #expect(try long.send([1]) == .sent)
        #expect(try waitReadable(router))
        var body = Message()
        #expect(try router.receiveRouted(into: &body) == .malformed(from: nil))
    }

    @Test("empty and large bodies arrive unchanged")
    func sizes() throws {
        let context = try Context()
        let router = try Socket<Router>(context)
        let dealer = try Socket<Dealer>(context)
        try router.bind("inproc://sizes")
        try dealer.connect("inproc://sizes")
        let large = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for body in [[], [UInt8(7)], large] {
            #expect(try dealer.send(body) == .sent)
            #expect(try nextRouted(router)?.body == body)
        }
    }

    @Test("copying into a buffer replaces what it held")
    func copyInto() throws {
        let context = try Context()
        let left = try Socket<Dealer>(context)
        let right = try Socket<Dealer>(context)
        try left.bind("inproc://dealers")
        try right.connect("inproc://dealers")
        #expect(try left.send([1, 2]) == .sent)
        #expect(try waitReadable(right))
        var bytes: [UInt8] = [5, 5, 5, 5]
        guard let message = try right.receive() else { throw MissingMessage() }
        message.copyBytes(into: &bytes)
        #expect(bytes == [1, 2])
        #expect(message.byteCount == 2)
    }

    @Test("routing ids are equal by their bytes and limited to 16")
    func routingIDs() throws {
        let one = try #require(RoutingID(bytes: [0, 0xAB, 3]))
        #expect(one == RoutingID(bytes: [0, 0xAB, 3]))
        #expect(one != RoutingID(bytes: [0, 0xAB, 3, 0]))
        #expect(one.description == "00ab03")
        #expect(one.number == 0x03AB00)
        #expect(RoutingID(number: 0xFF_03AB_00, byteCount: 3) == one)
        #expect(RoutingID(bytes: Array(1...8))?.number == 0x0807_0605_0403_0201)
        #expect(RoutingID(number: 0x0807_0605_0403_0201, byteCount: 8)?.bytes == Array(1...8))
        #expect(RoutingID(bytes: Array(1...9))?.number == nil)
        #expect(RoutingID(number: 1, byteCount: 0) == nil)
        #expect(RoutingID(number: 1, byteCount: 9) == nil)
        #expect(RoutingID(bytes: []) == nil)
        #expect(RoutingID(bytes: Array(repeating: 1, count: 17)) == nil)
    }
}
