//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Actions with many jobs")
struct BulkTests {
    /// A front with so many waiting jobs of two loaders that nobody offers, which does something with two jobs in a turn.
    private func front(_ count: Int, jobsATurn: Int = 2, looks: Int = 100) -> (FrontHarness, [JobID], [JobID]) {
        var front = FrontHarness {
            $0.bounds.bulkActionJobs = jobsATurn
            $0.bounds.bulkActionLooks = looks
        }
        front.open()
        let first = front.submit(count, loader: "idle")
        let other = front.submit(count, loader: "other")
        front.settle()
        func ids(_ first: JobID) -> [JobID] { (0..<UInt64(count)).map { first.advanced(by: $0) } }
        return (front, ids(first), ids(other))
    }

    private func begin(_ action: BulkAction, _ selection: JobQuery, _ front: inout FrontHarness) -> UInt64? {
        guard case .selected(let number, 0, nil)? = front.ask(.job(.bulk(BulkRequest(action, selection)))) else { return nil }
        return number
    }

    private func states(_ jobs: [JobID], _ front: FrontHarness) -> [JobState?] { jobs.map { front.job($0)?.state } }

    /// Turns until nothing is left; how many there were.
    private func finish(_ front: inout FrontHarness) -> Int {
        var turns = 0
        while !front.machine.state.left.isEmpty, turns < 1_000 {
            front.settle()
            turns += 1
        }
        return turns
    }

    @Test("each turn takes the next of them, the newest first, and those of no other loader")
    func cancel() throws {
        var (front, jobs, others) = front(5)
        let number = try #require(begin(.cancel, JobQuery(loader: "idle"), &front))
        #expect(states(jobs, front) == [.waiting, .waiting, .waiting, .waiting, .waiting])
        front.settle()
        #expect(states(jobs, front) == [.waiting, .waiting, .waiting, .cancelled, .cancelled])
        #expect(front.counts?.bulkActions.map { [$0.number, $0.done, $0.passedOver] } == [[number, 2, 0]])
        #expect(finish(&front) == 2)
        #expect(states(jobs, front) == Array(repeating: .cancelled, count: 5))
        #expect(states(others, front) == Array(repeating: .waiting, count: 5))
        let bulk = try #require(front.counts?.bulkActions.first)
        #expect(bulk.isFinished && bulk.done == 5 && bulk.passedOver == 0 && bulk.by == "test" && bulk.action == "cancel")
        #expect(front.machine.state.image.difference(from: front.restarted().machine.state.image, withJobs: true) == nil)
    }

    @Test("a restart goes on where the last turn was, and tells how far it had come")
    func restart() throws {
        var (front, jobs, _) = front(5)
        let number = try #require(begin(.cancel, JobQuery(loader: "idle"), &front))
        front.settle()
        front = front.restarted()
        #expect(front.counts?.bulkActions.map { [$0.number, $0.done] } == [[number, 2]])
        _ = finish(&front)
        #expect(states(jobs, front) == Array(repeating: .cancelled, count: 5))
        #expect(front.counts?.bulkActions.map { [$0.number, $0.done] } == [[number, 5]])
        // What begins later has another number, also where nothing tells any more which were given.
        for _ in 0..<2 {
            #expect(begin(.cancel, JobQuery(loader: "other"), &front) == (front.settings.epoch.rawValue - 1) * 1_000_000 + 1)
            _ = finish(&front)
            front = front.restarted()
            #expect(front.counts?.bulkActions.isEmpty == true)
        }
    }

