//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("every state of a pause with everything that can happen to it")
struct PauseTableTests {
    /// How the target is paused before. `timed`: for two seconds; `beside`: it is not, and another pause holds the same jobs.
    enum Start: CaseIterable {
        case absent, endless, timed, beside
    }

    /// What happens then. `beginForTime`: for three seconds; `beginElse`: of a target that holds other jobs; `restartLater`: two seconds later.
    enum Event: CaseIterable {
        case begin, beginForTime, beginElse, end, endElse, halfTime, timeOver, longTime, restart, restartLater, restartFromCheckpoint
    }

    /// Behind each event, for each start in the order of `Start`: how many milliseconds the pause of the target lasts, whether a new job waits or
    /// runs, and what a request got.
    static let table: [Event: String] = [
        // The last one who asks counts, be it for less time.
        .begin: "endless waits done | endless waits done | endless waits done | endless waits done",
        .beginForTime: "3000 waits done | 3000 waits done | 3000 waits done | 3000 waits done",
        .beginElse: "- runs done | endless waits done | 2000 waits done | - waits done",
        .end: "- runs unknownItem | - runs done | - runs done | - waits unknownItem",
        .endElse: "- runs unknownItem | endless waits unknownItem | 2000 waits unknownItem | - waits unknownItem",
        .halfTime: "- runs | endless waits | 1000 waits | - waits",
        .timeOver: "- runs | endless waits | - runs | - waits",
        .longTime: "- runs | endless waits | - runs | - waits",
        .restart: "- runs | endless waits | 2000 waits | - waits",
        // It goes on while no front runs.
        .restartLater: "- runs | endless waits | - runs | - waits",
        .restartFromCheckpoint: "- runs | endless waits | 2000 waits | - waits",
    ]

    /// The targets that hold a job of the loader `slow` from worker `w1`, each with one that holds the same and one that does not.
    static let targets: [(target: PauseTarget, beside: PauseTarget, other: PauseTarget)] = [
        (.everything, .loader("slow"), .loader("once")),
        (.loader("slow"), .everything, .loader("once")),
        (.worker("w1"), .loader("slow"), .worker("w2")),
        (.group("shop"), .loader("slow"), .group("other")),
        (.loader("slow"), .group("shop"), .group("other")),
    ]

    private static func cells(_ row: String) -> [String] {
        row.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
    }

    private func begin(_ target: PauseTarget, for length: Duration? = nil, in world: inout KeyWorld) -> Reply? {
        world.front.ask(.pause(.begin(target, reason: "the API is down", length: length)))
    }

    private func world(_ start: Start, _ target: PauseTarget, beside: PauseTarget) -> KeyWorld {
        var world = KeyWorld(UniqueKey("k")) {
            $0.flow.groups = ["shop": GroupMembers(loaders: ["slow"], feeds: ["todos"]), "other": GroupMembers(loaders: ["once"])]
        }
        world.worker.register(with: &world.front, slots: 1)
        let reply: Reply? =
            switch start {
            case .absent: .done(version: 0)
            case .endless: begin(target, in: &world)
            case .timed: begin(target, for: .seconds(2), in: &world)
            case .beside: begin(beside, in: &world)
            }
        #expect(reply == .done(version: 0))
        return world
    }

    private func pass(_ milliseconds: Int64, in world: inout KeyWorld) {
        world.front.pass(milliseconds: milliseconds)
        world.worker.take(world.front.settle())
    }

    private func meet(_ event: Event, _ target: PauseTarget, _ other: PauseTarget, in world: inout KeyWorld) -> Reply? {
        switch event {
        case .begin: return begin(target, in: &world)
        case .beginForTime: return begin(target, for: .seconds(3), in: &world)
        case .beginElse: return begin(other, in: &world)
        case .end: return world.front.ask(.pause(.end(target)))
        case .endElse: return world.front.ask(.pause(.end(other)))
        case .halfTime: pass(1_000, in: &world)
        case .timeOver: pass(2_000, in: &world)
        case .longTime: pass(4_000, in: &world)
        case .restart: world = world.restarted()
        case .restartLater:
            world.front.pass(milliseconds: 2_000)
            world = world.restarted()
        case .restartFromCheckpoint: world = world.restored()
        }
        return nil
    }

    /// How the target is paused, and what becomes of a job that is submitted now.
    private func text(_ world: inout KeyWorld, _ target: PauseTarget, _ reply: Reply?) -> String {
        if world.worker.epoch != world.front.settings.epoch { world.worker.register(with: &world.front, slots: 1) }
        world.worker.take(world.front.settle())
        let job = world.first(world.submit([1], JobOptions()))
        world.worker.take(world.front.settle())
        let state = world.front.machine.state
        let now = state.jobs.lengthTime(at: world.front.now.monotonic)
        var text = state.jobs.pauses[target].map { $0.endsAt.map { "\($0.milliseconds(since: now))" } ?? "endless" } ?? "-"
        let isHeld = world.worker.held.map(\.job) == [job.rawValue]
        text += isHeld ? " runs" : " waits"
        // Whoever asks the table finds what holds it.
        #expect((state.jobs.pauses.target(holding: "slow") == nil && !state.jobs.pauses.holds(worker: "w1")) == isHeld)
        #expect(state.jobs.pauses.nextEnd == state.jobs.pauses[target]?.endsAt)
        switch reply {
        case nil: return text
        case .done?: return text + " done"
        case .refused(let failure, _)?: return text + " \(failure.code)"
        case let other?: return text + " \(other)"
        }
    }

    @Test("each start with each event, of each kind of target", arguments: Start.allCases, 0..<5)
    func rows(start: Start, kind: Int) throws {
        let place = try #require(Start.allCases.firstIndex(of: start))
        let (target, beside, other) = Self.targets[kind]
        for event in Event.allCases {
            let row = Self.cells(try #require(Self.table[event]))
            #expect(row.count == Start.allCases.count, "\(event)")
            var world = world(start, target, beside: beside)
            let reply = meet(event, target, other, in: &world)
            #expect(text(&world, target, reply) == row[place], "\(target): \(start) and \(event)")
            #expect(world.front.machine.state.jobs.pauses.entries == world.restarted().front.machine.state.jobs.pauses.entries)
            #expect(world.front.machine.state.jobs.scheduler.refusals == 0, "\(target): \(start) and \(event)")
        }
    }
}
