//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Unique keys")
struct UniqueKeyTests {
    /// Debounced keys have tests of their own: their jobs are scheduled, and moved.
    private static let modes = UniqueMode.allCases.filter { $0 != .debounce }

    /// What the same work gets, and other work.
    private static func expected(_ mode: UniqueMode, _ holder: KeyWorld.Holder) -> (same: String, other: String) {
        switch holder {
        case .scheduled, .waiting: ("joined", mode == .replace || mode == .buffer ? "replaced" : "conflict")
        case .cancelling: mode == .untilStarted || mode == .buffer ? ("new", "new") : ("conflict", "conflict")
        case .running, .backingOff, .requeued, .quarantined:
            mode == .untilStarted || mode == .buffer ? ("new", "new") : ("joined", "conflict")
        case .endedWithin: ("joined", "conflict")
        case .ended, .endedAfter, .cancelled, .failed: ("new", "new")
        }
    }

    @Test(
        "in each mode a submit meets the job that has its key, wherever that is, before and after a restart from rows and from a checkpoint",
        arguments: modes, KeyWorld.Holder.allCases)
    func table(_ mode: UniqueMode, _ holder: KeyWorld.Holder) {
        // Such a key is free before the end, or passes on at it, so it does not stay taken after it.
        if mode == .untilStarted || mode == .buffer, holder == .endedWithin || holder == .endedAfter { return }
        // Behind another job there is no other time.
        if mode == .buffer, holder == .scheduled { return }
        let world = KeyWorld(mode, holder)
        let (same, other) = Self.expected(mode, holder)
        let start = holder == .scheduled ? JobStart.after(.seconds(60)) : .now
        for (name, world) in [("serving", world), ("rows", world.restarted()), ("checkpoint", world.restored())] {
            var (first, second) = (world, world)
            #expect(first.word(first.submit(start: start)) == same, "\(name)")
            #expect(second.word(second.submit([2], start: start)) == other, "\(name)")
            #expect(first.miscount == nil && second.miscount == nil && world.miscount == nil, "\(name)")
            for world in [first, second] {
                let (own, replayed) = (world.front.machine.state, world.restarted().front.machine.state)
                #expect(own.image.difference(from: replayed.image, withJobs: true) == nil, "\(name)")
                #expect(own.jobs.keys.agree(with: replayed.jobs.keys), "\(name)")
            }
        }
    }

