//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("every state of the turns of suspected jobs and others with everything that can happen to it")
struct SuspectShareTableTests {
    /// Whose turn it is before, at second 100. `givenUp`: a worker was kept for 10 s and did not become empty. `taken…`: a job found an
    /// empty one.
    enum Start: CaseIterable {
        case free, kept, givenUp, resting, restOver, taken, takenInRest
    }

    /// What happens then.
    enum Event: CaseIterable {
        case keep, granted, gaveUp, rest
    }

    /// Whose turn it is after each event, in the order of `Event`: since which second it is taken, or until which all others have it, and
    /// for how long the next worker is kept.
    static let table: [Start: [String]] = [
        .free: ["taken 100, 10 s", "taken 100, 10 s", "free, 20 s", "free, 10 s"],
        .kept: ["taken 100, 10 s", "taken 95, 10 s", "resting 105, 20 s", "resting 105, 10 s"],
        .givenUp: ["taken 100 rests 105, 20 s", "taken 100 rests 105, 10 s", "resting 105, 40 s", "resting 105, 20 s"],
        .resting: ["taken 100 rests 120, 10 s", "taken 100 rests 120, 10 s", "resting 120, 20 s", "resting 120, 10 s"],
        .restOver: ["taken 100 rests 98, 10 s", "taken 100 rests 98, 10 s", "resting 98, 20 s", "resting 98, 10 s"],
        .taken: ["taken 100, 10 s", "taken 90, 10 s", "resting 110, 20 s", "resting 110, 10 s"],
        .takenInRest: ["taken 100 rests 120, 10 s", "taken 99 rests 120, 10 s", "resting 101, 20 s", "resting 101, 10 s"],
    ]

    private static func second(_ number: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: number * 1_000_000_000) }

    private func share(_ start: Start) -> SuspectShare {
        var share = SuspectShare()
        switch start {
        case .free: break
        case .kept: _ = share.keep(at: Self.second(95))
        case .givenUp:
            _ = share.keep(at: Self.second(85))
            share.gaveUp(at: Self.second(95))
        case .resting, .takenInRest:
            _ = share.keep(at: Self.second(60))
            share.rest(at: Self.second(90))
            if start == .takenInRest { share.granted(at: Self.second(99)) }
        case .restOver:
            _ = share.keep(at: Self.second(90))
            share.rest(at: Self.second(94))
        case .taken: share.granted(at: Self.second(90))
        }
        return share
    }

    private func text(_ share: SuspectShare) -> String {
        func text(_ instant: MonotonicTime) -> String { "\(instant.nanoseconds / 1_000_000_000)" }
        let stands =
            switch share.state {
            case .free: "free"
            case .taken(let since, let until): "taken \(text(since))" + (until == Self.second(0) ? "" : " rests \(text(until))")
            case .resting(let until): "resting \(text(until))"
            }
        var next = share
        let length = next.keep(at: Self.second(500)).duration(since: Self.second(500))
        return "\(stands), \(length.wholeMilliseconds / 1_000) s"
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let row = try #require(Self.table[start])
        #expect(row.count == Event.allCases.count)
        for (event, expected) in zip(Event.allCases, row) {
            var share = share(start)
            switch event {
            case .keep: _ = share.keep(at: Self.second(100))
            case .granted: share.granted(at: Self.second(100))
            case .gaveUp: share.gaveUp(at: Self.second(100))
            case .rest: share.rest(at: Self.second(100))
            }
            #expect(text(share) == expected, "\(start) and \(event)")
        }
    }

    @Test("the time of the others is what the state says")
    func restsUntil() {
        let seconds = Start.allCases.map { share($0).restsUntil.nanoseconds / 1_000_000_000 }
        #expect(seconds == [0, 0, 105, 120, 98, 0, 120])
    }
}

@Suite("every state of a suspected job's run with everything that can happen to it")
struct SuspectRunsTableTests {
    /// How worker 3 stands before, at second 100. `begun`: it was granted a suspected job in this turn. `alone`: it was, at second 95, to
    /// be alone for 10 s. `over`: the job has been alone for its time, and that was said. `beside…`: another worker runs one, until second
    /// 103.
    enum Start: CaseIterable {
        case none, begun, alone, over, besideNone, besideAlone
    }

