//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import Testing

@Suite("The contract of a front's transport, simulated and real")
struct TransportContractTests {
    /// A deadline that is over: the wait looks and returns.
    private let now = MonotonicTime(nanoseconds: 0)

    @Test("what comes after the wait is received in the same turn, for leases are looked at in it", arguments: TransportKind.allCases)
    func afterTheWait(_ kind: TransportKind) throws {
        let bench = try kind.make()
        let peer = try bench.connect(.workers)
        bench.transport.wait(until: now)
        #expect(try bench.send([1], from: peer))
        #expect(bench.transport.receive(.workers)?.bytes == [1])
    }

    @Test(
        "a channel is called empty only when all that had come was read, and stays open", arguments: TransportKind.allCases, channels)
    func empty(_ kind: TransportKind, _ channel: FrontChannel) throws {
        let bench = try kind.make()
        let peers = [try bench.connect(channel), try bench.connect(channel)]
        for number in 0..<40 { #expect(try bench.send([UInt8(number)], from: peers[number % 2])) }
        bench.transport.wait(until: now)
        var read: Set<[UInt8]> = []
        while let frame = bench.transport.receive(channel) { read.insert(frame.bytes ?? []) }
        #expect(read.count == 40)
        #expect(try bench.send([99], from: peers[0]))
        bench.transport.wait(until: now)
        #expect(bench.transport.receive(channel)?.bytes == [99])
    }

    @Test("what comes on one channel is received on it alone", arguments: TransportKind.allCases)
    func apart(_ kind: TransportKind) throws {
        let bench = try kind.make()
        let (worker, client, observer) = (try bench.connect(.workers), try bench.connect(.clients), try bench.connect(.subscriptions))
        #expect(try bench.send([1], from: worker))
        #expect(try bench.send([2], from: client))
        try bench.subscribe([3, 0], true, at: observer)
        bench.transport.wait(until: now)
        let received = FrontChannel.allCases.map { channel in
            var frames: [[UInt8]] = []
            while let frame = bench.transport.receive(channel) { frames.append(frame.bytes ?? []) }
            return frames
        }
        #expect(received == [[[1]], [[2]], [[1, 3, 0]]])
    }

    @Test("the frames of one peer keep their order, both ways", arguments: TransportKind.allCases, channels)
    func order(_ kind: TransportKind, _ channel: FrontChannel) throws {
        let bench = try kind.make()
        let peer = try bench.connect(channel)
        for number in 0..<100 { #expect(try bench.send([UInt8(number)], from: peer)) }
        bench.transport.wait(until: now)
        var read: [UInt8] = []
        var id = PeerID.none
        while let frame = bench.transport.receive(channel) {
            id = frame.peer
            read += frame.bytes ?? []
        }
        #expect(read == Array(0..<100))
        var answers: [UInt8] = []
        for number in 0..<100 {
            #expect(bench.transport.send([UInt8(number)], to: id) == .sent)
            while number % 10 == 9, let bytes = try bench.receive(at: peer) { answers += bytes }
        }
        #expect(answers == Array(0..<100))
    }

    @Test("each peer has an id of its own, also after it has connected again, and on each channel", arguments: TransportKind.allCases)
    func identity(_ kind: TransportKind) throws {
        let bench = try kind.make()
        var ids: [PeerID] = []
        for channel in channels + channels + channels {
            let peer = try bench.connect(channel)
            #expect(try bench.send([1], from: peer))
            bench.transport.wait(until: now)
            ids.append(try #require(bench.transport.receive(channel)).peer)
            try bench.disconnect(peer)
        }
        #expect(Set(ids).count == ids.count)
    }

    @Test(
        "a peer that reads nothing is full at some point, which holds nobody up, and takes more once it has read",
        arguments: TransportKind.allCases, channels)
    func highWaterMark(_ kind: TransportKind, _ channel: FrontChannel) throws {
        let bench = try kind.make()
        let (silent, other) = (try bench.connect(channel), try bench.connect(channel))
        let ids = try [silent, other].map { peer in
            #expect(try bench.send([1], from: peer))
            bench.transport.wait(until: now)
            return try #require(bench.transport.receive(channel)).peer
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
        bench.transport.wait(until: now)
        _ = bench.transport.receive(channel)
        #expect(bench.transport.send([4], to: ids[0]) == .sent)
        #expect(try bench.receive(at: silent) == [4])
    }

    @Test("a frame to a peer that is gone, or never was, is said to be lost", arguments: TransportKind.allCases, channels)
    func gone(_ kind: TransportKind, _ channel: FrontChannel) throws {
        let bench = try kind.make()
        let peer = try bench.connect(channel)
        #expect(try bench.send([1], from: peer))
        bench.transport.wait(until: now)
        let id = try #require(bench.transport.receive(channel)).peer
        try bench.disconnect(peer)
        // The socket learns of it when it is waited for and read.
        bench.transport.wait(until: now)
        while bench.transport.receive(channel) != nil {}
        #expect(bench.transport.send([2], to: id) == .gone)
        #expect(bench.transport.send([2], to: PeerID.none) == .gone)
    }

    @Test(
        "an observer gets what is published under its topics from then on, in order and once, and nothing of others",
        arguments: TransportKind.allCases)
    func publications(_ kind: TransportKind) throws {
        let bench = try kind.make()
        let (observer, other) = (try bench.connect(.subscriptions), try bench.connect(.subscriptions))
        bench.transport.publish([1], under: mine)
        try bench.subscribe(mine, true, at: observer)
        try bench.subscribe(others, true, at: other)
        #expect(changes(bench) == [[1] + mine, [1] + others])
        for number in UInt8(2)..<5 {
            bench.transport.publish([number], under: mine)
            bench.transport.publish([number + 100], under: others)
        }
        #expect(try payloads(bench, at: observer) == [[2], [3], [4]])
        try bench.subscribe(mine, false, at: observer)
        #expect(changes(bench) == [[0] + mine])
        bench.transport.publish([5], under: mine)
        #expect(try payloads(bench, at: observer).isEmpty)
        #expect(try payloads(bench, at: other) == [[102], [103], [104]])
    }

    @Test(
        "each subscription is received, its end only with that of the last observer, also of one that goes without a word",
        arguments: TransportKind.allCases)
    func subscriptions(_ kind: TransportKind) throws {
        let bench = try kind.make()
        let observers = [try bench.connect(.subscriptions), try bench.connect(.subscriptions)]
        for observer in observers { try bench.subscribe(mine, true, at: observer) }
        #expect(changes(bench) == [[1] + mine, [1] + mine])
        try bench.subscribe(mine, false, at: observers[0])
        #expect(changes(bench).isEmpty)
        try bench.disconnect(observers[1])
        #expect(changes(bench) == [[0] + mine])
    }

    private let mine: [UInt8] = Array("mine".utf8) + [0]
    private let others: [UInt8] = Array("others".utf8) + [0]

    /// The subscriptions that have come since.
    private func changes(_ bench: any TransportContract) -> [[UInt8]] {
        bench.transport.wait(until: now)
        var changes: [[UInt8]] = []
        while let frame = bench.transport.receive(.subscriptions) { changes.append(frame.bytes ?? []) }
        return changes
    }

    /// The publications that have reached an observer since.
    private func payloads(_ bench: any TransportContract, at observer: Int) throws -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        while let payload = try bench.receive(at: observer) { payloads.append(payload) }
        return payloads
    }
}

/// The channels on which each peer has a connection of its own, to be answered on.
private let channels: [FrontChannel] = [.workers, .clients]
