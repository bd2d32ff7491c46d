//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Pauses")
struct PauseTests {
    /// A front with a worker of four slots that offers `slow` and `fast`.
    private func serving() -> (FrontHarness, WorkerHarness) {
        var front = FrontHarness()
        front.open()
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 4, prefetch: 0, loaders: ["slow", "fast"].map { LoaderDeclaration(name: $0) })
        return (front, worker)
    }

    private func pause(_ target: PauseTarget, _ front: inout FrontHarness, for length: Duration? = nil) -> Reply? {
        front.ask(.pause(.begin(target, reason: "the API is down", length: length)))
    }

    private func settle(_ front: inout FrontHarness, _ worker: inout WorkerHarness) { worker.take(front.settle()) }

    private func shown(_ target: PauseTarget, _ front: FrontHarness) -> Pause? {
        guard case .pause(let pause)? = front.machine.item(ItemKey.pause(of: target), of: .pauses) else { return nil }
        return pause
    }

    /// What a replay makes of the entries, and a checkpoint, is the same.
    private func check(_ front: FrontHarness, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(front.machine.state.jobs.scheduler.refusals == 0, sourceLocation: sourceLocation)
        let replayed = front.restarted().machine.state
        #expect(front.machine.state.image.difference(from: replayed.image, withJobs: true) == nil, sourceLocation: sourceLocation)
        #expect(DurableImage.disagreement(front.machine.state, replayed, marks: [:], withJobs: true) == nil, sourceLocation: sourceLocation)
        var stored = FrontHarness().machine
        stored.restore(front.machine.wholeCheckpoint, of: TurnNumber(1), isSlice: true)
        #expect(stored.state.jobs.pauses.entries == front.machine.state.jobs.pauses.entries, sourceLocation: sourceLocation)
        for loader in ["slow", "fast"] {
            let names = [front.machine.state, stored.state].map { $0.jobs.loaderNames.index(of: loader) }
            guard let own = names[0], let other = names[1] else { continue }
            let states = zip([front.machine.state, stored.state], [own, other]).map { state, loader in
                state.jobs.scheduler.state(of: LaneKey(loader: loader)) == .paused
            }
            #expect(states[0] == states[1], sourceLocation: sourceLocation)
        }
    }

    @Test("no job of a paused loader is granted, those that workers hold go on, others are granted, and all is granted once it is resumed")
    func loader() {
        var (front, worker) = serving()
        let running = front.submit(1, loader: "slow").rawValue
        settle(&front, &worker)
        front.follow()
        #expect(pause(.loader("slow"), &front) == .done(version: 0))
        let waiting = front.submit(1, loader: "slow").rawValue
        let other = front.submit(1, loader: "fast").rawValue
        settle(&front, &worker)
        #expect(
            front.path() == [
                "entry pauseChanged pause/slow", "entry replyRetained 2 done", "client 7: reply 2 done", "changed pauses pause/slow",
                "entry jobsAccepted 2", "entry replyRetained 3 jobsAccepted 2 and 0 more", "client 7: reply 3 jobsAccepted 2 and 0 more",
                "entry jobsAccepted 3", "entry replyRetained 4 jobsAccepted 3 and 0 more", "client 7: reply 4 jobsAccepted 3 and 0 more",
                "entry granted 3 to worker 1", "worker 1: grant 3", "changed jobs job/3, workers worker/1",
            ])
        let expected = Pause(.loader("slow"), by: "test", reason: "the API is down", since: front.now.wall)
        #expect(shown(.loader("slow"), front) == expected)
        #expect(front.job(JobID(waiting))?.waitReason == .paused(expected) && front.job(JobID(other))?.state == .running)
        check(front)
        worker.take(worker.end(running, in: &front))
        #expect(front.path() == ["entry ended 1 succeeded", "changed jobs job/1, workers worker/1", "client 7: answers 1 succeeded"])
        #expect(front.ask(.pause(.end(.loader("slow")))) == .done(version: 0))
        settle(&front, &worker)
        #expect(
            front.path() == [
                "entry pauseChanged pause/slow over", "entry replyRetained 5 done", "client 7: reply 5 done", "changed pauses pause/slow",
                "entry granted 2 to worker 1", "worker 1: settled 1", "worker 1: grant 2", "changed jobs job/2, workers worker/1",
            ])
        #expect(shown(.loader("slow"), front) == nil)
        check(front)
    }

    @Test("a pause of all loaders holds each job, and ends apart from that of a single one")
    func all() {
        var (front, worker) = serving()
        #expect(pause(.everything, &front) == .done(version: 0) && pause(.loader("slow"), &front) == .done(version: 0))
        let jobs = ["slow", "fast"].map { front.submit(1, loader: $0).rawValue }
        settle(&front, &worker)
        #expect(worker.held.isEmpty)
        for job in jobs {
            guard case .paused(let pause)? = front.job(JobID(job))?.waitReason else {
                Issue.record("job \(job) is not paused")
                return
            }
            #expect(pause.target == .everything)
        }
        check(front)
        #expect(front.ask(.pause(.end(.everything))) == .done(version: 0))
        settle(&front, &worker)
        #expect(worker.held.map(\.job) == [jobs[1]])
        guard case .paused(let pause)? = front.job(JobID(jobs[0]))?.waitReason else {
            Issue.record("it is not paused")
            return
        }
        #expect(pause.target == .loader("slow"))
        check(front)
    }

    @Test("a pause with a length ends by itself when it is over and not before, also over a restart; a second one takes its place")
    func length() {
        var (front, worker) = serving()
        #expect(pause(.loader("slow"), &front, for: .seconds(60)) == .done(version: 0))
        let job = front.submit(1, loader: "slow").rawValue
        #expect(shown(.loader("slow"), front)?.until == front.now.wall.advanced(by: .seconds(60)))
        front.pass(milliseconds: 59_990)
        settle(&front, &worker)
        #expect(shown(.loader("slow"), front) != nil && front.job(JobID(job))?.state == .waiting)
        check(front)
        front = front.restarted()
        #expect(shown(.loader("slow"), front) != nil)
        front.follow()
        front.pass(milliseconds: 20)
        settle(&front, &worker)
        #expect(front.path() == ["entry pauseChanged pause/slow over", "changed pauses pause/slow"])
        #expect(shown(.loader("slow"), front) == nil && front.job(JobID(job))?.waitReason?.word != .paused)
        check(front)
        front.open()
        #expect(
            pause(.loader("slow"), &front, for: .seconds(1)) == .done(version: 0) && pause(.loader("slow"), &front) == .done(version: 0))
        front.pass(milliseconds: 5_000)
        settle(&front, &worker)
        #expect(shown(.loader("slow"), front)?.until == nil && front.machine.state.jobs.pauses.count == 1)
    }

    @Test("no step of the wall clock ends a pause or makes it longer", arguments: [3_600_000, FrontHarness.year, -FrontHarness.year])
    func steps(of step: Int64) {
        var (front, worker) = serving()
        #expect(pause(.loader("slow"), &front, for: .seconds(60)) == .done(version: 0))
        let job = front.submit(1, loader: "slow")
        front.handle(.topicObserved(.job(job), true))
        settle(&front, &worker)
        front.follow()
        front.setWallClock(milliseconds: step)
        settle(&front, &worker)
        // Who observes the pause, or the job that waits for its end, sees that end by the new time.
        let changed = front.path()
        for item in ["pauses pause/slow", "job/\(job) job"] { #expect(changed.contains { $0.contains(item) }, "\(changed)") }
        let expected = shown(.loader("slow"), front)
        #expect(expected?.until == front.now.wall.advanced(by: .seconds(60)))
        #expect(front.job(job)?.waitReason == expected.map { WaitReason.paused($0) })
        front.pass(milliseconds: 59_999)
        settle(&front, &worker)
        #expect(shown(.loader("slow"), front) != nil && front.job(job)?.state == .waiting)
        check(front)
        front.pass(milliseconds: 1)
        settle(&front, &worker)
        #expect(shown(.loader("slow"), front) == nil && front.job(job)?.waitReason?.word != .paused)
    }

    @Test("a loader that nobody offers and no job names can be paused before its first job, and gives its name back")
    func unknown() {
        var front = FrontHarness()
        front.open()
        #expect(pause(.loader("later"), &front) == .done(version: 0))
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 4, prefetch: 0, loaders: [LoaderDeclaration(name: "later")])
        let job = front.submit(1, loader: "later").rawValue
        settle(&front, &worker)
        #expect(worker.held.isEmpty && front.job(JobID(job))?.waitReason?.word == .paused)
        check(front)
        _ = front.ask(.job(.cancel(JobID(job))))
        #expect(front.ask(.pause(.end(.loader("later")))) == .done(version: 0))
        settle(&front, &worker)
        check(front)
    }

    @Test("a suspected job of a paused loader waits too, and no worker is kept for it")
    func suspects() {
        var (front, worker) = serving()
        let jobs = (0..<2).map { _ in front.submit(1, loader: "slow").rawValue }
        settle(&front, &worker)
        #expect(worker.held.count == 2)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(jobs.allSatisfy { front.machine.state.jobs[$0].standing == .suspected })
        for target in [PauseTarget.loader("slow"), .everything] {
            #expect(pause(target, &front) == .done(version: 0))
            var next = WorkerHarness(target == .everything ? 3 : 2)
            next.register(with: &front, slots: 4, prefetch: 0, loaders: ["slow", "fast"].map { LoaderDeclaration(name: $0) })
            settle(&front, &next)
            #expect(next.held.isEmpty)
            let other = front.submit(1, loader: "fast").rawValue
            settle(&front, &next)
            #expect(next.held.map(\.job) == (target == .everything ? [] : [other]))
        }
        check(front)
    }

    @Test("a paused worker gets no jobs, others get them, what it holds goes on, and the pause is of whoever has the name")
    func worker() {
        var (front, first) = serving()
        let running = front.submit(1, loader: "slow").rawValue
        settle(&front, &first)
        front.follow()
        #expect(pause(.worker("w1"), &front) == .done(version: 0))
        let waiting = front.submit(1, loader: "slow").rawValue
        settle(&front, &first)
        #expect(
            front.path() == [
                "entry pauseChanged pause/worker/w1", "entry replyRetained 2 done", "client 7: reply 2 done",
                "changed pauses pause/worker/w1", "entry jobsAccepted 2", "entry replyRetained 3 jobsAccepted 2 and 0 more",
                "client 7: reply 3 jobsAccepted 2 and 0 more",
            ])
        let expected = Pause(.worker("w1"), by: "test", reason: "the API is down", since: front.now.wall)
        #expect(first.held.map(\.job) == [running] && shown(.worker("w1"), front) == expected)
        // No other worker offers its loader.
        #expect(front.job(JobID(waiting))?.waitReason == .paused(expected))
        check(front)
        var second = WorkerHarness(2)
        second.register(with: &front, slots: 1, prefetch: 0, loaders: [LoaderDeclaration(name: "slow")])
        settle(&front, &second)
        #expect(second.held.map(\.job) == [waiting])
        let next = front.submit(1, loader: "slow").rawValue
        settle(&front, &second)
        #expect(front.job(JobID(next))?.waitReason == .slotsTaken)
        worker(ends: running, &first, &front)
        #expect(first.held.isEmpty && front.job(JobID(next))?.state == .waiting)
        front.follow()
        #expect(front.ask(.pause(.end(.worker("w1")))) == .done(version: 0))
        settle(&front, &first)
        #expect(
            front.path() == [
                "entry pauseChanged pause/worker/w1 over", "entry replyRetained 5 done", "client 7: reply 5 done",
                "changed pauses pause/worker/w1", "entry granted 3 to worker 1", "worker 1: settled 1", "worker 1: grant 3",
                "changed jobs job/3, workers worker/1",
            ])
        #expect(first.held.map(\.job) == [next] && shown(.worker("w1"), front) == nil)
        check(front)
    }

    private func worker(ends job: UInt64, _ worker: inout WorkerHarness, _ front: inout FrontHarness) {
        worker.take(worker.end(job, in: &front))
        settle(&front, &worker)
    }

    @Test("a worker's pause holds over restarts and for a worker that comes later with its name, and ends by itself")
    func laterWorker() {
        var front = FrontHarness()
        front.open()
        #expect(pause(.worker("w1"), &front, for: .seconds(10)) == .done(version: 0))
        let job = front.submit(1, loader: "slow")
        #expect(front.job(job)?.waitReason == .noWorker(loader: "slow"))
        front.handle(.topicObserved(.job(job), true))
        var worker = WorkerHarness(1)
        let loaders = [LoaderDeclaration(name: "slow")]
        let actions = worker.registration(with: &front, slots: 1, prefetch: 0, loaders: loaders) + front.settle()
        worker.take(actions)
        // Nobody would take it but the one that is paused: who observes it is told.
        guard case .paused? = front.job(job)?.waitReason else { return #expect(Bool(false), "\(String(describing: front.job(job)))") }
        #expect(actions.contains(.changed(.job(job), key: ItemKey.job)) && worker.held.isEmpty)
        #expect(front.counts?.unoffered == [LoaderCount("slow", 1)])
        var again = front.restarted()
        #expect(again.machine.state.jobs.pauses.targets == [.worker("w1")])
        var other = WorkerHarness(2)
        other.register(with: &again, slots: 1, prefetch: 0, loaders: [LoaderDeclaration(name: "slow")])
        settle(&again, &other)
        #expect(other.held.map(\.job) == [job.rawValue])
        front.pass(milliseconds: 4_000)
        worker.take(worker.renew(&front) + front.settle())
        front.pass(milliseconds: 4_000)
        worker.take(worker.renew(&front) + front.settle())
        #expect(worker.held.isEmpty)
        front.pass(milliseconds: 2_000)
        settle(&front, &worker)
        #expect(worker.held.map(\.job) == [job.rawValue] && front.machine.state.jobs.pauses.count == 0)
        check(front)
    }

    @Test("who observes a job that waits for a paused worker sees when another pause takes the place of that one, and its end")
    func anotherPause() {
        var (front, worker) = serving()
        #expect(pause(.worker("w1"), &front) == .done(version: 0))
        let job = front.submit(1, loader: "slow")
        front.handle(.topicObserved(.job(job), true))
        settle(&front, &worker)
        for length in [60, 90] as [Int64] {
            front.follow()
            #expect(pause(.worker("w1"), &front, for: .seconds(length)) == .done(version: 0))
            settle(&front, &worker)
            let changed = front.path()
            #expect(changed.contains { $0.contains("job/\(job) job") }, "\(changed)")
            let expected = shown(.worker("w1"), front)
            #expect(expected?.until == front.now.wall.advanced(by: .seconds(length)))
            #expect(front.job(job)?.waitReason == expected.map { WaitReason.paused($0) })
        }
        #expect(front.ask(.pause(.end(.worker("w1")))) == .done(version: 0))
        settle(&front, &worker)
        #expect(worker.held.map(\.job) == [job.rawValue])
        check(front)
    }

    @Test("where the only worker that offers a loader is paused, its loss and its drain leave no worker to wait for")
    func pausedLeaves() {
        for isDrained in [false, true] {
            var (front, worker) = serving()
            #expect(pause(.worker("w1"), &front) == .done(version: 0))
            let job = front.submit(1, loader: "slow")
            settle(&front, &worker)
            guard case .paused? = front.job(job)?.waitReason else { return #expect(Bool(false), "not paused") }
            front.handle(.topicObserved(.job(job), true))
            let actions = (isDrained ? worker.send(.draining, to: &front) : worker.send(.close(), to: &front)) + front.settle()
            #expect(actions.contains(.changed(.job(job), key: ItemKey.job)), "\(isDrained)")
            #expect(front.job(job)?.waitReason == .noWorker(loader: "slow"))
            check(front)
        }
    }

    @Test("what cannot be is refused by name, and a pause that is not there too")
    func refused() {
        var (front, _) = serving()
        func code(_ request: PauseRequest) -> FailureCode? {
            guard case .refused(let failure, _)? = front.ask(.pause(request)) else { return nil }
            return failure.code
        }
        #expect(code(.begin(.loader("No Name"), reason: "", length: nil)) == .invalidData)
        #expect(code(.begin(.worker("a\u{1B}b"), reason: "", length: nil)) == .invalidData)
        #expect(code(.begin(.worker(String(repeating: "x", count: 129)), reason: "", length: nil)) == .invalidData)
        #expect(code(.end(.worker("w1"))) == .unknownItem)
        #expect(code(.begin(.loader("slow"), reason: String(repeating: "x", count: 257), length: nil)) == .invalidData)
        #expect(code(.begin(.loader("slow"), reason: "a\u{1B}b", length: nil)) == .invalidData)
        #expect(code(.begin(.loader("slow"), reason: "", length: .zero)) == .invalidData)
        #expect(code(.begin(.loader("slow"), reason: "", length: .seconds(366 * 86_400))) == .invalidData)
        #expect(code(.end(.loader("slow"))) == .unknownItem && code(.end(.everything)) == .unknownItem)
        #expect(front.machine.state.jobs.pauses.count == 0)
    }

    @Test("there are no more pauses than the bound says, and one that is there can be changed still")
    func bound() {
        var front = FrontHarness { $0.bounds.pauses = 2 }
        front.open()
        #expect(pause(.loader("a"), &front) == .done(version: 0) && pause(.everything, &front) == .done(version: 0))
        guard case .refused(let failure, _)? = pause(.loader("b"), &front) else {
            Issue.record("it is not refused")
            return
        }
        #expect(failure.code == .busy && pause(.loader("a"), &front, for: .seconds(1)) == .done(version: 0))
    }
}
