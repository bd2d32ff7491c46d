//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Jobs that wait behind the one that has their key")
struct BufferTests {
    private static let key = UniqueKey("k", mode: .buffer)
    private let first = JobID(1)
    private let second = JobID(2)
    private let third = JobID(3)

    /// A front whose job 1 runs, with a slot beside it.
    private func world(attempts: UInt32 = 1) -> KeyWorld {
        var world = KeyWorld(Self.key)
        world.worker.register(with: &world.front, slots: 2)
        let options = JobOptions(retry: RetryRule(attempts: attempts, backOff: BackOff(first: .seconds(1))), uniqueKey: Self.key)
        #expect(world.submit(options) == .jobsAccepted(first: first, count: 1))
        world.worker.take(world.front.settle())
        #expect(world.worker.held.map(\.job) == [1])
        return world
    }

    private func replaced(_ job: JobID) -> Reply { .jobsAccepted(first: job, count: 1, .replaced) }

    private func new(_ job: JobID) -> Reply { .jobsAccepted(first: job, count: 1) }

    /// The same after restarts from rows and from a checkpoint, where the worker has come again.
    private func again(_ world: KeyWorld) -> [KeyWorld] {
        [world]
            + [world.restarted(), world.restored()].map { world in
                var world = world
                world.worker.register(with: &world.front, slots: 2)
                return world
            }
    }

    private func argument(_ job: JobID, _ world: KeyWorld) -> [UInt8] {
        let state = world.front.machine.state
        return state.jobs.argument(of: state.jobs[job.rawValue])
    }

    @Test("before its first grant a job is replaced; then one more waits behind it, which the same work joins and other work replaces")
    func behind() {
        var world = KeyWorld(Self.key)
        #expect(world.submit() == new(first) && world.submit() == .jobsAccepted(first: first, count: 1, .joined))
        #expect(world.submit([9]) == replaced(first) && argument(first, world) == [9])
        world = self.world()
        // The same work as that which runs: what it reads may have changed since.
        #expect(world.submit() == new(second))
        for world in again(world) {
            var world = world
            #expect(world.front.job(second)?.state == .waiting && world.front.job(second)?.waitReason == .keyTaken(by: first))
            #expect(world.submit() == .jobsAccepted(first: second, count: 1, .joined))
            #expect(world.submit([7], world.options(8)) == replaced(second) && argument(second, world) == [7])
            #expect(world.front.job(second)?.waitReason == .keyTaken(by: first) && world.miscount == nil)
            #expect(world.front.machine.state.jobs[2].standing == .blocked && world.front.counts?.waiting == 1)
        }
    }

    @Test("it starts with the newest argument once the job before it has ended, and the next submit waits behind it")
    func heir() {
        var world = world()
        #expect(world.submit([2]) == new(second) && world.submit([3]) == replaced(second))
        world.worker.take(world.front.settle())
        #expect(world.worker.held.map(\.job) == [1], "there is a free slot")
        world.worker.take(world.worker.end(1, in: &world.front))
        for world in [world, world.restarted(), world.restored()] {
            #expect(world.keys.taken(by: 2)?.isBehind == false && world.keys.count == 1 && world.miscount == nil)
            #expect(world.front.machine.state.jobs[2].standing != .blocked)
        }
        #expect(world.worker.held.map(\.job) == [2] && argument(second, world) == [3])
        #expect(world.submit([4]) == new(third) && world.front.job(third)?.waitReason == .keyTaken(by: second))
        #expect(world.miscount == nil)
    }

    @Test("a job that waits to be tried again keeps the one behind it waiting until it has ended for good")
    func retried() {
        var world = world(attempts: 2)
        #expect(world.submit([2]) == new(second))
        world.worker.end(1, .failed, failure: KeyWorld.retryable, in: &world.front)
        #expect(world.front.job(first)?.state == .scheduled && world.front.job(second)?.waitReason == .keyTaken(by: first))
        for world in [world, world.restarted(), world.restored()] {
            #expect(world.front.machine.state.jobs[2].standing == .blocked && world.miscount == nil)
        }
        world.front.pass(milliseconds: 1_000)
        world.worker.take(world.worker.renew(&world.front) + world.front.settle())
        #expect(world.worker.held.map(\.job) == [1])
        world.worker.take(world.worker.end(1, .failed, failure: KeyWorld.retryable, in: &world.front))
        #expect(world.front.job(first)?.state == .failed)
        #expect(world.worker.held.map(\.job) == [2] && world.miscount == nil)
    }

