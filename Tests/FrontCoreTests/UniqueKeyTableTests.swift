//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

/// Who has a unique key, and who is behind. What a submit meets in each mode and state of a job is a table of `UniqueKeyTests`.
@Suite("every state of a unique key with everything that can happen to it")
struct UniqueKeyTableTests {
    /// Where job 1 stands that was submitted with the key, and how that is taken.
    ///
    /// `ended`: it is free again; of the mode `untilEnded` down to `backingOff`, and so are `kept`, taken for two seconds after the end, and
    /// `quarantined`; of `untilStarted`, which is free once its job has started, down to `started`; of `buffer` down to `behind`, where job 2 waits
    /// for the end of job 1.
    enum Start: CaseIterable {
        case ended, waiting, running, backingOff, kept, quarantined
        case unstarted, started, replaceable, replaceRunning, debounced
        case alone, aloneRunning, behind
    }

    /// What happens then: a submit of the same work or of other work, something to job 1, time, or a restart. `timeOver`: two seconds.
    enum Event: CaseIterable {
        case same, other
        case granted, returned, failedForNow, succeeded, failed, cancelled, expired, quarantined
        case timeOver, forgotten, restart, restartFromCheckpoint
    }

    /// Behind each event, for each start in the order of `Start`: the job that has the key and the one behind it, and what a submit gets.
    static let table: [Event: String] = [
        .same:
            "2 - new | 1 - joined | 1 - joined | 1 - joined | 1 - joined | 1 - joined "
            + "| 1 - joined | 2 - new | 1 - joined | 1 - joined | 1 - replaced | 1 - joined | 1 2 new | 1 2 joined",
        .other:
            "2 - new | 1 - conflict | 1 - conflict | 1 - conflict | 1 - conflict | 1 - conflict "
            + "| 1 - conflict | 2 - new | 1 - replaced | 1 - conflict | 1 - replaced | 1 - replaced | 1 2 new | 1 2 replaced",
        // What is free at the start stays free, also where the job waits again.
        .granted: "- - | 1 - | 1 - | 1 - | 1 - | 1 - | - - | - - | 1 - | 1 - | - - | 1 - | 1 - | 1 2",
        .returned: "- - | 1 - | 1 - | 1 - | 1 - | 1 - | - - | - - | 1 - | 1 - | - - | 1 - | 1 - | 1 2",
        .failedForNow: "- - | 1 - | 1 - | 1 - | 1 - | 1 - | - - | - - | 1 - | 1 - | - - | 1 - | 1 - | 1 2",
        .succeeded: "- - | - - | - - | - - | 1 - | 1 - | - - | - - | - - | - - | - - | - - | - - | 2 -",
        .failed: "- - | - - | - - | - - | 1 - | 1 - | - - | - - | - - | - - | - - | - - | - - | 2 -",
        .cancelled: "- - | - - | - - | - - | 1 - | 1 - | - - | - - | - - | - - | - - | - - | - - | 2 -",
        // What has started once does not expire; what waits behind it does.
        .expired: "- - | - - | 1 - | 1 - | - - | 1 - | - - | - - | - - | 1 - | - - | - - | 1 - | 1 -",
        // Whether it runs again is for people to decide, but where the newest work counts.
        .quarantined: "- - | 1 - | 1 - | 1 - | - - | 1 - | - - | - - | 1 - | 1 - | - - | - - | - - | 2 -",
        .timeOver: "- - | 1 - | 1 - | 1 - | - - | 1 - | 1 - | - - | 1 - | 1 - | 1 - | 1 - | 1 - | 1 2",
        // After a week no worker is there: what ran is quarantined, and what was quarantined is forgotten.
        .forgotten: "- - | 1 - | 1 - | 1 - | - - | - - | 1 - | - - | 1 - | 1 - | 1 - | 1 - | - - | 2 -",
        .restart: stands,
        .restartFromCheckpoint: stands,
    ]

    /// The same where nothing happens.
    static let stands = "- - | 1 - | 1 - | 1 - | 1 - | 1 - | 1 - | - - | 1 - | 1 - | 1 - | 1 - | 1 - | 1 2"

    private static func cells(_ row: String) -> [String] {
        row.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
    }

    private static func key(_ start: Start) -> UniqueKey {
        switch start {
        case .ended, .waiting, .running, .backingOff, .quarantined: UniqueKey("k")
        case .kept: UniqueKey("k", afterEnd: .seconds(2))
        case .unstarted, .started: UniqueKey("k", mode: .untilStarted)
        case .replaceable, .replaceRunning: UniqueKey("k", mode: .replace)
        case .debounced: UniqueKey("k", debounce: Debounce(quiet: .seconds(1)))
        case .alone, .aloneRunning, .behind: UniqueKey("k", mode: .buffer)
        }
    }

