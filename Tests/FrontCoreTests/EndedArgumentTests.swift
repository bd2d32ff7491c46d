//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import Testing

@testable import FrontCore

@Suite("Arguments of ended jobs")
struct EndedArgumentTests {
    /// A job, and what is to be said of it.
    private struct Known {
        let id: UInt64
        let state: JobState
        let argument: [UInt8]
        let result: [UInt8]
    }

    private static let long = [UInt8](repeating: 9, count: 3_000)

    /// Hands in one job.
    private func submit(_ argument: [UInt8], loader: String = "slow", to front: inout FrontHarness) -> UInt64 {
        let number = RequestNumber(front.nextRequest)
        front.nextRequest += 1
        let submit = ClientMessage.Submit(
            number: number, lowestUnanswered: number, loader: loader, reportsOutcomes: false, arguments: [argument])
        for case .send(_, _, .reply(number, .jobsAccepted(let first, _, _, _), _)) in front.send(.submit(submit)) { return first.rawValue }
        return 0
    }

    /// A front with jobs that ended in every way, with an argument and without.
    private func mixed(_ change: @escaping (inout FrontSettings) -> Void = { _ in }) -> (front: BundledFront, jobs: [Known]) {
        var front = BundledFront {
            $0.crashLimit = 1
            change(&$0)
        }
        var jobs: [Known] = []
        for argument in [[], [1], Self.long] {
            for result in [[], [7, 8], Self.long] {
                let job = submit(argument, to: &front.front)
                front.worker.take(front.front.settle())
                front.keep(front.worker.end(job, result: result, in: &front.front))
                jobs.append(Known(id: job, state: .succeeded, argument: argument, result: result))
            }
            let failed = submit(argument, to: &front.front)
            front.worker.take(front.front.settle())
            front.keep(front.worker.end(failed, .failed, failure: Failure(code: .httpStatus, text: "x"), in: &front.front))
            jobs.append(Known(id: failed, state: .failed, argument: argument, result: []))
            let waiting = submit(argument, loader: "nobody", to: &front.front)
            _ = front.front.ask(.job(.cancel(JobID(waiting))))
            jobs.append(Known(id: waiting, state: .cancelled, argument: argument, result: []))
            let running = submit(argument, to: &front.front)
            front.worker.take(front.front.settle())
            _ = front.front.ask(.job(.cancel(JobID(running))))
            front.keep(front.worker.end(running, .cancelled, in: &front.front))
            jobs.append(Known(id: running, state: .cancelled, argument: argument, result: []))
        }
        for argument in [[], Self.long] {
            let deadly = submit(argument, to: &front.front)
            front.worker.take(front.front.settle())
            front.front.pass(milliseconds: 5_500)
            front.keep(front.front.settle())
            jobs.append(Known(id: deadly, state: .quarantined, argument: argument, result: []))
            front.worker = WorkerHarness(deadly + 1)
            front.worker.register(with: &front.front)
        }
        return (front, jobs)
    }

    private func check(_ jobs: [Known], in front: inout BundledFront, _ comment: Comment) {
        for job in jobs {
            guard case .explanation(let reported)? = front.ask(.job(.explain(JobID(job.id)))) else {
                Issue.record("job \(job.id) is not known \(comment)")
                continue
            }
            #expect(reported.job.state == job.state, comment)
            #expect(reported.argument == job.argument && reported.argumentByteCount == UInt64(job.argument.count), comment)
            #expect(reported.job.result == job.result, comment)
        }
        #expect(front.front.machine.state.miscount == nil, comment)
    }

    /// The life that begins with a whole checkpoint, which the journal has kept.
    private func restartedFromCheckpoint(_ front: BundledFront) throws -> BundledFront {
        var next = front.restarted()
        let entries = try WireCodec().decodeEntries(WireCodec().encode(front.front.machine.wholeCheckpoint))
        next.front.machine = FrontMachine(settings: next.front.settings, now: next.front.now)
        next.front.machine.restore(entries, of: TurnNumber(UInt64(front.front.entries.count)), isSlice: true)
        var actions: [FrontAction] = []
        next.front.machine.start(at: next.front.now, into: &actions)
        _ = next.front.handle(
            .clientSent(
                next.front.client, Principal.everything,
                ClientEnvelope(messages: [.hello(ClientMessage.Hello(label: "test", resumed: front.front.session))])))
        return next
    }

