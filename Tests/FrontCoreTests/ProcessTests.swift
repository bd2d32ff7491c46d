//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Processes of workers that end")
struct ProcessTests {
    private let process = ProcessIdentity(namespace: "boot/1", number: 77, start: 1_234)

    /// A front with a job that a worker holds whose process is known.
    private func busy(_ loader: String = "slow", verifiedBy principal: ProcessIdentity?) -> (FrontHarness, WorkerHarness, JobID) {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        (worker.process, worker.seen) = (process, principal)
        front.open()
        worker.register(with: &front)
        let job = front.run(1, loader: loader, on: &worker)
        return (front, worker, job)
    }

    private func watched(_ actions: [FrontAction]) -> [ProcessIdentity] {
        var processes: [ProcessIdentity] = []
        for case .watch(let process) in actions { processes.append(process) }
        return processes
    }

    @Test("a job whose worker's process has ended waits again after its last words were read, not after its lease")
    func ended() {
        var (front, worker, job) = busy(verifiedBy: process)
        front.follow()
        front.handle(.processEnded(process))
        front.pass(milliseconds: 499)
        // What it had sent before it ended renews nothing.
        _ = worker.renew(&front)
        front.settle()
        #expect(front.path() == ["changed workers worker/1", "worker 1, at once: renewed 1"])
        #expect(front.worker(worker.id)?.state == .silent)
        front.pass(milliseconds: 1)
        front.settle()
        #expect(
            front.path() == [
                "entry attemptsEnded 1 deaths 1 suspected: workerLost", "unwatch process 77", "entry workerLost 1",
                "changed jobs counts, jobs job/1, workers worker/1",
            ])
        #expect(front.job(job)?.state == .waiting)
        #expect(front.worker(worker.id) == nil)
    }

    @Test("an outcome that a process had sent before it ended counts")
    func lastWords() {
        var (front, worker, job) = busy("once", verifiedBy: process)
        front.follow()
        front.handle(.processEnded(process))
        front.pass(milliseconds: 400)
        worker.end(job.rawValue, in: &front)
        front.pass(milliseconds: 100)
        front.settle()
        #expect(
            front.path() == [
                "changed workers worker/1", "entry ended 1 succeeded", "changed jobs job/1, workers worker/1",
                "client 7: answers 1 succeeded", "changed jobs counts", "worker 1: settled 1", "unwatch process 77", "entry workerLost 1",
                "changed workers worker/1",
            ])
    }

    @Test("the end of a process that no worker is of any more is counted, and nothing else")
    func forgotten() {
        var (front, worker, _) = busy(verifiedBy: process)
        front.handle(.processEnded(process))
        #expect(front.late.isEmpty)
        _ = worker.send(.close(), to: &front)
        #expect(front.handle(.processEnded(process)).isEmpty)
        #expect(front.late == [.processForgotten: 1])
    }

    @Test("a process that has ended gets no more jobs")
    func noGrants() {
        var (front, worker, _) = busy(verifiedBy: process)
        front.handle(.processEnded(process))
        let second = front.submit(1, loader: "slow")
        let granted = front.settle().contains { if case .grant? = worker.message(in: $0) { true } else { false } }
        #expect(!granted)
        #expect(front.job(second)?.state == .waiting)
        worker.register(with: &front)
        worker.take(front.settle())
        #expect(front.job(second)?.state == .running, "one that registers is heard, whatever was said of its process")
    }

    @Test("the word of a worker alone, and a connection of another process, prove nothing", arguments: [nil, UInt64(99)])
    func otherProcess(start: UInt64?) throws {
        let seen = start.map { ProcessIdentity(namespace: "boot/1", number: 77, start: $0) }
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        (worker.process, worker.seen) = (process, seen)
        front.open()
        let actions = worker.registration(with: &front)
        worker.take(actions)
        #expect(watched(actions) == [])
        for case .workerRegistered(let registered) in front.entries { #expect(registered.registration.process == nil) }
        let job = front.run(1, loader: "slow", on: &worker)
        front.handle(.processEnded(process))
        front.pass(milliseconds: 5_499)
        front.settle()
        #expect(front.job(job)?.state == .running)
        front.pass(milliseconds: 1)
        front.settle()
        #expect(front.job(job)?.state == .waiting)
    }

    @Test("the next life of the front watches the processes that the last one knew")
    func restart() {
        let (old, _, job) = busy(verifiedBy: process)
        var front = old.restarted()
        #expect(front.started.contains(.watch(process)))
        front.handle(.processEnded(process))
        front.pass(milliseconds: 500)
        front.settle()
        #expect(front.job(job)?.state == .waiting)
        #expect(front.job(job)?.crashCount == 0)
    }

    @Test("a pause of the front gives what a process had sent before its end a little more time, not a lease")
    func away() {
        var (front, _, job) = busy(verifiedBy: process)
        front.handle(.processEnded(process))
        front.pass(milliseconds: 3_000)
        front.handle(.loopPaused(.seconds(3)))
        front.settle()
        #expect(front.job(job)?.state == .running)
        front.pass(milliseconds: 500)
        front.settle()
        #expect(front.job(job)?.state == .waiting)
    }

    @Test("the loop passes on what is to be watched, and who has ended")
    func loop() throws {
        let front = try LoopHarness()
        let worker = try front.register(WorkerID(3), at: PeerID(8), process: process).id
        #expect(front.watched == [process])
        front.processEnds(process)
        try front.turn(1)
        front.pass(milliseconds: 500)
        try front.turn()
        #expect(front.watched == [])
        #expect(front.loop.item("worker/\(worker)", of: .workers) == nil)
    }
}
