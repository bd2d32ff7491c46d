//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import GantryClient

@Suite("Jobs that are submitted")
struct JobBatchTests {
    @Test("options that cannot be are refused before anything is sent")
    func options() {
        var world = SessionWorld.opened()
        world.submit(JobBatch(loader: "noop", options: JobOptionsColumn(JobOptions(priority: 10)), [[1]]), 1)
        guard case .failed(CallID(1), let error) = world.takeNotices().last else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .invalidInput && error.context == "a priority is 0 to 9, not 10")
        #expect(world.turn().isEmpty)
    }

    @Test("what is left of joined jobs keeps its own options")
    func left() {
        var world = SessionWorld.opened()
        for callID in UInt64(1)...3 {
            world.submit(JobBatch(loader: "noop", options: JobOptionsColumn(JobOptions(priority: UInt8(callID))), [[1], [2]]), callID)
        }
        world.withdraw(2)
        guard case .submit(let submit) = world.turn().first else {
            Issue.record("no submit")
            return
        }
        #expect((0..<4).map { submit.options[$0].priority } == [1, 1, 3, 3])
        #expect(submit.options.distinct.count == 2)
    }

    @Test("a job with a unique key travels alone, and its call hears that it has joined another job")
    func unique() {
        var world = SessionWorld.opened()
        let options = JobOptionsColumn(JobOptions(uniqueKey: UniqueKey("k")))
        for callID in UInt64(1)...2 { world.submit(JobBatch(loader: "noop", options: options, reportsOutcomes: true, [[1]]), callID) }
        world.submit(JobBatch(loader: "noop", reportsOutcomes: true, [[1]]), 3)
        world.submit(JobBatch(loader: "noop", options: options, [[1], [2]]), 4)
        guard case .failed(CallID(4), let error) = world.takeNotices().last else { return #expect(Bool(false), "no failure") }
        #expect(error.code == .invalidInput && error.context == "a job with a unique key is submitted alone, not with 1 others")
        let submits = world.turn().compactMap { message -> Int? in
            if case .submit(let submit) = message { submit.arguments.count } else { nil }
        }
        #expect(submits == [1, 1, 1])
        world.receive(.reply(number: RequestNumber(1), .jobsAccepted(first: JobID(10), count: 1)))
        world.receive(.reply(number: RequestNumber(2), .jobsAccepted(first: JobID(10), count: 1, .joined)))
        #expect(
            world.takeNotices() == [
                .accepted(CallID(1), first: JobID(10), count: 1), .accepted(CallID(2), first: JobID(10), count: 1, .joined),
            ])
    }

    @Test("who repeats a job once more asks apart from who does not, and both say which they mean, also once they ask by themselves")
    func again() {
        var world = SessionWorld.opened()
        for callID in UInt64(1)...3 {
            var batch = JobBatch(loader: "noop", [[UInt8(callID)]])
            batch.repeatsAgain = callID == 2
            world.submit(batch, callID)
        }
        func asked(_ messages: [ClientMessage]) -> [Bool] {
            messages.compactMap { if case .submit(let submit) = $0 { submit.repeatsAgain } else { nil } }
        }
        // The first and the last travel together.
        #expect(asked(world.turn()) == [false, true])
        #expect(JobBatch(loader: "noop", [[1]]).owned(by: CallID(1)).parts.map(\.repeatsAgain) == [false])
        var again = JobBatch(loader: "noop", [[1]]).owned(by: CallID(1))
        again.repeatsAgain = true
        #expect(again.parts.map(\.repeatsAgain) == [true])
        again.join(JobBatch(loader: "noop", [[2]]).owned(by: CallID(2)))
        again.abandon(1)
        #expect(again.withoutAbandoned().arguments == [[1]] && again.withoutAbandoned().repeatsAgain)
    }

    @Test(
        "calls that were refused together for what some of them ask for ask once more, each by itself, and hear what becomes of their own jobs",
        arguments: [FailureCode.rateLimited, .unknownItem, .invalidData, .unknownLoader])
    func askedApart(_ code: FailureCode) {
        var world = SessionWorld.opened()
        for callID in UInt64(1)...2 {
            var batch = JobBatch(loader: "noop", [[UInt8(callID)]])
            batch.takesAnyLoader = true
            world.submit(batch, callID)
        }
        func submits(_ messages: [ClientMessage]) -> [[[UInt8]]] {
            messages.compactMap { message in
                guard case .submit(let submit) = message else { return nil }
                #expect(submit.takesAnyLoader || submit.arguments == [[3]])
                return submit.arguments.map { Array($0) }
            }
        }
        #expect(submits(world.turn()) == [[[1], [2]]])
        _ = world.takeNotices()
        let refused = Reply.refused(Failure(code: code, text: "no 2 tokens"), retryAfter: .seconds(1))
        world.receive(.reply(number: RequestNumber(1), refused))
        #expect(world.takeNotices() == [])
        // What others ask for meanwhile does not join them.
        world.submit(JobBatch(loader: "noop", [[3]]), 3)
        #expect(submits(world.turn()) == [[[1]], [[2]], [[3]]])
        world.receive(.reply(number: RequestNumber(2), .jobsAccepted(first: JobID(10), count: 1)))
        world.receive(.reply(number: RequestNumber(3), refused))
        #expect(world.takeNotices() == [.accepted(CallID(1), first: JobID(10), count: 1), .replied(CallID(2), refused)])
    }

    @Test("jobs with more different options than a message takes travel in two")
    func bound() {
        var batch = JobBatch(loader: "noop", options: JobOptionsColumn((0...254).map { JobOptions(priority: $0) }), [])
        for _ in 0..<255 { batch.arguments.append([]) }
        #expect(batch.isAlike(JobBatch(loader: "noop", options: JobOptionsColumn(JobOptions(priority: 255)), [[1]])))
        let two = JobOptionsColumn([1, 255].map { JobOptions(priority: $0) })
        #expect(batch.isAlike(JobBatch(loader: "noop", options: two, [[1], [2]])))
        batch.join(JobBatch(loader: "noop", options: two, [[1], [2]]))
        #expect(batch.options.fault(ofJobs: 257) == "a priority is 0 to 9, not 10")
        #expect(!batch.isAlike(JobBatch(loader: "slow", [[1]])))
        #expect(!batch.isAlike(JobBatch(loader: "noop", reportsOutcomes: true, [[1]])))
    }
}