    @Test("the reason names a cancelled run that is still stopping, observers are told, and its end sets the job behind it free")
    func cancelled() {
        var world = world()
        #expect(world.submit([2]) == new(second))
        world.front.handle(.topicObserved(.job(second), true))
        let number = RequestNumber(world.front.nextRequest)
        world.front.nextRequest += 1
        let actions = world.front.send(.request(.init(number: number, lowestUnanswered: number, body: .job(.cancel(first)))))
        #expect(world.front.job(second)?.waitReason == .cancelledRunStopping(first))
        #expect(actions.contains(.changed(.job(second), key: ItemKey.job)))
        // Who asks now waits behind it all the same.
        #expect(world.submit([3]) == replaced(second))
        let ends = world.worker.end(1, .cancelled, in: &world.front)
        #expect(ends.contains(.changed(.job(second), key: ItemKey.job)))
        world.worker.take(ends)
        #expect(world.worker.held.map(\.job) == [2] && world.miscount == nil)
    }

    @Test("a quarantined job passes its key on, and holds nobody up")
    func quarantined() {
        var world = world()
        #expect(world.submit([2]) == new(second))
        world.front.pass(milliseconds: 5_500)
        world.front.settle()
        #expect(world.front.job(first)?.state == .quarantined)
        #expect(world.keys.count == 1 && world.front.machine.state.jobs[2].standing == .queued && world.miscount == nil)
    }

    @Test("the one behind may be cancelled and may expire; then the next submit is a new one, and the job that runs goes on")
    func ended() {
        var world = world()
        #expect(world.submit([2]) == new(second))
        _ = world.front.ask(.job(.cancel(second)))
        #expect(world.front.job(second)?.state == .cancelled && world.keys.count == 1)
        var options = world.options()
        options.expiresAt = world.front.now.wall.advanced(by: .seconds(2))
        #expect(world.submit([3], options) == new(third) && world.front.job(first)?.state == .running)
        world.front.pass(milliseconds: 2_000)
        world.front.settle()
        #expect(world.front.job(third)?.state == .expired && world.submit([4]) == new(JobID(4)))
        for world in [world, world.restarted(), world.restored()] {
            #expect(world.keys.count == 2 && world.keys.isBehind(4) && world.miscount == nil)
        }
    }

    @Test("both may end in one action, whichever comes first")
    func together() {
        for selection in [[first, second], [second, first]] {
            var world = world()
            #expect(world.submit([2]) == new(second))
            for job in selection { _ = world.front.ask(.job(.cancel(job))) }
            world.worker.end(1, .cancelled, in: &world.front)
            #expect(world.keys.count == 0 && world.keys.byteCount == 0 && world.miscount == nil)
            #expect(world.restarted().keys.count == 0 && world.restored().keys.count == 0)
        }
    }

    @Test("it has no time of its own: to move or promote it is refused with the job before it, and its priority may change")
    func moved() {
        var world = world()
        #expect(world.submit([2]) == new(second))
        for request in [JobRequest.promote(second), .delay(second, .after(.seconds(5)))] {
            guard case .refused(let failure, _)? = world.front.ask(.job(request)) else { return #expect(Bool(false), "\(request)") }
            #expect(failure.code == .conflict)
            #expect(failure.text == "job 2 starts once job 1 of its unique key has ended: it has no time of its own")
        }
        #expect(world.front.ask(.job(.reprioritize(second, priority: 9))) == .done(version: 0))
        #expect(world.front.machine.state.jobs[2].standing == .blocked && world.miscount == nil)
    }

    @Test("a time of its own, and a key that stays taken after the end, contradict the mode; other modes are refused to it")
    func contradictions() {
        var world = KeyWorld(Self.key)
        for start in [JobStart.after(.seconds(1)), .at(world.front.now.wall.advanced(by: .seconds(60)))] {
            guard case .refused(let failure, _)? = world.submit(start: start) else { return #expect(Bool(false), "accepted") }
            #expect(failure.code == .invalidData && failure.text.hasPrefix("a job with a key of the mode buffer starts behind"))
        }
        guard case .refused(let kept, _)? = world.submit(JobOptions(uniqueKey: UniqueKey("k", mode: .buffer, afterEnd: .seconds(1)))) else {
            return #expect(Bool(false), "accepted")
        }
        #expect(kept.code == .invalidData && kept.text.contains("passes on at the end of its job"))
        world = self.world()
        for other in [UniqueKey("k"), UniqueKey("k", mode: .replace)] {
            guard case .refused(let failure, _)? = world.submit([2], JobOptions(uniqueKey: other)) else {
                return #expect(Bool(false), "accepted")
            }
            #expect(failure.code == .conflict && failure.arguments.prefix(2) == ["job", "1"])
        }
    }

    @Test("beyond the bound of bytes none waits behind, and the one that has the key goes on")
    func bound() {
        let one = UniqueKeys.byteCount(of: Self.key, "slow")
        var world = KeyWorld(Self.key) { $0.bounds.uniqueKeyByteCount = one }
        world.worker.register(with: &world.front, slots: 1)
        #expect(world.submit() == new(first))
        world.worker.take(world.front.settle())
        guard case .refused(let failure, _)? = world.submit([2]) else { return #expect(Bool(false), "accepted") }
        #expect(failure.code == .busy && world.keys.byteCount == one && world.miscount == nil)
    }
}
