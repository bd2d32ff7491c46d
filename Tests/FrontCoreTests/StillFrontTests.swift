//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("While the front or its disk stands still")
struct StillFrontTests {
    @Test("a worker that could not be answered is not lost, and a grant that never left counts nothing, however often it registers")
    func unanswered() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open()
        let job = front.submit(1, loader: "once")
        front.sends = false
        for _ in 0..<9 {
            _ = worker.registration(with: &front)
            front.settle()
            front.pass(milliseconds: 1_000)
            front.settle()
            #expect(front.job(job)?.state == .running)
        }
        front.sends = true
        worker.take(worker.registration(with: &front) + front.settle())
        #expect(worker.held.map(\.job) == [job.rawValue])
        #expect(front.job(job)?.attempts == 1)
        #expect(front.job(job)?.crashCount == 0)
    }

    @Test("a grant that had not left when its worker was lost waits again, also what must not run twice; a cancelled one ends")
    func unsentGrants() {
        var (front, _) = FrontHarness.serving()
        front.sends = false
        let jobs = [front.submit(1, loader: "once"), front.submit(1, loader: "slow")]
        front.settle()
        _ = front.ask(.job(.cancel(jobs[1])))
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(jobs.map { front.job($0)?.state } == [.waiting, .cancelled])
        #expect(front.job(jobs[0])?.attempts == 0)
        #expect(front.job(jobs[0])?.waitReason == .noWorker(loader: "once"))
    }

    @Test("a grant that has left counts, though the disk has stood still since")
    func sentGrant() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        front.sends = false
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(front.job(job)?.crashCount == 1)
        #expect(front.job(job)?.attempts == 1)
    }

    @Test("a worker that was lost because the front stood still for a whole lease is no death")
    func pause() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        front.pass(milliseconds: 20_000)
        front.handle(.loopPaused(.seconds(20)))
        front.settle()
        #expect(front.job(job)?.crashCount == 0)
        #expect(front.job(job)?.waitReason == .noWorker(loader: "slow"))
    }

    @Test("the loop says what has left: nothing counts against a job whose grant waits for the disk")
    func loop() throws {
        let front = try LoopHarness()
        let session = try front.open()
        front.client(PeerID(7), session, LoopHarness.submit(1, 1))
        try front.turn()
        front.holdsRows = true
        var registration = WorkerMessage.Registration(
            name: "w", processID: 1, slots: 4, prefetch: 0, loaders: [LoaderDeclaration(name: "slow", repeatable: .no)])
        registration.secret = Array(repeating: 3, count: 32)
        for _ in 0..<9 {
            front.worker(PeerID(9), WorkerEnvelope(worker: WorkerID(3), messages: [.register(registration)]))
            try front.turn(2)
            front.pass(milliseconds: 1_000)
        }
        #expect(try front.takeSent(toWorker: PeerID(9)).isEmpty)
        guard case .job(let waiting)? = front.loop.item("job", of: .job(JobID(1))) else { return #expect(Bool(false)) }
        #expect(waiting.state == .running && waiting.attempts == 1 && waiting.crashCount == 0)
        front.holdsRows = false
        front.release()
        try front.turn()
        let reported = try front.takeSent(toWorker: PeerID(9))
        #expect(reported.contains { if case .grant(let grant) = $0 { grant.jobs == [1] } else { false } })
        // It has left by now: a worker that registers without it has had it, and may have begun.
        front.worker(PeerID(9), WorkerEnvelope(worker: WorkerID(3), messages: [.register(registration)]))
        try front.turn()
        guard case .job(let lost)? = front.loop.item("job", of: .job(JobID(1))) else { return #expect(Bool(false)) }
        #expect(lost.failure?.code == .outcomeUnknown)
    }
}
