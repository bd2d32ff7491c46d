//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Lines of feeds")
struct FeedLineTests {
    @Test("whatever comes and goes, a line has its jobs in the order in which they came", arguments: 0..<8)
    func likeASortedList(seed: UInt64) throws {
        var numbers = SplitMix64(mixing: seed)
        let key = try FeedWorld.key("todos")
        var jobs: [UInt64: FeedJobRecord] = [:]
        var (line, plain) = (FeedLine(), [] as [JobID])
        for _ in 0..<2_000 {
            let id = JobID(UInt64.random(in: 1...60, using: &numbers))
            if plain.contains(id) || Int.random(in: 0..<3, using: &numbers) == 0 {
                line.remove(id, in: &jobs)
                plain.removeAll { $0 == id }
            } else {
                jobs[id.rawValue] = FeedJobRecord(
                    job: JournalEntry.FeedJob(job: id, key: key, operation: .update, loader: "list", acceptedAt: WallTime(milliseconds: 1)))
                line.append(id, in: &jobs)
                plain.append(id)
            }
            #expect(line.backwards(in: jobs).reversed() == plain)
            #expect(line.first == plain.first ?? .none && line.last == plain.last ?? .none && line.isEmpty == plain.isEmpty)
        }
    }

    /// An editable feed in whose line so many edits stand; the first one runs.
    private func world(edits: Int) throws -> (world: FeedWorld, edits: [JobID]) {
        var world = FeedWorld()
        let key = try FeedWorld.key("todos")
        let edits = try (0..<edits).map { number in
            try world.accept(.feed(key, .create(item: Array("\(number)".utf8))))
        }
        world.grant()
        #expect(world.worker.held.map(\.job) == [edits[0].rawValue])
        return (world, edits)
    }

    @Test("an edit that waits for another one has no place in a lane, in which it does not stand")
    func explained() throws {
        var (world, edits) = try world(edits: 3)
        _ = world.front.submit(5, loader: "slow")
        guard case .explanation(let reported)? = world.front.ask(.job(.explain(edits[2]))) else {
            Issue.record("no explanation")
            return
        }
        #expect(reported.job.waitReason == .keyTaken(by: edits[0]))
        #expect(reported.placeInLine == nil && reported.estimate == nil)
    }

    @Test("edits that are cancelled in any order leave the others in theirs")
    func cancelled() throws {
        var (world, edits) = try world(edits: 300)
        var numbers = SplitMix64(mixing: 3)
        let gone = Set(edits.dropFirst().shuffled(using: &numbers).prefix(250))
        for job in edits.filter(gone.contains).shuffled(using: &numbers) { _ = world.front.ask(.job(.cancel(job))) }
        var order: [JobID] = []
        while let job = world.worker.held.first?.job {
            if edits.contains(JobID(job)) { order.append(JobID(job)) }
            world.finish(job)
            world.grant()
        }
        #expect(order == edits.filter { !gone.contains($0) })
    }
}
