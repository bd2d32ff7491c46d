//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Debounced jobs")
struct DebounceTests {
    private static let key = UniqueKey("k", debounce: Debounce(quiet: .seconds(5), longest: .seconds(12)))

    /// A front that was asked for job 1, whose key is to be quiet for 5 s, and that waits for at most 12 s.
    private func world() -> KeyWorld {
        var world = KeyWorld(Self.key)
        #expect(world.submit() == .jobsAccepted(first: JobID(1), count: 1))
        return world
    }

    /// In how many milliseconds the job's time comes; nil: it has come.
    private func rest(_ world: KeyWorld, _ job: JobID = JobID(1)) -> Int64? {
        guard let due = world.front.job(job)?.dueAt else { return nil }
        return due.milliseconds - world.front.now.wall.milliseconds
    }

    private func replaced(_ reply: Reply?) -> Bool { reply == .jobsAccepted(first: JobID(1), count: 1, .replaced) }

    /// The same after restarts from rows and from a checkpoint.
    private func again(_ world: KeyWorld) -> [KeyWorld] { [world, world.restarted(), world.restored()] }

    @Test("a debounced job is scheduled for the end of the quiet time, and says that it is delayed")
    func scheduled() {
        for world in again(world()) {
            #expect(rest(world) == 5_000 && world.front.job(JobID(1))?.state == .scheduled && world.miscount == nil)
            #expect(world.front.job(JobID(1))?.waitReason == .delayed(until: world.front.now.wall.advanced(by: .seconds(5))))
        }
    }

    @Test("each later submit, also the same once more, gives it its argument and options, and moves its time on, up to the longest wait")
    func pushed() {
        var world = world()
        world.front.pass(milliseconds: 4_000)
        #expect(replaced(world.submit([2], world.options(7))) && rest(world) == 5_000)
        world.front.pass(milliseconds: 4_000)
        #expect(replaced(world.submit([2], world.options(7))) && rest(world) == 4_000)
        for world in again(world) {
            var world = world
            world.front.pass(milliseconds: 3_000)
            #expect(replaced(world.submit([3])) && rest(world) == 1_000)
            let state = world.front.machine.state
            #expect(Array(state.jobs.arena[state.jobs[1].argument]) == [3] && state.jobs.terms(of: state.jobs[1]).options.priority == 5)
            #expect(world.keys.taken(by: 1)?.since != nil && world.miscount == nil)
            world.worker.register(with: &world.front, slots: 1)
            world.front.pass(milliseconds: 999)
            world.worker.take(world.front.settle())
            #expect(world.worker.held.isEmpty)
            world.front.pass(milliseconds: 1)
            world.worker.take(world.front.settle())
            #expect(world.worker.held.map(\.job) == [1])
        }
    }

    @Test("of a delay by command and a submit the later one says when its time comes")
    func delayed() {
        var world = world()
        #expect(world.front.ask(.job(.delay(JobID(1), .after(.seconds(3_600))))) == .done(version: 0) && rest(world) == 3_600_000)
        #expect(replaced(world.submit([2])) && rest(world) == 5_000 && world.miscount == nil)
    }

    @Test("once its time has come it takes what is submitted, and is not delayed again, be it that the front has not looked yet")
    func due() {
        var world = world()
        world.front.pass(milliseconds: 5_000)
        var early = world
        #expect(replaced(early.submit([2])) && rest(early) == 0)
        early.front.settle()
        world.front.settle()
        for world in [early] + again(world) {
            var world = world
            #expect(world.front.job(JobID(1))?.state == .waiting)
            world.front.pass(milliseconds: 1_000)
            #expect(replaced(world.submit([3])) && rest(world) == nil && world.front.job(JobID(1))?.state == .waiting)
            #expect(world.miscount == nil)
        }
    }

    @Test("its key is free at its first grant for good, and the next submit is a new job")
    func granted() {
        var world = world()
        world.worker.register(with: &world.front, slots: 1)
        world.front.pass(milliseconds: 5_000)
        world.worker.take(world.front.settle())
        #expect(world.worker.held.map(\.job) == [1] && world.keys.count == 0)
        world.worker.end(1, .returned, in: &world.front)
        for world in again(world) {
            var world = world
            #expect(world.keys.count == 0 && world.miscount == nil)
            #expect(world.submit() == .jobsAccepted(first: JobID(2), count: 1) && rest(world, JobID(2)) == 5_000)
            #expect(world.miscount == nil)
        }
    }

