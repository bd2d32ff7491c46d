//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("Many ended jobs repeated at once")
struct BulkRetryTests {
    /// A front with so many failed jobs of the loader `slow` and two of `noop` that have succeeded, which repeats two jobs in a turn.
    private func front(_ count: Int, _ change: @escaping (inout FrontSettings) -> Void = { _ in }) -> (BundledFront, [UInt64]) {
        var front = BundledFront {
            ($0.bounds.bulkActionJobs, $0.bounds.bundleJobs) = (2, 2)
            change(&$0)
        }
        let jobs = (0..<count).map { _ in front.fail() }
        _ = front.succeed(2)
        return (front, jobs)
    }

    private func begin(_ selection: JobQuery, _ front: inout BundledFront) -> UInt64? {
        guard case .selected(let number, 0, nil)? = front.front.ask(.job(.bulk(BulkRequest(.retry, selection)))) else { return nil }
        return number
    }

    /// Turns until nothing is left.
    private func finish(_ front: inout BundledFront) {
        var turns = 0
        while !front.front.machine.state.left.isEmpty, turns < 200 {
            _ = front.read()
            turns += 1
        }
        #expect(turns < 200)
    }

    /// What was repeated, in the order of the new jobs.
    private func repeated(_ front: BundledFront) -> [UInt64] {
        front.front.entries.flatMap { entry -> [UInt64] in
            guard case .jobsAccepted(let accepted) = entry else { return [] }
            return (0..<accepted.arguments.count).compactMap { accepted.options[$0].retryOf?.rawValue }
        }
    }

    private func summary(_ front: BundledFront) -> [UInt64] {
        front.front.counts?.bulkActions.last.map { [$0.done, $0.passedOver, $0.isFinished ? 1 : 0] } ?? []
    }

    @Test("each of them is repeated once, the newest first, out of memory and out of bundles")
    func all() throws {
        var (front, jobs) = front(5)
        front.bundle()
        jobs += [front.fail(), front.fail()]
        _ = try #require(begin(JobQuery(state: .failed), &front))
        finish(&front)
        #expect(repeated(front) == jobs.reversed() && summary(front) == [7, 0, 1])
        for case .jobsAccepted(let accepted) in front.front.entries where accepted.submitter == .front {
            #expect(accepted.loader == "slow" && accepted.arguments == [[9, 9]] && accepted.asker.label == "test")
        }
        let new = front.front.entries.compactMap { if case .jobsAccepted(let new) = $0, new.submitter == .front { new.first } else { nil } }
        let explained = try #require(new.first.flatMap { front.job($0.rawValue) })
        #expect(explained.options.retryOf == JobID(jobs.last ?? 0) && explained.askedBy == "test")
        #expect(front.front.machine.state.image.difference(from: front.restarted().front.machine.state.image, withJobs: true) == nil)
    }

    @Test("the same submit joins the job that repeats its work, by an action or by name, though the configuration adds to both")
    func joined() throws {
        var front = BundledFront { $0.flow.retryRules = ["slow": RetryRule(attempts: 3)] }
        let key = JobOptionsColumn(JobOptions(uniqueKey: UniqueKey("k")))
        let first = front.front.submit(1, loader: "slow", key)
        front.fail(first)
        _ = try #require(begin(JobQuery(state: .failed), &front))
        // The worker is given what repeats it before the action has ended.
        front.worker.take(front.read())
        finish(&front)
        let second = first.advanced(by: 1)
        #expect(repeated(front) == [first.rawValue])
        #expect(front.front.askSubmit(1, loader: "slow", key) == .jobsAccepted(first: second, count: 1, .joined))
        front.fail(second)
        var options = try #require(front.job(second.rawValue)?.options)
        #expect(options.retry.attempts == 3)
        options.retryOf = second
        let third = second.advanced(by: 1)
        #expect(front.front.askSubmit(1, loader: "slow", JobOptionsColumn(options)) == .jobsAccepted(first: third, count: 1))
        #expect(front.front.askSubmit(1, loader: "slow", key) == .jobsAccepted(first: third, count: 1, .joined))
    }

