//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import TestSupport
import Testing

@testable import GantryClient

@Suite("The session's machine")
struct SessionMachineTests {
    let feed = FeedKey.named("products")

    @Test("hello is repeated with doubling pauses, and the third one goes over a new socket")
    func hello() {
        var world = SessionWorld()
        #expect(world.turn() == [world.hello()])
        #expect(world.turn(after: 187) == [])
        #expect(world.turn(after: 126) == [world.hello()])
        #expect(!world.actions.contains(.reconnect))
        #expect(world.turn(after: 374) == [])
        #expect(world.turn(after: 251).count == 1)
        #expect(world.actions == [.reconnect])
    }

    @Test("requests wait for the welcome and are numbered from one")
    func numbers() {
        var world = SessionWorld()
        world.request(.listFeeds(), 1)
        #expect(world.turn() == [world.hello()])
        world.receive(.welcome(.open(session: world.session, isResumed: false)))
        world.request(.job(.list(JobQuery())), 2)
        let messages = world.turn()
        #expect(messages.compactMap(\.number) == [1, 2])
        #expect(messages.last == .heartbeat(lowestUnanswered: RequestNumber(1)))
    }

    @Test("an unanswered request is repeated unchanged under its number with pauses of 250 ms doubling to 5 s, a quarter more or less")
    func repeats() {
        var world = SessionWorld.opened()
        world.answersHeartbeats = true
        world.request(.listFeeds(), 1)
        let first = world.turn()
        var pauses: [Int64] = []
        var last = world.now
        while pauses.count < 8 {
            world.now = max(world.machine.nextDeadline(), world.now)
            if world.turn().contains(first[0]) {
                pauses.append(world.now.duration(since: last).wholeMilliseconds)
                last = world.now
            }
        }
        for (pause, middle) in zip(pauses, [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000] as [Int64]) {
            #expect(abs(pause - middle) <= middle / 4)
        }
        #expect(Set(pauses.suffix(3)).count > 1)
    }

    @Test("items that wait are bounded in bytes as arguments are, also those that go into another session")
    func queuedItems() {
        var world = SessionWorld { $0.queueByteLimit = 200_000 }
        let item = [UInt8](repeating: 1, count: 60_000)
        for callID in UInt64(1)...5 { world.request(.feed(feed, .create(item: item)), callID) }
        let busy = world.takeNotices().compactMap {
            if case .failed(let callID, let error) = $0, error.code == .busy { callID } else { nil }
        }
        #expect(busy == [CallID(4), CallID(5)])
        world.receive(.welcome(.open(session: world.session, isResumed: false)))
        _ = world.turn()
        #expect(world.machine.queue.byteCount == 0)
        world.request(.feed(feed, .select(view: "shared", itemID: "1", version: nil)), 6)
        #expect(world.machine.queue.byteCount == feed.text.utf8.count + 7)
        world.machine.abandon(CallID(6))
        #expect(world.machine.queue.byteCount == 0)
        world.request(.feed(feed, .attach(view: "")), 7)
        _ = world.turn()
        world.receive(.sessionEnded)
        #expect(world.machine.queue.byteCount == feed.text.utf8.count)
        _ = world.turn(after: 1_000)
        world.receive(.welcome(.open(session: SessionID(43), isResumed: false)))
        _ = world.turn()
        #expect(world.machine.queue.byteCount == 0)
    }

    @Test("one turn hands out about 1 MiB of items, and the next one goes on")
    func collectedItems() {
        var world = SessionWorld.opened()
        let item = [UInt8](repeating: 1, count: 65_536)
        for callID in UInt64(1)...40 { world.request(.feed(feed, .create(item: item)), callID) }
        #expect(world.turn().compactMap(\.number).count == 16)
        #expect(world.turn().compactMap(\.number).count == 16)
        #expect(world.turn().compactMap(\.number).count == 8)
    }

    @Test("a second reply to the same number is dropped")
    func duplicateReply() {
        var world = SessionWorld.opened()
        world.request(.listFeeds(), 9)
        _ = world.turn()
        _ = world.takeNotices()
        world.receive(.reply(number: RequestNumber(1), .feeds([], next: nil)), .reply(number: RequestNumber(1), .feeds([], next: nil)))
        #expect(world.takeNotices() == [.replied(CallID(9), .feeds([], next: nil))])
    }