    /// What happens then. `runBegins`: a suspected job is granted to it, to be alone for 10 s. `roomChanges`: it stays alone, or not.
    /// `lookLater`: a turn at second 105.
    enum Event: CaseIterable {
        case runBegins, roomChanges, runEnds, look, lookLater
    }

    /// What comes of each event, in the order of `Event`: when the next job has been alone for long enough, `-`: none is, before a turn
    /// looks and when one has looked at second 100; behind `>` the workers that a turn of the event found.
    static let table: [Start: [String]] = [
        .none: ["- 110", "- -", "- -", "- -", "- -"],
        .begun: ["- 110", "- 110", "- -", "110 110", "115 115"],
        .alone: ["105 105", "105 105", "- -", "105 105", "- ->3"],
        .over: ["- -", "- -", "- -", "- -", "- -"],
        .besideNone: ["103 103", "103 103", "103 103", "103 103", "- ->4"],
        .besideAlone: ["103 103", "103 103", "103 103", "103 103", "- ->3 4"],
    ]

    private static let (free, alone) = (WorkerRoom(), WorkerRoom(aloneFor: .seconds(10)))

    private static func second(_ number: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: number * 1_000_000_000) }

    private func runs(_ start: Start) -> (runs: SuspectRuns, room: WorkerRoom) {
        var runs = SuspectRuns()
        let room = start == .none || start == .besideNone ? Self.free : Self.alone
        if start == .besideNone || start == .besideAlone {
            runs.note(4, from: Self.free, to: Self.alone)
            runs.begin(at: Self.second(93))
        }
        runs.note(3, from: Self.free, to: room)
        switch start {
        case .none, .begun, .besideNone: break
        case .alone, .besideAlone: runs.begin(at: Self.second(95))
        case .over:
            runs.begin(at: Self.second(90))
            _ = runs.takeLong(at: Self.second(100))
        }
        return (runs, room)
    }

    private func text(_ instant: MonotonicTime?) -> String { instant.map { "\($0.nanoseconds / 1_000_000_000)" } ?? "-" }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let row = try #require(Self.table[start])
        #expect(row.count == Event.allCases.count)
        for (event, expected) in zip(Event.allCases, row) {
            var (runs, room) = runs(start)
            var long: [Int] = []
            switch event {
            case .runBegins: runs.note(3, from: room, to: Self.alone)
            case .roomChanges:
                var other = room
                other.slots += 1
                runs.note(3, from: room, to: other)
            case .runEnds: runs.note(3, from: room, to: Self.free)
            case .look: long = runs.takeLong(at: Self.second(100))
            case .lookLater: long = runs.takeLong(at: Self.second(105))
            }
            let before = text(runs.next)
            #expect(runs.takeLong(at: Self.second(100)) == [])
            let found = long.isEmpty ? "" : ">" + long.map(String.init).joined(separator: " ")
            #expect("\(before) \(text(runs.next))" + found == expected, "\(start) and \(event)")
        }
    }
}

@Suite("every state of a claim on a worker for suspected jobs with everything that can happen to it")
struct SuspectClaimTableTests {
    /// Where suspected job 2 stands before; worker 0 has two slots and runs job 1, and job 3 waits for the other slot, or has it. `kept`:
    /// the worker is kept for job 2. `givenUp`: it was, and did not become empty in 10 s. `resting`: another suspected job was alone there
    /// for 30 s, and has ended. `paused`, `workerGone`: all loaders were paused, or the worker was forgotten, while it was kept.
    enum Start: CaseIterable {
        case kept, givenUp, resting, paused, workerGone
    }

    /// What happens then; a turn follows. `tenSeconds`, `thirtySeconds`: pass.
    enum Event: CaseIterable {
        case nothing, tenSeconds, thirtySeconds, workerIsEmpty, suspectLeaves, suspectArrives, otherWorkerRegisters
        case workerDrains, workerIsForgotten, workerRegisters, pauseBegins, pauseEnds
    }

