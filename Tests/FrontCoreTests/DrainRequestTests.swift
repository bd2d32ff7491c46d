//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("A worker that somebody asks to drain")
struct DrainRequestTests {
    private func ask(_ front: inout FrontHarness, _ worker: WorkerHarness) -> Reply? { front.ask(.drainWorker(worker.id)) }

    /// Whether it is told to drain.
    private func isTold(_ worker: WorkerHarness, _ actions: [FrontAction]) -> Bool {
        actions.contains { worker.message(in: $0) == .drain }
    }

    @Test("it keeps what it runs, is told, shown and granted nothing more, from that very turn on")
    func granted() {
        var (front, worker, _) = FrontHarness.running()
        #expect(ask(&front, worker) == .done(version: 0))
        #expect(
            front.decided == [
                "entry workerRegistered 1", "worker 1: drain", "entry replyRetained 2 done", "client 7: reply 2 done",
                "changed workers worker/1",
            ])
        #expect(front.worker(worker.id)?.state == .draining)
        _ = front.submit(1, loader: "slow")
        #expect(front.settle().lines == [])
        #expect(worker.held.count == 1)
        worker.take(worker.endAll(in: &front))
        #expect(worker.held.isEmpty)
    }

    @Test("asked again it is answered alike, and nothing else happens")
    func again() {
        var (front, worker, _) = FrontHarness.running()
        _ = ask(&front, worker)
        #expect(ask(&front, worker) == .done(version: 0))
        #expect(front.decided == ["entry replyRetained 3 done", "client 7: reply 3 done"])
    }

    @Test("it is told again after each renewal until it says that it drains")
    func toldAgain() {
        var (front, worker, _) = FrontHarness.running()
        #expect(!isTold(worker, worker.renew(&front)))
        _ = ask(&front, worker)
        front.follow()
        for _ in 0..<2 { _ = worker.renew(&front) }
        _ = worker.send(.draining, to: &front)
        _ = worker.renew(&front)
        #expect(
            front.path() == [
                "worker 1, at once: renewed 2", "worker 1: drain", "worker 1, at once: renewed 3", "worker 1: drain",
                "changed workers worker/1", "worker 1, at once: renewed 4",
            ])
    }

    @Test(
        "one that registers again, with this life of the front or a later one, is told again and granted nothing", arguments: [false, true])
    func registeredAgain(isLaterLife: Bool) {
        var (front, worker, _) = FrontHarness.running()
        _ = ask(&front, worker)
        if isLaterLife { front = front.restarted() }
        front.open()
        _ = front.submit(1, loader: "slow")
        let actions = worker.registration(with: &front)
        #expect(isTold(worker, actions))
        worker.take(actions)
        worker.take(front.settle())
        #expect(front.worker(worker.id)?.state == .draining && worker.held.count == 1)
    }

    @Test("a restart, from the log or from a checkpoint, knows that it drains, and counts its lease from the same life")
    func restart() {
        var (front, worker, _) = FrontHarness.running()
        front = front.restarted()
        let epoch = front.machine.state.workers.index(of: worker.id).flatMap { front.machine.state.workers[$0]?.epoch }
        front.open()
        #expect(ask(&front, worker) == .done(version: 0))
        let known = front.machine.state.workers.index(of: worker.id).flatMap { front.machine.state.workers[$0] }
        #expect(known?.isDrainAsked == true && known?.epoch == epoch && known?.isRegistered == false)
        #expect(front.machine.state.image.difference(from: front.restarted().machine.state.image, withJobs: true) == nil)
    }

    @Test("one that nobody knows is refused by its name")
    func unknown() {
        var (front, _, _) = FrontHarness.running()
        guard case .refused(let failure, _)? = front.ask(.drainWorker(WorkerID(99))) else {
            Issue.record("a worker that nobody knows was asked to drain")
            return
        }
        #expect(failure.code == .unknownItem && failure.text.contains("no worker \(WorkerID(99)) is registered"))
    }

    @Test(
        "one that was lost and comes back is told again and granted nothing, also by a later epoch of the front", arguments: [false, true])
    func backAgain(restarts: Bool) {
        var (front, worker, job) = FrontHarness.running()
        _ = ask(&front, worker)
        front.pass(milliseconds: 10_000)
        front.settle()
        #expect(front.worker(worker.id) == nil && front.job(job)?.state == .waiting)
        if restarts { front = front.restarted() }
        front.open()
        #expect(ask(&front, worker) == .done(version: 0), "who asks again learns that it may come back")
        worker.held = []
        let actions = worker.registration(with: &front)
        #expect(isTold(worker, actions))
        worker.take(actions)
        worker.take(front.settle())
        #expect(front.worker(worker.id)?.state == .draining && worker.held.isEmpty)
        #expect(front.machine.state.workers.drained.ids.isEmpty)
    }

    /// How a worker ends that does not come back.
    enum End: CaseIterable { case close, process }

    @Test(
        "one that has closed or whose process has ended is forgotten: who asks learns that it is gone, however many jobs it held",
        arguments: End.allCases, [0, 3])
    func ended(by end: End, holding count: Int) {
        var front = FrontHarness { $0.bounds.lostJobs = 1 }
        var worker = WorkerHarness(1)
        let process = ProcessIdentity(namespace: "boot/1", number: 77, start: 1_234)
        (worker.process, worker.seen) = (process, process)
        front.open()
        worker.register(with: &front, slots: 4)
        front.settle()
        if count > 0 {
            _ = front.submit(count, loader: "slow")
            worker.take(front.settle())
            #expect(worker.held.count == count)
        }
        _ = ask(&front, worker)
        switch end {
        case .close: _ = worker.send(.close(), to: &front)
        case .process: front.handle(.processEnded(process))
        }
        front.pass(milliseconds: 500)
        for _ in 0...count { front.settle() }
        #expect(front.worker(worker.id) == nil && front.machine.state.workers.drained.ids.isEmpty)
        guard case .refused(let failure, _)? = ask(&front, worker) else {
            Issue.record("a worker that has ended is said to drain")
            return
        }
        #expect(failure.code == .unknownItem)
    }

    @Test("of those that are lost the last ones are known, as many as are to be, from the log and from a checkpoint alike")
    func remembered() {
        var front = FrontHarness { $0.bounds.drainedWorkers = 2 }
        front.open()
        for number in [1, 2, 3, 1] as [UInt64] {
            var worker = WorkerHarness(number)
            worker.register(with: &front)
            front.settle()
            _ = ask(&front, worker)
            front.pass(milliseconds: 10_000)
            front.settle()
            front.open()
        }
        #expect(front.machine.state.workers.drained.ids == [WorkerID(3), WorkerID(1)])
        let drained = front.machine.state.workers.drained
        #expect(front.restarted().machine.state.workers.drained == drained)
        var state = FrontState()
        for entry in drained.entries { state.apply(entry) }
        #expect(state.workers.drained == drained && state.workers.parts.compactMap { state.workers.entry(of: $0) } == drained.entries)
        #expect(state.image.difference(from: FrontState().image, withJobs: true) != nil)
    }

    @Test("waiting jobs go to another worker, and with none left they wait for one")
    func others() {
        var (front, first) = FrontHarness.serving()
        var second = WorkerHarness(2)
        second.register(with: &front)
        _ = front.settle()
        _ = ask(&front, first)
        let job = front.submit(1, loader: "slow")
        second.take(front.settle())
        #expect(second.held.map(\.job) == [job.rawValue])
        _ = ask(&front, second)
        let later = front.submit(1, loader: "slow")
        front.settle()
        #expect(front.job(later)?.waitReason == .noWorker(loader: "slow"))
    }
}
