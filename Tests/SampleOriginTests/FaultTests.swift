//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import SampleOrigin

@Suite("Faults and counters")
struct FaultTests {
    private func fault(_ path: String, _ change: (inout Fault) -> Void = { _ in }) -> Fault {
        var fault = Fault(path: path)
        change(&fault)
        return fault
    }

    @Test("a fault with a value out of its range names it")
    func complaints() {
        #expect(fault("/items").complaint == nil)
        #expect(fault("items").complaint?.contains("slash") == true)
        #expect(fault("/a") { $0.delaySeconds = -1 }.complaint?.contains("delaySeconds") == true)
        #expect(fault("/a") { $0.delaySeconds = .nan }.complaint?.contains("delaySeconds") == true)
        #expect(fault("/a") { $0.bytesPerSecond = 0 }.complaint?.contains("bytesPerSecond") == true)
        #expect(fault("/a") { $0.status = 101 }.complaint?.contains("status") == true)
        #expect(fault("/a") { $0.cutAfterBytes = -1 }.complaint?.contains("cutAfterBytes") == true)
        #expect(fault("/a") { $0.holdAfterBytes = -1 }.complaint?.contains("holdAfterBytes") == true)
        #expect(fault("/a") { $0.times = 0 }.complaint?.contains("times") == true)
    }

    @Test("a request meets the fault of the longest path that matches it")
    func longestPath() {
        var table = FaultTable()
        _ = table.set(fault("/*") { $0.status = 500 })
        _ = table.set(fault("/images/*") { $0.status = 501 })
        _ = table.set(fault("/images/7") { $0.status = 502 })
        #expect(table.meet(path: "/items")?.fault.status == 500)
        #expect(table.meet(path: "/images/1")?.fault.status == 501)
        #expect(table.meet(path: "/images/7")?.fault.status == 502)
    }

    @Test("a fault with a number of times is gone when it was met so often")
    func times() {
        var table = FaultTable()
        _ = table.set(fault("/a") { $0.times = 2 })
        #expect(table.meet(path: "/a") != nil)
        #expect(table.meet(path: "/b") == nil)
        #expect(table.meet(path: "/a") != nil)
        #expect(table.meet(path: "/a") == nil)
        #expect(table.all == [])
    }

    @Test("a later fault of a path replaces the earlier one")
    func replaced() {
        var table = FaultTable()
        #expect(table.set(fault("/a")).isEmpty)
        #expect(table.set(fault("/a") { $0.status = 503 }).count == 1)
        #expect(table.all == [fault("/a") { $0.status = 503 }])
    }

    @Test("a request ends once, and its first end counts")
    func endsOnce() {
        var log = RequestLog()
        let first = log.begin(path: "/a")
        let second = log.begin(path: "/a")
        log.sent(10, callID: first)
        let ends = [log.end(first, .closedByClient), log.end(first, .finished), log.end(second, .finished)]
        log.sent(10, callID: first)
        let third = log.begin(path: "/a")
        var expected = PathCounters(path: "/a")
        expected.requests = 3
        expected.inFlight = 1
        expected.mostInFlight = 2
        expected.finished = 1
        expected.closedByClient = 1
        expected.bytesSent = 10
        #expect(ends == [true, false, true])
        #expect(log["/a"] == expected)
        let isFirst = log.end(third, .cut)
        #expect(isFirst)
        #expect(log["/a"].cut == 1)
    }

    @Test("paths beyond the bound are counted together")
    func pathBound() {
        var log = RequestLog()
        for number in 0..<(RequestLog.pathLimit + 5) { _ = log.begin(path: "/\(number)") }
        _ = log.begin(path: "/3")
        #expect(log.all.count == RequestLog.pathLimit + 1)
        #expect(log["*"].requests == 5)
        #expect(log["/3"].requests == 2)
    }

    @Test("who waits at a gate goes on when it opens, at once when it is open, and leaves when cancelled")
    func gate() async throws {
        let gate = Gate()
        let cancelled = Task { try await gate.wait() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        async let waiting: Void = gate.wait()
        gate.open()
        try await waiting
        try await gate.wait()
    }
}
