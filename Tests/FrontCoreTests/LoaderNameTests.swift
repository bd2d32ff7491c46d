//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing

@testable import FrontCore

@Suite("Names of loaders")
struct LoaderNameTests {
    @Test("names that nobody offers are refused at the bound with a time; loaders that a worker offers have places of their own")
    func bound() {
        var front = FrontHarness { $0.bounds.loaderNames = 3 }
        var worker = WorkerHarness(1)
        front.open()
        for number in 0..<3 { #expect(front.submit(1, loader: "mistyped-\(number)") != .none) }
        let number = RequestNumber(front.nextRequest)
        let actions = front.say(
            .submit(
                .init(
                    number: number, lowestUnanswered: number, loader: "mistyped-3", reportsOutcomes: true,
                    arguments: [[]])))
        front.nextRequest += 1
        var refusals: [(FailureCode, Duration)] = []
        for case .tell(_, _, .reply(_, .refused(let failure, let wait), _)) in actions { refusals.append((failure.code, wait)) }
        #expect(refusals.count == 1 && refusals.allSatisfy { $0.0 == .busy && $0.1 > .zero })
        worker.register(with: &front)
        let job = front.run(1, on: &worker)
        #expect(worker.held.map(\.job) == [job.rawValue])
        // A name in use costs nothing.
        #expect(front.submit(1, loader: "mistyped-2") != .none)
    }

    @Test("a name is free again when its last job is forgotten, also where a checkpoint brought the job, and its index is used again")
    func freed() {
        var front = FrontHarness { ($0.bounds.loaderNames, $0.bounds.endedJobs) = (2, 0) }
        front.open()
        let (one, two) = (front.submit(2, loader: "one"), front.submit(1, loader: "two"))
        var next = front
        next.machine = FrontMachine(settings: front.settings, now: front.now)
        let turn = TurnNumber(UInt64(front.facts.count))
        next.machine.restore(front.machine.state.baseFacts(), turn: turn, isSlice: true)
        // A slice that comes twice is counted once.
        for _ in 0..<2 { next.machine.restore(front.machine.state.slice(from: 1, chunkLimit: 10).facts, turn: turn, isSlice: true) }
        var actions: [FrontAction] = []
        next.machine.start(at: next.now, into: &actions)
        next.open()
        #expect(next.submit(1, loader: "three") == .none)
        for job in [one, one.advanced(by: 1)] { _ = next.ask(.job(.cancel(job))) }
        next.settle()
        #expect(next.machine.state.jobs.loaderNames.count == 1)
        let three = next.submit(1, loader: "three")
        #expect(three != .none && next.machine.state.jobs.loaderNames.indices.count == 2)
        #expect(next.job(three)?.loader == "three" && next.job(two)?.loader == "two")
    }
}
