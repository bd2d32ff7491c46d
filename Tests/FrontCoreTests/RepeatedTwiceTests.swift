//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("An ended job that two people repeat")
struct RepeatedTwiceTests {
    /// A front with a failed job of the loader `slow` whose argument is that of all submits of the harness.
    private func front() -> (BundledFront, JobID) {
        var front = BundledFront { $0.bounds.bundleJobs = 2 }
        let job = JobID(front.fail())
        return (front, job)
    }

    /// Repeats a job, or several by one submit.
    private func submit(_ jobs: JobID..., loader: String = "slow", again: Bool = false, to front: inout BundledFront) -> Reply? {
        let options = JobOptionsColumn(jobs.map { JobOptions(retryOf: $0) })
        return front.front.askSubmit(jobs.count, loader: loader, options, again: again)
    }

    /// What refuses the second of them.
    private func refusal(of job: JobID, by newest: JobID) -> Reply {
        .refusal(
            .conflict, "job \(newest) repeats job \(job) already: nothing was submitted",
            arguments: ["job", job.description, "repeatedBy", newest.description])
    }

    @Test(
        "the second is refused, in memory, in a bundle and after a restart, unless it says that it means one more",
        arguments: [false, true])
    func second(isBundled: Bool) throws {
        var (front, job) = front()
        if isBundled {
            _ = front.fail()
            front.bundle()
        }
        guard case .jobsAccepted(let new, 1, _, _)? = submit(job, to: &front) else { return #expect(Bool(false)) }
        for var front in [front, front.restarted()] {
            if isBundled { #expect(!front.front.machine.state.jobs.contains(job.rawValue)) }
            #expect(submit(job, to: &front) == refusal(of: job, by: new))
            guard case .jobsAccepted(let other, 1, _, _)? = submit(job, again: true, to: &front) else { return #expect(Bool(false)) }
            #expect(submit(job, to: &front) == refusal(of: job, by: other))
        }
    }

    @Test("who observes an ended job is told that it is repeated, and by which job")
    func observed() {
        var (front, job) = front()
        front.front.handle(.topicObserved(.job(job), true))
        guard case .jobsAccepted(let new, 1, _, _)? = submit(job, to: &front) else { return #expect(Bool(false)) }
        #expect(front.front.decided.last == "changed job/\(job) job")
        #expect(front.front.job(job)?.repeatedBy == new)
    }

    @Test("of several jobs of a submit one that is repeated refuses all, and so does one that is named twice")
    func several() {
        var (front, job) = front()
        let other = JobID(front.fail())
        let twice = "job \(job) is named twice as what is repeated: name it once"
        #expect(submit(job, job, to: &front) == .refusal(.conflict, twice))
        guard case .jobsAccepted(let new, 1, _, _)? = submit(other, to: &front) else { return #expect(Bool(false)) }
        #expect(submit(job, other, to: &front) == refusal(of: other, by: new))
        #expect(front.job(job.rawValue)?.repeatedBy == nil)
        #expect(submit(job, job, again: true, to: &front)?.isRefused == false)
    }

    @Test("who names the job for other work repeats nothing, and is not refused")
    func otherWork() {
        var (front, job) = front()
        #expect(submit(job, to: &front)?.isRefused == false)
        #expect(submit(job, loader: "noop", to: &front)?.isRefused == false)
    }

    @Test("what names a job of a bundle for other work is believed, and keeps nobody from its work while that is seen")
    func otherWorkOfBundle() {
        var (front, job) = front()
        _ = front.fail()
        front.bundle()
        guard case .jobsAccepted(let other, 1, _, _)? = submit(job, loader: "noop", to: &front) else { return #expect(Bool(false)) }
        for var front in [front, front.restarted()] {
            #expect(front.front.machine.state.jobs.repeats.newest(of: job.rawValue) == other)
            guard case .jobsAccepted(let new, 1, _, _)? = submit(job, to: &front) else { return #expect(Bool(false)) }
            #expect(submit(job, to: &front) == refusal(of: job, by: new))
        }
    }

    @Test("of several jobs each is held against what repeats it, by its own argument")
    func ownArguments() {
        var (front, job) = front()
        let other = JobID(front.fail())
        front.bundle()
        /// Submits a job that repeats none, and behind it one for each of the two, in this order.
        func submit(_ arguments: PackedBytes) -> Reply? {
            let number = RequestNumber(front.front.nextRequest)
            front.front.nextRequest += 1
            let options = JobOptionsColumn([nil, job, other].map { JobOptions(retryOf: $0) })
            let submit = ClientMessage.Submit(
                number: number, lowestUnanswered: number, loader: "slow", options: options, arguments: arguments)
            for case .send(_, _, .reply(number, let reply, _)) in front.front.send(.submit(submit)) { return reply }
            return nil
        }
        guard case .jobsAccepted(let first, 3, _, _)? = submit([[5], [9, 9], [1]]) else { return #expect(Bool(false)) }
        #expect(submit([[9, 9], [1], [1]]) == refusal(of: other, by: first.advanced(by: 2)))
        #expect(submit([[1], [9, 9], [9, 9]]) == refusal(of: job, by: first.advanced(by: 1)))
        #expect(submit([[9, 9], [1], [9, 9]])?.isRefused == false)
    }

    @Test("one that was cancelled before it began keeps nobody from the work, and one that had begun does")
    func cancelled() {
        var (front, job) = front()
        guard case .jobsAccepted(let first, 1, _, _)? = submit(job, to: &front) else { return #expect(Bool(false)) }
        _ = front.front.ask(.job(.cancel(first)))
        #expect(front.front.job(first)?.state == .cancelled)
        for var front in [front, front.restarted()] {
            guard case .jobsAccepted(let second, 1, _, _)? = submit(job, to: &front) else { return #expect(Bool(false)) }
            front.worker.register(with: &front.front)
            front.worker.take(front.keep(front.front.settle()))
            _ = front.front.ask(.job(.cancel(second)))
            front.keep(front.worker.end(second.rawValue, .cancelled, in: &front.front))
            #expect(front.front.job(second)?.state == .cancelled && front.front.job(second)?.attempts == 1)
            #expect(submit(job, to: &front) == refusal(of: job, by: second))
        }
    }

    @Test("the reply to a repeated request stays the first one, and the same with another word about it is another request")
    func repeatedRequest() {
        var (front, job) = front()
        let first = submit(job, to: &front)
        front.front.nextRequest -= 1
        #expect(first?.isRefused == false && submit(job, to: &front) == first)
        front.front.nextRequest -= 1
        guard case .refused(let failure, _)? = submit(job, again: true, to: &front) else { return #expect(Bool(false), "not refused") }
        #expect(failure.code == .conflict && failure.argument(Failure.repeatedByArgument) == nil)
    }
}
