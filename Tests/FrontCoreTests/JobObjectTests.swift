//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Objects that feeds' jobs name")
struct JobObjectTests {
    /// What the jobs name that have not ended, by a look at all of them; the counts have to say the same.
    private func named(by front: FrontHarness) -> Set<ObjectDigest> {
        let jobs = front.machine.state.jobs
        var named: Set<ObjectDigest> = []
        for (id, record) in jobs.keyLines.all where jobs.isAlive(id) {
            for object in [record.job.source, record.granted?.content] {
                if let object { named.insert(object.digest) }
            }
        }
        #expect(Set(jobs.keyLines.objectNames) == named)
        #expect(front.machine.namedObjects.isSuperset(of: named))
        return named
    }

    /// The same front after a restart from a checkpoint.
    private func restored(_ front: FrontHarness) -> FrontHarness {
        var next = front
        next.machine = FrontMachine(settings: front.settings, now: front.now)
        next.machine.restore(front.machine.wholeCheckpoint, of: TurnNumber(9), isSlice: true)
        return next
    }

    @Test("are counted as they are by a look at all jobs: at acceptance, grant, return, end, and after a restart")
    func counted() throws {
        var world = FeedWorld { $0.bounds.retention[.succeeded].count = 2 }
        let todos = try FeedWorld.key("todos")
        _ = try world.accept(.feed(todos, .create(item: [1])))
        world.rest()
        let content = try #require(world.front.feed(todos)?.content?.object.digest)
        #expect(named(by: world.front) == [])
        var saves: [JobID] = []
        for number in UInt8(2)...6 { saves.append(try world.accept(.feed(todos, .create(item: [number])))) }
        #expect(named(by: world.front) == [])
        world.grant()
        #expect(named(by: world.front) == [content])
        _ = world.worker.send(.close(), to: &world.front)
        _ = named(by: world.front)
        _ = world.front.settle()
        _ = named(by: world.front)
        world.worker = WorkerHarness(2)
        world.worker.register(with: &world.front, slots: 64)
        world.grant()
        _ = named(by: world.front)
        for save in saves {
            if save == saves[1] { world.fail(save) } else { world.finish(save.rawValue) }
            _ = named(by: world.front)
            world.grant()
            _ = named(by: world.front)
            _ = (named(by: world.front.restarted()), named(by: restored(world.front)))
        }
    }

    @Test("have the source that a merge waits with, also after a restart, until the merge has ended")
    func source() throws {
        var world = FeedWorld()
        let todos = try FeedWorld.key("todos")
        let load = try world.accept(.feed(todos, .load))
        world.grant()
        for number in 0..<3 { _ = try world.accept(.feed(todos, .create(item: [UInt8(number)]))) }
        world.finish(load.rawValue)
        let merge = try #require(world.front.machine.state.jobs.keyLines.loads(of: todos).first)
        let source = try #require(world.front.machine.state.jobs.keyLines[merge.rawValue]?.job.source).digest
        #expect(named(by: world.front).contains(source))
        #expect(named(by: world.front.restarted()).contains(source))
        #expect(named(by: restored(world.front)).contains(source))
        world.rest()
        #expect(named(by: world.front) == [])
        #expect(named(by: world.front.restarted()) == [] && named(by: restored(world.front)) == [])
    }
}
