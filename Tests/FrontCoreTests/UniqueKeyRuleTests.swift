//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

/// What jobs do that repeat, replace or follow one with a unique key.
@Suite("Unique keys of jobs that are repeated, replaced and followed")
struct UniqueKeyRuleTests {
    @Test("a quarantined job gives its key over to the job that repeats it, in the same turn, and that alone", arguments: [false, true])
    func takenOver(isRestored: Bool) {
        var world = KeyWorld(.untilEnded, .quarantined)
        if isRestored { world = world.restored() }
        let old = world.job
        #expect(world.word(world.submit([1], world.options(retryOf: JobID(99)))) == "joined")
        let new = world.first(world.submit([1], world.options(retryOf: old)))
        #expect(new != old && new != .none && world.keys.holder(of: UniqueKey("k"), "slow")?.job == new.rawValue && world.keys.count == 1)
        // Who repeats it once more gets the first repetition.
        #expect(world.submit([1], world.options(retryOf: old)) == .jobsAccepted(first: new, count: 1, .joined))
        #expect(world.submit() == .jobsAccepted(first: new, count: 1, .joined))
        #expect(world.miscount == nil && world.front.job(new)?.options.retryOf == old)
        for later in [world.restarted(), world.restored()] {
            #expect(later.keys.holder(of: UniqueKey("k"), "slow")?.job == new.rawValue && later.miscount == nil)
        }
    }

