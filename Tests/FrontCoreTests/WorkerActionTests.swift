//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import TestSupport
import Testing

/// Each test compares all that an event leads to.
@Suite("What is decided about workers, action by action")
struct WorkerActionTests {
    @Test("a registration is an entry, an answer, and a line of the workers")
    func registration() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        worker.register(with: &front)
        #expect(front.decided == ["entry workerRegistered 1", "worker 1: registered", "changed workers worker/1"])
    }

    @Test("one that names its process has that watched, and the watch ends with it")
    func watched() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        let process = ProcessIdentity(namespace: "boot/1", number: 77, start: 1_234)
        (worker.process, worker.seen) = (process, process)
        worker.register(with: &front)
        #expect(front.decided == ["entry workerRegistered 1", "watch process 77", "worker 1: registered", "changed workers worker/1"])
        _ = worker.send(.close(), to: &front)
        #expect(front.decided == ["unwatch process 77", "entry workerLost 1", "changed workers worker/1"])
    }

    @Test("a renewal is answered at once and decides nothing, nor does one that has to wait")
    func renewal() {
        var (front, worker, _) = FrontHarness.running()
        _ = worker.renew(&front)
        #expect(front.decided == ["worker 1, at once: renewed 1"])
        let waiting = WorkerEnvelope(
            worker: worker.id, epoch: worker.epoch, registrationNumber: worker.registrationNumber,
            messages: [.renewal(RenewalNumber(2), leases: worker.held.map(\.lease)), .draining])
        front.handle(.workerWaits(worker.peer, waiting))
        #expect(front.decided == ["worker 1, at once: renewed 2"])
    }

    @Test("who reregisters with its jobs keeps them under new leases, and is granted them again")
    func again() {
        var (front, worker, _) = FrontHarness.running()
        _ = worker.registration(with: &front)
        #expect(
            front.decided == [
                "entry workerRegistered 1", "entry granted 1 to worker 1 again", "worker 1: registered keep 1", "changed workers worker/1",
            ])
    }

    @Test("who reregisters without a job gives it up; a lease that is not known is dropped")
    func without() {
        var (front, worker, _) = FrontHarness.running()
        worker.held = [(99, 99, nil)]
        _ = worker.registration(with: &front)
        #expect(
            front.decided == [
                "entry workerRegistered 1", "entry attemptsEnded 1: dropped", "worker 1: registered drop 99",
                "changed jobs job/1, workers worker/1",
            ])
    }

    @Test("a worker that the front does not know is asked to register, and nothing that it says counts")
    func unknown() {
        var (front, worker, _) = FrontHarness.running()
        worker.registrationNumber = RegistrationNumber(99)
        _ = worker.send(.draining, to: &front)
        #expect(front.decided == ["worker 1: reregister"])
    }

    @Test("who closes its registration leaves its jobs at once, uncounted")
    func closed() {
        var (front, worker, _) = FrontHarness.running()
        _ = worker.send(.close(), to: &front)
        #expect(front.decided == ["entry attemptsEnded 1: workerClosed", "entry workerLost 1", "changed jobs job/1, workers worker/1"])
        #expect(front.settle().lines == [])
    }

    @Test("who drains keeps its jobs and gets none")
    func draining() {
        var (front, worker, _) = FrontHarness.running()
        _ = worker.send(.draining, to: &front)
        #expect(front.decided == ["changed workers worker/1"])
        _ = front.submit(1, loader: "slow")
        #expect(front.settle().lines == [])
    }

    @Test("overdue work that a worker names, and that it names no more, changes its line and nothing else")
    func overdue() {
        var (front, worker) = FrontHarness.serving()
        for jobs: [UInt64] in [[40], []] {
            _ = worker.send(.overdue(jobs: jobs), to: &front)
            #expect(front.decided == ["changed workers worker/1"])
        }
    }

    @Test("a grant that two renewals do not list is sent again alone, and a third one leads to nothing")
    func lostGrant() {
        var (front, worker) = FrontHarness.serving()
        _ = front.submit(1, loader: "slow")
        front.settle()
        for (number, again) in [(1, []), (2, ["worker 1, apart: grant 1"]), (3, [])] {
            _ = worker.renew(&front)
            #expect(front.decided == ["worker 1, at once: renewed \(number)"] + again)
        }
    }

    @Test("a refused grant ends its job with the worker's reason")
    func refusedGrant() {
        var (front, worker, _) = FrontHarness.running()
        let leases = worker.held.map(\.lease)
        _ = worker.send(.refusedGrants(.init(leases: leases, code: .tooLarge, reason: "it is what it is")), to: &front)
        #expect(front.decided == ["entry ended 1 failed: tooLarge", "changed jobs job/1, workers worker/1"])
    }
}
