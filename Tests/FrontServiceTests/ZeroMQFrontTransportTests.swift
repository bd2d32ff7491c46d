//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model
import Platform
import Testing
import ZMQ

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