    @Test("a job that repeats any other takes the key as a submit does")
    func repeated() {
        var world = KeyWorld(.untilEnded, .failed)
        let old = world.job
        let new = world.first(world.submit([1], world.options(retryOf: old)))
        #expect(new != old && world.keys.holder(of: UniqueKey("k"), "slow")?.job == new.rawValue)
        #expect(world.submit([1], world.options(retryOf: old)) == .jobsAccepted(first: new, count: 1, .joined))
        guard case .refused(let failure, _)? = world.submit([2], world.options(retryOf: old)) else { return #expect(Bool(false)) }
        let name = world.front.job(new)?.state.name ?? ""
        #expect(failure.code == .conflict && failure.arguments == ["job", new.description, "jobState", name])
    }

    @Test("a job that repeats one which failed and keeps its key for a while takes it over, and one that succeeded keeps it")
    func keptWhileRepeated() {
        for state in [JobState.failed, .succeeded] {
            var world = KeyWorld(UniqueKey("k", afterEnd: .seconds(60)))
            let old = world.first(world.submit())
            world.worker.register(with: &world.front, slots: 1)
            world.worker.take(world.front.settle())
            let failure = state == .failed ? Failure(code: .invalidData, text: "no JSON") : nil
            world.worker.end(old.rawValue, state == .failed ? .failed : .succeeded, failure: failure, in: &world.front)
            #expect(world.front.job(old)?.state == state && world.keys.holder(of: UniqueKey("k"), "slow")?.job == old.rawValue)
            #expect(world.submit() == .jobsAccepted(first: old, count: 1, .joined))
            let repeated = world.first(world.submit([1], world.options(retryOf: old)))
            #expect((repeated == old) == (state == .succeeded) && world.miscount == nil)
            #expect(world.restarted().keys.holder(of: UniqueKey("k"), "slow")?.job == world.keys.holder(of: UniqueKey("k"), "slow")?.job)
        }
    }

    @Test("the outcome of a job that has ended follows the reply to the submit that joins it, and never comes before")
    func outcomeBehindReply() {
        var world = KeyWorld(.untilEnded, .endedWithin)
        let message = world.message([1], world.options(), reports: true)
        let kinds = (world.front.send(message) + world.front.settle()).compactMap { action in
            switch action {
            case .send(_, _, .reply): "reply"
            case .send(_, _, .answers(let answers)): "answers of \(answers.jobs)"
            default: nil
            }
        }
        #expect(kinds == ["reply", "answers of [\(world.job)]"])
    }

    @Test("a quarantined job that is forgotten keeps its key no longer")
    func forgotten() {
        var world = KeyWorld(.untilEnded, .quarantined)
        #expect(world.keys.count == 1)
        world.front.pass(milliseconds: 8 * 86_400_000)
        world.front.settle()
        #expect(world.front.machine.state.jobs.state(of: world.job.rawValue) == nil && world.keys.count == 0)
        #expect(world.miscount == nil && world.restarted().keys.count == 0 && world.restored().keys.count == 0)
        // A smaller bound forgets at the next start, without an entry.
        var other = KeyWorld(.untilEnded, .quarantined)
        other.front.settings.bounds.retention[.failed].count = 0
        let next = other.restarted()
        #expect(next.front.machine.state.jobs.state(of: other.job.rawValue) == nil && next.keys.count == 0)
    }

    @Test("it keeps the key in a bundle, until that is forgotten")
    func bundled() {
        var world = KeyWorld(.untilEnded, .quarantined)
        let entries = world.front.handle(.checkpointNears(isNew: true))
        #expect(entries.contains { if case .makeBundle = $0 { true } else { false } })
        world.front.settle()
        #expect(!world.front.machine.state.jobs.contains(world.job.rawValue) && world.keys.count == 1)
        for world in [world, world.restarted(), world.restored()] {
            var (joins, repeats) = (world, world)
            #expect(joins.word(joins.submit()) == "joined" && joins.miscount == nil)
            #expect(repeats.word(repeats.submit([1], world.options(retryOf: world.job))) == "new" && repeats.miscount == nil)
        }
        world.front.pass(milliseconds: 8 * 86_400_000)
        world.front.settle()
        #expect(world.keys.count == 0 && world.restarted().keys.count == 0 && world.restored().keys.count == 0)
    }

    @Test("a job that was never granted takes another argument, other options and another time, under its number")
    func replaced() {
        var world = KeyWorld(.replace, .waiting)
        let id = world.job.rawValue
        let before = world.front.machine.state.jobs[id]
        world.front.pass(milliseconds: 1_000)
        #expect(world.word(world.submit([7, 7, 7], world.options(9))) == "replaced")
        #expect(
            world.front.decided == [
                "entry jobReplaced 1", "entry replyRetained 2 jobsAccepted 1 and 0 more, replaced",
                "client 7: reply 2 jobsAccepted 1 and 0 more, replaced",
            ])
        var state = world.front.machine.state
        #expect(
            Array(state.jobs.arena[state.jobs[id].argument]) == [7, 7, 7] && state.jobs.terms(of: state.jobs[id]).options.priority == 9)
        // It has waited since it was accepted.
        #expect(state.jobs[id].rank == before.rank.earlier(by: 4 * 60_000) && state.jobs.counts.waiting == 1)
        #expect(world.word(world.submit([8], world.options(start: .after(.seconds(30))))) == "replaced")
        state = world.front.machine.state
        #expect(state.jobs[id].standing == .scheduled && state.jobs.counts.scheduled == 1 && state.jobs.counts.waiting == 0)
        #expect(world.front.job(world.job)?.dueAt == world.front.now.wall.advanced(by: .seconds(30)))
        world.front.pass(milliseconds: 1_000)
        let over = JobStart.at(world.front.now.wall.advanced(by: .seconds(-1)))
        #expect(world.submit([9], world.options(start: over)) == .jobsAccepted(first: world.job, count: 1, dueNow: 1, .replaced))
        state = world.front.machine.state
        #expect(state.jobs[id].standing == .queued && state.jobs[id].rank > before.rank)
        #expect(world.miscount == nil)
        for world in [world, world.restarted(), world.restored()] {
            let state = world.front.machine.state
            #expect(Array(state.jobs.arena[state.jobs[id].argument]) == [9] && state.jobs[id].standing == .queued && world.miscount == nil)
        }
        world.worker.register(with: &world.front, slots: 1)
        world.worker.take(world.front.settle())
        #expect(world.worker.held.map(\.job) == [id])
    }

    @Test("a replaced job counts in its new limits and in no others, and unknown limits are refused")
    func limits() {
        var world = KeyWorld(.replace, .waiting)
        for name in ["few", "other"] { _ = world.front.ask(.limit(.set(name, LimitRule(capacity: 1)))) }
        #expect(world.word(world.submit([2], world.options(limits: [LimitKey("few")]))) == "replaced")
        #expect(world.front.machine.state.jobs.limits.jobCount(of: "few") == 1)
        #expect(world.word(world.submit([2], world.options(limits: [LimitKey("other")]))) == "replaced")
        #expect(["few", "other"].map { world.front.machine.state.jobs.limits.jobCount(of: $0) } == [0, 1])
        guard case .refused(let failure, _)? = world.submit([2], world.options(limits: [LimitKey("none")])) else {
            return #expect(Bool(false))
        }
        #expect(failure.code == .unknownItem && world.miscount == nil)
    }

    @Test("what replaces is held to the bound of bytes, as what is new")
    func replacedBytes() {
        var world = KeyWorld(UniqueKey("k", mode: .replace)) { $0.bounds.queuedByteCount = 2_000 }
        #expect(world.first(world.submit()) == JobID(1))
        guard case .refused(let failure, _)? = world.submit([UInt8](repeating: 1, count: 2_000)) else { return #expect(Bool(false)) }
        #expect(failure.code == .busy && failure.retryable && world.miscount == nil)
    }

    /// The outcomes that a session was sent.
    private func outcomes(_ actions: [FrontAction], to session: SessionID) -> [JobState] {
        actions.flatMap { action -> [JobState] in
            if case .send(_, session, .answers(let answers)) = action { answers.states } else { [] }
        }
    }

    /// Another client of the front opens a session.
    private func join(_ world: inout KeyWorld, _ number: UInt64) -> SessionID {
        let peer = PeerID(number)
        for case .send(_, let session, .welcome) in world.front.handle(
            .clientSent(peer, .everything, ClientEnvelope(messages: [.hello(ClientMessage.Hello(label: "other"))])))
        {
            let submit = ClientMessage.Submit(
                number: RequestNumber(1), lowestUnanswered: RequestNumber(1), loader: "slow", options: JobOptionsColumn(world.options()),
                reportsOutcomes: true, arguments: [[1]])
            world.front.handle(.clientSent(peer, .everything, ClientEnvelope(session: session, messages: [.submit(submit)])))
            return session
        }
        return .none
    }

    @Test("who joins a job hears how it ended, whoever submitted it, and as often as it asks for it after its end")
    func followed() {
        var world = KeyWorld(.untilEnded, .running)
        let others = [join(&world, 20), join(&world, 21)]
        let actions = world.worker.end(world.job.rawValue, result: [5], in: &world.front)
        for other in others { #expect(outcomes(actions, to: other) == [.succeeded]) }
        #expect(outcomes(actions, to: world.front.session) == [])
        // Nothing is left of that.
        #expect(!world.front.machine.queue.pendingAnswers.hasFollowers)
        var kept = KeyWorld(.untilEnded, .endedWithin)
        let late = join(&kept, 22)
        #expect(outcomes(kept.front.settle(), to: late) == [.succeeded])
    }

    @Test("after a restart of the front who waits asks again, and hears of it then")
    func followedAfterRestart() {
        var world = KeyWorld(.untilEnded, .running)
        let other = join(&world, 20)
        var next = world.restarted()
        var hello = ClientMessage.Hello(label: "other", resumed: other)
        hello.nonce = 0
        next.front.handle(.clientSent(PeerID(20), .everything, ClientEnvelope(messages: [.hello(hello)])))
        let asks = ClientMessage.Request(number: RequestNumber(2), lowestUnanswered: RequestNumber(2), body: .job(.outcomes([world.job])))
        next.front.handle(.clientSent(PeerID(20), .everything, ClientEnvelope(session: other, messages: [.request(asks)])))
        next.worker.register(with: &next.front, slots: 1)
        next.worker.take(next.front.settle())
        #expect(outcomes(next.worker.end(world.job.rawValue, in: &next.front), to: other) == [.succeeded])
    }

    @Test("beyond its bound a wait for another's job is not noted; it is asked for again")
    func followedBound() {
        var world = KeyWorld(UniqueKey("k")) { $0.bounds.followedJobs = 1 }
        world.submit()
        let (one, two) = (join(&world, 20), join(&world, 21))
        world.worker.register(with: &world.front, slots: 1)
        world.worker.take(world.front.settle())
        let actions = world.worker.end(1, in: &world.front)
        #expect(outcomes(actions, to: one) == [.succeeded] && outcomes(actions, to: two) == [])
    }

    @Test("a session that has ended keeps no place among those that wait")
    func followerEnds() {
        var world = KeyWorld(UniqueKey("k")) { $0.bounds.followedJobs = 1 }
        world.submit()
        let one = join(&world, 20)
        world.front.handle(.clientSent(PeerID(20), .everything, ClientEnvelope(session: one, messages: [.close])))
        world.front.settle()
        let two = join(&world, 21)
        world.worker.register(with: &world.front, slots: 1)
        world.worker.take(world.front.settle())
        #expect(outcomes(world.worker.end(1, in: &world.front), to: two) == [.succeeded])
    }

    @Test("a job that repeats an ended one replaces nothing that was submitted since", arguments: [UniqueMode.replace, .debounce])
    func olderWork(_ mode: UniqueMode) {
        var key = UniqueKey("k", mode: mode)
        if mode == .debounce { key.debounce = Debounce(quiet: .seconds(1)) }
        var world = KeyWorld(key)
        let old = world.first(world.submit([1]))
        _ = world.front.ask(.job(.cancel(old)))
        let newer = world.first(world.submit([2]))
        #expect(newer != old && newer != .none)
        guard case .refused(let failure, _)? = world.submit([1], world.options(retryOf: old)) else {
            return #expect(Bool(false), "not refused")
        }
        let name = world.front.job(newer)?.state.name ?? ""
        #expect(failure.code == .conflict && failure.arguments == ["job", newer.description, "jobState", name])
        let state = world.front.machine.state
        #expect(state.jobs.argument(of: state.jobs[newer.rawValue]) == [2])
    }

    @Test("an end that its job cannot have leaves the key where it is, and the job behind it", arguments: KeyWorld.Holder.allCases)
    func impossibleEnd(holder: KeyWorld.Holder) {
        let end: JobState? =
            switch holder {
            case .scheduled, .waiting, .backingOff, .requeued, .endedWithin, .failed, .quarantined: .succeeded
            case .running: .expired
            case .cancelling: .failed
            case .endedAfter, .ended, .cancelled: nil
            }
        guard let end else { return }
        for mode in [UniqueMode.untilEnded, .buffer] {
            var world = KeyWorld(mode, holder)
            world.submit([2])
            var state = world.front.machine.state
            let before = state.jobs.keys
            var ended = JournalEntry.EndedJobs(at: world.front.now.wall)
            ended.append(world.job.rawValue, end)
            ended.lengthTime = state.jobs.numbers.lengths.time(at: world.front.now.monotonic) + 1
            state.apply(.ended(ended))
            #expect(state.jobs.keys.agree(with: before), "\(mode) \(holder)")
            #expect(state.keysMiscount == nil, "\(mode) \(holder)")
        }
    }

    @Test("a job that takes other work in place of its own has its total time from then on")
    func totalTime() {
        var world = KeyWorld(UniqueKey("k", mode: .replace))
        var options = world.options()
        options.totalTimeout = .seconds(10)
        let job = world.first(world.submit([1], options))
        world.front.pass(milliseconds: 6_000)
        #expect(world.submit([2], options) == .jobsAccepted(first: job, count: 1, .replaced))
        let shown = world.front.job(job)?.endsBy
        #expect(shown == world.front.now.wall.advanced(by: .seconds(10)))
        world.front.pass(milliseconds: 9_999)
        world.front.settle()
        #expect(world.front.job(job)?.state == .waiting)
        world.front.pass(milliseconds: 1)
        world.front.settle()
        #expect(world.front.job(job)?.state == .failed && world.miscount == nil)
    }
}
