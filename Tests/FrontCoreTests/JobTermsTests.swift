//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("Options of jobs in the front")
struct JobTermsTests {
    private static func column(_ priorities: [UInt8]) -> JobOptionsColumn { JobOptionsColumn(priorities.map { JobOptions(priority: $0) }) }

    @Test("each job of a submit stands in line by its own, and has them after a restart from the rows and from a checkpoint")
    func mixed() {
        var front = FrontHarness()
        front.open()
        let priorities: [UInt8] = [5, 0, 9, 9, 5]
        let first = front.submit(5, loader: "slow", Self.column(priorities))
        var stored = front.restarted(isTakenUp: false)
        stored.machine = FrontMachine(settings: stored.settings, now: stored.now)
        let turn = TurnNumber(UInt64(front.entries.count))
        stored.machine.restore(front.machine.state.baseEntries(), of: turn, isSlice: true)
        for _ in 0..<2 { stored.machine.restore(front.machine.state.slice(from: 1, chunkLimit: 10).entries, of: turn, isSlice: true) }
        for machine in [front.machine, front.restarted().machine, stored.machine] {
            #expect((0..<5).map { machine.state.options(of: first.advanced(by: $0))?.priority } == priorities.map { $0 })
            #expect(machine.state.termsMiscount == nil && machine.state.jobs.terms.count == 3)
        }
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 5)
        worker.take(front.settle())
        #expect(worker.held.map { $0.job - first.rawValue } == [2, 3, 0, 4, 1])
        #expect(front.job(first.advanced(by: 1))?.options == JobOptions(priority: 0))
    }

    @Test("terms are forgotten with their last job")
    func forgotten() {
        var front = FrontHarness { $0.bounds.retention[.succeeded].count = 1 }
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 5)
        front.open()
        _ = front.submit(3, loader: "slow", Self.column([1, 2, 3]))
        worker.take(front.settle())
        worker.take(worker.endAll(in: &front))
        front.settle()
        #expect(front.machine.state.jobs.terms.count == 1 && front.machine.state.termsMiscount == nil)
        // The blank ones, and those that are left.
        #expect(front.machine.state.jobs.terms.indices.count == 2)
        _ = front.submit(2, loader: "slow", Self.column([4, 5]))
        #expect(front.machine.state.jobs.terms.indices.count == 4)
    }

    @Test("the times that terms had are forgotten with them, and those of others stay")
    func rare() {
        var front = FrontHarness { $0.bounds.retention[.cancelled].count = 1 }
        front.open()
        let timed = (3...4).map { seconds in
            front.submit(
                1, loader: "slow", JobOptionsColumn(JobOptions(attemptTimeout: .seconds(seconds), totalTimeout: .seconds(10 * seconds))))
        }
        let indexes = timed.map { Int(front.machine.state.jobs[$0.rawValue].terms) }
        func attempts() -> [Duration?] { indexes.map { front.machine.state.jobs.terms.attemptTimeout(of: $0) } }
        func totals() -> [Duration?] { indexes.map { front.machine.state.jobs.terms.ending(of: $0)?.totalTimeout } }
        #expect(attempts() == [.seconds(3), .seconds(4)] && totals() == [.seconds(30), .seconds(40)])
        for job in [timed[0], front.submit(1, loader: "slow")] { _ = front.ask(.job(.cancel(job))) }
        front.settle()
        #expect(attempts() == [nil, .seconds(4)] && totals() == [nil, .seconds(40)])
    }

    @Test("a submit with options that cannot be is refused by name, and nothing of it is accepted")
    func refused() {
        var front = FrontHarness()
        front.open()
        let few = JobOptionsColumn(distinct: [JobOptions(priority: 1), JobOptions()], indexes: [0, 1])
        for (column, text) in [
            (Self.column([5, 10, 5]), "a priority is 0 to 9, not 10"), (few ?? Self.column([]), "options are named 2 times for 3 jobs"),
        ] {
            let number = RequestNumber(front.nextRequest)
            front.nextRequest += 1
            let submit = ClientMessage.Submit(
                number: number, lowestUnanswered: number, loader: "slow", options: column, arguments: [[], [], []])
            guard case .send(_, _, .reply(number, .refused(let failure, _), _))? = front.send(.submit(submit)).last else {
                Issue.record("no refusal")
                continue
            }
            #expect(failure.code == .invalidData && failure.text == text)
        }
        #expect(front.counts?.waiting ?? 0 == 0 && front.machine.state.jobs.terms.count == 0)
    }

    @Test("jobs of each client wait in a lane of their own, in one order of ranks, and so they do after a restart")
    func clients() {
        var front = FrontHarness { $0.bounds.retention[.succeeded].count = 0 }
        front.open(client: "one")
        let first = front.submit(2, loader: "slow").rawValue
        front.open(client: "two")
        _ = front.submit(2, loader: "slow", priority: 9)
        _ = front.submit(1, loader: "slow")
        let queues = ["slow of one": [first, first + 1], "slow of two": [first + 2, first + 3, first + 4]]
        let next = front.restarted()
        for state in [front.machine.state, next.machine.state] {
            #expect(state.image.queues == queues && state.jobs.terms.clients.count == 2 && state.termsMiscount == nil)
        }
        #expect(DurableImage.agree(front.machine.state, next.machine.state, marks: [:], withJobs: true))
        for (id, place) in [(first, 0), (first + 1, 3), (first + 2, 1), (first + 4, 4)] as [(UInt64, UInt64)] {
            guard case .explanation(let timeline) = front.ask(.job(.explain(JobID(id)))) else {
                Issue.record("no explanation")
                continue
            }
            #expect(timeline.placeInLine == place)
        }
        #expect(front.ask(.job(.reprioritize(JobID(first + 1), priority: 9))) != nil)
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 5)
        worker.take(front.settle())
        #expect(worker.held.map { $0.job - first } == [1, 2, 0, 3, 4])
        worker.take(worker.endAll(in: &front))
        front.settle()
        let state = front.machine.state
        #expect(state.image.queues.isEmpty && state.jobs.terms.clients.count == 0 && state.termsMiscount == nil)
    }

    @Test("a client is forgotten with the last terms that name it, and is counted once however many there are")
    func labels() {
        var terms = TermsTable()
        let own = (1...3).map { terms.add(JobTerms(JobTerms.Asker(client: "one"), options: JobOptions(priority: UInt8($0)))) }
        let other = terms.add(JobTerms(JobTerms.Asker(client: "two")))
        let blank = [terms.add(JobTerms()), terms.add(JobTerms(options: JobOptions(priority: 1)))]
        #expect(blank.map { terms.lane(of: $0).client } == [0, 0])
        #expect(Set(own.map { terms.lane(of: $0).client }).count == 1 && terms.lane(of: own[0]).client != terms.lane(of: other).client)
        #expect(terms.clients.count == 2 && terms.clients.uses(at: Int(terms.lane(of: own[0]).client)) == 3)
        for index in own.dropLast() { terms.change(at: index, by: -1) }
        #expect(terms.clients.index(of: "one") != nil)
        terms.change(at: own[2], by: -1)
        #expect(terms.clients.index(of: "one") == nil && terms.clients.count == 1)
        let next = terms.add(JobTerms(JobTerms.Asker(client: "three")))
        #expect(terms.clients[Int(terms.lane(of: next).client)] == "three" && terms.clients.indices.count == 3)
    }

    @Test("a tag keeps the bytes that it was given, and a client its name, beside those that differ only in how Unicode composes them")
    func composed() {
        let texts = ["caf\u{E9}", "cafe\u{301}"]
        var terms = TermsTable()
        let tagged = texts.map { terms.add(JobTerms(options: JobOptions(tags: ["a", $0]))) }
        #expect(tagged.map { terms[$0].options.tags.map { Array($0.utf8) } } == texts.map { [Array("a".utf8), Array($0.utf8)] })
        let labeled = texts.map { terms.add(JobTerms(JobTerms.Asker(client: $0))) }
        #expect(labeled.map { Array(terms.clients[Int(terms.lane(of: $0).client)].utf8) } == texts.map { Array($0.utf8) })
    }

    @Test("terms that are counted wrongly are noticed", arguments: [1, -1])
    func miscounted(_ change: Int) {
        var front = FrontHarness()
        front.open()
        _ = front.submit(2, loader: "slow", priority: 3)
        let jobs = front.machine.state.jobs
        var terms = jobs.terms
        #expect(terms.miscount(in: jobs.slab) == nil)
        terms.change(at: 1, by: change)
        #expect(terms.miscount(in: jobs.slab)?.contains("2 have") == true)
    }
}
