//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import FrontCore
import GantryModel
import GantryPlatform
import GantryZMQ
import TestSupport
import Testing

@testable import FrontService

@Suite("The front's sockets", .timeLimit(.minutes(5)))
struct ZeroMQFrontTransportTests {
    private static let endpoints = FrontEndpoints(
        requests: "inproc://requests", changes: "inproc://changes", workers: "inproc://workers", pages: "")

    @Test("what a worker sent after the wait is read: an empty socket means that nothing was there, not that nothing was seen")
    func workersAreAlwaysAsked() throws {
        let context = try Context()
        let transport = try ZeroMQFrontTransport(context: context, endpoints: Self.endpoints, wake: EventSignal())
        let worker = try Socket<Dealer>(context)
        try worker.connect(Self.endpoints.workers)
        transport.wait(until: MonotonicTime(nanoseconds: 0))
        #expect(transport.receive(.workers) == nil)
        #expect(try worker.send([7]) == .sent)
        #expect(transport.receive(.workers)?.bytes == [7])
    }

    @Test("a taken address is told as it is, though another one of the front is the beginning of it")
    func taken() throws {
        let context = try Context()
        let stranger = try Socket<Router>(context)
        try stranger.bind("tcp://127.0.0.1:*")
        let taken = try stranger.lastEndpoint
        let endpoints = FrontEndpoints(
            requests: String(taken.dropLast()), changes: "inproc://changes", workers: taken, pages: "inproc://pages")
        let error = #expect(throws: ZMQError.self) {
            try ZeroMQFrontTransport(context: context, endpoints: endpoints, wake: EventSignal())
        }
        let reported = error.map { FrontServiceError(cannotListen: $0) }
        #expect(reported?.code == .addressInUse && reported?.summary == "the front cannot listen at \(taken): somebody else does")
        #expect(reported?.cause?.code == error.map { "\($0.code.rawValue)" })
    }

    /// Sends again and again over new connections that all claim one name, until it is killed.
    private static let claimant = """
        import select, sys, zmq
        context = zmq.Context()
        while True:
            socket = context.socket(zmq.DEALER)
            socket.setsockopt(zmq.ROUTING_ID, b"claim")
            socket.connect(sys.argv[1])
            socket.send(b"x")
            select.select([], [], [], 0.1)
            socket.close()
        """

    @Test("who sends is asked with each frame: a process that takes a routing id over is not taken for the one before")
    func claimedNames() async throws {
        let (seen, started) = try await onOwnThread { try Self.processesSeen() }
        #expect(seen == started)
    }

    private static func processesSeen() throws -> (seen: [UInt32?], started: [UInt32?]) {
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        let endpoints = FrontEndpoints(
            requests: "ipc://\(folder)/requests", changes: "ipc://\(folder)/changes", workers: "ipc://\(folder)/workers", pages: "")
        let transport = try ZeroMQFrontTransport(context: Context(), endpoints: endpoints, wake: EventSignal())
        var seen: [UInt32?] = []
        var started: [UInt32?] = []
        for _ in 0..<2 {
            let program = try ChildProgram(["/usr/bin/python3", "-c", claimant, endpoints.workers])
            started.append(UInt32(program.process.rawValue))
            transport.wait(until: MonotonicTime(nanoseconds: SystemClock.bootNanoseconds() + 60_000_000_000))
            seen.append(transport.receive(.workers)?.principal.process?.number)
            try program.kill()
            _ = try program.exit()
            while transport.receive(.workers) != nil {}
        }
        return (seen, started)
    }

    @Test(
        "while the front does not read, the library takes 16 frames of a client or worker; what is over that waits at its sender",
        arguments: [(FrontChannel.clients, endpoints.requests), (.workers, endpoints.workers)])
    func unread(channel: FrontChannel, endpoint: String) throws {
        let context = try Context()
        let transport = try ZeroMQFrontTransport(context: context, endpoints: Self.endpoints, wake: EventSignal())
        let client = try Socket<Dealer>(context)
        // Inside of a process both marks are one queue's.
        try client.apply(OptionSheet(sendHighWaterMark: 1))
        try client.connect(endpoint)
        var sent = 0
        while sent < 1_000, try client.send([7]) == .sent { sent += 1 }
        #expect(sent == 17)
        transport.wait(until: MonotonicTime(nanoseconds: 0))
        var received = 0
        while transport.receive(channel) != nil { received += 1 }
        #expect(received == sent)
        // The library looks for news of the other end at most once in a millisecond.
        var attempts = 0
        while attempts < 1_000_000, try client.send([7]) != .sent { attempts += 1 }
        #expect(attempts < 1_000_000)
    }

    @Test("what is kept for an observer that does not read is bounded in bytes")
    func stuckObserver() throws {
        let context = try Context()
        let transport = try ZeroMQFrontTransport(context: context, endpoints: Self.endpoints, wake: EventSignal())
        let observer = try Socket<Subscriber>(context)
        try observer.apply(OptionSheet(sendHighWaterMark: 1, receiveHighWaterMark: 1))
        try observer.connect(Self.endpoints.changes)
        try observer.subscribe([])
        transport.wait(until: MonotonicTime(nanoseconds: SystemClock.bootNanoseconds() + 20_000_000_000))
        #expect(transport.receive(.subscriptions) != nil)
        let result = [UInt8](repeating: 1, count: 65_000)
        for _ in 0..<2_000 { transport.publish(result, under: Topic.jobs.frame) }
        var received = 0
        while let publication = try observer.receive() { received += publication.payload.count }
        #expect(received > 0 && received <= 2 * PublicationBound.byteLimit)
    }
}
