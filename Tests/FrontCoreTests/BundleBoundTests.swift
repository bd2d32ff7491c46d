//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire
import Testing

@testable import FrontCore

@Suite("Bounds of ended jobs beside the journal")
struct BundleBoundTests {
    @Test("a bundle ends with the job that fills it, in number or in bytes")
    func size() {
        var front = BundledFront { $0.bounds.bundleJobs = 3 }
        let jobs = front.succeed(8)
        #expect(front.bundle() == 3)
        #expect(front.front.machine.state.bundledJobs.values.map(\.count).sorted() == [2, 3, 3])
        #expect(front.front.machine.state.bundledJobs[BundleNumber(1)] == Array(jobs[0..<3]))

        var small = BundledFront { $0.bounds.bundleByteCount = 15 }
        _ = small.succeed(4)
        #expect(small.bundle() == 2)
    }

    @Test("jobs that end while others leave are for the next checkpoint: each comes to its end")
    func late() {
        var front = BundledFront { $0.bounds.bundleJobs = 2 }
        _ = front.succeed(4)
        front.keep(front.front.handle(.checkpointNears(isNew: true)))
        let late = front.succeed(4)
        front.keep(front.front.handle(.checkpointNears(isNew: false)))
        #expect(front.front.machine.isReadyForCheckpoint)
        #expect(front.bundles.count == 2)
        #expect(front.front.machine.state.jobs.contains(late[0]))
    }