    private static let ended = Failure(code: .invalidData, text: "no JSON")

    private func options(_ world: KeyWorld, expires: Bool = false) -> JobOptions {
        JobOptions(
            retry: RetryRule(attempts: 3, backOff: BackOff(first: .seconds(1))), uniqueKey: world.key,
            expiresAt: expires ? world.front.now.wall.advanced(by: .seconds(2)) : nil)
    }

    private func world(_ start: Start, expires: Bool) -> KeyWorld {
        var world = KeyWorld(Self.key(start))
        #expect(world.submit([1], options(world, expires: expires)) == .jobsAccepted(first: JobID(1), count: 1))
        switch start {
        case .waiting, .unstarted, .replaceable, .debounced, .alone: break
        case .running, .started, .replaceRunning, .aloneRunning: run(&world)
        case .behind:
            run(&world)
            // Also the same work: what it was to read may have changed.
            #expect(world.submit([1], options(world, expires: expires)) == .jobsAccepted(first: JobID(2), count: 1))
        case .ended, .kept: end(&world, .succeeded)
        case .backingOff: end(&world, .failed, KeyWorld.retryable)
        case .quarantined: crash(&world)
        }
        return world
    }

    /// A worker with a slot for job 1, and one beside it, has it once its time has come, if it waits.
    private func run(_ world: inout KeyWorld) {
        if world.front.machine.state.jobs[1].standing == .scheduled { world.front.pass(milliseconds: 1_000) }
        if world.worker.registrationNumber == .none { world.worker.register(with: &world.front, slots: 2) }
        world.worker.take(world.front.settle())
    }

    private func end(_ world: inout KeyWorld, _ outcome: Outcome, _ failure: Failure? = nil) {
        run(&world)
        world.worker.end(1, outcome, failure: failure, in: &world.front)
    }

    /// Its worker is lost with it: one crash is enough here.
    private func crash(_ world: inout KeyWorld) {
        run(&world)
        world.front.pass(milliseconds: 5_500)
        world.front.settle()
    }

    /// - Returns: what a submit got.
    private func meet(_ event: Event, in world: inout KeyWorld) -> Reply? {
        switch event {
        case .same: return world.submit([1], options(world))
        case .other: return world.submit([2, 2], options(world))
        case .granted: run(&world)
        case .returned: end(&world, .returned)
        case .failedForNow: end(&world, .failed, KeyWorld.retryable)
        case .succeeded: end(&world, .succeeded)
        case .failed: end(&world, .failed, Self.ended)
        case .cancelled:
            _ = world.front.ask(.job(.cancel(JobID(1))))
            world.worker.end(1, .cancelled, in: &world.front)
        case .quarantined: crash(&world)
        case .timeOver, .expired:
            world.front.pass(milliseconds: 2_000)
            world.front.settle()
        case .forgotten:
            world.front.pass(milliseconds: 8 * 86_400_000)
            world.front.settle()
        case .restart: world = world.restarted()
        case .restartFromCheckpoint: world = world.restored()
        }
        return nil
    }

    private func text(_ world: KeyWorld, _ reply: Reply? = nil) -> String {
        let jobs = [world.keys.holder(of: world.key, "slow"), world.keys.follower(of: world.key, "slow")]
        let words = jobs.map { $0.map { "\($0.job)" } ?? "-" }.joined(separator: " ")
        switch reply {
        case nil: return words
        case .jobsAccepted(_, _, _, let acceptance)?: return words + " \(acceptance)"
        case .refused(let failure, _)?: return words + " \(failure.code)"
        case let other?: return words + " \(other)"
        }
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let place = try #require(Start.allCases.firstIndex(of: start))
        for event in Event.allCases {
            let row = Self.cells(try #require(Self.table[event]))
            #expect(row.count == Start.allCases.count, "\(event)")
            var world = world(start, expires: event == .expired)
            #expect(text(world) == Self.cells(Self.stands)[place], "\(start) before \(event)")
            let reply = meet(event, in: &world)
            #expect(text(world, reply) == row[place], "\(start) and \(event)")
            #expect(world.miscount == nil, "\(start) and \(event)")
            // Entries alone make it: a replay of them agrees.
            #expect(world.keys.agree(with: world.restarted().keys), "\(start) and \(event)")
        }
    }
}
