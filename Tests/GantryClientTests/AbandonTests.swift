//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Synchronization
import Testing

@testable import GantryClient

/// Thousands of calls that are given up at once; the limit is what a quadratic way would take many times over.
@Suite("Calls that are given up", .timeLimit(.minutes(5)))
struct AbandonTests {
    private let count: UInt64 = 65_536

    @Test("65,536 waiting requests are given up one by one, oldest first, and none is sent")
    func waitingRequests() {
        var world = SessionWorld()
        for callID in 1...count { world.request(.listFeeds(), callID) }
        for callID in 1...count { world.machine.abandon(CallID(callID)) }
        #expect(world.machine.queue.isEmpty)
        world.receive(.welcome(.open(session: world.session, isResumed: false)))
        #expect(world.turn().compactMap(\.number) == [])
    }

    @Test("65,536 calls of joined jobs are given up newest first, and what is left is what was sent before")
    func joinedJobs() {
        var world = SessionWorld()
        for callID in 1...count { world.submit(JobBatch(loader: "noop", [[1]]), callID) }
        for callID in (1...count).reversed() { world.machine.abandon(CallID(callID)) }
        #expect(world.machine.queue.isEmpty)
        #expect(world.machine.queue.byteCount == 0)
    }

    @Test("a call in the middle is given up, its neighbors keep their order and their answers")
    func middle() {
        var world = SessionWorld()
        for callID in UInt64(1)...9 { world.request(.job(.explain(JobID(callID))), callID) }
        for callID in UInt64(2)...8 where callID != 5 { world.machine.abandon(CallID(callID)) }
        world.receive(.welcome(.open(session: world.session, isResumed: false)))
        let asked = world.turn().compactMap { message -> RequestBody? in
            if case .request(let request) = message { request.body } else { nil }
        }
        #expect(asked == [.job(.explain(JobID(1))), .job(.explain(JobID(5))), .job(.explain(JobID(9)))])
        _ = world.takeNotices()
        world.receive(.reply(number: RequestNumber(2), .done(version: 7)))
        #expect(world.takeNotices() == [.replied(CallID(5), .done(version: 7))])
    }

    @Test("places that were given up count no more, so the queue is never full of them")
    func room() {
        var world = SessionWorld { $0.queueLimit = 4 }
        for callID in UInt64(1)...1_000 {
            world.request(.listFeeds(), callID)
            if callID > 3 { world.machine.abandon(CallID(callID - 1)) }
        }
        #expect(world.takeNotices() == [])
        #expect(world.machine.queue.count == 3)
    }

