//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire
import TestSupport
import Testing

@testable import FrontCore

@Suite("Ended jobs beside the journal")
struct BundleTests {
    /// A front with jobs that ended in every way, and their numbers.
    private func mixed(_ change: @escaping (inout FrontSettings) -> Void = { _ in }) throws -> (front: BundledFront, jobs: [UInt64]) {
        var front = BundledFront(change)
        var jobs = front.succeed(5)
        jobs.append(front.fail("first"))
        jobs.append(front.fail("second"))
        let waiting = front.front.submit(1, loader: "nobody").rawValue
        _ = front.front.ask(.job(.cancel(JobID(waiting))))
        jobs.append(waiting)
        let key = try #require(FeedKey(text: "items"))
        _ = front.front.ask(.feed(key, .load))
        front.worker.take(front.front.settle())
        let load = try #require(front.worker.held.first?.job)
        var result = FeedResult()
        result.content = ObjectReference(digest: ObjectDigest(words: (1, 2, 3, 4)), byteCount: 1, itemCount: 1)
        front.worker.end(load, feed: result, in: &front.front)
        jobs.append(load)
        jobs += front.succeed(3)
        return (front, jobs)
    }

    @Test("they leave the state, and are shown as before")
    func same() throws {
        var (front, jobs) = try mixed()
        let before = jobs.map { front.job($0) }
        let counts = front.front.machine.item("counts", of: .jobs)
        #expect(front.bundle() == 3)
        for job in jobs { #expect(!front.front.machine.state.jobs.contains(job), "\(job)") }
        #expect(jobs.map { front.job($0) } == before)
        #expect(before.allSatisfy { $0 != nil })
        #expect(front.front.machine.item("counts", of: .jobs) == counts)
        #expect(front.front.machine.state.miscount == nil)
        #expect(front.front.machine.state.termsMiscount == nil)
    }

    @Test("their story is told as before")
    func timeline() throws {
        var (front, jobs) = try mixed()
        let before = jobs.map { front.ask(.job(.explain(JobID($0)))) }
        front.bundle()
        #expect(jobs.map { front.ask(.job(.explain(JobID($0)))) } == before)
    }

    @Test("they are listed as before, whatever is asked for", arguments: [1, 2, 3, 1_000])
    func lists(limit: UInt32) throws {
        var (front, _) = try mixed { ($0.bounds.bundleJobs, $0.bounds.pageByteCount) = (2, 4_096) }
        let queries = [
            JobQuery(limit: limit), JobQuery(loader: "noop", limit: limit), JobQuery(state: .failed, limit: limit),
            JobQuery(state: .succeeded, limit: limit), JobQuery(state: .cancelled, limit: limit),
            JobQuery(state: .quarantined, limit: limit),
            JobQuery(loader: "nobody", limit: limit), JobQuery(limit: limit).of([.failed, .cancelled]),
            JobQuery(limit: limit).of([.failed, .quarantined]),
        ]
        let before = queries.map { front.list($0) }
        #expect(before.map { $0?.count } == [12, 8, 2, 9, 1, 0, 1, 3, 2])
        #expect(front.bundle() == 7)
        #expect(queries.map { front.list($0) } == before)
        let more = front.succeed(2)
        #expect(front.list(queries[0])?.map(\.id.rawValue).prefix(3) == [more[1], more[0], more[0] - 1])
        #expect(front.list(queries[0])?.count == 14)
    }

    @Test("a session is told how they ended")
    func outcomes() throws {
        var (front, jobs) = try mixed { $0.bounds.bundleJobs = 2 }
        let before = front.outcomes(jobs)
        front.bundle()
        let after = front.outcomes(jobs + [999])
        #expect(after.count == jobs.count && before.count == jobs.count)
        for job in jobs { #expect(after[job]?.state == before[job]?.state && after[job]?.result == before[job]?.result, "\(job)") }
        #expect(after[jobs[0]]?.result == Array("result \(jobs[0])".utf8))
    }

    @Test("a cancel finds them ended, and no other priority is taken")
    func late() throws {
        var (front, jobs) = try mixed()
        front.bundle()
        #expect(front.ask(.job(.cancel(JobID(jobs[0])))) == .alreadyEnded(JobID(jobs[0]), .succeeded))
        #expect(front.ask(.job(.cancel(JobID(jobs[5])))) == .alreadyEnded(JobID(jobs[5]), .failed))
        guard case .refused(let failure, _) = front.ask(.job(.reprioritize(JobID(jobs[0]), priority: 7))) else {
            Issue.record("not refused")
            return
        }
        #expect(failure.code == .conflict)
        #expect(front.asked.isEmpty)
    }

    @Test("a failed save of a feed stays in memory, since it may be repeated; a failed load leaves it, and is repeated by loading")
    func repeatable() throws {
        var front = BundledFront()
        func fail(_ feed: String, _ operation: FeedRequest, in front: inout BundledFront) throws -> UInt64 {
            _ = front.front.ask(.feed(try #require(FeedKey(text: feed)), operation))
            front.worker.take(front.front.settle())
            let job = try #require(front.worker.held.first?.job)
            front.worker.end(job, .failed, failure: Failure(code: .unreachable, text: "away"), in: &front.front)
            return job
        }
        let load = try fail("items", .load, in: &front)
        let save = try fail("todos", .create(item: Array("{}".utf8)), in: &front)
        let other = front.fail()
        front.bundle()
        #expect([load, save, other].map { front.front.machine.state.jobs.contains($0) } == [false, true, false])
        #expect(front.list(JobQuery(state: .failed, limit: 10))?.map(\.id.rawValue) == [other, save, load])
        for (feed, job) in [("items", load), ("todos", save)] {
            let key = try #require(FeedKey(text: feed))
            let reply = front.front.ask(.feed(key, .retry(view: "mine", failure: FailureID(job))))
            guard case .accepted(let again, joined: false)? = reply else { Issue.record("\(feed): \(String(describing: reply))"); return }
            #expect(again.rawValue > other)
        }
        #expect(front.front.machine.state.miscount == nil)
    }

    @Test("who observes one, or asks for its snapshot, sees it once it is read; who looked before sees nothing change")
    func observed() throws {
        var (front, jobs) = try mixed()
        let topic = Topic.job(JobID(jobs[0]))
        front.front.handle(.topicObserved(topic, true))
        let item = front.front.machine.item("job", of: topic)
        front.bundle()
        let actions = front.read()
        #expect(actions.contains(.changed(topic, key: "job")))
        #expect(front.front.machine.item("job", of: topic) == item && item != nil)
        #expect(front.front.machine.itemKeys(of: topic) == ["job"])

        var next = front.restarted()
        let asked = next.keep(next.front.send(.snapshot(topic: topic, asked: nil)))
        #expect(!asked.contains { if case .sendSnapshot = $0 { true } else { false } })
        let sent = next.read()
        #expect(sent.contains { if case .sendSnapshot(_, _, topic, _) = $0 { true } else { false } })
        next.front.handle(.topicObserved(topic, true))
        #expect(next.front.machine.item("job", of: topic) == item)
        next.front.handle(.topicObserved(topic, false))
        #expect(next.front.machine.item("job", of: topic) == nil)
    }

    @Test("a bundle that cannot be read, or lacks a job, is said, and nothing is taken for forgotten", arguments: [false, true])
    func unreadable(isThere: Bool) throws {
        var (front, jobs) = try mixed()
        front.bundle()
        front.bundles = isThere ? front.bundles.mapValues { _ in WireCodec().encode([JournalEntry]()) } : [:]
        guard case .refused(let failure, _) = front.ask(.job(.explain(JobID(jobs[0])))) else {
            Issue.record("not refused")
            return
        }
        #expect(failure.code == .storageFailed)
        #expect(front.outcomes([jobs[0]]).isEmpty && front.unknown == [jobs[0]])
        #expect(front.ask(.job(.cancel(JobID(jobs[0])))) == .alreadyEnded(JobID(jobs[0]), .succeeded))
    }

    @Test("a snapshot of a job whose bundle cannot be read is refused, unless observers see the job, or it is forgotten by then")
    func snapshotOfUnreadable() throws {
        var (front, jobs) = try mixed()
        front.bundle()
        let topic = Topic.job(JobID(jobs[0]))
        var seen = front
        seen.front.handle(.topicObserved(topic, true))
        _ = seen.read()
        func asked(_ front: inout BundledFront, forgetting: BundleNumber? = nil) -> [FrontAction] {
            front.bundles = [:]
            var actions = front.keep(front.front.send(.snapshot(topic: topic, asked: "a job")))
            if let forgetting { front.front.machine.turn.record(.bundlesForgotten(JournalEntry.BundlesForgotten([forgetting]))) }
            actions += front.read()
            return actions.filter {
                switch $0 {
                case .sendSnapshot, .send(_, _, .snapshotRefused): true
                default: false
                }
            }
        }
        let refused = asked(&front)
        guard refused.count == 1, case .send(_, _, .snapshotRefused("a job", let failure, .zero)) = refused[0] else {
            Issue.record("\(refused)")
            return
        }
        #expect(failure.code == .storageFailed && !failure.retryable)
        var gone = front
        let (bundle, _) = try #require(gone.front.machine.state.jobs.bundle(of: jobs[0]))
        for sent in [asked(&seen), asked(&gone, forgetting: bundle)] {
            guard sent.count == 1, case .sendSnapshot(_, _, topic, "a job") = sent[0] else {
                Issue.record("\(sent)")
                continue
            }
        }
    }

    @Test("a bundle that cannot be read hides no older jobs: its own are listed with what is known without it")
    func passedOver() throws {
        var front = BundledFront { $0.bounds.bundleJobs = 2 }
        let jobs = front.succeed(6)
        front.bundle()
        front.bundles[BundleNumber(2)] = nil
        let found = front.list(JobQuery(limit: 2))
        let listed = try #require(found)
        #expect(listed.map(\.id.rawValue) == jobs.reversed())
        #expect(listed.map(\.state) == Array(repeating: .succeeded, count: 6))
        #expect(listed.map { $0.failure?.code } == [nil, nil, .storageFailed, .storageFailed, nil, nil])
        #expect(listed.map { $0.acceptedAt == nil && $0.loader.isEmpty } == [false, false, true, true, false, false])
        #expect(front.list(JobQuery(loader: "noop", limit: 2))?.map(\.id.rawValue) == [jobs[5], jobs[4], jobs[1], jobs[0]])
        // One that nobody waits for answers nothing, and is counted.
        #expect(front.front.machine.turn.context.ignoredCounts[.bundleNotAwaited] == nil)
        front.front.handle(.bundleRead(BundleNumber(1), nil))
        #expect(front.front.machine.turn.context.ignoredCounts[.bundleNotAwaited] == 1)
    }

    @Test("a turn answers so many questions that waited for a bundle, and the next ones the others")
    func answeredInTurns() {
        var front = BundledFront(prefetch: 512)
        let first = front.front.run(512, on: &front.worker).rawValue
        front.keep(front.worker.endAll(resultByteCount: 0, in: &front.front))
        front.bundle()
        let jobs = (first..<first + 512).map { JobID($0) }
        for _ in 0..<60 { _ = front.front.ask(.job(.outcomes(jobs))) }
        var turns = [front.keep(front.front.settle())]
        while let number = front.asked.first {
            turns += front.take(number)
        }
        let rows = turns.map { $0.reduce(0) { if case .send(_, _, .answers(let answers)) = $1 { $0 + answers.jobs.count } else { $0 } } }
        #expect(rows.reduce(0, +) == 60 * 512)
        #expect(rows.max() ?? 0 < 10 * 512, "\(rows)")
    }

    @Test("a list that is repeated while its bundle is read counts once among the readings of its session")
    func repeatedReading() throws {
        var front = BundledFront()
        _ = front.succeed(1)
        front.bundle()
        let number = RequestNumber(front.front.nextRequest)
        front.front.nextRequest += 1
        let request = ClientMessage.Request(number: number, lowestUnanswered: number, body: .job(.list(JobQuery(limit: 10))))
        for _ in 0..<2 { front.keep(front.front.send(.request(request))) }
        _ = front.read()
        #expect(front.front.machine.state.sessions[front.front.session]?.readings == 1)
        _ = front.front.send(.heartbeat(lowestUnanswered: number.advanced()))
        #expect(front.front.machine.state.sessions[front.front.session]?.readings == 0)
        #expect(front.front.machine.state.sessions[front.front.session]?.readingByteCount == 0)
    }

    @Test("a next life knows them as this one did, and forgets no job twice")
    func restart() throws {
        var (front, jobs) = try mixed { $0.bounds.bundleJobs = 2 }
        let before = jobs.map { front.job($0) }
        front.bundle()
        var next = front.restarted()
        #expect(next.front.machine.state.image.difference(from: front.front.machine.state.image, withJobs: true) == nil)
        #expect(jobs.map { next.job($0) } == before)
        #expect(next.front.machine.state.jobs.ended.count == jobs.count)
    }

    @Test("a front without a journal of jobs makes none, and drops what an earlier one left")
    func memoryMode() throws {
        var front = BundledFront { $0.durability = .memory }
        let jobs = front.succeed(4)
        #expect(front.bundle() == 0)
        #expect(front.front.machine.state.jobs.contains(jobs[0]))

        var (earlier, _) = try mixed()
        earlier.bundle()
        earlier.front.settings.durability = .memory
        let next = earlier.restarted()
        #expect(next.bundles.isEmpty)
        #expect(next.front.machine.state.jobs.ended.count == 0)
    }

    @Test("who asks for a job of a bundle, and is at another connection when that is read, gets the reply there")
    func otherConnection() {
        var front = BundledFront { $0.bounds.bundleJobs = 1 }
        let job = front.succeed(1)[0]
        front.bundle()
        let number = RequestNumber(front.front.nextRequest)
        front.keep(front.front.send(.request(.init(number: number, lowestUnanswered: number, body: .job(.explain(JobID(job)))))))
        front.keep(front.front.handle(.peerLost(PeerID(7))))
        let hello = ClientMessage.Hello(label: "test", resumed: front.front.session)
        front.keep(front.front.handle(.clientSent(PeerID(8), Principal.everything, ClientEnvelope(messages: [.hello(hello)]))))
        let peers = front.read().compactMap { action -> PeerID? in
            if case .send(let peer, _, .reply(number, .explanation, _)) = action { peer } else { nil }
        }
        #expect(peers == [PeerID(8)])
    }

    @Test("a job is never shown as gone because many others are being read: its snapshot is left out, and asked for again")
    func snapshotOfUnread() throws {
        var front = BundledFront { ($0.bounds.bundleJobs, $0.bounds.endedReadings) = (1, 1) }
        let jobs = front.succeed(2)
        front.bundle()
        let number = RequestNumber(front.front.nextRequest)
        front.front.nextRequest += 1
        front.keep(front.front.send(.request(.init(number: number, lowestUnanswered: number, body: .job(.explain(JobID(jobs[0])))))))
        let topic = Topic.job(JobID(jobs[1]))
        func isSent(_ actions: [FrontAction]) -> Bool {
            actions.contains { if case .sendSnapshot(_, _, topic, _) = $0 { true } else { false } }
        }
        let early = front.keep(front.front.send(.snapshot(topic: topic)))
        #expect(!isSent(early + front.read()))
        #expect(isSent(front.keep(front.front.send(.snapshot(topic: topic))) + front.read()))
        #expect(front.front.machine.turn.context.busyCounts[.endedReadings] == 1)
    }
}
