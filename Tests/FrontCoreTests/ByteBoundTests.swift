//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("Bounds in bytes")
struct ByteBoundTests {
    private func key(_ text: String) throws -> FeedKey { try #require(FeedKey(text: text)) }

    private func submit(_ front: inout FrontHarness, byteCount: Int) -> FailureCode? {
        let number = RequestNumber(front.nextRequest)
        front.nextRequest += 1
        let argument = [UInt8](repeating: 1, count: byteCount)
        let actions = front.send(
            .submit(
                .init(
                    number: number, lowestUnanswered: number, loader: "slow", reportsOutcomes: false,
                    arguments: [argument])))
        for case .send(_, _, .reply(number, .refused(let failure, let after), _)) in actions {
            #expect(after > .zero)
            return failure.code
        }
        return nil
    }

    @Test("small arguments do not keep the memory of those that they lay among, which are forgotten")
    func sparseBlobs() {
        // No runs, which take more than such arguments.
        var front = FrontHarness { ($0.bounds.endedByteCount, $0.bounds.runByteCount) = (16_000, 0) }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        for _ in 0..<400 {
            #expect(submit(&front, byteCount: 16_384) == nil)
            #expect(submit(&front, byteCount: 8) == nil)
            worker.take(front.settle())
            let (large, small) = (worker.held[0].job, worker.held[1].job)
            // Those that failed are kept apart.
            worker.take(worker.end(small, .failed, failure: Failure(code: .httpStatus, text: "x"), in: &front))
            worker.take(worker.end(large, in: &front))
        }
        for _ in 0..<10 { front.settle() }
        let arena = front.machine.state.jobs.arena
        #expect(arena.liveByteCount == 400 * 8)
        #expect(!arena.isSparse && arena.byteCount <= 5 << 18)
        let state = front.machine.state
        let kept = state.jobs.slab.ids(from: 0, chunkLimit: 20).ids.map { state.jobs.argument(of: state.jobs[$0]) }
        #expect(kept.count == 400 && kept.allSatisfy { $0 == Array(repeating: 1, count: 8) })
    }

    @Test("arguments of no bytes that are given back leave those of others where they are")
    func emptyBlobs() throws {
        var arena = BlobArena()
        let large = [UInt8](repeating: 8, count: 200_000)
        let kept = arena.store(large[...])
        // A chunk that is written to is not given back.
        _ = arena.store(large[...])
        let byteCount = arena.byteCount
        arena.release(arena.store([]))
        try #require(arena.byteCount == byteCount)
        #expect(Array(arena[kept]) == large)
    }

    @Test(
        "blobs, be they arguments or results, are moved together about 1 MiB at a time, and what that costs is counted",
        arguments: [false, true])
    func movedBytes(areResults: Bool) {
        var state = FrontState()
        let (count, length) = (UInt64(512), 60_000)
        func bytes(_ id: UInt64) -> [UInt8] { Array(repeating: UInt8(truncatingIfNeeded: id), count: length) }
        for id in 1...count {
            let accepted = JournalEntry.AcceptedJobs(
                first: JobID(id), acceptedAt: WallTime(milliseconds: 1), rankTime: 1, submitter: .front, loader: "slow",
                arguments: [areResults ? [] : bytes(id)])
            state.apply(.jobsAccepted(accepted))
        }
        let kept = (1...count).filter { $0.isMultiple(of: 4) }
        var ended = JournalEntry.EndedJobs(at: WallTime(milliseconds: 2))
        for id in 1...count where areResults || !id.isMultiple(of: 4) { ended.append(id, .cancelled) }
        if areResults { ended.results = PackedBytes((1...count).map(bytes)) }
        state.apply(.ended(ended))
        var bundled = JournalEntry.EndedBundled(BundleNumber(1), .cancelled)
        bundled.jobs = ended.jobs.filter { !$0.isMultiple(of: 4) }
        bundled.states = bundled.jobs.map { _ in .cancelled }
        state.apply(.endedBundled(bundled))
        func chunks() -> [Int] { kept.map { areResults ? state.jobs[$0].result.chunk : state.jobs[$0].argument.chunk } }
        var calls = 0
        while state.jobs.arena.isSparse, calls < 100 {
            let before = chunks()
            let steps = state.jobs.compact()
            let moved = zip(chunks(), before).count { $0 != $1 }
            #expect(moved * length < (1 << 20) + length)
            #expect(steps >= moved * length / 4_096)
            calls += 1
        }
        #expect(!state.jobs.arena.isSparse && calls > 2)
        for id in kept {
            let record = state.jobs[id]
            #expect((areResults ? state.jobs.result(of: record) : state.jobs.argument(of: record)) == bytes(id))
        }
    }

    @Test("what is asked of a feed counts with its id, key and filter, in the queue and among the ended jobs")
    func words() throws {
        var front = FrontHarness { $0.bounds.queuedByteCount = 10_000 }
        front.open()
        let id = String(repeating: "i", count: 1_024)
        _ = front.ask(.feed(try key("todos"), .update(itemID: id, item: Array("{}".utf8))))
        #expect(front.machine.state.jobs.queuedByteCount >= 1_024 + 256)
        var codes: [FailureCode] = []
        for _ in 0..<10 {
            if case .refused(let failure, _)? = front.ask(.feed(try key("todos"), .update(itemID: id, item: Array("{}".utf8)))) {
                codes.append(failure.code)
            }
        }
        #expect(!codes.isEmpty && codes.allSatisfy { $0 == .busy })
        #expect(front.restarted().machine.state.bytes == front.machine.state.bytes)
    }

    @Test("the queue is bounded in bytes of arguments, and has room again when jobs have ended")
    func queue() {
        var front = FrontHarness { $0.bounds.queuedByteCount = 200_000 }
        var worker = WorkerHarness(1)
        front.open()
        let answers = (0..<4).map { _ in submit(&front, byteCount: 65_536) }
        #expect(answers == [nil, nil, nil, .busy])
        worker.register(with: &front, slots: 1)
        worker.take(front.settle())
        let held = submit(&front, byteCount: 65_536)
        #expect(held == .busy)
        worker.take(worker.end(worker.held[0].job, in: &front))
        let after = submit(&front, byteCount: 65_536)
        #expect(after == nil)
        let restarted = front.restarted()
        #expect(restarted.machine.state.bytes == front.machine.state.bytes)
    }

    @Test("what is asked of feeds counts as any other job, in number and in bytes")
    func feedJobs() throws {
        var front = FrontHarness {
            $0.bounds.queuedByteCount = 2_700 + RoughSize.feedJob
            $0.bounds.queuedJobs = 4
        }
        front.open()
        let item = [UInt8](repeating: 32, count: 2_000)
        let first = front.ask(.feed(try key("todos"), .create(item: item)))
        guard case .accepted? = first else { return #expect(Bool(false), "\(String(describing: first))") }
        guard case .refused(let failure, let wait)? = front.ask(.feed(try key("todos"), .create(item: item))), wait == .seconds(1) else {
            Issue.record("accepted over the bound of bytes")
            return
        }
        #expect(failure.code == .busy)
        _ = front.submit(3)
        guard case .refused(let full, let longer)? = front.ask(.feed(try key("items"), .load)), longer == .seconds(1) else {
            Issue.record("accepted over the bound of jobs")
            return
        }
        #expect(full.code == .busy)
    }

    @Test("ended jobs are kept within a bound of bytes: the oldest go first, failures have a bound of their own")
    func history() {
        var front = FrontHarness { $0.bounds.endedByteCount = 8_004 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, slots: 8)
        let failed = front.run(1, loader: "slow", on: &worker)
        worker.end(failed.rawValue, .failed, failure: Failure(code: .httpStatus, text: "x"), in: &front)
        var jobs: [JobID] = []
        for _ in 0..<4 {
            jobs.append(front.submit(1, loader: "slow"))
            worker.take(front.settle())
            worker.end(jobs[jobs.count - 1].rawValue, result: Array(repeating: 1, count: 4_000), in: &front)
        }
        #expect(jobs.map { front.job($0) == nil } == [true, true, false, false])
        #expect(front.job(failed)?.failure?.code == .httpStatus)
        // Each has an argument of two bytes.
        #expect(front.machine.state.bytes.ended[.succeeded] == 2 * (4_000 + 2))
    }

    @Test("the item of a save is kept only as long as it can be repeated")
    func items() throws {
        var (front, worker) = FrontHarness.serving()
        let item = [UInt8](repeating: 32, count: 5_000)
        var saved = FeedResult()
        saved.content = ObjectReference(digest: ObjectDigest(words: (1, 2, 3, 4)), byteCount: 1, itemCount: 1)
        for outcome in [Outcome.succeeded, .failed] {
            _ = front.ask(.feed(try key("todos"), .create(item: item)))
            worker.take(front.settle())
            let failure = outcome == .failed ? Failure(code: .invalidData, text: "no") : nil
            worker.end(worker.held[0].job, outcome, failure: failure, feed: saved, in: &front)
        }
        #expect(front.machine.state.jobs.queuedByteCount == 0)
        #expect(front.machine.state.bytes.ended[.succeeded] < 1_000 + RoughSize.feedJob)
        #expect(front.machine.state.bytes.ended[.failed] > 5_000)
    }

    @Test("views have a bound over all feeds")
    func views() throws {
        var front = FrontHarness { $0.bounds.views = 3 }
        front.open()
        let replies = try ["a", "b", "c"].map { front.ask(.feed(try key("items"), .filter(view: $0, text: "", version: nil))) }
        guard case .refused(let failure, let wait)? = replies[2], wait == .seconds(1) else { return #expect(Bool(false), "\(replies)") }
        #expect(failure.code == .busy)
        #expect(front.machine.state.feeds.viewCount == 3 && front.busy == [.views: 1])
    }

    @Test("a view other than shared is forgotten a day after it was named or attached last")
    func idleViews() throws {
        var front = FrontHarness()
        front.open()
        let items = try key("items?parameter=sample")
        for name in ["named", "attached"] { _ = front.ask(.feed(items, .filter(view: name, text: "", version: nil))) }
        _ = front.ask(.feed(items, .attach(view: "attached")))
        for hour in 1...26 {
            front.pass(milliseconds: 3_600_000 - 1_000)
            // The session lives, and somebody makes a view now and then.
            _ = front.send(.heartbeat(lowestUnanswered: RequestNumber(front.nextRequest)))
            front.pass(milliseconds: 1_000)
            _ = front.ask(.feed(items, .filter(view: "hour-\(hour)", text: "", version: nil)))
            front.settle()
        }
        let names = front.machine.state.feeds[items]?.viewNames ?? []
        #expect(!names.contains("named") && names.contains("shared") && names.contains("attached"))
        #expect(names.contains("hour-3"))
        #expect(front.machine.state.feeds.viewCount == names.count)
        #expect(front.restarted().machine.state.feeds[items]?.viewNames == names)
    }

    @Test("a view is kept for a day from when the last attachment to it ended")
    func viewAfterAttachment() throws {
        var front = FrontHarness()
        front.open()
        let items = try key("items?parameter=sample")
        _ = front.ask(.feed(items, .attach(view: "mine")))
        // No turn ends in between, which would end a session that is silent for so long.
        front.pass(milliseconds: 20 * 3_600_000)
        _ = front.ask(.feed(items, .detach(view: "mine")))
        front.pass(milliseconds: 23 * 3_600_000)
        front.settle()
        #expect(front.view(items, "mine") != nil)
        front.pass(milliseconds: 3_600_000)
        front.settle()
        #expect(front.view(items, "mine") == nil)
    }

    @Test("of views that are refused nothing is kept, however many names somebody tries")
    func refusedViews() throws {
        var front = FrontHarness { $0.bounds.viewsPerFeed = 4 }
        front.open()
        let items = try key("items?parameter=sample")
        for number in 0..<100 { _ = front.ask(.feed(items, .filter(view: "view-\(number)", text: "", version: nil))) }
        let feed = try #require(front.machine.state.feeds[items])
        #expect(feed.views.count == 4 && front.busy == [.viewsPerFeed: 97])
    }

    @Test("details of all views have a bound in bytes: one that fills it is taken, one more fails and can be asked for again")
    func details() throws {
        var front = FrontHarness { $0.bounds.detailByteCount = 6_000 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front)
        _ = front.ask(.feed(try key("items"), .load))
        worker.take(front.settle())
        var loaded = FeedResult()
        loaded.content = ObjectReference(digest: ObjectDigest(words: (1, 2, 3, 4)), byteCount: 1, itemCount: 1)
        worker.take(worker.end(worker.held[0].job, feed: loaded, in: &front))
        var found: [FailureCode?] = []
        var byteCounts: [Int] = []
        for name in ["a", "b", "c"] {
            _ = front.ask(.feed(try key("items"), .select(view: name, itemID: "1", version: nil)))
            worker.take(front.settle())
            var result = FeedResult()
            result.detail = Array(repeating: 32, count: 3_000)
            while let held = worker.held.last { worker.take(worker.end(held.job, feed: result, in: &front)) }
            guard case .view(let view)? = front.machine.item("view", of: .view(try key("items?parameter=sample"), name)) else { continue }
            if case .failed(let failure) = view.detail { found.append(failure.code) } else { found.append(nil) }
            byteCounts.append(front.machine.state.feeds.detailByteCount)
        }
        #expect(found == [nil, nil, .busy])
        #expect(byteCounts.prefix(2) == [3_000, 6_000] && front.busy == [.detailByteCount: 1])
    }

    /// Asks for something at a version that is not the present one; the code of the refusal.
    private func conflict(_ front: inout FrontHarness, _ key: FeedKey, mark: UInt64 = 1) -> FailureCode? {
        let number = RequestNumber(front.nextRequest)
        front.nextRequest += 1
        let body = RequestBody.feed(key, .reset(version: ContentVersion(9)))
        let actions = front.send(.request(.init(number: number, lowestUnanswered: RequestNumber(mark), body: body)))
        for case .send(_, _, .reply(number, .refused(let failure, _), _)) in actions { return failure.code }
        return nil
    }

    @Test("replies that clients do not confirm are bounded in bytes, of one session and of all; nobody is shut out by others")
    func retainedReplies() throws {
        var front = FrontHarness {
            ($0.bounds.retainedByteCount, $0.bounds.allRetainedByteCount, $0.bounds.sparedByteCount) = (10_000, 25_000, 3_000)
        }
        let long = try key("items?parameter=" + String(repeating: "x", count: 380))
        var sessions: [SessionID] = []
        for _ in 0..<8 {
            front.open()
            sessions.append(front.session)
            let codes = (0..<100).map { _ in conflict(&front, long) }
            #expect(codes.first == .conflict, "each session may have something")
            #expect(codes.last == .busy)
            let written = front.entries.count
            let answers = front.send(LoopHarness.submit(front.nextRequest, 1))
            front.nextRequest += 1
            #expect(
                answers.contains {
                    if case .send(_, _, .reply(_, .refused(let failure, _), _)) = $0 { failure.code == .busy } else { false }
                })
            #expect(front.entries.count == written, "what is not kept is not written")
        }
        let counts = sessions.map { front.machine.state.sessions[$0]?.retainedByteCount ?? 0 }
        // One reply may pass the bound; a refusal is small although the key is long.
        #expect(counts.allSatisfy { $0 > 0 && $0 < 10_000 + 1_200 })
        #expect(counts.reduce(0, +) == front.machine.state.sessions.retainedByteCount)
        #expect(front.machine.state.sessions.retainedByteCount < 25_000 + 1_200 + 8 * (3_000 + 1_200))
        let mark = front.nextRequest
        let confirmed = conflict(&front, long, mark: mark)
        #expect(confirmed == .conflict)
        #expect(front.restarted().machine.state.sessions.retainedByteCount <= 8 * (10_000 + 1_200))
        for session in sessions {
            front.session = session
            _ = front.send(.close)
        }
        #expect(front.machine.state.sessions.retainedByteCount == 0)
    }

    @Test("what was refused for want of room does nothing when a copy of it comes once there is room; under a new number it is done")
    func refusedCopies() {
        var front = FrontHarness { ($0.bounds.retainedByteCount, $0.bounds.sparedByteCount) = (1, 1) }
        front.open()
        _ = front.ask(.job(.cancel(JobID(77))))
        let refused = front.nextRequest
        func refusal(of number: UInt64) -> FailureCode? {
            for case .send(_, _, .reply(_, .refused(let failure, _), _)) in front.send(LoopHarness.submit(number, 1)) {
                return failure.code
            }
            return nil
        }
        #expect(refusal(of: refused) == .busy)
        // The mark of a later request says that the retained reply has come, and makes room; it does not cover the refused one yet.
        _ = front.send(.heartbeat(lowestUnanswered: RequestNumber(refused)))
        let written = front.entries.count
        #expect(refusal(of: refused) == .busy)
        #expect(front.entries.count == written)
        #expect(refusal(of: refused + 1) == nil)
        #expect(front.entries.count > written)
    }

    @Test("replies that a client has confirmed do not come back with a restart")
    func confirmedReplies() throws {
        var front = FrontHarness { $0.bounds.requestWindow = 16 }
        front.open()
        for _ in 0..<100 { _ = front.ask(.job(.cancel(JobID(77)))) }
        #expect(front.machine.state.sessions[front.session]?.replies.count == 1)
        #expect(front.restarted().machine.state.sessions[front.session]?.replies.count == 1)
        _ = front.submit(1)
        #expect(front.restarted().machine.state.sessions[front.session]?.replies.count == 1)
    }
}