    @Test("a second reply is dropped also while an older request is still open")
    func duplicateReplyInTheWindow() {
        var world = SessionWorld.opened()
        world.request(.listFeeds(), 8)
        world.request(.listFeeds(), 9)
        _ = world.turn()
        _ = world.takeNotices()
        world.receive(.reply(number: RequestNumber(2), .feeds([], next: nil)), .reply(number: RequestNumber(2), .done(version: 1)))
        #expect(world.takeNotices() == [.replied(CallID(9), .feeds([], next: nil))])
    }

    @Test("the lowest unanswered number moves only when the gap is closed")
    func lowestUnanswered() {
        var world = SessionWorld.opened()
        for callID in 1...3 { world.request(.listFeeds(), UInt64(callID)) }
        _ = world.turn()
        world.receive(.reply(number: RequestNumber(2), .feeds([], next: nil)))
        #expect(world.machine.inFlight.lowest == RequestNumber(1))
        world.receive(.reply(number: RequestNumber(1), .feeds([], next: nil)))
        #expect(world.machine.inFlight.lowest == RequestNumber(3))
    }

    @Test("at most 1,024 numbers are open, the rest waits")
    func window() {
        var world = SessionWorld.opened()
        for callID in 1...1_500 { world.request(.listFeeds(), UInt64(callID)) }
        #expect(world.turn().count == 1_024)
        world.receive(.reply(number: RequestNumber(1), .feeds([], next: nil)), .reply(number: RequestNumber(2), .feeds([], next: nil)))
        #expect(world.turn().compactMap(\.number) == [1_025, 1_026])
    }

