//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import gantry

@Suite("What up does with its parts")
struct UpMachineTests {
    private let plans: [(name: String, stage: PartStage)] = [
        ("sample-origin", .origin), ("front", .front), ("worker-1", .workers), ("worker-2", .workers),
    ]

    private func serving() -> UpMachine {
        var machine = UpMachine(plans)
        _ = machine.begin()
        for part in plans.indices { _ = machine.ready(part: part) }
        #expect(machine.state == .serving)
        return machine
    }

    private let notice = UpMachine.Action.report(
        "stopping: running jobs have 5 s; then those that may run again go back to the queue, and of the others the outcome is unknown; "
            + "Ctrl-C again ends at once")

    @Test("starts each stage when the one before is ready, the workers together, and announces once")
    func start() {
        var machine = UpMachine(plans)
        #expect(machine.begin() == [.start(part: 0), .arm(timer: 1, .seconds(10))])
        #expect(machine.ready(part: 0) == [.start(part: 1), .arm(timer: 2, .seconds(10))])
        #expect(machine.ready(part: 1) == [.start(part: 2), .start(part: 3), .arm(timer: 3, .seconds(10))])
        #expect(machine.ready(part: 3) == [])
        #expect(machine.ready(part: 2) == [.announce])
        #expect(machine.ready(part: 1) == [])
        #expect(machine.timeOver(timer: 3) == [])
    }

    @Test("leaves out stages without parts")
    func without() {
        var machine = UpMachine([("front", .front)])
        #expect(machine.begin() == [.start(part: 0), .arm(timer: 1, .seconds(10))])
        #expect(machine.ready(part: 0) == [.announce])
        #expect(machine.signaled() == [notice, .send(.terminate, part: 0), .arm(timer: 2, .seconds(2))])
        #expect(machine.ended(part: 0, final: nil) == [.finish(code: 0)])
    }

    @Test("goes on without a worker that has drained, also one that has before all were ready")
    func drained() {
        var machine = UpMachine(plans)
        _ = machine.begin() + machine.ready(part: 0) + machine.ready(part: 1) + machine.ready(part: 3)
        #expect(machine.ended(part: 3, final: nil) == [])
        #expect(machine.ready(part: 2) == [.announce])
        machine = UpMachine(plans)
        _ = machine.begin() + machine.ready(part: 0) + machine.ready(part: 1) + machine.ready(part: 2)
        #expect(machine.ended(part: 3, final: nil) == [.announce] && machine.state == .serving)
        #expect(machine.ended(part: 2, final: nil) == [])
        #expect(machine.signaled() == [notice, .send(.terminate, part: 1), .arm(timer: 4, .seconds(2))])
    }

    @Test("says every 10 s what it waits for")
    func waiting() {
        var machine = UpMachine(plans)
        _ = machine.begin() + machine.ready(part: 0) + machine.ready(part: 1) + machine.ready(part: 2)
        #expect(machine.timeOver(timer: 2) == [])
        #expect(machine.timeOver(timer: 3) == [.report("still waiting until ready: worker-2"), .arm(timer: 4, .seconds(10))])
    }

    @Test("stops the workers, then the front, then the origin, each once those before have ended")
    func stages() {
        var machine = serving()
        #expect(machine.signaled() == [notice, .send(.terminate, part: 2), .send(.terminate, part: 3), .arm(timer: 4, .seconds(5))])
        #expect(machine.ended(part: 3, final: nil) == [])
        #expect(machine.ended(part: 2, final: nil) == [.send(.terminate, part: 1), .arm(timer: 5, .seconds(2))])
        #expect(machine.ended(part: 1, final: nil) == [.send(.terminate, part: 0), .arm(timer: 6, .seconds(2))])
        #expect(machine.ended(part: 0, final: nil) == [.finish(code: 0)])
        #expect(machine.state == .ended)
    }

    @Test("a worker that still works after the grace is asked again, which gives its jobs back, and then killed")
    func grace() {
        var machine = serving()
        _ = machine.signaled() + machine.ended(part: 2, final: nil)
        #expect(machine.timeOver(timer: 4) == [.send(.terminate, part: 3), .arm(timer: 5, .seconds(2))])
        #expect(machine.timeOver(timer: 4) == [])
        #expect(machine.timeOver(timer: 5) == [.send(.kill, part: 3)])
        #expect(machine.ended(part: 3, final: nil) == [.send(.terminate, part: 1), .arm(timer: 6, .seconds(2))])
        #expect(machine.timeOver(timer: 6) == [.send(.kill, part: 1)])
    }

    @Test("a second signal kills everything at once, whatever the stage")
    func twice() {
        var machine = serving()
        _ = machine.signaled() + machine.ended(part: 2, final: nil)
        let kills: [UpMachine.Action] = [3, 1, 0].map { .send(.kill, part: $0) }
        #expect(machine.signaled() == [.report("stopping now")] + kills)
        #expect(machine.signaled() == [] && machine.timeOver(timer: 4) == [])
        #expect(machine.ended(part: 0, final: nil) == [] && machine.ended(part: 1, final: nil) == [])
        #expect(machine.ended(part: 3, final: nil) == [.finish(code: 0)])
    }

    @Test("a signal while parts start stops those that were started")
    func early() {
        var machine = UpMachine(plans)
        _ = machine.begin() + machine.ready(part: 0)
        #expect(machine.signaled() == [notice, .send(.terminate, part: 1), .arm(timer: 3, .seconds(2))])
        #expect(machine.ready(part: 1) == [])
        #expect(machine.ended(part: 1, final: nil) == [.send(.terminate, part: 0), .arm(timer: 4, .seconds(2))])
        #expect(machine.ended(part: 0, final: nil) == [.finish(code: 0)])
    }

    @Test("a part that can never run ends everything in stages, with its code", arguments: [0, 1, 2])
    func final(part: Int) {
        var machine = serving()
        var actions = machine.ended(part: part, final: 73)
        #expect(actions.first == .report("stopping: \(plans[part].name) ended with code 73, and another start would not change that"))
        for other in [3, 2, 1, 0] where other != part {
            #expect(actions.contains(.send(.terminate, part: other)) || other == 2)
            actions = other == 3 ? actions + machine.ended(part: other, final: nil) : machine.ended(part: other, final: nil)
        }
        #expect(actions == [.finish(code: 73)])
    }
}