    @Test("what was repeated is repeated once more only by name, in memory and in a bundle, and after a restart", arguments: [false, true])
    func again(isBundled: Bool) throws {
        var (front, jobs) = front(3)
        if isBundled { front.bundle() }
        // All of what is repeated waits: a worker would have to end it first.
        #expect(front.front.ask(.pause(.begin(.everything, reason: "", length: nil))) == .done(version: 0))
        _ = try #require(begin(JobQuery(state: .failed), &front))
        finish(&front)
        let named = JobOptions(retryOf: JobID(jobs[0]))
        #expect(front.front.askSubmit(1, loader: "slow", JobOptionsColumn(named))?.isRefused == true)
        #expect(front.front.askSubmit(1, loader: "slow", JobOptionsColumn(named), again: true)?.isRefused == false)
        let new = front.front.entries.compactMap { if case .jobsAccepted(let new) = $0 { new.first } else { nil } }
        let expected = zip(jobs, [new[new.count - 1], new[new.count - 3], new[new.count - 4]])
        // A job that fails now is the only one that nobody has repeated.
        let later = front.front.submit(1, loader: "http").rawValue
        #expect(front.front.ask(.pause(.begin(.loader("slow"), reason: "", length: nil))) == .done(version: 0))
        #expect(front.front.ask(.pause(.end(.everything))) == .done(version: 0))
        front.worker.take(front.keep(front.front.settle()))
        let failure = Failure(code: .httpStatus, text: "the origin answered 503")
        front.keep(front.worker.end(later, .failed, failure: failure, in: &front.front))
        jobs.append(later)
        var stored = FrontHarness().machine
        stored.restore(front.front.machine.wholeCheckpoint, of: TurnNumber(1), isSlice: true)
        for (job, repeating) in expected { #expect(stored.state.jobs.repeats.newest(of: job) == repeating) }
        for var front in [front, front.restarted()] {
            for (job, repeating) in expected {
                #expect(front.front.machine.state.jobs.repeats.newest(of: job) == repeating)
                #expect(front.job(job)?.repeatedBy == repeating)
            }
            let count = front.ask(.job(.bulk(BulkRequest(.retry, JobQuery(state: .failed), isDry: true))))
            #expect(count == .selected(bulk: 0, jobs: 1, next: nil))
            _ = try #require(begin(JobQuery(state: .failed), &front))
            finish(&front)
            #expect(repeated(front).last == jobs.last && summary(front).first == 1)
        }
    }

    @Test("only the same work for the same loader repeats an ended job, and whatever is decided a restart decides too")
    func sameWork() throws {
        var (front, jobs) = front(3)
        /// Submits one job that names another one as what it repeats.
        func submit(_ job: UInt64, loader: String, _ argument: [UInt8], to front: inout BundledFront) {
            let number = RequestNumber(front.front.nextRequest)
            front.front.nextRequest += 1
            _ = front.front.send(
                .submit(
                    ClientMessage.Submit(
                        number: number, lowestUnanswered: number, loader: loader,
                        options: JobOptionsColumn(JobOptions(retryOf: JobID(job))), reportsOutcomes: false, arguments: [argument])))
        }
        #expect(front.front.ask(.pause(.begin(.everything, reason: "", length: nil))) == .done(version: 0))
        submit(jobs[0], loader: "noop", [9, 9], to: &front)
        submit(jobs[1], loader: "slow", [9], to: &front)
        submit(jobs[2], loader: "slow", [9, 9], to: &front)
        #expect(front.front.ask(.pause(.end(.everything))) == .done(version: 0))
        // One that runs cannot have been repeated, however it ends: a checkpoint behind its end knows it as failed when the submit comes again.
        let running = front.front.run(1, loader: "slow", on: &front.worker).rawValue
        submit(running, loader: "slow", [9, 9], to: &front)
        front.keep(
            front.worker.end(running, .failed, failure: Failure(code: .httpStatus, text: "the origin answered 503"), in: &front.front))
        jobs.append(running)
        let machine = front.front.machine
        var (stored, accepted) = (FrontHarness().machine, [JournalEntry]())
        stored.restore(machine.wholeCheckpoint, of: TurnNumber(1), isSlice: true)
        for entry in front.front.entries { if case .jobsAccepted = entry { accepted.append(entry) } }
        stored.restore(accepted, of: TurnNumber(1), isSlice: false)
        for state in [machine.state, front.restarted().front.machine.state, stored.state] {
            #expect(jobs.map { state.jobs.repeats.newest(of: $0) != nil } == [false, false, true, false])
        }
    }

    @Test("a job in memory is repeated in its turn, behind younger ones of bundles that have to be read first")
    func oldest() throws {
        for selection in [JobQuery(state: .failed), JobQuery(code: .httpStatus)] {
            var (front, _) = front(0)
            let old = front.front.run(1, loader: "slow", on: &front.worker).rawValue
            let young = (0..<4).map { _ in front.fail() }
            front.bundle()
            front.keep(front.worker.end(old, .failed, failure: Failure(code: .httpStatus, text: "503"), in: &front.front))
            #expect(front.front.machine.state.jobs.contains(old) && !front.front.machine.state.jobs.contains(young[0]))
            _ = try #require(begin(selection, &front))
            finish(&front)
            #expect(repeated(front) == young.reversed() + [old] && summary(front) == [5, 0, 1])
        }
    }

    @Test("a restart goes on where the last row was, and repeats none twice", arguments: [false, true])
    func restart(isBundled: Bool) throws {
        let (first, jobs) = front(7)
        var front = first
        if isBundled { front.bundle() }
        _ = try #require(begin(JobQuery(code: .httpStatus), &front))
        for _ in 0..<40 where !front.front.machine.state.left.isEmpty {
            _ = front.keep(front.front.settle())
            front = front.restarted()
            for number in front.bundles.keys.sorted(by: { $0.rawValue < $1.rawValue }) where isBundled { _ = front.take(number) }
        }
        finish(&front)
        #expect(repeated(front) == jobs.reversed() && front.front.machine.state.left.isEmpty)
    }

    @Test("they are counted where that is asked, also those of bundles, page by page")
    func dry() {
        var (front, jobs) = front(5)
        front.bundle()
        func count(_ selection: JobQuery, _ front: inout BundledFront) -> UInt64? {
            var (selection, total) = (selection, UInt64(0))
            repeat {
                guard case .selected(0, let found, let next)? = front.ask(.job(.bulk(BulkRequest(.retry, selection, isDry: true)))) else {
                    return nil
                }
                total += found
                selection.before = next
            } while selection.before != nil
            return total
        }
        #expect(
            count(JobQuery(), &front) == 5 && count(JobQuery(loader: "slow"), &front) == 5 && count(JobQuery(loader: "noop"), &front) == 0)
        #expect(count(JobQuery(code: .unreachable), &front) == 0 && count(JobQuery(state: .cancelled), &front) == 0)
        jobs.append(front.fail())
        #expect(count(JobQuery(code: .httpStatus), &front) == 6 && front.front.machine.state.left.isEmpty && repeated(front) == [])
    }

