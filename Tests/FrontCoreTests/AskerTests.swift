//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Who asked for a job")
struct AskerTests {
    private func key(_ text: String) throws -> FeedKey { try #require(FeedKey(text: text)) }

    private func timeline(of job: JobID, in front: inout FrontHarness) -> String? {
        guard case .explanation(let explanation)? = front.ask(.job(.explain(job))) else { return nil }
        return explanation.timeline.first
    }

    /// The jobs that a session has asked for before it closed, of each way to ask.
    private func asked(_ front: inout FrontHarness) throws -> [JobID] {
        front.open(label: "cli 7")
        var jobs = [front.submit(1, loader: "slow")]
        for body: RequestBody in [.feed(try key("items"), .load), .feed(try key("todos"), .create(item: Array("{}".utf8)))] {
            guard case .accepted(let job, _)? = front.ask(body) else { continue }
            jobs.append(job)
        }
        _ = front.send(.close)
        return jobs
    }

    @Test("is told after its session has closed, and after a restart from the rows and from a checkpoint")
    func afterTheSession() throws {
        var front = FrontHarness()
        let jobs = try asked(&front)
        #expect(jobs.count == 3)
        var replayed = front.restarted(isTakenUp: false)
        var stored = front.restarted(isTakenUp: false)
        stored.machine = FrontMachine(settings: stored.settings, now: stored.now)
        let turn = TurnNumber(UInt64(front.entries.count))
        stored.machine.restore(front.machine.state.baseEntries(), of: turn, isSlice: true)
        // A checkpoint's part may come for jobs that are there.
        for _ in 0..<2 { stored.machine.restore(front.machine.state.slice(from: 1, chunkLimit: 100).entries, of: turn, isSlice: true) }
        for job in jobs {
            #expect([front, replayed, stored].map { $0.job(job)?.askedBy } == ["cli 7", "cli 7", "cli 7"])
        }
        replayed.open(label: "another")
        #expect(timeline(of: jobs[0], in: &replayed) == "accepted from cli 7")
        // Of jobs that ask the source of a feed they are kept apart.
        #expect(stored.machine.state.jobs.terms.count == 2)
    }

    @Test("is told of the merge that goes on with a load, whose session has closed")
    func merge() throws {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        worker.register(with: &front)
        front.open(label: "cli 7")
        _ = front.ask(.feed(try key("todos"), .load))
        #expect(timeline(of: JobID(1), in: &front) == "accepted from cli 7")
        _ = front.send(.close)
        worker.take(front.settle())
        var loaded = FeedResult()
        loaded.content = ObjectReference(digest: ObjectDigest(words: (1, 2, 3, 4)), byteCount: 1, itemCount: 1)
        let load = try #require(worker.held.first?.job)
        worker.take(worker.end(load, feed: loaded, in: &front))
        worker.take(front.settle())
        let merge = try #require(worker.held.first { $0.job != load })
        #expect(merge.work?.operation == .merge && merge.work?.source == loaded.content)
        #expect(front.job(JobID(merge.job))?.askedBy == "cli 7")
        #expect(front.restarted(isTakenUp: false).job(JobID(merge.job))?.askedBy == "cli 7")
    }

    @Test("is not the front where a client without a label asked")
    func nobody() {
        var front = FrontHarness()
        front.open(label: "")
        let job = front.submit(1)
        #expect(timeline(of: job, in: &front) == "accepted from a client without a label")
        #expect(front.machine.state.jobs.terms.count == 0)
    }

    @Test("is not the front either of the merge that goes on with the load of such a client")
    func mergeOfNobody() throws {
        var world = FeedWorld()
        world.front.open(label: "")
        let todos = try key("todos")
        let load = try world.accept(.feed(todos, .load))
        world.grant()
        world.finish(load.rawValue)
        let merge = try #require(world.front.feed(todos)?.activity.job)
        #expect(merge != load && timeline(of: merge, in: &world.front) == "accepted from a client without a label")
    }

    @Test("a name takes no memory once no session and no job has it, and its place is the next one's")
    func forgotten() {
        var front = FrontHarness { $0.bounds.retention[.succeeded].count = 2 }
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 64)
        for number in 0..<50 {
            front.open(label: "cli \(number)", client: "cli \(number)")
            let job = front.submit(1, loader: "slow")
            _ = front.send(.close)
            worker.take(front.settle())
            worker.take(worker.end(job.rawValue, in: &front))
            front.settle()
        }
        let names = front.machine.state.jobs.terms
        #expect(names.count == 2)
        // The label and the name in terms, the name once more as that of lanes.
        let terms = names.indices.dropFirst().filter { names.uses(at: $0) > 0 }.map { names[$0].roughByteCount + RoughSize.name }
        #expect(names.byteCount == terms.reduce(0, +) + 2 * (6 + RoughSize.client + RoughSize.name) && names.clients.count == 2)
        #expect(front.restarted(isTakenUp: false).machine.state.jobs.terms.count == 2, "a restart forgets what is too much, too")
    }

    @Test("a crowd of names fills the queue as arguments do")
    func crowd() {
        var front = FrontHarness { $0.bounds.queuedByteCount = 50_000 }
        var accepted = 0
        for number in 0..<100 {
            front.open(label: "cli \(number)", client: "cli \(number)")
            if front.submit(1, loader: "slow") != .none { accepted += 1 }
            _ = front.send(.close)
        }
        // Each takes about as much as was measured of a front with many: 1.6 kB.
        #expect(accepted > 25 && accepted < 40, "\(accepted)")
        #expect(front.machine.state.jobs.terms.byteCount < 52_000)
    }
}
