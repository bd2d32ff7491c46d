//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import GantryModel
import Synchronization
import Testing

@testable import FrontService

@Suite("Collection of objects that nobody names", .timeLimit(.minutes(5)))
struct ObjectCollectorTests {
    /// Holds collections up until told otherwise.
    private final class Gate: Sendable {
        let begun = DispatchSemaphore(value: 0)
        let open = DispatchSemaphore(value: 0)
        let bounds = Mutex<[WallTime]>([])
    }

    private func collector(_ gate: Gate) -> ObjectCollector {
        ObjectCollector(every: .seconds(600), startedAt: ms(0)) { _, bound in
            gate.bounds.withLock { $0.append(bound) }
            gate.begun.signal()
            gate.open.wait()
        }
    }

    private func names() -> (named: Set<ObjectDigest>, olderThan: WallTime) { ([], WallTime(milliseconds: 5)) }

    @Test("one that takes for ever holds nobody up: the next is left out, and the end of the front waits for it a bounded time only")
    func stuck() {
        let gate = Gate()
        let collector = collector(gate)
        #expect(!collector.collectIfDue(at: ms(599_000), isUrgent: false, names: names))
        #expect(collector.collectIfDue(at: ms(600_000), isUrgent: false, names: names))
        gate.begun.wait()
        #expect(!collector.collectIfDue(at: ms(5_000_000), isUrgent: false, names: names))
        #expect(!collector.waitUntilIdle(atMost: .milliseconds(1)))
        gate.open.signal()
        #expect(collector.waitUntilIdle(atMost: .seconds(20)))
        #expect(collector.collectIfDue(at: ms(5_001_000), isUrgent: false, names: names))
        gate.open.signal()
        #expect(collector.waitUntilIdle(atMost: .seconds(20)))
        #expect(gate.bounds.withLock { $0 } == [WallTime(milliseconds: 5), WallTime(milliseconds: 5)])
    }

    @Test("a front that may have a successor removes nothing; what is due is removed once it is known to be the writer")
    func otherWriter() {
        let gate = Gate()
        let collector = collector(gate)
        gate.open.signal()
        #expect(!collector.collectIfDue(at: ms(600_000), isUrgent: true, isWriter: false, names: names))
        #expect(collector.collectIfDue(at: ms(601_000), isUrgent: false, names: names))
        #expect(collector.waitUntilIdle(atMost: .seconds(20)))
    }

    @Test("a full disk makes it due at once, and again each ten seconds")
    func urgent() {
        let gate = Gate()
        let collector = collector(gate)
        for _ in 0..<3 { gate.open.signal() }
        #expect(collector.collectIfDue(at: ms(20_000), isUrgent: true, names: names))
        #expect(collector.waitUntilIdle(atMost: .seconds(20)))
        #expect(!collector.collectIfDue(at: ms(29_000), isUrgent: true, names: names))
        #expect(collector.collectIfDue(at: ms(30_000), isUrgent: true, names: names))
        #expect(collector.waitUntilIdle(atMost: .seconds(20)))
    }
}
