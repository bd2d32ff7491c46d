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

@Suite("Host names", .timeLimit(.minutes(5)))
struct ResolverTests {
    // By a clock that stands still: beside thousands of tests a load may wait for its turn longer than any time-out.
    private func settings(_ host: String, _ port: Int = 80, total: Duration = .seconds(60)) -> LoaderSettings {
        .at(port, "/x") {
            $0.source = URLTemplate("http://\(host):\(port)/x").map { .http(HTTPSource(url: $0, items: .at(""))) }
            $0.http.totalTimeout = total
        }
    }

    @Test("32 look-ups that hang delay neither a load of an address nor files; the 33rd is refused at once; a cancel is on time")
    func stuck() async throws {
        let gate = Gate()
        let resolver = HostResolver { _, _ in
            gate.pass()
            return ["127.0.0.1"]
        }
        let bench = try LoaderBench()
        let server = try await SocketServer(["/x": SocketServer.ok("[]")])
        let loader = HTTPLoader(cache: bench.cache, policy: .local(server.port), clock: ManualClock(), resolve: resolver.addresses)
        let stuck = (0..<HostResolver.lookUpLimit).map { number in
            Task { try await bench.run(loader, bench.work(.load, settings("dead-\(number).example"))) }
        }
        await gate.arrived(HostResolver.lookUpLimit)
        let free = try await bench.run(loader, bench.work(.load, .at(server.port, "/x")))
        #expect(free.content?.itemCount == 0)
        let refused = await bench.failure(loader, try bench.work(.load, settings("one-more.example")))
        #expect(refused?.code == .busy && refused?.retryable == true)
        #expect(refused?.text.contains("32 look-ups of host names are unanswered: check the name server") == true)
        for task in stuck { task.cancel() }
        for task in stuck { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(resolver.counts == .init(running: 32, abandoned: 32))
        gate.open()
    }

    @Test("the total time-out ends a load whose look-up hangs")
    func timedOut() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let resolver = HostResolver { _, _ in
            gate.pass()
            return []
        }
        let bench = try LoaderBench()
        let loader = HTTPLoader(cache: bench.cache, policy: HTTPPolicy(), clock: clock, resolve: resolver.addresses)
        let work = try bench.work(.load, settings("dead.example", total: .seconds(3)))
        let task = Task { await bench.failure(loader, work) }
        await gate.arrived(1)
        await clock.whenAsleep(until: .seconds(3))
        clock.advance(to: .seconds(3))
        let failure = await task.value
        #expect(failure?.code == .timedOut)
        #expect(failure?.text.contains("took longer than 3 s") == true)
        #expect(resolver.counts == .init(running: 1, abandoned: 1))
        gate.open()
    }

    @Test("a name that nobody knows is unreachable, and may be known later")
    func unknown() async throws {
        let bench = try LoaderBench()
        let resolver = HostResolver { _, _ in [] }
        let loader = HTTPLoader(cache: bench.cache, policy: HTTPPolicy(), clock: ManualClock(), resolve: resolver.addresses)
        let failure = await bench.failure(loader, try bench.work(.load, settings("nowhere.example")))
        #expect(failure?.code == .unreachable && failure?.retryable == true)
        #expect(failure?.text.contains("nowhere.example") == true)
        #expect(failure?.text.hasSuffix(" is not known: check the name and the network, then retry") == true)
    }

    @Test("an address and localhost are never looked up")
    func withoutLookUp() async throws {
        let resolver = HostResolver { host, _ in ["of " + host] }
        #expect(try await resolver.addresses(of: "10.0.0.1", port: 1) == ["10.0.0.1"])
        #expect(try await resolver.addresses(of: "::1", port: 1) == ["::1"])
        #expect(try await resolver.addresses(of: "a.LocalHost", port: 1) == ["127.0.0.1", "::1"])
        #expect(try await resolver.addresses(of: "x.example", port: 1) == ["of x.example"])
    }
}