    @Test("beyond the queue's limit a call fails with busy and nothing is lost")
    func queueLimit() {
        var world = SessionWorld { $0.queueLimit = 2 }
        for callID in 1...3 { world.request(.listFeeds(), UInt64(callID)) }
        guard case .failed(CallID(3), let error) = world.notices.first else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .busy)
        #expect(error.isRetryable)
        #expect(world.notices.count == 1)
    }

    @Test("jobs of one turn with the same loader travel as one submit, whatever their options, and each call gets its own ids")
    func batching() {
        var world = SessionWorld.opened()
        world.submit(JobBatch(loader: "noop", [[1], [2, 3]]), 1)
        world.submit(JobBatch(loader: "noop", [[4]]), 2)
        world.submit(JobBatch(loader: "noop", options: JobOptionsColumn(JobOptions(priority: 9)), [[5]]), 3)
        world.submit(JobBatch(loader: "slow", [[6]]), 4)
        let messages = world.turn()
        #expect(messages.count == 2)
        guard case .submit(let submit) = messages.first else {
            Issue.record("no submit")
            return
        }
        #expect(submit.arguments == [[1], [2, 3], [4], [5]])
        #expect(submit.options == JobOptionsColumn([5, 5, 5, 9].map { JobOptions(priority: $0) }))
        _ = world.takeNotices()
        world.receive(.reply(number: RequestNumber(1), .jobsAccepted(first: JobID(10), count: 4)))
        #expect(
            world.takeNotices() == [
                .accepted(CallID(1), first: JobID(10), count: 2), .accepted(CallID(2), first: JobID(12), count: 1),
                .accepted(CallID(3), first: JobID(13), count: 1),
            ])
    }

    @Test("outcomes that come twice or were not awaited are told once or not at all")
    func outcomes() {
        var world = SessionWorld.opened()
        world.submit(JobBatch(loader: "noop", reportsOutcomes: true, [[1], [2]]), 1)
        _ = world.turn()
        world.receive(.reply(number: RequestNumber(1), .jobsAccepted(first: JobID(10), count: 2)))
        _ = world.takeNotices()
        var answers = FrontMessage.Answers()
        (answers.jobs, answers.states, answers.results) = ([11, 99, 11], [.succeeded, .succeeded, .failed], [[7, 8], [9], []])
        world.receive(.answers(answers), .answers(answers))
        #expect(world.takeNotices() == [.ended(.init(jobs: [11], states: [.succeeded], results: [[7, 8]]))])
    }

    @Test("a job that the front does not know is not awaited for ever")
    func unknownOutcome() throws {
        var world = SessionWorld.opened()
        world.submit(JobBatch(loader: "noop", reportsOutcomes: true, [[1]]), 1)
        _ = world.turn()
        world.receive(.reply(number: RequestNumber(1), .jobsAccepted(first: JobID(10), count: 1)))
        _ = world.takeNotices()
        var answers = FrontMessage.Answers()
        answers.unknown = [10, 11]
        world.receive(.answers(answers), .answers(answers))
        let notices = world.takeNotices()
        guard case .outcomeLost(JobID(10), let error)? = notices.first, notices.count == 1 else {
            Issue.record("told: \(notices)")
            return
        }
        #expect(error.code == .notFound)
        #expect(world.machine.outcomes.isEmpty)
    }

    @Test("a missing outcome is asked for after one second, then with doubling pauses")
    func missingOutcomes() {
        var world = SessionWorld.opened()
        world.answersHeartbeats = true
        world.submit(JobBatch(loader: "noop", reportsOutcomes: true, [[1]]), 1)
        _ = world.turn()
        world.receive(.reply(number: RequestNumber(1), .jobsAccepted(first: JobID(10), count: 1)))
        let start = world.now
        var asked: [Int64] = []
        while asked.count < 4 {
            world.now = max(world.machine.nextDeadline(), world.now)
            for message in world.turn() {
                guard case .request(let request) = message, request.body == .job(.outcomes([JobID(10)])) else { continue }
                asked.append(world.now.duration(since: start).wholeMilliseconds)
                world.receive(.reply(number: request.number, .done(version: 0)))
            }
        }
        #expect(asked == [1_000, 3_000, 7_000, 15_000])
    }

    @Test("after a reconnect the session is taken up again and everything unanswered is repeated under its numbers")
    func reconnect() {
        var world = SessionWorld.opened()
        world.request(.feed(feed, .load), 1)
        let sent = world.turn()
        world.answersHeartbeats = true
        _ = world.run(1_500)
        world.answersHeartbeats = false
        let sentLater = world.run(4_000)
        #expect(world.actions.contains(.reconnect))
        #expect(sentLater.last == world.hello(resumed: world.session))
        #expect(world.machine.phase == .greeting)
        world.receive(.welcome(.open(session: world.session, isResumed: true)))
        #expect(world.turn().first == sent[0])
    }

    @Test("when the session is over, changes fail with outcomeUnknown and reads are asked again in the new one")
    func sessionEnded() {
        var world = SessionWorld.opened()
        world.request(.feed(feed, .load), 1)
        world.request(.listFeeds(), 2)
        world.submit(JobBatch(loader: "noop", [[1]]), 3)
        _ = world.turn()
        _ = world.takeNotices()
        world.receive(.sessionEnded)
        let codes = world.takeNotices().map { notice -> String in
            switch notice {
            case .failed(let callID, let error): "\(callID) \(error.code)"
            case .sessionLost: "lost"
            default: "other"
            }
        }
        #expect(codes == ["lost", "1 outcomeUnknown", "3 outcomeUnknown"])
        #expect(world.turn() == [world.hello()])
        world.receive(.welcome(.open(session: SessionID(43), isResumed: false)))
        #expect(world.turn().first == .request(.init(number: RequestNumber(1), lowestUnanswered: RequestNumber(1), body: .listFeeds())))
    }

    @Test("a front that names no session when it says that it is over means the open one")
    func sessionEndedUnaddressed() {
        var world = SessionWorld.opened()
        world.receiveUnaddressed(.sessionEnded)
        #expect(world.takeNotices().contains(.sessionLost))
        #expect(world.turn() == [world.hello()])
    }

    @Test("the end of an earlier session, told once more to a repeated hello, does not end the one after it")
    func earlierSessionEnded() {
        var world = SessionWorld.opened()
        world.machine.greetAgain(at: world.now)
        #expect(world.turn() == [world.hello(resumed: world.session)])
        #expect(world.turn(after: 1_000) == [world.hello(resumed: world.session)])
        world.receive(.sessionEnded)
        _ = world.turn()
        world.receive(.welcome(.open(session: SessionID(43), isResumed: false)))
        world.request(.feed(feed, .load), 1)
        _ = world.turn()
        _ = world.takeNotices()
        world.receive(.sessionEnded, in: world.session)
        #expect(world.takeNotices() == [])
        world.receive(.reply(number: RequestNumber(1), .done(version: 1)))
        #expect(world.takeNotices() == [.replied(CallID(1), .done(version: 1))])
    }

    @Test(
        "a welcome with an address that is not of this machine is an error that names it, and calls fail with it until a better one comes",
        arguments: ["changes", "pages"])
    func forbiddenAddress(_ socket: String) {
        var world = SessionWorld()
        world.request(.feed(feed, .load), 1)
        _ = world.turn()
        var welcome = FrontMessage.Welcome(session: world.session, isResumed: false)
        welcome.changesEndpoint = socket == "changes" ? "tcp://192.0.2.7:7702" : "tcp://127.0.0.1:7702"
        welcome.pagesEndpoint = socket == "pages" ? "tcp://192.0.2.7:7702" : "ipc:///run/pages"
        world.receive(.welcome(welcome))
        let notices = world.takeNotices()
        guard case .refused(let error)? = notices.first else {
            Issue.record("no error: \(notices)")
            return
        }
        #expect(error.code == .refused && !error.isRetryable)
        #expect(error.context.contains("tcp://192.0.2.7:7702") && error.context.contains("for \(socket)"), "\(error)")
        #expect(notices.last == .failed(CallID(1), error))
        world.request(.listFeeds(), 2)
        #expect(world.takeNotices() == [.failed(CallID(2), error)])
        #expect(world.run(5_000) == [world.hello()])
        (welcome.changesEndpoint, welcome.pagesEndpoint) = ("tcp://127.0.0.1:7702", "ipc:///run/pages")
        world.receive(.welcome(welcome))
        world.request(.listFeeds(), 3)
        #expect(world.turn().contains { $0.number == 1 })
    }

    @Test("a welcome without an address for changes is an error too: nothing would ever be verified")
    func missingAddress() {
        var world = SessionWorld()
        world.request(.feed(feed, .load), 1)
        _ = world.turn()
        world.receive(.welcome(.init(session: world.session, isResumed: false)))
        let failed = world.takeNotices().compactMap { notice -> ClientError? in
            if case .failed(CallID(1), let error) = notice { error } else { nil }
        }
        #expect(failed.map(\.code) == [.refused] && failed.map(\.context) == ["the front names no address for changes"])
    }

    @Test("attachments are renewed when the front lives a new life")
    func attachments() {
        var world = SessionWorld.opened()
        world.request(.feed(feed, .attach(view: "shared")), 1)
        _ = world.turn()
        world.receive(.reply(number: RequestNumber(1), .done(version: 0)))
        world.epoch = Epoch(101)
        world.machine.sawEpoch(world.epoch, of: world.front, at: world.now)
        #expect(world.turn() == [world.hello(resumed: world.session)])
        world.receive(.welcome(.open(session: world.session, isResumed: true)))
        #expect(
            world.turn().contains(
                .request(.init(number: RequestNumber(2), lowestUnanswered: RequestNumber(2), body: .feed(feed, .attach(view: "shared"))))))
    }

    @Test("what an earlier life of the front sent is ignored")
    func lowerEpoch() {
        var world = SessionWorld.opened()
        world.request(.listFeeds(), 1)
        _ = world.turn()
        _ = world.takeNotices()
        world.epoch = Epoch(99)
        world.receive(.reply(number: RequestNumber(1), .feeds([], next: nil)), .sessionEnded)
        #expect(world.takeNotices() == [])
    }

    @Test("a heartbeat goes out every second")
    func heartbeats() {
        var world = SessionWorld.opened()
        #expect(world.turn(after: 999) == [])
        #expect(world.turn(after: 1) == [.heartbeat(lowestUnanswered: RequestNumber(1))])
    }

    @Test("closing sends close once and fails what is open")
    func close() {
        var world = SessionWorld.opened()
        world.request(.listFeeds(), 5)
        _ = world.turn()
        _ = world.takeNotices()
        world.close()
        #expect(world.takeNotices() == [.failed(CallID(5), SessionMachine.isClosed)])
        #expect(world.machine.phase == .closing && world.machine.nextDeadline() == MonotonicTime(nanoseconds: .min))
        #expect(world.turn() == [.close])
        #expect(world.turn() == [] && world.machine.phase == .closed && world.machine.nextDeadline() == .distantFuture)
    }

    @Test("an abandoned call that was never sent is not sent")
    func abandon() {
        var world = SessionWorld()
        world.request(.feed(feed, .load), 1)
        world.request(.listFeeds(), 2)
        world.machine.abandon(CallID(1))
        _ = world.turn()
        world.receive(.welcome(.open(session: world.session, isResumed: false)))
        #expect(world.turn().compactMap(\.number).count == 1)
    }

    @Test("five refusals in a row fail what is open instead of repeating it for ever")
    func refusals() {
        var world = SessionWorld.opened()
        world.request(.listFeeds(), 1)
        _ = world.turn()
        for _ in 0..<4 { world.receiveUnaddressed(.refused(Refused(reason: "not understood", code: .invalidData))) }
        #expect(world.machine.isOpen)
        world.receiveUnaddressed(.refused(Refused(reason: "not understood", code: .invalidData)))
        #expect(world.turn() == [world.hello()])
        let failed = world.takeNotices().contains { if case .failed(CallID(1), let error) = $0 { error.code == .refused } else { false } }
        #expect(failed)
    }
}
