//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryModel
import GantryWorker
import TestSupport
import Testing

@testable import GantryFeedLoaders
@testable import Loaders

@Suite("Time-outs of a transfer", .timeLimit(.minutes(5)))
struct TransferWatchTests {
    private let limits = HTTPLimits(connectTimeout: .seconds(5), idleTimeout: .seconds(15), totalTimeout: .seconds(60))

    @Test("the idle time runs only while the origin is waited for; it is as long as it says, unless connecting may take longer")
    func idle() {
        var watch = TransferWatch(limits)
        #expect(watch.reached(at: .seconds(40)) == nil)
        watch.enter(.waitingForOrigin, at: .seconds(10))
        #expect(watch.nextLook(at: .seconds(10)) == .seconds(25))
        #expect(watch.reached(at: .seconds(24)) == nil && watch.reached(at: .seconds(25)) == .idle(after: .seconds(15)))
        watch.answered()
        watch.enter(.waitingForOrigin, at: .seconds(12))
        #expect(watch.reached(at: .seconds(27)) == .idle(after: .seconds(15)))
        watch.enter(.working, at: .seconds(13))
        #expect(watch.reached(at: .seconds(59)) == nil && watch.reached(at: .seconds(60)) == .total)
        watch.redirected()
        watch.enter(.waitingForOrigin, at: .seconds(14))
        #expect(watch.reached(at: .seconds(28)) == nil && watch.reached(at: .seconds(29)) == .idle(after: .seconds(15)))
        var short = TransferWatch(HTTPLimits(connectTimeout: .seconds(5), idleTimeout: .seconds(2), totalTimeout: .seconds(60)))
        short.enter(.waitingForOrigin, at: .seconds(1))
        #expect(short.reached(at: .seconds(6)) == nil && short.reached(at: .seconds(7)) == .idle(after: .seconds(6)))
    }

    @Test("the watch looks again as early as the idle time could be over, for the head may come while it sleeps")
    func looksInTime() {
        let tight = HTTPLimits(connectTimeout: .seconds(5), idleTimeout: .seconds(1.5), totalTimeout: .seconds(20))
        var watch = TransferWatch(tight)
        watch.enter(.waitingForOrigin, at: .zero)
        #expect(watch.nextLook(at: .zero) <= .seconds(1.5))
        watch.answered()
        watch.enter(.waitingForMemory, at: .seconds(0.1))
        watch.enter(.waitingForOrigin, at: .seconds(0.2))
        #expect(watch.reached(at: .seconds(1.5)) == nil && watch.nextLook(at: .seconds(1.5)) == .seconds(1.7))
        #expect(watch.reached(at: .seconds(1.7)) == .idle(after: .seconds(1.5)))
        #expect(watch.nextLook(at: .seconds(19.5)) <= .seconds(20))
    }

    @Test("a bound that was reached is told as long as it is, with an advice that helps")
    func texts() throws {
        let target = try HTTPTarget("http://127.0.0.1/x")
        let tight = HTTPLimits(connectTimeout: .seconds(5), idleTimeout: .seconds(1.5), totalTimeout: .seconds(20))
        let idle = LoaderFailure(.idle(after: .seconds(1.5)), of: target, tight).text
        #expect(idle.contains("nothing came for 1.5 s; check the origin, or raise http.timeout.idle above that"), "\(idle)")
        let first = LoaderFailure(.idle(after: .seconds(6)), of: target, tight).text
        #expect(first.contains("nothing came for 6 s; check the origin, or raise http.timeout.idle above that"), "\(first)")
        let total = LoaderFailure(.total, of: target, tight).text
        #expect(total.contains("took longer than 20 s: "), "\(total)")
    }

    @Test("while the worker waits for memory no time runs, and the whole time is longer by as much")
    func memory() {
        var watch = TransferWatch(limits)
        watch.enter(.waitingForMemory, at: .seconds(1))
        #expect(watch.reached(at: .seconds(500)) == nil)
        #expect(watch.nextLook(at: .seconds(500)) > .seconds(500))
        watch.enter(.working, at: .seconds(501))
        #expect(watch.reached(at: .seconds(559)) == nil && watch.reached(at: .seconds(560)) == .total)
    }

    @Test("a sink that is slow is not taken for an origin that is silent")
    func slowSink() async throws {
        let server = try await SocketServer(["/x": .hanging("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[")])
        let (clock, gate) = (ManualClock(), Gate())
        let resolver = HostResolver()
        let transfer = HTTPTransfer(
            policy: .local(server.port), limits: limits, bound: BodyBound(list: limits), resolve: resolver.addresses, clock: clock)
        let files = LoaderResources()
        let sink = HTTPTransfer.Sink { _ in
        } take: { _, _, _ in
            try await files.withFiles { _ in gate.pass() }
        }
        let target = try HTTPTarget("http://127.0.0.1:\(server.port)/x")
        let task = Task { try await transfer.timed(target) { try await transfer.fetch(target, $0, into: sink) } }
        await gate.arrived(1)
        clock.advance(to: .seconds(20))
        // Nothing was reached: the watch looks again when the idle time could be over at the earliest.
        await clock.when { $0.contains { $0 > .seconds(20) } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
    }
}