    @Test("too many ended jobs: the oldest bundle goes as a whole, then jobs in memory")
    func count() throws {
        var front = BundledFront { ($0.bounds.bundleJobs, $0.bounds.retention[.succeeded].count) = (4, 10) }
        let first = front.succeed(8)
        front.bundle()
        let failed = front.fail()
        let later = front.succeed(2)
        #expect(front.bundles.count == 2)
        let last = front.succeed(1)
        #expect(front.bundles.keys.sorted() == [BundleNumber(2)])
        #expect(front.ask(.job(.explain(JobID(first[0])))) == .unknownJob(JobID(first[0])))
        for job in first[4...] + later + last + [failed] { #expect(front.job(job) != nil, "\(job)") }
        _ = front.succeed(5)
        #expect(front.bundles.isEmpty)
        #expect(front.front.machine.state.jobs.state(of: failed) == .failed)
        #expect(front.front.machine.state.miscount == nil)
        let next = front.restarted()
        #expect(next.front.machine.state.bundledJobs.isEmpty)
    }

    @Test("too many that failed are no reason to forget one that succeeded, in memory or in bundles")
    func kinds() {
        var front = BundledFront {
            $0.bounds.bundleJobs = 4
            ($0.bounds.retention[.succeeded].count, $0.bounds.retention[.failed].count) = (10, 10)
        }
        var failed = (0..<10).map { _ in front.fail() }
        let succeeded = front.succeed(1)[0]
        func known(_ jobs: [UInt64]) -> Int { jobs.count { front.front.machine.state.jobs.state(of: $0) != nil } }
        #expect(known(failed) == 10 && known([succeeded]) == 1)
        failed.append(front.fail())
        #expect(known([failed[0]]) == 0 && known(failed) == 10 && known([succeeded]) == 1)
        #expect(front.bundle() == 4)
        failed.append(front.fail())
        #expect(known(Array(failed[1...4])) == 0 && known(failed) == 7 && known([succeeded]) == 1)
    }

    @Test("cancelled and expired jobs are too many for themselves, and none of them makes room for one that succeeded")
    func cancelled() {
        var front = BundledFront {
            $0.bounds.bundleJobs = 4
            ($0.bounds.retention[.succeeded].count, $0.bounds.retention[.cancelled].count) = (2, 3)
        }
        var cancelled = (0..<2).map { _ in front.cancel() }
        cancelled.append(front.expire())
        let succeeded = front.succeed(2)
        func known(_ jobs: [UInt64]) -> Int { jobs.count { front.front.machine.state.jobs.state(of: $0) != nil } }
        #expect(known(cancelled) == 3 && known(succeeded) == 2)
        cancelled.append(front.cancel())
        #expect(known([cancelled[0]]) == 0 && known(cancelled) == 3 && known(succeeded) == 2)
        #expect(front.bundle() == 2, "each kind has bundles of its own")
        let later = front.succeed(1)
        #expect(known(succeeded) == 0 && known(later) == 1 && known(cancelled) == 3, "a bundle goes as a whole")
        #expect(front.front.machine.state.miscount == nil)
        let next = front.restarted()
        #expect(next.front.machine.state.retainedAmounts(marks: [:]).ended[.cancelled].jobs == 3)
        #expect(next.front.machine.state.retainedAmounts(marks: [:]).ended[.succeeded].jobs == 1)
    }

    @Test("cancelled jobs are known for as long as is said of them, longer or shorter than others", arguments: [1, 9])
    func cancelledAge(seconds: Int64) {
        var front = BundledFront {
            ($0.bounds.retention[.succeeded].age, $0.bounds.retention[.cancelled].age) = (.seconds(4), .seconds(seconds))
        }
        let jobs = front.succeed(1) + [front.cancel(), front.fail()]
        front.front.settle()
        for second in Int64(1)...10 {
            front.front.pass(milliseconds: 1_000)
            front.front.settle()
            let known = jobs.map { front.front.machine.state.jobs.state(of: $0) != nil }
            #expect(known == [second < 4, second < seconds, true], "after \(second) s")
        }
    }

    @Test("a turn forgets bundles by their jobs: three bundles of two are no three ended jobs")
    func forgottenJobs() {
        var front = BundledFront {
            ($0.bounds.retention[.succeeded].age, $0.bounds.bundleJobs, $0.bounds.forgottenJobs) = (.seconds(4), 2, 3)
        }
        let jobs = front.succeed(8)
        front.bundle()
        front.front.pass(milliseconds: 4_000)
        var known = [8]
        for _ in 0..<6 where known.last != 0 {
            front.front.settle()
            known.append(jobs.count { front.front.machine.state.jobs.state(of: $0) != nil })
        }
        #expect(zip(known, known.dropFirst()).allSatisfy { $0 - $1 <= 4 }, "\(known)")
        #expect(known.last == 0)
    }

    @Test("too many bytes: others and failed ones each go for themselves")
    func bytes() {
        var front = BundledFront { ($0.bounds.bundleJobs, $0.bounds.endedByteCount) = (2, 520) }
        let jobs = front.succeed(4)
        let failed = front.fail()
        front.bundle()
        _ = front.fail(String(repeating: "x", count: 500))
        #expect(front.front.machine.state.jobs.state(of: failed) == nil)
        #expect(front.front.machine.state.jobs.state(of: jobs[0]) == .succeeded)
    }

    @Test("a bundle goes when its youngest job is too old, those that failed later")
    func age() throws {
        var front = BundledFront { ($0.bounds.retention[.succeeded].age, $0.bounds.retention[.failed].age) = (.seconds(1), .seconds(3)) }
        let old = front.succeed(1)
        front.front.pass(milliseconds: 600)
        let young = front.succeed(1)
        let failed = front.fail()
        front.bundle()
        front.front.pass(milliseconds: 999)
        _ = front.read()
        #expect(front.front.machine.state.jobs.state(of: old[0]) == .succeeded)
        front.front.pass(milliseconds: 1)
        _ = front.read()
        for job in old + young { #expect(front.front.machine.state.jobs.state(of: job) == nil) }
        #expect(front.front.machine.state.jobs.state(of: failed) == .failed)
        front.front.pass(milliseconds: 2_000)
        _ = front.read()
        #expect(front.front.machine.state.jobs.state(of: failed) == nil)
        #expect(front.bundles.isEmpty)
        guard case .counts(let counts)? = front.front.machine.item("counts", of: .jobs) else {
            Issue.record("no counts")
            return
        }
        #expect(counts.failures.isEmpty)
    }

    @Test("who asks for a job whose bundle is forgotten meanwhile is told that it is not known")
    func forgottenMeanwhile() {
        var front = BundledFront { $0.bounds.retention[.succeeded].age = .seconds(1) }
        let jobs = front.succeed(1)
        front.bundle()
        let topic = Topic.job(JobID(jobs[0]))
        front.front.handle(.topicObserved(topic, true))
        _ = front.read()
        #expect(front.front.machine.item("job", of: topic) != nil)
        front.front.pass(milliseconds: 1_000)
        let number = RequestNumber(front.front.nextRequest)
        front.front.nextRequest += 1
        // It is still there when it is asked for, and gone at the end of that turn.
        var restarted = front.restarted()
        _ = restarted.front.send(.request(.init(number: number, lowestUnanswered: number, body: .job(.explain(JobID(jobs[0]))))))
        let actions = restarted.read()
        #expect(
            actions.contains {
                if case .send(_, _, .reply(number, .refused(let failure, _), _)) = $0 { failure.code == .unknownItem } else { false }
            })
        let seen = front.read()
        #expect(seen.contains(.changed(topic, key: "job")))
        #expect(front.front.machine.item("job", of: topic) == nil)
    }

    @Test("a job whose bundle is forgotten before it was read for its observers is gone for them")
    func forgottenUnread() {
        var front = BundledFront { $0.bounds.retention[.succeeded].age = .seconds(1) }
        let jobs = front.succeed(1)
        let topic = Topic.job(JobID(jobs[0]))
        front.front.handle(.topicObserved(topic, true))
        front.bundle()
        let wanted = front.keep(front.front.settle())
        #expect(wanted.contains { if case .readBundle = $0 { true } else { false } })
        front.front.pass(milliseconds: 1_000)
        front.keep(front.front.settle())
        #expect(front.front.machine.state.jobs.state(of: jobs[0]) == nil)
        #expect(front.read().contains(.changed(topic, key: "job")))
        #expect(front.front.machine.item("job", of: topic) == nil)
    }

    @Test("a few bundles are read at a time, and whoever asks beyond the bound is told to ask again")
    func readings() throws {
        var front = BundledFront { ($0.bounds.bundleJobs, $0.bounds.endedReadings) = (1, 9) }
        let jobs = front.succeed(6)
        front.bundle()
        for job in jobs { _ = front.front.ask(.job(.explain(JobID(job)))) }
        let actions = front.front.settle()
        #expect(actions.filter { if case .readBundle = $0 { true } else { false } }.count == 4)
        for _ in jobs.count..<9 { #expect(front.front.ask(.job(.explain(JobID(jobs[0])))) == nil) }
        guard case .refused(let failure, _)? = front.front.ask(.job(.explain(JobID(jobs[0])))) else {
            Issue.record("not refused")
            return
        }
        #expect(failure.code == .busy)
        #expect(failure.text.hasPrefix("9 questions of about "))
        #expect(failure.text.hasSuffix(" bytes wait for ended jobs to be read (limit 9 and 16777216): ask again when some are answered"))
        #expect(front.front.ask(.job(.cancel(JobID(jobs[0])))) == .alreadyEnded(JobID(jobs[0]), .succeeded))
    }

    private func explain(_ job: UInt64, _ number: UInt64) -> ClientMessage {
        .request(.init(number: RequestNumber(number), lowestUnanswered: RequestNumber(1), body: .job(.explain(JobID(job)))))
    }

    private func replies(_ actions: [FrontAction]) -> [UInt64] {
        actions.compactMap { if case .send(_, _, .reply(let number, .explanation, _)) = $0 { number.rawValue } else { nil } }
    }

    /// A front with so many ended jobs in a bundle, and the number of the next request.
    private func bundled(_ count: Int) -> (front: BundledFront, jobs: [UInt64], next: UInt64) {
        var front = BundledFront()
        let jobs = front.succeed(count)
        front.bundle()
        return (front, jobs, front.front.nextRequest)
    }

    @Test("a request that waits for a bundle is answered once, however often it comes meanwhile, and on the connection of its session")
    func repeatedMeanwhile() {
        let (made, jobs, number) = bundled(2)
        var front = made
        for _ in 0..<1_000 { #expect(front.front.send(explain(jobs[0], number)).isEmpty) }
        #expect(front.front.machine.queue.readings.questionCount == 1)
        guard case .send(_, _, .reply(_, .refused(let failure, _), _))? = front.front.send(explain(jobs[1], number)).last else {
            Issue.record("another request under the number of one that waits is taken")
            return
        }
        #expect(failure.code == .conflict)
        #expect(replies(front.read()) == [number] && front.front.machine.queue.readings.questionCount == 0)
        #expect(replies(front.front.send(explain(jobs[0], number))) == [number])
    }

    @Test("a request that waits stays known as such while another one of its session is answered, and none is known once all are")
    func repeatedBehindAnother() throws {
        var front = BundledFront { $0.bounds.bundleJobs = 1 }
        let jobs = front.succeed(2)
        front.bundle()
        let number = front.front.nextRequest
        for (offset, job) in jobs.enumerated() { _ = front.front.send(explain(job, number + UInt64(offset))) }
        front.keep(front.front.settle())
        let first = try #require(front.front.machine.state.jobs.bundle(of: jobs[0])?.bundle)
        #expect(front.take(first).flatMap { replies($0) } == [number])
        #expect(front.front.send(explain(jobs[1], number + 1)).isEmpty)
        #expect(front.front.machine.queue.readings.questionCount == 1 && front.front.machine.queue.readings.mostRequestsOfSession == 1)
        #expect(replies(front.read()) == [number + 1])
        #expect(front.front.machine.queue.readings.questionCount == 0 && front.front.machine.queue.readings.mostRequestsOfSession == 0)
    }

    @Test("one session has no more questions about ended jobs than replies may be under way for it")
    func questionsOfSession() {
        let (made, jobs, first) = bundled(1)
        var front = made
        let sent = (UInt64(0)..<65).map { front.front.send(explain(jobs[0], first + $0)) }
        #expect(sent.dropLast().allSatisfy { $0.isEmpty })
        guard case .send(_, _, .reply(_, .refused(let failure, _), _))? = sent.last?.last else {
            Issue.record("the 65th waits")
            return
        }
        #expect(failure.code == .busy && failure.text.hasPrefix("64 replies with"))
        #expect(replies(front.read()).count == 64)
    }

    @Test("long answers from one bundle are given over many turns")
    func longAnswers() throws {
        var front = BundledFront { ($0.bounds.readingRequests, $0.bounds.readingByteCount) = (1_000, 64 << 20) }
        let job = front.front.run(1, loader: "noop", on: &front.worker).rawValue
        front.keep(front.worker.end(job, result: Array(repeating: 1, count: 60_000), in: &front.front))
        front.bundle()
        let first = front.front.nextRequest
        for offset in UInt64(0)..<200 { _ = front.front.send(explain(job, first + offset)) }
        front.keep(front.front.settle())
        let turns = front.take(try #require(front.bundles.keys.first)).map { replies($0).count }
        // Some 59 KiB each, and 4 MiB a turn.
        #expect(turns.reduce(0, +) == 200 && turns.allSatisfy { $0 <= 72 }, "\(turns)")
    }

    @Test("a request for the outcomes of many bundles takes one place among the readings, and gets them all")
    func outcomesOfMany() {
        var front = BundledFront { ($0.bounds.bundleJobs, $0.bounds.endedReadings) = (1, 1) }
        let jobs = front.succeed(6)
        front.bundle()
        let reported = front.outcomes(jobs.reversed())
        #expect(reported.keys.sorted() == jobs)
        for job in jobs { #expect(reported[job]?.result == Array("result \(job)".utf8)) }
        #expect(front.outcomes([jobs[3]]).count == 1)
    }

    @Test("a page of bundled jobs finds each job once, newest first", arguments: 1...20)
    func pages(seed: Int) {
        var random = SplitMix64(mixing: UInt64(seed))
        var bundled = BundledJobs()
        var all: [(job: UInt64, failed: Bool)] = []
        var pool = Array(UInt64(1)...200).shuffled(using: &random)
        for number in 1...12 {
            var bundle = JournalEntry.EndedBundled(BundleNumber(UInt64(number)), EndedKind.allCases[Int(random.next() % 3)])
            bundle.jobs = pool.prefix(Int(random.next() % 20)).sorted()
            pool.removeFirst(bundle.jobs.count)
            bundle.states = bundle.jobs.map { _ in bundle.kind == .failed ? .failed : bundle.kind == .cancelled ? .expired : .succeeded }
            let isNew = (bundled.add(bundle), bundled.add(bundle))
            #expect(isNew == (true, false))
            for job in bundle.jobs {
                all.append((job, bundle.kind == .failed))
                #expect(bundled.find(job)?.bundle == bundle.number)
            }
        }
        for number in UInt64(1)...12 where random.next() % 4 == 0 {
            let gone = Set(bundled.remove(BundleNumber(number))?.jobs ?? [])
            all.removeAll { gone.contains($0.job) }
            for job in gone { #expect(bundled.find(job) == nil) }
        }
        for before in [nil, 1, 60, 150, 201] as [UInt64?] {
            for onlyFailed in [false, true] {
                var page = BundledPage(of: bundled, below: before, onlyFailed: onlyFailed)
                var found: [UInt64] = []
                while let item = page.first {
                    found.append(item.job)
                    #expect(page.firstJob == item.job)
                    page.removeFirst()
                }
                let expected = all.filter { $0.job < before ?? .max && (!onlyFailed || $0.failed) }.map(\.job).sorted(by: >)
                #expect(found == expected)
            }
        }
        #expect(EndedKind.allCases.reduce(0) { $0 + bundled[$1].jobCount } == all.count)
    }

    @Test(
        "a page looks at the bundles that it takes jobs of, and at the next one, however many there are",
        arguments: [nil, 20_000, 500] as [UInt64?])
    func pageLooks(before: UInt64?) {
        var bundled = BundledJobs()
        for number in UInt64(0)..<2_000 {
            var bundle = JournalEntry.EndedBundled(BundleNumber(number + 1), number % 2 == 0 ? .failed : .succeeded)
            // Each overlaps with its neighbors.
            bundle.jobs = (0..<30).map { number * 20 + 1 + $0 * 2 + number % 2 }
            bundle.states = bundle.jobs.map { _ in .failed }
            _ = bundled.add(bundle)
        }
        var page = BundledPage(of: bundled, below: before, onlyFailed: false)
        for _ in 0..<100 { page.removeFirst() }
        #expect(page.looks < 120)
    }
}