    @Test("the lengths are those of the last submit, and the longest wait counts from the first")
    func changed() {
        var world = world()
        world.front.pass(milliseconds: 4_000)
        let key = UniqueKey("k", debounce: Debounce(quiet: .seconds(20), longest: .seconds(30)))
        #expect(replaced(world.submit(JobOptions(uniqueKey: key))) && rest(world) == 20_000)
        world.front.pass(milliseconds: 15_000)
        #expect(replaced(world.submit(JobOptions(uniqueKey: key))) && rest(world) == 11_000)
        // Nobody waits longer than the last submit says: the job's time is over.
        #expect(replaced(world.submit()))
        world.front.settle()
        #expect(world.front.job(JobID(1))?.state == .waiting && world.miscount == nil)
    }

    @Test(
        "after a start of the machine the rest begins anew, and a step of the wall clock moves nothing",
        arguments: [3_600_000, FrontHarness.year, -FrontHarness.year])
    func clocks(steppedBy step: Int64) {
        var world = world()
        world.front.pass(milliseconds: 4_000)
        #expect(replaced(world.submit()))
        world.front.setWallClock(milliseconds: step)
        world.front.settle()
        #expect(world.front.machine.state.jobs[1].standing == .scheduled && replaced(world.submit()) && rest(world) == 5_000)
        var next = world
        next.front.pass(milliseconds: 3_000)
        next.front.now.monotonic = MonotonicTime(nanoseconds: 0)
        next.front.settings.boot = BootInstant(id: "two", uptime: .zero)
        next = next.restarted()
        #expect(rest(next) == 5_000)
        next.front.pass(milliseconds: 4_000)
        // 8 s of the 12 s are over.
        #expect(replaced(next.submit()) && rest(next) == 4_000 && next.miscount == nil)
    }

    @Test("a debounced job with a delay or a time of its own is refused, as is one that would expire before its key was quiet")
    func contradictions() {
        var world = KeyWorld(Self.key)
        for start in [JobStart.after(.seconds(1)), .at(world.front.now.wall.advanced(by: .seconds(60)))] {
            guard case .refused(let failure, _)? = world.submit(start: start) else { return #expect(Bool(false), "accepted") }
            #expect(failure.code == .invalidData && failure.text.hasPrefix("a debounced job starts once its key was quiet"))
        }
        var options = world.options()
        options.expiresAt = world.front.now.wall.advanced(by: .seconds(5))
        guard case .refused(let failure, _)? = world.submit(options) else { return #expect(Bool(false), "accepted") }
        #expect(failure.code == .invalidData && failure.text.contains("before its delay is over") && world.keys.byteCount == 0)
    }

    @Test("a key that is debounced and one that is not are refused to each other")
    func modes() {
        for (first, second) in [(Self.key, UniqueKey("k", mode: .replace)), (UniqueKey("k", mode: .replace), Self.key)] {
            var world = KeyWorld(first)
            #expect(world.submit() == .jobsAccepted(first: JobID(1), count: 1))
            guard case .refused(let failure, _)? = world.submit(JobOptions(uniqueKey: second)) else { return #expect(Bool(false)) }
            #expect(failure.code == .conflict && failure.arguments.prefix(2) == ["job", "1"])
        }
    }

    @Test("a cancelled or expired one frees its key, and one that is moved by a command is moved again by the next submit")
    func moved() {
        var world = world()
        var cancelled = world
        _ = cancelled.front.ask(.job(.cancel(JobID(1))))
        #expect(cancelled.keys.count == 0 && cancelled.submit() == .jobsAccepted(first: JobID(2), count: 1))
        var promoted = world
        _ = promoted.front.ask(.job(.promote(JobID(1))))
        #expect(promoted.front.job(JobID(1))?.state == .waiting && replaced(promoted.submit([2])) && rest(promoted) == nil)
        _ = world.front.ask(.job(.delay(JobID(1), .after(.seconds(3_600)))))
        #expect(rest(world) == 3_600_000 && replaced(world.submit()) && rest(world) == 5_000)
        #expect([cancelled, promoted, world].allSatisfy { $0.miscount == nil })
    }

    @Test("a job that repeats a debounced one is debounced too")
    func repeated() {
        var world = world()
        _ = world.front.ask(.job(.cancel(JobID(1))))
        #expect(world.submit(world.options(retryOf: JobID(1))) == .jobsAccepted(first: JobID(2), count: 1))
        #expect(rest(world, JobID(2)) == 5_000 && world.front.job(JobID(2))?.options.retryOf == JobID(1))
    }
}