    @Test("while too many jobs wait it waits, says so, and goes on as they end")
    func full() throws {
        var (front, jobs) = front(4) { $0.bounds.queuedJobs = 2 }
        var idle = [front.front.submit(1, loader: "idle")]
        _ = try #require(begin(JobQuery(state: .failed), &front))
        // The worker takes what is repeated; its slots bound how much.
        _ = front.worker.send(.close(), to: &front.front)
        for _ in 0..<4 { _ = front.read() }
        #expect(repeated(front) == [jobs[3]] && summary(front) == [1, 0, 0])
        #expect(front.front.counts?.bulkActions.last?.waitsFor == "too many jobs wait: it goes on as they end")
        while let job = idle.popLast() { _ = front.front.ask(.job(.cancel(job))) }
        front.front.pass(milliseconds: 1_100)
        _ = front.read()
        #expect(repeated(front) == [jobs[3], jobs[2]])
        let limit = front.front.machine.state.jobs.totals.queued
        #expect(limit == 2)
        jobs = []
    }

    @Test("a job that fills the queue alone is repeated once nobody else waits, a larger one is not", arguments: [0, 1])
    func large(excess: Int) throws {
        var (front, _) = front(0)
        let argument = [UInt8](repeating: 1, count: 5_000)
        let number = RequestNumber(front.front.nextRequest)
        front.front.nextRequest += 1
        let submit = ClientMessage.Submit(number: number, lowestUnanswered: number, loader: "slow", arguments: [argument])
        _ = front.front.send(.submit(submit))
        front.worker.take(front.front.settle())
        let job = try #require(front.worker.held.first?.job)
        front.fail(JobID(job))
        front.bundle()
        front.front.settings.bounds.queuedByteCount = argument.count - excess
        front = front.restarted()
        _ = try #require(begin(JobQuery(state: .failed), &front))
        finish(&front)
        #expect(repeated(front) == (excess == 0 ? [job] : []) && summary(front) == [excess == 0 ? 1 : 0, UInt64(excess), 1])
    }