    @Test("what comes later, or is granted meanwhile, is not chosen; what was granted is counted as passed over")
    func changed() throws {
        var (front, jobs, _) = front(5)
        _ = begin(.cancel, JobQuery(loader: "idle"), &front)
        front.pass(milliseconds: 10)
        let late = front.submit(1, loader: "idle")
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 1, prefetch: 0, loaders: [LoaderDeclaration(name: "idle")])
        front.settle()
        _ = finish(&front)
        #expect(front.job(jobs[0])?.state == .running && front.job(late)?.state == .waiting)
        #expect(states(Array(jobs.dropFirst()), front) == Array(repeating: .cancelled, count: 4))
        let bulk = try #require(front.counts?.bulkActions.first)
        #expect(bulk.done == 4 && bulk.passedOver == 1)
    }

    @Test("a job whose run has ended since is passed over, also where it waits for its next attempt; and it is no old one")
    func attemptEnded() throws {
        var (front, worker) = FrontHarness.serving(slots: 1)
        let job = front.submit(1, loader: "slow", JobOptionsColumn(JobOptions(retry: RetryRule(attempts: 3))))
        worker.take(front.settle())
        let granted = front.now.wall
        front.pass(milliseconds: 5_000)
        _ = begin(.cancel, JobQuery(loader: "slow"), &front)
        front.pass(milliseconds: 10)
        let failure = Failure(code: .unreachable, text: "the origin does not answer", retryable: true)
        worker.take(worker.end(job.rawValue, .failed, failure: failure, in: &front))
        _ = finish(&front)
        #expect(front.job(job)?.state == .scheduled)
        #expect(front.counts?.bulkActions.map { [$0.done, $0.passedOver] } == [[0, 1]])
        for (time, count) in [(granted.advanced(by: .seconds(1)), 0), (front.now.wall.advanced(by: .seconds(1)), 1)] {
            var query = JobQuery(loader: "slow")
            query.changedBefore = time
            guard case .jobs(let found, _, _)? = front.ask(.job(.list(query))) else { Issue.record("no list"); return }
            #expect(found.count == count)
        }
    }

    @Test("jobs are only counted where that is asked, page by page")
    func dry() {
        var (front, jobs, _) = front(3)
        let ask = BulkRequest(.cancel, JobQuery(loader: "idle"), isDry: true)
        #expect(front.ask(.job(.bulk(ask))) == .selected(bulk: 0, jobs: 3, next: nil))
        var below = ask
        below.selection.before = jobs[2]
        #expect(front.ask(.job(.bulk(below))) == .selected(bulk: 0, jobs: 2, next: nil))
        #expect(front.machine.state.left.isEmpty && front.counts?.bulkActions == [])
        front.settle()
        #expect(states(jobs, front) == [.waiting, .waiting, .waiting])
    }

    @Test("they have another priority, another time, are due, or forgiven; those that cannot be are passed over")
    func others() throws {
        var (front, jobs, _) = front(2, jobsATurn: 10)
        _ = begin(.reprioritize(9), JobQuery(loader: "idle"), &front)
        _ = finish(&front)
        #expect(jobs.map { front.job($0)?.options.priority } == [9, 9])
        _ = begin(.delay(.after(.seconds(60))), JobQuery(loader: "idle"), &front)
        _ = finish(&front)
        #expect(states(jobs, front) == [.scheduled, .scheduled])
        _ = begin(.promote, JobQuery(state: .scheduled, loader: "idle"), &front)
        _ = finish(&front)
        #expect(states(jobs, front) == [.waiting, .waiting])
        _ = begin(.forgive, JobQuery(loader: "idle"), &front)
        _ = finish(&front)
        #expect(front.counts?.bulkActions.map(\.done) == [2, 2, 2, 0] && front.counts?.bulkActions.allSatisfy(\.isFinished) == true)
    }

    @Test("jobs are chosen by tag, feed, failure and age")
    func selection() throws {
        var front = FrontHarness()
        front.open()
        var tagged = JobOptions()
        tagged.tags = ["nightly"]
        let nightly = front.submit(1, loader: "idle", JobOptionsColumn(tagged))
        front.pass(milliseconds: 10_000)
        let young = front.submit(1, loader: "idle")
        front.settle()
        func chosen(_ selection: JobQuery) -> UInt64? {
            var copy = front
            guard case .selected(0, let count, nil)? = copy.ask(.job(.bulk(BulkRequest(.cancel, selection, isDry: true)))) else {
                return nil
            }
            return count
        }
        #expect(chosen(JobQuery()) == 2 && chosen(JobQuery(tags: ["nightly"])) == 1 && chosen(JobQuery(tags: ["daily"])) == 0)
        #expect(chosen(JobQuery(feed: "todos")) == 0 && chosen(JobQuery(code: .timedOut)) == 0)
        #expect(chosen(JobQuery(changedBefore: front.now.wall.advanced(by: .seconds(-5)))) == 1)
        #expect(chosen(JobQuery(changedBefore: front.now.wall.advanced(by: .milliseconds(1)))) == 2)
        guard case .jobs(let listed, nil, _)? = front.ask(.job(.list(JobQuery(changedBefore: front.now.wall.advanced(by: .seconds(-5))))))
        else {
            return #expect(Bool(false))
        }
        #expect(listed.map(\.id) == [nightly] && young > nightly)
    }

    @Test("failed jobs are listed by their code, from memory and from bundles")
    func codes() throws {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "once", on: &worker)
        front.pass(milliseconds: 5_500)
        front.settle()
        #expect(front.job(job)?.failure?.code == .outcomeUnknown)
        func listed(_ code: FailureCode, _ front: inout FrontHarness) -> [JobID]? {
            guard case .jobs(let jobs, _, _)? = front.ask(.job(.list(JobQuery(state: .failed, code: code)))) else { return nil }
            return jobs.map(\.id)
        }
        #expect(listed(.outcomeUnknown, &front) == [job] && listed(.timedOut, &front) == [])
    }

    @Test("what cannot be is refused, and so is one more than may be under way; each turn looks at no more than it may")
    func refused() throws {
        var (front, _, others) = front(5, jobsATurn: 100, looks: 3)
        func text(_ reply: Reply?) -> String? {
            if case .refused(let failure, _)? = reply { "\(failure.code): \(failure.text)" } else { nil }
        }
        func ask(_ action: BulkAction, _ selection: JobQuery = JobQuery()) -> String? {
            text(front.ask(.job(.bulk(BulkRequest(action, selection)))))
        }
        #expect(ask(.reprioritize(10)) == "invalidData: a priority is 0 to 9, not 10")
        #expect(
            ask(.cancel, JobQuery(loader: String(repeating: "x", count: 4_096), feed: "y"))
                == "invalidData: the texts that choose jobs have at most 4096 bytes together, not 4097")
        #expect(ask(.delay(.after(.seconds(366 * 86_400))))?.hasPrefix("invalidData") == true)
        #expect(
            ask(.cancel, JobQuery(state: .failed))
                == "invalidData: cancel is for jobs that are waiting, scheduled, running, not for those that are failed")
        #expect(ask(.promote, JobQuery().of([.scheduled, .failed, .expired]))?.hasSuffix("not for those that are failed, expired") == true)
        var further = JobQuery()
        further.orStates = [.waiting]
        #expect(ask(.cancel, further) == "invalidData: further states stand beside a first one")
        #expect(ask(.cancel, JobQuery().of([.waiting, .waiting])) == "invalidData: a state is named twice: name each once")
        _ = begin(.cancel, JobQuery(loader: "other"), &front)
        #expect(finish(&front) == 4)
        #expect(states(others, front) == Array(repeating: .cancelled, count: 5))
        for _ in 0..<16 { #expect(begin(.forgive, JobQuery(), &front) != nil) }
        #expect(ask(.forgive) == "busy: 16 actions with many jobs are under way (limit 16): wait until one has ended")
    }

    @Test("while the disk is full a cancel goes on, and anything else waits until it is not")
    func storageFull() throws {
        var (front, jobs, others) = front(2, jobsATurn: 10)
        _ = begin(.reprioritize(9), JobQuery(loader: "idle"), &front)
        front.handle(.storageFull(true))
        _ = begin(.cancel, JobQuery(loader: "other"), &front)
        front.settle()
        #expect(states(others, front) == [.cancelled, .cancelled] && jobs.map { front.job($0)?.options.priority } == [5, 5])
        front.handle(.storageFull(false))
        front.pass(milliseconds: 5_000)
        _ = finish(&front)
        #expect(jobs.map { front.job($0)?.options.priority } == [9, 9])
    }

    @Test("an action waits for one thing at a time: for a bundle until that was read, however soon the pause before would have ended")
    func readingAfterPause() {
        var actions = BulkActions()
        let soon = MonotonicTime(nanoseconds: 5)
        actions.wait(3, .othersRead(until: soon))
        #expect(actions.pauses == [3: soon] && !actions.isReading(3))
        actions.wait(3, .reading)
        #expect(actions.pauses == [3: .distantFuture] && actions.isReading(3))
        actions.endReading(3, unreadable: nil)
        #expect(actions.pauses.isEmpty)
        // What comes of a reading that it no longer waits for ends no pause.
        actions.wait(3, .fullQueue(until: soon))
        actions.endReading(3, unreadable: nil)
        #expect(actions.pauses == [3: soon])
    }

    @Test("of actions that have ended the last eight are shown, the oldest first")
    func shownFinished() {
        var actions = BulkActions()
        for number in UInt64(1)...10 {
            let work = JournalEntry.BulkActionWork(number, JobQuery(), .cancel, by: JobTerms.Asker())
            actions.finish(work.summary(since: WallTime(milliseconds: 0), isFinished: true))
            #expect(actions.finished.map(\.number) == Array((number <= 8 ? 1 : number - 7)...number))
        }
    }

    @Test("observers of an action see another reason to wait, and not a later time of the same one")
    func versionOfHolds() {
        var actions = BulkActions()
        /// By how much the version grows.
        func steps(_ change: (inout BulkActions) -> Void) -> UInt64 {
            let before = actions.version
            change(&actions)
            return actions.version - before
        }
        let times = [5, 6].map { MonotonicTime(nanoseconds: $0) }
        #expect(steps { $0.wait(3, .fullDisk(until: times[0])) } == 1)
        #expect(steps { $0.wait(3, .fullDisk(until: times[1])) } == 0)
        #expect(steps { $0.wait(3, .fullQueue(until: times[1])) } == 1)
        #expect(steps { $0.endPause(of: 3) } == 1)
        #expect(steps { $0.endPause(of: 3) } == 0)
        #expect(steps { $0.wait(3, .reading) } == 0)
        #expect(steps { $0.endReading(3, unreadable: nil) } == 0)
    }
}
