//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Synchronization
import Testing

@testable import GantryClient

@Suite("When calls give up", .timeLimit(.minutes(5)))
struct CallDeadlineTests {
    private static let start = MonotonicTime(nanoseconds: 0)

    @Test("the earliest comes first, whatever the order and the lengths")
    func order() {
        var deadlines = CallDeadlines()
        let seconds: [UInt64] = [30, 3_600, 2, 30, 5, 1]
        for (callID, limit) in zip(UInt64(1)..., seconds) {
            deadlines.add(CallID(callID), .seconds(limit), Self.start, underWay: Int(callID)) { _ in true }
        }
        #expect(deadlines.next { $0 != CallID(6) } == Self.start.advanced(by: .seconds(2)))
        var due: [UInt64] = []
        while let next = deadlines.takeDue(at: Self.start.advanced(by: .seconds(100))) { due.append(next.callID.rawValue) }
        #expect(due == [3, 5, 1, 4])
        #expect(deadlines.next { _ in true } == Self.start.advanced(by: .seconds(3_600)))
    }

    @Test("what answered calls leave behind is bounded by the calls under way, though one of an hour waits before them")
    func bounded() {
        var deadlines = CallDeadlines()
        var waiting: Set<CallID> = []
        var most = 0
        func add(_ callID: UInt64, _ limit: Duration) {
            waiting.insert(CallID(callID))
            deadlines.add(CallID(callID), limit, Self.start, underWay: waiting.count, isWaiting: waiting.contains)
            most = max(most, deadlines.count)
        }
        add(1, .seconds(3_600))
        for callID in UInt64(2)...20_000 {
            add(callID, .seconds(7_200))
            // Ten calls are under way at once.
            if callID > 11 { waiting.remove(CallID(callID - 10)) }
        }
        #expect(most <= 4 * 12 + 66)
        #expect(deadlines.next(isWaiting: waiting.contains) == Self.start.advanced(by: .seconds(3_600)))
        waiting = [CallID(20_000)]
        add(20_001, .seconds(1))
        add(20_002, .seconds(1))
        #expect(deadlines.next { $0 == CallID(20_000) } == Self.start.advanced(by: .seconds(7_200)), "nobody who waits is forgotten")
    }

    @Test("calls of which one waits for an hour keep nothing of those that were answered since")
    func calls() async {
        let shared = SharedCalls()
        @Sendable func ask(_ limit: Duration, _ body: (CallID) -> Void) async {
            let callID = shared.calls.withLock { $0.makeCallID() }
            _ = await withCheckedContinuation { continuation in
                let early = shared.calls.withLock {
                    $0.wait(callID, continuation, command: .close, awaitsOutcome: false, now: Self.start, limit: limit)
                }
                #expect(early == nil)
                body(callID)
            }
        }
        @Sendable func answer(_ callID: CallID) {
            shared.resume { $0.take(.accepted(callID, first: JobID(1), count: 1), at: Self.start, into: &$1) }
        }
        let (started, startedFeed) = AsyncStream.makeStream(of: CallID.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await ask(.seconds(3_600)) { startedFeed.yield($0) } }
            var iterator = started.makeAsyncIterator()
            let long = await iterator.next()
            for _ in 0..<2_000 { await ask(.seconds(7_200), answer) }
            #expect(shared.calls.withLock { $0.deadlines.count } <= 80)
            #expect(shared.calls.withLock { $0.nextDeadline() } == Self.start.advanced(by: .seconds(3_600)))
            if let long { answer(long) }
            await group.waitForAll()
        }
        #expect(shared.calls.withLock { $0.nextDeadline() } == .distantFuture)
    }
}
