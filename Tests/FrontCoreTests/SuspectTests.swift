//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Suspected jobs and others")
struct SuspectTests {
    /// A worker with so many slots that runs one long job, and two jobs that are suspected because another worker died with them.
    private func world(slots: Int) -> SchedulerWorld {
        var world = SchedulerWorld()
        world.register(0, slots: slots)
        world.insert(1)
        #expect(world.turn() == [.init(worker: 0, jobs: [1])])
        world.insert(2, isSuspected: true)
        world.insert(3, isSuspected: true)
        return world
    }

    @Test("a suspected job takes the first empty worker before all others, and is alone there until it ends")
    func alone() {
        var world = world(slots: 4)
        for id in UInt64(10)..<20 { world.insert(id) }
        #expect(world.turn() == [])
        world.end(1)
        #expect(world.turn() == [.init(worker: 0, jobs: [2])])
        world.pass(seconds: 30)
        #expect(world.turn() == [])
        // The other one does not get the next worker as well: that is for those who wait beside.
        world.register(1, slots: 2)
        #expect(world.turn().map(\.worker) == [1, 1])
    }

    @Test("a suspected job that has been alone for its time gets neighbors; when they have gone it is not alone again")
    func neighbors() {
        var world = world(slots: 4)
        world.aloneFor = .seconds(10)
        for id in UInt64(10)..<15 { world.insert(id) }
        world.end(1)
        #expect(world.turn() == [.init(worker: 0, jobs: [2])])
        #expect(world.scheduler.suspectsDue(after: world.now) == world.now.advanced(by: .milliseconds(10_000)))
        world.pass(seconds: 9)
        #expect(world.turn() == [])
        world.pass(seconds: 1)
        // Nobody keeps the worker for job 3 as long as others have waited for job 2.
        #expect(world.turn().map(\.jobs) == [[10], [11], [12]])
        world.pass(seconds: 1)
        for id: UInt64 in [10, 11, 12] { world.end(id) }
        #expect(world.turn().map(\.jobs) == [[13], [14]])
        #expect(world.slab[2].flags.contains(.suspected))
    }

    @Test("how long a job is alone doubles with its attempts, to an hour")
    func longer() {
        let milliseconds = (1...20).map { JobRecord.timeAlone(attempts: $0).wholeMilliseconds }
        #expect(milliseconds.prefix(5) == [10_000, 10_000, 20_000, 40_000, 80_000])
        #expect(milliseconds[10] == 3_600_000 && milliseconds[19] == 3_600_000)
    }

    @Test("the time of a job that is alone counts from the first look after its grant, whoever looks")
    func firstLook() {
        var runs = SuspectRuns()
        let (free, alone) = (WorkerRoom(), WorkerRoom(aloneFor: .seconds(10)))
        let now = MonotonicTime(nanoseconds: 1_000_000_000)
        runs.note(3, from: free, to: alone)
        #expect(runs.takeLong(at: now) == [])
        #expect(runs.next == now.advanced(by: .seconds(10)))
        #expect(runs.takeLong(at: now.advanced(by: .seconds(9))) == [])
        #expect(runs.takeLong(at: now.advanced(by: .seconds(10))) == [3])
        #expect(runs.next == nil)
    }