    /// Where it stands after each event, a word for each start in the order of `Start`: which worker is kept, `-`: none is, and in how many
    /// seconds that is looked at again; behind a stroke what the scheduler refused, behind `>` who was given which job.
    static let table: [Event: String] = [
        .nothing: "0@10 -@10 -@30 - -",
        .tenSeconds: "-@10>0:[3] 0@20 -@20 - -",
        .thirtySeconds: "-@30>0:[3] 0@20 0@10 - -",
        .workerIsEmpty: "-@3600>0:[2] -@3600>0:[2] -@3600>0:[2] - -",
        .suspectLeaves: "->0:[3] - - - -",
        .suspectArrives: "0@10 -@10 -@30 - -",
        .otherWorkerRegisters: "0@10>1:[3] -@3600>1:[2] -@3600>1:[2] - -@3600>1:[2]",
        .workerDrains: "- -@10 -@30 - -/unknownWorker",
        .workerIsForgotten: "- - - - -/unknownWorker",
        .workerRegisters: "0@10 0@10 0@10 - 0@10",
        .pauseBegins: "- - - - -",
        .pauseEnds: "0@10 -@10 -@30 0@10 -",
    ]

    private func world(_ start: Start) -> SchedulerWorld {
        var world = SchedulerWorld()
        world.register(0, slots: 2)
        if start == .resting {
            world.insert(9, isSuspected: true)
            world.turn()
            world.pass(seconds: 30)
            world.end(9)
        }
        world.insert(1)
        world.turn()
        world.insert(2, isSuspected: true)
        if start != .resting { world.turn() }
        world.insert(3)
        switch start {
        case .kept: break
        case .resting: world.turn()
        case .givenUp:
            world.pass(seconds: 10)
            world.turn()
        case .paused: world.scheduler.setPaused(nil, true)
        case .workerGone: world.scheduler.removeWorker(0)
        }
        return world
    }

    private func meet(_ event: Event, in world: inout SchedulerWorld) -> SchedulerRefusal? {
        switch event {
        case .nothing: break
        case .tenSeconds: world.pass(seconds: 10)
        case .thirtySeconds: world.pass(seconds: 30)
        case .workerIsEmpty: for id in world.held[0] ?? [] { world.end(id) }
        case .suspectLeaves: return world.remove(2)
        case .suspectArrives: return world.insert(4, isSuspected: true)
        case .otherWorkerRegisters: world.register(1)
        case .workerDrains: return world.setRoom(of: 0) { ($0.isOffering, $0.isTaking) = (false, false) }
        case .workerIsForgotten: return world.scheduler.removeWorker(0)
        case .workerRegisters: world.register(0, slots: 2)
        case .pauseBegins: world.scheduler.setPaused(nil, true)
        case .pauseEnds: world.scheduler.setPaused(nil, false)
        }
        return nil
    }

    private func text(_ world: SchedulerWorld) -> String {
        let kept = world.scheduler.claims.map { "\($0.worker)" }.joined(separator: "+")
        let due = world.scheduler.suspectsDue(after: world.now).map { "\($0.duration(since: world.now).wholeMilliseconds / 1_000)" }
        return (kept.isEmpty ? "-" : kept) + (due.map { "@\($0)" } ?? "")
    }

    @Test("each start with each event; what cannot be is refused by name", arguments: Start.allCases)
    func rows(start: Start) throws {
        let place = try #require(Start.allCases.firstIndex(of: start))
        for event in Event.allCases {
            let row = try #require(Self.table[event]).split(separator: " ").map { String($0) }
            #expect(row.count == Start.allCases.count, "\(event)")
            var world = world(start)
            let refusal = meet(event, in: &world)
            let grants = world.turn()
            let refused = refusal.map { "/\($0)" } ?? ""
            #expect(text(world) + refused + grants.map { ">\($0.worker):\($0.jobs)" }.joined() == row[place], "\(start) and \(event)")
        }
    }
}
