//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

/// What is kept in memory beside jobs has a bound in bytes, or a count of things that are small by themselves.
@Suite("Bounds of what is kept")
struct RetainedBoundTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func live(_ topic: Topic, byteCount: Int) -> LiveTopic {
        var live = LiveTopic(topic, sequence: SequenceNumber(1), now: start)
        _ = live.set([1], Array(repeating: 7, count: byteCount - 1 - RoughSize.item))
        return live
    }

    private func job(_ number: UInt64) -> Topic { .job(JobID(number)) }

    @Test("a topic's bytes are those of its items, whatever has happened to them")
    func topicBytes() {
        var topic = LiveTopic(.jobs, sequence: SequenceNumber(1), now: start)
        for (key, count) in [(1, 10), (2, 20), (1, 5), (3, 0), (2, nil), (2, nil), (1, 40)] as [(UInt8, Int?)] {
            _ = topic.set([key], count.map { Array(repeating: 9, count: $0) })
            #expect(topic.byteCount == topic.items.reduce(0) { $0 + $1.key.count + $1.value.count + RoughSize.item })
        }
        #expect(topic.byteCount == 42 + 2 * RoughSize.item)
    }

    @Test("topics whose items have too many bytes give room as too many topics do; the front's own need none, and go once they are idle")
    func topics() {
        var table = TimedTopics(topicLimit: 10, byteLimit: 250, subscriptionLimit: 10)
        var dropped: [Topic] = []
        func bringUp(_ topic: LiveTopic) -> Bool {
            guard table.makeRoom(for: topic.topic, dropped: { dropped.append($0) }) else { return false }
            table.insert(topic)
            return true
        }
        for number in UInt64(1)...3 { #expect(bringUp(live(job(number), byteCount: 100))) }
        #expect(table.byteCount == 300 && dropped.isEmpty)
        #expect(bringUp(live(.workers, byteCount: 1_000)) && table.byteCount == 300)
        #expect(bringUp(live(job(4), byteCount: 100)))
        #expect(dropped == [job(1)] && table.byteCount == 300)
        for number in UInt64(2)...4 { _ = table.subscribe(job(number)) }
        #expect(!bringUp(live(job(5), byteCount: 100)))
        #expect(table.refusedCount == 1 && dropped == [job(1), .workers])
    }

    @Test("a topic that grows beyond the bytes of all goes, observed or not, once no idle one is left; asked for again it begins anew")
    func grown() {
        var table = TimedTopics(topicLimit: 10, byteLimit: 250, subscriptionLimit: 10)
        for number in UInt64(1)...2 { table.insert(live(job(number), byteCount: 100)) }
        _ = table.subscribe(job(2))
        var dropped: [Topic] = []
        func grow(_ topic: Topic, to count: Int) {
            _ = table.update(topic) { $0.set([1], Array(repeating: 3, count: count - 1 - RoughSize.item)) }
            table.makeRoom(forChanged: topic) { dropped.append($0) }
        }
        grow(job(2), to: 150)
        #expect(dropped.isEmpty && table.byteCount == 250)
        grow(job(2), to: 200)
        #expect(dropped == [job(1)] && table.byteCount == 200)
        grow(job(2), to: 251)
        #expect(dropped == [job(1), job(2)] && table.byteCount == 0 && table.count == 0)
        #expect(table.subscriptionCount == 1)
        #expect(table.makeRoom(for: job(2)) { dropped.append($0) })
        table.insert(live(job(2), byteCount: 100))
        #expect(table.isLive(job(2)) && table.subscriptionCount == 1)
        #expect(table.takeDueBookmark(at: start.advanced(by: .milliseconds(1_000))) == job(2))
    }

    @Test("snapshots of all clients have so many bytes beside the first, however few each has")
    func snapshots() {
        func queue(_ peer: UInt64, _ byteCount: Int) -> SnapshotQueue {
            let key = SnapshotKey(peer: PeerID(peer), session: SessionID(peer), topic: .jobs)
            return SnapshotQueue(key: key, parts: [[1], [2]], byteCount: byteCount, touchedAt: start)
        }
        var table = SnapshotTable(limit: 10, byteLimit: 100, peerByteLimit: 1_000)
        let first = [table.begin(queue(1, 500)), table.begin(queue(2, 1))]
        table.forget(PeerID(1))
        let second = [table.begin(queue(2, 60)), table.begin(queue(3, 41)), table.begin(queue(4, 40))]
        #expect(first == [true, false] && second == [true, false, true])
    }

    @Test("a session is attached to so many views, and all sessions together; who leaves makes room, and what it has it may ask for again")
    func attachments() throws {
        var front = FrontHarness { ($0.bounds.attachments, $0.bounds.allAttachments) = (2, 3) }
        let key = try #require(FeedKey(text: "todos"))
        func isRefused(_ view: String) -> Bool {
            guard case .refused(let failure, let pause)? = front.ask(.feed(key, .attach(view: view))) else { return false }
            return failure.code == .busy && pause > .zero
        }
        front.open()
        #expect(["a", "b", "c", "a"].map(isRefused) == [false, false, true, false])
        // What is refused makes no view.
        #expect(front.machine.state.feeds[key]?.viewNames == [ViewName.shared, "a", "b"])
        _ = front.ask(.feed(key, .detach(view: "a")))
        #expect(["c", "a"].map(isRefused) == [false, true])
        let first = front.session
        front.open(label: "second")
        #expect(["a", "b"].map(isRefused) == [false, true])
        #expect(front.machine.state.sessions.attachmentCount == 3)
        _ = front.handle(.clientSent(front.client, Principal(), ClientEnvelope(session: first, messages: [.close])))
        #expect(front.machine.state.sessions.attachmentCount == 1)
        #expect(["b", "c"].map(isRefused) == [false, true])
        #expect(front.busy == [.attachments: 4])
    }

    @Test("of so many running jobs it is known how far they are; one that ends makes room")
    func progress() {
        var front = FrontHarness { $0.bounds.progressingJobs = 1 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        let first = front.run(2, loader: "slow", on: &worker)
        func report(_ percent: UInt8) {
            let reports = worker.held.map { held in
                WorkerMessage.ProgressReport(job: JobID(held.job), lease: LeaseID(held.lease), progress: JobProgress(percent: percent))
            }
            _ = worker.send(.progress(reports), to: &front)
        }
        func shown() -> [UInt8?] {
            [first, first.advanced()].map { job in
                guard case .progress(_, let progress)? = front.machine.item("progress", of: .job(job)) else { return nil }
                return progress.percent
            }
        }
        report(10)
        report(20)
        #expect(shown() == [20, nil])
        worker.take(worker.end(first.rawValue, in: &front))
        report(30)
        #expect(shown() == [nil, 30])
    }

    @Test("a feed keeps a failure without the arguments for which it has no room")
    func failure() {
        let arguments = (0..<4).flatMap { ["name \($0)", String(repeating: "x", count: 1_000)] }
        let failure = Failure(code: .httpStatus, text: "the origin answered 503", arguments: arguments)
        let shown = failure.shown(within: 2_500)
        #expect(shown.arguments == Array(arguments.prefix(4)) && shown.text == failure.text && shown.roughByteCount <= 2_500)
        #expect(failure.shown(within: 1).arguments.isEmpty)
        #expect(failure.shown(within: failure.roughByteCount) == failure)
        #expect(failure.shown(within: failure.roughByteCount - 1).arguments == Array(arguments.prefix(6)))
        #expect(failure.shown(within: 8 << 10) == failure)
    }

    @Test("questions that wait for ended jobs are bounded in bytes, too, and count no longer once they are answered")
    func questions() {
        var front = BundledFront { ($0.bounds.bundleJobs, $0.bounds.endedReadingByteCount) = (1, 600) }
        let jobs = front.succeed(3)
        front.bundle()
        #expect(front.front.ask(.job(.explain(JobID(jobs[0])))) == nil && front.front.ask(.job(.explain(JobID(jobs[1])))) == nil)
        guard case .refused(let failure, _)? = front.front.ask(.job(.explain(JobID(jobs[2])))) else {
            Issue.record("not refused")
            return
        }
        #expect(failure.code == .busy)
        _ = front.read()
        #expect(front.front.machine.queue.readings.questionByteCount == 0)
        #expect(front.job(jobs[2]) != nil)
    }

    @Test("of damaged objects so many wait for the next turn; what is noted again is one")
    func damaged() throws {
        var settings = LoopSettings()
        settings.damagedObjects = 2
        let front = try LoopHarness(loop: settings)
        try front.turn()
        for number in UInt64(1)...5_000 {
            front.loop.noteDamage(of: ObjectDigest(words: (1, 1, 1, 1)))
            front.loop.noteDamage(of: ObjectDigest(words: (number, 2, 3, 4)))
        }
        try front.turn(1)
        #expect(front.loop.stepsOfTurn >= 2 && front.loop.stepsOfTurn < 100)
        #expect(front.loop.machine.turn.context.ignoredCounts[.objectNotNamed] == 2)
    }
}