    @Test("after the death of the only worker a job of an hour leaves its other slots free for 10 s, not for the hour")
    func oneWorker() throws {
        var front = FrontHarness()
        var (worker, next) = (WorkerHarness(1), WorkerHarness(2))
        front.open()
        worker.register(with: &front, slots: 8)
        let long = [front.submit(1, loader: "slow"), front.submit(1, loader: "slow")].map(\.rawValue)
        worker.take(front.settle())
        #expect(worker.held.count == 2)
        front.pass(milliseconds: 20_000)
        front.settle()
        next.register(with: &front, slots: 8)
        next.take(front.settle())
        #expect(next.held.map(\.job) == [long[0]])
        let other = front.submit(1, loader: "slow")
        front.pass(milliseconds: 1_000)
        _ = next.renew(&front)
        next.take(front.settle())
        #expect(front.job(other)?.state == .waiting)
        // Whoever asks learns what the free slots are kept for.
        guard case .explanation(let told) = front.ask(.job(.explain(other))) else { return #expect(Bool(false), "no explanation") }
        #expect(told.job.waitReason == .slotsReserved(for: JobID(long[0])))
        let line = "waits: free slots are reserved for job \(long[0]), whose worker died and which runs alone for a while"
        #expect(told.timeline.contains(line), "\(told.timeline)")
        guard case .jobs(let listed, _, _) = front.ask(.job(.list(JobQuery(loader: "slow")))) else {
            return #expect(Bool(false), "no list")
        }
        #expect(listed.map(\.waitReason) == [.slotsReserved(for: JobID(long[0])), .suspected, nil])
        for _ in 0..<10 {
            front.pass(milliseconds: 1_000)
            _ = next.renew(&front)
            next.take(front.settle())
        }
        #expect(front.job(other)?.state == .running)
        #expect(front.job(JobID(long[1]))?.state == .waiting, "it is to be alone, and waits for an empty worker")
    }

    @Test("two jobs that were lost with their worker run at once where two workers are empty, each alone")
    func emptyWorkers() throws {
        var front = FrontHarness()
        var (lost, one, two) = (WorkerHarness(1), WorkerHarness(2), WorkerHarness(3))
        front.open()
        lost.register(with: &front, slots: 4)
        let first = front.submit(2, loader: "slow")
        lost.take(front.settle())
        #expect(lost.held.count == 2)
        for _ in 0..<8 {
            front.pass(milliseconds: 1_000)
            front.settle()
        }
        let second = first.advanced(by: 1)
        #expect(front.isSuspected(first) && front.isSuspected(second))
        one.register(with: &front, slots: 4)
        two.register(with: &front, slots: 4)
        let other = front.submit(1, loader: "slow")
        let actions = front.settle()
        one.take(actions)
        two.take(actions)
        #expect(one.held.map(\.job) == [first.rawValue])
        #expect(two.held.map(\.job) == [other.rawValue], "who waits beside has the next worker")
        two.take(two.end(other.rawValue, in: &front))
        #expect(two.held.map(\.job) == [second.rawValue], "where nobody waits it is for the other one")
        #expect(front.job(second)?.attempts == 2 && front.job(second)?.state == .running)
        let late = front.submit(1, loader: "slow")
        two.take(front.settle())
        #expect(two.held.count == 1 && front.job(late)?.state == .waiting)
    }

    @Test("a long job's neighbors wait for a suspected job 10 s at most, then get as long, then twice as long is tried")
    func gracePeriod() {
        var world = world(slots: 4)
        for id in UInt64(10)..<20 { world.insert(id) }
        #expect(world.turn() == [])
        world.pass(seconds: 9)
        #expect(world.turn() == [])
        #expect(world.scheduler.suspectsDue(after: world.now) == world.now.advanced(by: .milliseconds(1_000)))
        world.pass(seconds: 1)
        #expect(world.turn().map(\.jobs) == [[10], [11], [12]])
        world.end(10)
        world.pass(seconds: 9)
        #expect(world.turn().map(\.jobs) == [[13]])
        world.pass(seconds: 1)
        world.end(11)
        #expect(world.turn() == [])
        world.pass(seconds: 19)
        #expect(world.turn() == [])
        world.pass(seconds: 1)
        #expect(world.turn().map(\.jobs) == [[14]])
    }

    @Test("however long jobs are and however many come, a suspected job gets its turn")
    func served() {
        var world = world(slots: 2)
        var (nextID, ends) = (UInt64(100), [1: 45] as [UInt64: Int])
        var granted: Int?
        for second in 0..<2_000 where granted == nil {
            world.insert(nextID)
            nextID += 1
            for (id, end) in ends.sorted(by: { $0.key < $1.key }) where end <= second {
                world.end(id)
                ends[id] = nil
            }
            for job in world.turn().flatMap(\.jobs) {
                if job == 2 { granted = second }
                // Each of two slots has a new job at another time: without a claim the worker is never empty.
                ends[job] = second + 90 + Int(job % 7)
            }
            world.pass(seconds: 1)
        }
        #expect(granted != nil)
    }

    @Test("after suspected jobs have run, those who wait beside have the worker as long; if nobody waits the next follows at once")
    func sharing() {
        var world = world(slots: 1)
        world.end(1)
        #expect(world.turn().map(\.jobs) == [[2]])
        world.pass(seconds: 60)
        for id in UInt64(10)..<13 { world.insert(id) }
        world.end(2)
        #expect(world.turn().map(\.jobs) == [[10]])
        world.pass(seconds: 59)
        world.end(10)
        #expect(world.turn().map(\.jobs) == [[11]])
        world.pass(seconds: 1)
        world.end(11)
        #expect(world.turn().map(\.jobs) == [[3]])
        world.insert(4, isSuspected: true)
        world.pass(seconds: 60)
        world.end(3)
        #expect(world.turn().map(\.jobs) == [[12]])
        world.end(12)
        #expect(world.turn().map(\.jobs) == [[4]])
    }

    @Test("a suspected job that follows at once since nobody else waits gives those who come meanwhile as long as it ran, too")
    func following() {
        var world = world(slots: 1)
        world.end(1)
        #expect(world.turn().map(\.jobs) == [[2]])
        world.pass(seconds: 10)
        world.end(2)
        #expect(world.turn().map(\.jobs) == [[3]])
        world.pass(seconds: 30)
        world.insert(4, isSuspected: true)
        for id in UInt64(10)..<12 { world.insert(id) }
        world.end(3)
        #expect(world.turn().map(\.jobs) == [[10]])
        world.pass(seconds: 29)
        world.end(10)
        #expect(world.turn().map(\.jobs) == [[11]])
        world.pass(seconds: 1)
        world.insert(12)
        world.end(11)
        #expect(world.turn().map(\.jobs) == [[4]])
    }

    @Test("where the suspected jobs go for which a worker is kept, others have it as long as it was kept")
    func withdrawn() {
        var world = world(slots: 8)
        world.insert(10)
        #expect(world.turn() == [])
        world.pass(seconds: 6)
        for id: UInt64 in [2, 3] {
            world.remove(id)
            world.slab.remove(id)
        }
        #expect(world.turn().map(\.jobs) == [[10]])
        world.insert(4, isSuspected: true)
        world.insert(11)
        #expect(world.turn().map(\.jobs) == [[11]])
        #expect(world.scheduler.suspectsDue(after: world.now) == world.now.advanced(by: .seconds(6)))
        world.pass(seconds: 5)
        world.insert(12)
        #expect(world.turn().map(\.jobs) == [[12]])
        world.pass(seconds: 1)
        world.insert(13)
        #expect(world.turn() == [])
    }

    @Test("of workers that are alike one at a time is kept for suspected jobs; another kind has its own")
    func kinds() {
        var world = SchedulerWorld()
        world.register(0, slot: [0], slots: 2)
        world.register(1, slot: [0], slots: 2)
        world.register(2, slot: [1], slots: 2)
        for (id, loader) in [(1, 0), (2, 0), (3, 1)] as [(UInt64, Int)] { world.insert(id, loader: loader, isSuspected: true) }
        world.insert(10)
        #expect(world.turn() == [.init(worker: 0, jobs: [1]), .init(worker: 2, jobs: [3]), .init(worker: 1, jobs: [10])])
        #expect(world.turn() == [])
        world.end(1)
        #expect(world.turn() == [.init(worker: 0, jobs: [2])])
    }

    @Test("suspected jobs take every empty worker that nobody else waits for, in order of rank, each alone on its worker")
    func idleWorkers() {
        var world = SchedulerWorld()
        for worker in 0..<3 { world.register(worker, slots: 4) }
        for id in [4, 2, 3, 1] as [UInt64] { world.insert(id, isSuspected: true) }
        #expect(world.turn() == [.init(worker: 0, jobs: [1]), .init(worker: 1, jobs: [2]), .init(worker: 2, jobs: [3])])
        #expect(world.scheduler.keptForSuspects(0) == 3)
        // Nothing else goes to a worker that runs one, and who waits has the first one that is empty.
        world.insert(10)
        #expect(world.turn() == [])
        world.pass(seconds: 5)
        world.end(2)
        #expect(world.turn() == [.init(worker: 1, jobs: [10])])
        #expect(world.turn() == [])
        world.end(3)
        #expect(world.turn() == [.init(worker: 2, jobs: [4])])
        for id in [1, 4] as [UInt64] { world.end(id) }
        #expect(world.turn() == [])
        #expect(world.scheduler.keptForSuspects(0) == 0)
    }

    @Test("a worker that holds bulk jobs does not hide an empty one behind it")
    func hidden() {
        var world = SchedulerWorld()
        for worker in 0..<3 { world.register(worker, slot: [0], ahead: [1], slots: 2) }
        world.insert(1, loader: 1)
        #expect(world.turn(kind: .ahead) == [.init(worker: 0, jobs: [1])])
        for id in UInt64(2)...4 { world.insert(id, isSuspected: true) }
        #expect(world.turn() == [.init(worker: 1, jobs: [2]), .init(worker: 2, jobs: [3])])
        world.end(1)
        #expect(world.turn() == [.init(worker: 0, jobs: [4])])
    }

    @Test("whatever comes and goes, a suspected job is beside no other, and none waits beside an empty worker", arguments: 0..<20)
    func neverBeside(seed: UInt64) {
        var numbers = SplitMix64(mixing: seed)
        var world = SchedulerWorld()
        let offers: [(slot: [Int], ahead: [Int])] = [([0, 1], [2]), ([0], []), ([1, 2], [])]
        var offered: [Int: [Int]] = [:]
        for worker in 0..<5 {
            let offer = offers[worker % offers.count]
            offered[worker] = offer.slot
            world.register(worker, slot: offer.slot, slots: Int.random(in: 1...3, using: &numbers))
        }
        var nextID: UInt64 = 1
        for _ in 0..<400 {
            switch Int.random(in: 0..<6, using: &numbers) {
            case 0, 1:
                let (loader, rank) = (Int.random(in: 0..<3, using: &numbers), Int64.random(in: 0..<40, using: &numbers))
                world.insert(nextID, rank: rank, loader: loader, isSuspected: Bool.random(using: &numbers))
                nextID += 1
            case 2, 3:
                let held = world.held.keys.sorted().flatMap { world.held[$0] ?? [] }
                if let job = held.randomElement(using: &numbers) { world.end(job) }
            case 4: world.pass(seconds: Int64.random(in: 0...15, using: &numbers))
            default:
                guard let worker = (0..<5).randomElement(using: &numbers) else { continue }
                world.setRoom(of: worker) { $0.isTaking.toggle() }
            }
            world.turn()
            let suspects = { (worker: Int) in (world.held[worker] ?? []).count { world.slab[$0].flags.contains(.suspected) } }
            for worker in 0..<5 { #expect(suspects(worker) == 0 || world.held[worker]?.count == 1) }
            for worker in 0..<5 where world.rooms[worker]?.held == 0 && world.rooms[worker]?.isTaking == true {
                for loader in offered[worker] ?? [] {
                    #expect(world.scheduler.first(of: LaneKey(loader: loader, isSuspect: true)) == 0)
                }
            }
        }
    }

    @Test("a worker that never becomes empty holds up no suspected job that it could not run")
    func ownClaims() {
        var world = SchedulerWorld()
        world.register(0, slot: [0], slots: 1)
        world.register(1, slot: [1], slots: 1)
        world.insert(1, loader: 0)
        world.insert(2, loader: 1)
        #expect(world.turn() == [.init(worker: 0, jobs: [1]), .init(worker: 1, jobs: [2])])
        world.insert(3, loader: 0, isSuspected: true)
        world.insert(4, loader: 1, isSuspected: true)
        world.insert(5, loader: 1)
        #expect(world.turn() == [])
        world.end(2)
        #expect(world.turn() == [.init(worker: 1, jobs: [4])])
    }

    @Test("a claim ends with the jobs that it is for, and with its worker")
    func claims() {
        var world = self.world(slots: 2)
        #expect(world.turn() == [])
        world.register(1, slots: 2)
        world.insert(10)
        #expect(world.turn() == [.init(worker: 1, jobs: [10])])
        // Worker 0 drains: now worker 1 is kept.
        world.setRoom(of: 0) { $0.isTaking = false }
        world.insert(11)
        #expect(world.turn() == [])
        world.end(10)
        #expect(world.turn() == [.init(worker: 1, jobs: [2])])
        world = self.world(slots: 2)
        world.insert(10)
        #expect(world.turn() == [])
        for id in UInt64(2)...3 {
            world.remove(id)
            world.slab.remove(id)
        }
        #expect(world.turn() == [.init(worker: 0, jobs: [10])])
        #expect(world.scheduler.suspectsDue(after: world.now) == nil)
    }
}