    @Test("what names a limit that is gone is passed over, and what finds no room among the values of limits waits for it")
    func limits() throws {
        var (front, _) = front(0) { $0.bounds.limitValues = 1 }
        func submit(_ loader: String, _ key: LimitKey, to front: inout BundledFront) -> JobID {
            front.front.submit(1, loader: loader, JobOptionsColumn(JobOptions(limitKeys: [key])))
        }
        for name in ["gone", "rate"] { #expect(front.front.ask(.limit(.set(name, LimitRule(capacity: 5)))) == .done(version: 0)) }
        let failed = [LimitKey("gone"), LimitKey("rate", value: "a")].map { key in
            let job = submit("slow", key, to: &front)
            front.fail(job)
            return job.rawValue
        }
        #expect(front.front.ask(.limit(.delete("gone"))) == .done(version: 0))
        let rated = LimitRule(capacity: 5, refill: LimitRefill(1, per: .seconds(1)))
        #expect(front.front.ask(.limit(.set("rate", rated))) == .done(version: 0))
        let other = submit("idle", LimitKey("rate", value: "b"), to: &front)
        _ = try #require(begin(JobQuery(state: .failed), &front))
        for _ in 0..<4 { _ = front.read() }
        #expect(repeated(front) == [] && summary(front) == [0, 0, 0])
        #expect(front.front.counts?.bulkActions.last?.waitsFor.isEmpty == false)
        _ = front.front.ask(.job(.cancel(other)))
        front.front.pass(milliseconds: 1_100)
        for _ in 0..<4 { _ = front.read() }
        #expect(repeated(front) == [failed[1]] && summary(front) == [1, 1, 1])
    }

    @Test("one that waits takes nothing of a turn: another goes on behind it, and then the front sleeps")
    func patient() throws {
        let (start, jobs) = front(4) { ($0.bounds.queuedJobs, $0.bounds.bulkActionJobs) = (2, 1) }
        var front = start
        let idle = [front.front.submit(1, loader: "idle"), front.front.submit(1, loader: "idle")]
        _ = front.worker.send(.close(), to: &front.front)
        _ = try #require(begin(JobQuery(state: .failed), &front))
        _ = front.read()
        #expect(front.front.counts?.bulkActions.last?.waitsFor.isEmpty == false)
        guard case .selected? = front.front.ask(.job(.bulk(BulkRequest(.cancel, JobQuery(loader: "idle"))))) else {
            Issue.record("the cancel is not accepted")
            return
        }
        for _ in 0..<4 { _ = front.read() }
        #expect(idle.allSatisfy { front.job($0.rawValue)?.state == .cancelled })
        #expect(front.front.machine.nextDeadline.map { $0 > front.front.now.monotonic } == true)
        #expect(repeated(front).isEmpty)
        front.front.pass(milliseconds: 1_100)
        for _ in 0..<4 { _ = front.read() }
        #expect(repeated(front) == [jobs[3], jobs[2]])
    }

    @Test("jobs of a bundle that cannot be read are passed over; what has an unknown outcome is repeated only by name")
    func passed() throws {
        var (front, _) = front(4)
        front.bundle()
        let damaged = try #require(front.bundles.keys.min { $0.rawValue < $1.rawValue })
        front.bundles[damaged] = nil
        _ = try #require(begin(JobQuery(state: .failed), &front))
        finish(&front)
        #expect(summary(front) == [2, 2, 1])

        (front, _) = self.front(0)
        let once = front.front.run(1, loader: "once", on: &front.worker)
        front.keep(front.worker.end(once.rawValue, .failed, failure: Failure(code: .outcomeUnknown, text: "x"), in: &front.front))
        _ = try #require(begin(JobQuery(loader: "once"), &front))
        finish(&front)
        #expect(summary(front) == [0, 0, 1])
        _ = try #require(begin(JobQuery(loader: "once", code: .outcomeUnknown), &front))
        finish(&front)
        #expect(summary(front) == [1, 0, 1] && repeated(front).last == once.rawValue)
    }

    @Test("a job whose unique key another job has is passed over; one that ended after the action began, too")
    func changed() throws {
        var (front, _) = front(0)
        let key = JobOptionsColumn(JobOptions(uniqueKey: UniqueKey("nightly")))
        let first = front.front.submit(1, loader: "slow", key)
        front.worker.take(front.front.settle())
        front.keep(front.worker.end(first.rawValue, .failed, failure: Failure(code: .httpStatus, text: "x"), in: &front.front))
        _ = front.front.submit(1, loader: "slow", key)
        front.worker.take(front.front.settle())
        let late = front.front.run(1, loader: "slow", on: &front.worker)
        _ = try #require(begin(JobQuery(loader: "slow"), &front))
        front.front.pass(milliseconds: 10)
        front.keep(front.worker.end(late.rawValue, .failed, failure: Failure(code: .httpStatus, text: "x"), in: &front.front))
        finish(&front)
        #expect(repeated(front) == [] && summary(front).first == 0 && summary(front).last == 1)
    }

    @Test("cancelled jobs are repeated where that state is named, and what cannot be is refused")
    func states() throws {
        var (front, _) = front(1)
        let waiting = front.front.submit(1, loader: "idle")
        _ = front.front.ask(.job(.cancel(waiting)))
        _ = try #require(begin(JobQuery(loader: "idle"), &front))
        finish(&front)
        #expect(summary(front) == [0, 0, 1])
        _ = try #require(begin(JobQuery(loader: "idle").of([.expired, .cancelled]), &front))
        finish(&front)
        #expect(summary(front) == [1, 0, 1] && repeated(front) == [waiting.rawValue])
        guard case .refused(let failure, _)? = front.ask(.job(.bulk(BulkRequest(.retry, JobQuery(state: .waiting))))) else {
            return #expect(Bool(false))
        }
        #expect(failure.text == "retry is for jobs that are failed, quarantined, cancelled, expired, not for those that are waiting")
    }

    @Test("of a job that is known no longer no checkpoint says that it was repeated")
    func forgotten() {
        var jobs = RepeatedJobs()
        for job in [3, 5] as [UInt64] { jobs.note(job, by: job + 10) }
        jobs.forget(3)
        let stored = jobs.entry(behind: 0)
        #expect(stored?.jobs == [5] && stored?.by == [15])
    }
}

extension BundledFront {
    /// Grants a job and ends it with a failure.
    fileprivate mutating func fail(_ job: JobID) {
        worker.take(front.settle())
        keep(worker.end(job.rawValue, .failed, failure: Failure(code: .httpStatus, text: "503"), in: &front))
    }
}
