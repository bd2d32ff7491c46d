//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
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
        let actions = front.send(
            .submit(
                .init(
                    number: number, lowestUnanswered: number, loader: "mistyped-3", reportsOutcomes: true,
                    arguments: [[]])))
        front.nextRequest += 1
        var refusals: [(FailureCode, Duration)] = []
        for case .send(_, _, .reply(_, .refused(let failure, let wait), _)) in actions { refusals.append((failure.code, wait)) }
        #expect(refusals.count == 1 && refusals.allSatisfy { $0.0 == .busy && $0.1 > .zero })
        worker.register(with: &front)
        let job = front.run(1, on: &worker)
        #expect(worker.held.map(\.job) == [job.rawValue])
        // A name in use costs nothing.
        #expect(front.submit(1, loader: "mistyped-2") != .none)
    }

    @Test("a name is free again when its last job is forgotten, also where a checkpoint brought the job, and its index is used again")
    func freed() {
        var front = FrontHarness { ($0.bounds.loaderNames, $0.bounds.retention[.cancelled].count) = (2, 0) }
        front.open()
        let (one, two) = (front.submit(2, loader: "one"), front.submit(1, loader: "two"))
        var next = front
        next.machine = FrontMachine(settings: front.settings, now: front.now)
        let turn = TurnNumber(UInt64(front.entries.count))
        next.machine.restore(front.machine.state.baseEntries(), of: turn, isSlice: true)
        // A slice that comes twice is counted once.
        for _ in 0..<2 { next.machine.restore(front.machine.state.slice(from: 1, chunkLimit: 10).entries, of: turn, isSlice: true) }
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

    @Test(
        "a name is there for as long as a job or a declaration has it, whatever comes and goes: neither frees the other's",
        arguments: 1...20 as ClosedRange<UInt64>)
    func uses(seed: UInt64) {
        var random = SplitMix64(mixing: seed)
        let known = ["one", "two", "three", "four"]
        var names = LoaderNames()
        var (jobs, declared): ([String: [Int]], [String: Int]) = ([:], [:])
        for _ in 0..<400 {
            let name = known[Int.random(in: 0..<known.count, using: &random)]
            switch Int.random(in: 0..<4, using: &random) {
            case 0: jobs[name, default: []].append(names.addJob(name))
            case 1:
                _ = names.addUse(name)
                declared[name, default: 0] += 1
            case 2: if let index = jobs[name]?.popLast() { names.changeJobs(at: index, by: -1) }
            default:
                if declared[name] ?? 0 > 0 {
                    names.removeUse(name)
                    declared[name, default: 0] -= 1
                }
            }
            let ofJobs = known.filter { jobs[$0]?.isEmpty == false }
            let all = known.filter { ofJobs.contains($0) || declared[$0] ?? 0 > 0 }
            #expect(names.count == all.count)
            for name in known {
                let index = names.index(of: name)
                #expect((index != nil) == all.contains(name))
                if let index { #expect(names[index] == name && jobs[name, default: []].allSatisfy { $0 == index }) }
                // A name that jobs have, or that somebody declares, is admitted by its own bound; any other by how many jobs have.
                let limit = ofJobs.count
                let isAdmitted = ofJobs.contains(name) || all.contains(name) && limit > 0
                #expect(names.admitsJob(of: name, limit: limit) == isAdmitted)
                #expect(names.admitsJob(of: name, limit: limit + 1))
            }
        }
    }

    @Test("a name that a worker declares and jobs have outlasts either of them")
    func declared() {
        var front = FrontHarness { $0.bounds.retention[.succeeded].count = 0 }
        front.open()
        var worker = WorkerHarness(1)
        worker.register(with: &front)
        let declared = front.machine.state.jobs.loaderNames.count
        let job = front.submit(1, loader: "noop")
        worker.take(front.settle())
        worker.end(job.rawValue, in: &front)
        front.settle()
        // The last job of its name is forgotten; the worker offers it yet.
        #expect(front.job(job) == nil)
        #expect(front.machine.state.jobs.loaderNames.count == declared && front.machine.state.jobs.loaderNames.index(of: "noop") != nil)
        let next = front.submit(1, loader: "noop")
        worker.take(front.settle())
        #expect(worker.held.map(\.job) == [next.rawValue])
    }
}