    @Test("a job that has ended in any way is explained with its argument and its result, also after restarts and out of bundles")
    func everywhere() throws {
        var (front, jobs) = mixed()
        check(jobs, in: &front, "while serving")
        var logged = front.restarted()
        check(jobs, in: &logged, "after a restart from the log")
        #expect(logged.front.machine.state.bytes == front.front.machine.state.bytes)
        let (own, other) = (front.front.machine.state.image, logged.front.machine.state.image)
        #expect(own.difference(from: other, withJobs: true) == nil)
        var stored = try restartedFromCheckpoint(front)
        check(jobs, in: &stored, "after a restart from a checkpoint")
        #expect(stored.front.machine.state.bytes == front.front.machine.state.bytes)

        let ended = front.front.machine.state.bytes
        front.bundle()
        for job in jobs { #expect(!front.front.machine.state.jobs.contains(job.id)) }
        #expect(front.front.machine.state.bytes == ended)
        #expect(front.front.machine.state.jobs.arena.liveByteCount == 0)
        check(jobs, in: &front, "out of bundles")
        var bundled = front.restarted()
        check(jobs, in: &bundled, "out of bundles after a restart")
        var both = try restartedFromCheckpoint(front)
        check(jobs, in: &both, "out of bundles after a restart from a checkpoint")
    }

    @Test("jobs that wait and run are explained with their arguments")
    func alive() {
        var (front, worker) = FrontHarness.serving(slots: 1, prefetch: 0)
        let jobs = [submit([1, 2], to: &front), submit([3], to: &front), submit([], loader: "nobody", to: &front)]
        worker.take(front.settle())
        let reported = jobs.map { job -> JobExplanation? in
            guard case .explanation(let reported)? = front.ask(.job(.explain(JobID(job)))) else { return nil }
            return reported
        }
        #expect(reported.map { $0?.job.state } == [.running, .waiting, .waiting])
        #expect(reported.map { $0?.argument } == [[1, 2], [3], []])
        #expect(reported.map { $0?.argumentByteCount } == [2, 1, 0])
    }

    @Test("an argument that does not fit beside the result is left out, and its size is told; of two jobs the smaller one is whole")
    func bounded() {
        for fits in [true, false] {
            var front = BundledFront()
            front.front.open(largestFrame: 131_072)
            let argument = [UInt8](repeating: 3, count: 65_536)
            let job = submit(argument, to: &front.front)
            front.worker.take(front.front.settle())
            front.keep(front.worker.end(job, result: fits ? [] : [1], in: &front.front))
            for isBundled in [false, true] {
                if isBundled { front.bundle() }
                guard case .explanation(let reported)? = front.ask(.job(.explain(JobID(job)))) else {
                    Issue.record("not explained")
                    continue
                }
                #expect(reported.argument == (fits ? argument : []) && reported.argumentByteCount == 65_536)
            }
        }
    }

    @Test("arguments count among the bytes of ended jobs, in memory and in bundles, and nothing is left of those that are forgotten")
    func counted() {
        var (front, jobs) = mixed {
            for kind in EndedKind.allCases { $0.bounds.retention[kind].age = .seconds(100) }
            ($0.bounds.bundleJobs, $0.bounds.runByteCount) = (2, 0)
        }
        let bytes = front.front.machine.state.bytes
        let lasting = jobs.filter { $0.state == .failed || $0.state == .quarantined }.reduce(0) { $0 + $1.argument.count }
        let cancelled = jobs.filter { $0.state == .cancelled }.reduce(0) { $0 + $1.argument.count + $1.result.count }
        let others = jobs.reduce(-lasting - cancelled) { $0 + $1.argument.count + $1.result.count }
        #expect(lasting == 2 * 3_000 + 1)
        #expect(bytes.ended[.succeeded] == others && bytes.ended[.cancelled] == cancelled && cancelled > 0)
        #expect(bytes.ended[.failed] > lasting && bytes.ended[.failed] < lasting + 2_000)
        front.bundle()
        _ = front.worker.endAll(in: &front.front)
        front.front.pass(milliseconds: 200_000)
        _ = front.read()
        #expect(front.bundles.isEmpty)
        #expect(front.front.machine.state.bytes == StoredBytes())
        for job in jobs { #expect(front.ask(.job(.explain(JobID(job.id)))) == .unknownJob(JobID(job.id))) }
    }

    @Test("an entry that ends jobs says nothing of their arguments: a replay has them from where they were accepted")
    func entries() {
        let (front, jobs) = mixed()
        let stated = front.front.entries.reduce(0) { sum, entry in
            guard case .ended(let ended) = entry else { return sum }
            return sum + ended.results.byteCount
        }
        #expect(stated == jobs.reduce(0) { $0 + $1.result.count })
    }

    @Test("an explanation counts with its argument and its result in what waits for a client")
    func weighed() {
        let job = JobSummary(id: JobID(1), loader: "slow", state: .succeeded, acceptedAt: WallTime(milliseconds: 1))
        var explanation = JobExplanation(job: job)
        let empty = Reply.explanation(explanation).roughByteCount
        (explanation.argument, explanation.job.result) = (Self.long, [1, 2])
        #expect(Reply.explanation(explanation).roughByteCount == empty + 3_002)
    }
}