    @Test("of two submits in one turn the second joins, and other work is refused with the job's name")
    func oneTurn() {
        var world = KeyWorld(UniqueKey("k"))
        let replies = world.replies(
            to: world.message([1], world.options()), world.message([1], world.options()), world.message([2], world.options()),
            world.message([1], world.options(7)))
        #expect(
            world.front.decided == [
                "entry jobsAccepted 1", "entry replyRetained 1 jobsAccepted 1 and 0 more", "client 7: reply 1 jobsAccepted 1 and 0 more",
                "entry replyRetained 2 jobsAccepted 1 and 0 more, joined", "client 7: reply 2 jobsAccepted 1 and 0 more, joined",
                "entry replyRetained 3 refused conflict", "client 7: reply 3 refused conflict", "entry replyRetained 4 refused conflict",
                "client 7: reply 4 refused conflict",
            ])
        #expect(replies.prefix(2) == [.jobsAccepted(first: JobID(1), count: 1), .jobsAccepted(first: JobID(1), count: 1, .joined)])
        for (reply, differs) in zip(replies.dropFirst(2), ["another argument", "priority 5 instead of 7"]) {
            guard case .refused(let failure, .zero) = reply else { return #expect(Bool(false), "\(replies)") }
            #expect(failure.code == .conflict && !failure.retryable)
            #expect(
                failure.text
                    == "the unique key \"k\" of loader slow is taken by job 1, which differs (\(differs)) and is waiting: wait for its end, or "
                    + "cancel it")
        }
        #expect(world.keys.count == 1)
    }

    @Test("other work under a taken key is told with all that differs, as far as the front knows it")
    func differences() {
        var options = JobOptions(priority: 9, tags: ["a"], retry: RetryRule(attempts: 2), attemptTimeout: .seconds(1))
        options.totalTimeout = .seconds(60)
        options.hasSecretArgument = true
        options.uniqueKey = UniqueKey("k", afterEnd: .seconds(5))
        func text(_ reply: Reply?) -> String {
            if case .refused(let failure, _)? = reply { failure.text } else { "\(String(describing: reply))" }
        }
        var world = KeyWorld(UniqueKey("k"))
        _ = world.submit()
        let all =
            "another argument, priority 5 instead of 9, other tags, other attempts or pauses between them, another time for an attempt, "
            + "another time in all, another rule of its key, no secret argument"
        #expect(text(world.submit([2], options)).contains("job 1, which differs (\(all)) and is waiting"))
        // What a job was to wait for is over, and is not kept.
        #expect(
            text(world.submit(start: .after(.seconds(60)))).contains("which differs (another time, or options of an earlier configuration)")
        )
        var ended = KeyWorld(.untilEnded, .quarantined)
        #expect(text(ended.submit([2])).contains("which differs (another argument) and is quarantined: repeat that job"))
        _ = ended.front.handle(.checkpointNears(isNew: true))
        ended.front.settle()
        #expect(text(ended.submit([2])).contains("which differs (another argument or other options) and is quarantined"))
    }

    @Test("a key is one loader's own, and jobs with keys share their terms")
    func scope() {
        var world = KeyWorld(UniqueKey("k"))
        let jobs = ["slow", "once"].map { world.first(world.submit(loader: $0)) }
        let other = world.first(world.submit(JobOptions(uniqueKey: UniqueKey("l"))))
        #expect(jobs == [JobID(1), JobID(2)] && other == JobID(3) && world.keys.count == 3)
        let state = world.front.machine.state
        #expect(Set([1, 2, 3].map { state.jobs[$0].terms }).count == 1 && state.jobs.terms.count == 1)
        #expect(world.front.job(other)?.options.uniqueKey?.text == "l")
        for job in [1, 2, 3] as [UInt64] { _ = world.front.ask(.job(.cancel(JobID(job)))) }
        #expect(world.keys.count == 0 && world.keys.byteCount == 0)
        // What they were submitted with stays known.
        #expect(world.front.job(other)?.options.uniqueKey?.text == "l" && world.restored().front.job(other)?.options.uniqueKey?.text == "l")
    }

    @Test("several jobs with one key are refused, as is a key that cannot be")
    func invalid() {
        var world = KeyWorld(UniqueKey("k"))
        guard case .refused(let failure, _)? = world.front.askSubmit(2, JobOptionsColumn(world.options())) else {
            return #expect(Bool(false), "not refused")
        }
        #expect(failure.code == .invalidData && failure.text == "a job with a unique key is submitted alone, not with 1 others")
        guard case .refused(let empty, _)? = world.submit(JobOptions(uniqueKey: UniqueKey(""))) else { return #expect(Bool(false)) }
        #expect(empty.code == .invalidData && world.keys.byteCount == 0)
    }

    @Test("a key stays taken for exactly as long as was asked, also while no front runs, and is nothing then")
    func kept() {
        var world = KeyWorld(.untilEnded, .endedWithin)
        #expect(world.keys.count == 1 && world.word(world.submit()) == "joined")
        world.front.pass(milliseconds: 1)
        // A submit finds it free before its deadline is looked at.
        var early = world
        #expect(early.word(early.submit([2])) == "new" && early.miscount == nil)
        var late = world.restarted()
        world.front.settle()
        #expect(world.keys.count == 0 && world.keys.byteCount == 0)
        late.front.settle()
        #expect(late.keys.count == 0 && late.word(late.submit([2])) == "new")
    }

    @Test(
        "no step of the wall clock frees a key that stays taken, or keeps it longer",
        arguments: [3_600_000, FrontHarness.year, -FrontHarness.year])
    func steps(of step: Int64) {
        var world = KeyWorld(.untilEnded, .endedWithin)
        world.front.setWallClock(milliseconds: step)
        world.front.settle()
        #expect(world.keys.count == 1 && world.word(world.submit()) == "joined")
        world.front.pass(milliseconds: 1)
        world.front.settle()
        #expect(world.keys.count == 0 && world.word(world.submit([2])) == "new" && world.miscount == nil)
    }

    @Test("a key that stays taken outlasts its job, in memory, in a checkpoint and when the front starts again")
    func outlasting() {
        var world = KeyWorld(UniqueKey("k", afterEnd: .seconds(3_600))) { $0.bounds.retention[.succeeded].count = 1 }
        world.worker.register(with: &world.front, slots: 1)
        for key in [world.key, nil, nil] as [UniqueKey?] {
            let job = world.first(world.submit(JobOptions(uniqueKey: key)))
            world.worker.take(world.front.settle())
            world.worker.end(job.rawValue, in: &world.front)
        }
        #expect(world.front.machine.state.jobs.state(of: 1) == nil)
        for world in [world, world.restarted(), world.restored()] {
            var world = world
            guard case .refused(let failure, _)? = world.submit([2]) else { return #expect(Bool(false), "it is free") }
            #expect(
                failure.text.contains("is taken by job 1, which") && failure.text.contains("is forgotten, and keeps its key until "))
            #expect(world.submit() == .jobsAccepted(first: JobID(1), count: 1, .joined))
            #expect(world.miscount == nil)
        }
    }

    @Test("beyond the bound of bytes a submit with a key is refused for now, others are not")
    func bound() {
        let one = UniqueKeys.byteCount(of: UniqueKey("a"), "slow")
        var world = KeyWorld(UniqueKey("a")) { $0.bounds.uniqueKeyByteCount = 2 * one + 1 }
        for text in ["a", "b"] { #expect(world.first(world.submit(JobOptions(uniqueKey: UniqueKey(text)))) != .none) }
        guard case .refused(let failure, let pause)? = world.submit(JobOptions(uniqueKey: UniqueKey("c"))) else {
            return #expect(Bool(false), "taken")
        }
        #expect(failure.code == .busy && failure.retryable && pause > .zero)
        #expect(world.front.machine.turn.context.busyCounts == [.uniqueKeyByteCount: 1])
        // To join takes no room.
        #expect(world.submit() == .jobsAccepted(first: JobID(1), count: 1, .joined))
        #expect(world.first(world.submit(JobOptions())) != .none)
        _ = world.front.ask(.job(.cancel(JobID(1))))
        #expect(world.first(world.submit(JobOptions(uniqueKey: UniqueKey("c")))) != .none)
        #expect(world.keys.byteCount == 2 * one && world.miscount == nil)
    }

    @Test("a waiting job whose start is replaced by a later one waits for it, and for nothing else to happen")
    func replacedByLater() {
        var world = KeyWorld(.replace, .waiting)
        #expect(world.word(world.submit([2], start: .after(.seconds(60)))) == "replaced")
        world.front.pass(milliseconds: 59_999)
        world.front.settle()
        #expect(world.front.job(world.job)?.state == .scheduled)
        world.front.pass(milliseconds: 1)
        world.front.settle()
        #expect(world.front.job(world.job)?.state == .waiting && world.miscount == nil)
    }

    @Test("on a full queue the same work is joined all the same")
    func fullQueue() {
        var world = KeyWorld(UniqueKey("k")) { $0.bounds.queuedJobs = 1 }
        #expect(world.submit() == .jobsAccepted(first: JobID(1), count: 1))
        #expect(world.submit() == .jobsAccepted(first: JobID(1), count: 1, .joined))
        #expect(world.first(world.submit(JobOptions())) == .none)
    }

    @Test("texts that Unicode calls equal are one key")
    func composed() {
        var world = KeyWorld(UniqueKey("\u{E9}"))
        #expect(world.submit() == .jobsAccepted(first: JobID(1), count: 1))
        #expect(
            world.submit(JobOptions(uniqueKey: UniqueKey("e\u{301}"))) == .jobsAccepted(first: JobID(1), count: 1, .joined))
    }

    @Test("of jobs without a key nothing is kept")
    func unused() {
        let (front, _, job) = FrontHarness.running()
        let keys = front.machine.state.jobs.keys
        #expect(keys.byteCount == 0 && keys.key(of: job.rawValue) == nil && MemoryLayout<JobRecord>.size <= 104)
        #expect(MemoryLayout<JobOptions>.size <= 128)
    }
}