    @Test("one of several calls that share a batch is given up after it was sent: the others get their own ids")
    func sentJobs() {
        var world = SessionWorld.opened()
        for callID in UInt64(1)...3 { world.submit(JobBatch(loader: "noop", [[1], [2]]), callID) }
        _ = world.turn()
        world.machine.abandon(CallID(2))
        _ = world.takeNotices()
        world.receive(.reply(number: RequestNumber(1), .jobsAccepted(first: JobID(10), count: 6)))
        #expect(
            world.takeNotices() == [
                .accepted(CallID(1), first: JobID(10), count: 2), .accepted(CallID(3), first: JobID(14), count: 2),
            ])
    }

    @Test("a cancelled call ends at once while its jobs wait to be sent, alone or joined to others', and they are not sent")
    func withdrawnJobs() {
        var world = SessionWorld()
        for callID in UInt8(1)...3 { world.submit(JobBatch(loader: "noop", [[callID], [callID, callID]]), UInt64(callID)) }
        world.submit(JobBatch(loader: "slow", [[4]]), 4)
        world.withdraw(2)
        world.withdraw(4)
        let ended = world.takeNotices().compactMap { notice -> UInt64? in
            if case .failed(let callID, let error) = notice, error.code == .cancelled { callID.rawValue } else { nil }
        }
        #expect(ended == [2, 4])
        world.receive(.welcome(.open(session: world.session, isResumed: false)))
        let sent = world.turn().compactMap { message -> ClientMessage.Submit? in
            if case .submit(let submit) = message { submit } else { nil }
        }
        #expect(sent.map(\.arguments) == [[[1], [1, 1], [3], [3, 3]]])
        _ = world.takeNotices()
        world.receive(.reply(number: RequestNumber(1), .jobsAccepted(first: JobID(10), count: 4)))
        #expect(
            world.takeNotices() == [
                .accepted(CallID(1), first: JobID(10), count: 2), .accepted(CallID(3), first: JobID(12), count: 2),
            ])
    }

    @Test("a cancelled call whose jobs were sent keeps waiting for its answer")
    func withdrawnTooLate() {
        var world = SessionWorld.opened()
        world.submit(JobBatch(loader: "noop", [[1]]), 1)
        _ = world.turn()
        world.withdraw(1)
        #expect(world.takeNotices().allSatisfy { if case .failed = $0 { false } else { true } })
        world.receive(.reply(number: RequestNumber(1), .jobsAccepted(first: JobID(10), count: 1)))
        #expect(world.takeNotices() == [.accepted(CallID(1), first: JobID(10), count: 1)])
    }

    @Test("65,536 calls that wait for the end of their jobs are cancelled at once")
    func calls() async {
        let shared = SharedCalls()
        let (waiting, waitingFeed) = AsyncStream.makeStream(of: Void.self)
        let callIDs = (0..<count).map { _ in shared.calls.withLock { $0.makeCallID() } }
        let cancelled = await withTaskGroup(of: Bool.self) { group in
            for callID in callIDs {
                group.addTask {
                    let result = await withCheckedContinuation { continuation in
                        let early = shared.calls.withLock {
                            $0.wait(
                                callID, continuation, command: .close, awaitsOutcome: true, now: MonotonicTime(nanoseconds: 0), limit: nil)
                        }
                        #expect(early == nil)
                        waitingFeed.yield()
                    }
                    if case .failure(let error) = result { return error.code == .cancelled }
                    return false
                }
            }
            var iterator = waiting.makeAsyncIterator()
            for _ in callIDs { await iterator.next() }
            shared.resume { calls, resumptions in
                for callID in callIDs {
                    let accepted = ClientNotice.accepted(callID, first: JobID(callID.rawValue), count: 1)
                    calls.take(accepted, at: MonotonicTime(nanoseconds: 0), into: &resumptions)
                }
                resumptions += callIDs.compactMap { calls.cancel($0, at: MonotonicTime(nanoseconds: 0)) }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(cancelled == callIDs.count)
        #expect(
            shared.calls.withLock { $0.takeCommands() }.filter { if case .forgetOutcome = $0 { true } else { false } }.count
                == callIDs.count
        )
    }

    @Test("65,536 calls with a limit that may be answered for a while are cancelled at once, and give up when the while is over")
    func graces() async {
        let shared = SharedCalls()
        let (waiting, waitingFeed) = AsyncStream.makeStream(of: Void.self)
        let callIDs = (0..<count).map { _ in shared.calls.withLock { $0.makeCallID() } }
        let start = MonotonicTime(nanoseconds: 0)
        let unknown = await withTaskGroup(of: Bool.self) { group in
            for callID in callIDs {
                group.addTask {
                    let result = await withCheckedContinuation { continuation in
                        let early = shared.calls.withLock {
                            $0.wait(
                                callID, continuation, command: .close, awaitsOutcome: false, now: start, limit: .seconds(30),
                                grace: .seconds(2))
                        }
                        #expect(early == nil)
                        waitingFeed.yield()
                    }
                    if case .failure(let error) = result { return error.code == .outcomeUnknown }
                    return false
                }
            }
            var iterator = waiting.makeAsyncIterator()
            for _ in callIDs { await iterator.next() }
            shared.resume { calls, resumptions in
                for callID in callIDs { #expect(calls.cancel(callID, at: start) == nil) }
                #expect(calls.nextDeadline() == start.advanced(by: .seconds(2)))
                calls.expire(at: start.advanced(by: .seconds(2)), into: &resumptions)
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(unknown == callIDs.count)
    }

    @Test(
        "of calls that wait for one job each hears of its end, and it is forgotten when the last one leaves",
        arguments: [(2, 0), (2, 1), (3, 0), (3, 2)])
    func joined(count: Int, leaving: Int) async {
        let shared = SharedCalls()
        let (waiting, waitingFeed) = AsyncStream.makeStream(of: Void.self)
        let callIDs = (0..<count).map { _ in shared.calls.withLock { $0.makeCallID() } }
        let start = MonotonicTime(nanoseconds: 0)
        let ended = await withTaskGroup(of: Bool.self) { group in
            for callID in callIDs {
                group.addTask {
                    let result = await withCheckedContinuation { continuation in
                        _ = shared.calls.withLock {
                            $0.wait(callID, continuation, command: .close, awaitsOutcome: true, now: start, limit: nil)
                        }
                        waitingFeed.yield()
                    }
                    if case .success(.ended(JobID(7), .succeeded, [5])) = result { return true }
                    return false
                }
            }
            var iterator = waiting.makeAsyncIterator()
            for _ in callIDs { await iterator.next() }
            shared.resume { calls, resumptions in
                for callID in callIDs { calls.take(.accepted(callID, first: JobID(7), count: 1, .joined), at: start, into: &resumptions) }
                _ = calls.takeCommands()
                resumptions += [calls.cancel(callIDs[leaving], at: start)].compactMap { $0 }
                #expect(calls.takeCommands() == [.abandon(callIDs[leaving])])
                calls.take(.ended(.init(jobs: [7], states: [.succeeded], results: [[5]])), at: start, into: &resumptions)
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(ended == count - 1)
    }

    @Test(
        "a call that may be answered for a while after its cancellation gets that answer, or fails with outcomeUnknown when the while is over"
    )
    func grace() async {
        let shared = SharedCalls()
        func ask(_ body: (CallID) -> Void) async -> Result<Answer, ClientError> {
            let callID = shared.calls.withLock { $0.makeCallID() }
            return await withCheckedContinuation { continuation in
                let early = shared.calls.withLock {
                    $0.wait(
                        callID, continuation, command: .close, awaitsOutcome: false, now: MonotonicTime(nanoseconds: 0),
                        limit: .seconds(60), grace: .seconds(2))
                }
                #expect(early == nil)
                let cancelled = shared.calls.withLock { $0.cancel(callID, at: MonotonicTime(nanoseconds: 1_000_000_000)) }
                #expect(cancelled == nil)
                #expect(shared.calls.withLock { $0.takeCommands() } == [.close, .withdraw(callID)])
                body(callID)
            }
        }
        let answered = await ask { callID in
            let accepted = ClientNotice.accepted(callID, first: JobID(7), count: 3)
            #expect(shared.resume { $0.take(accepted, at: MonotonicTime(nanoseconds: 2_000_000_000), into: &$1) } == 1)
        }
        guard case .success(.accepted(let first, let count, _)) = answered else {
            Issue.record("not accepted: \(answered)")
            return
        }
        #expect(first == JobID(7) && count == 3)
        let unanswered = await ask { _ in
            #expect(shared.resume { $0.expire(at: MonotonicTime(nanoseconds: 2_999_999_999), into: &$1) } == 0)
            #expect(shared.resume { $0.expire(at: MonotonicTime(nanoseconds: 3_000_000_000), into: &$1) } == 1)
        }
        #expect(throws: ClientError.self) { _ = try unanswered.get() }
        if case .failure(let error) = unanswered { #expect(error.code == .outcomeUnknown) }
    }
}
