//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import FrontCore

/// Each test compares all that an event leads to.
@Suite("What is decided about sessions, action by action")
struct SessionActionTests {
    private func opened() -> FrontHarness {
        var front = FrontHarness()
        front.open()
        return front
    }

    private func request(_ body: RequestBody) -> ClientMessage {
        .request(.init(number: RequestNumber(1), lowestUnanswered: RequestNumber(1), body: body))
    }

    @Test("a hello opens a session: an entry and a welcome")
    func hello() {
        let front = opened()
        #expect(
            front.decided == [
                "entry sessionOpened \(front.session) as test", "client 7: welcome", "changed clients clients, front front",
            ])
    }

    @Test("a close ends it, and with it what it was told")
    func close() {
        var front = opened()
        _ = front.submit(1)
        _ = front.send(.close)
        #expect(front.decided == ["entry sessionEnded \(front.session)", "changed clients clients, front front"])
        _ = front.send(.close)
        #expect(front.decided == ["client 7: sessionEnded"])
    }

    @Test("nothing waits for the time of a session that was closed")
    func closedDeadline() {
        var front = FrontHarness()
        let before = front.machine.turn.context.deadlines.count
        front.open()
        #expect(front.machine.turn.context.deadlines.count == before + 1)
        _ = front.send(.close)
        #expect(front.machine.turn.context.deadlines.count == before)
    }

    @Test("a deadline of a worker or session that is not there is counted, and nothing else")
    func forgottenOwner() {
        var front = FrontHarness()
        front.settle()
        let owners = [DeadlineOwner.reports(worker: 9), .lease(worker: 9), .session(SessionID(9))]
        for owner in owners { front.machine.turn.context.check(owner, by: front.now.monotonic) }
        #expect(front.settle().isEmpty)
        #expect(front.late == [.ownerForgotten: 3])
        #expect(!owners.contains { front.machine.turn.context.deadlines.contains($0) })
    }

    @Test("of an index that no worker has nothing is known, and nothing changes there")
    func unknownIndex() {
        var workers = WorkerSessions()
        workers.receive(0)
        workers.drain(0, isReported: true)
        #expect(workers[0] == nil && workers.count == 0)
        #expect(workers.takeChanged() == nil)
    }

    @Test("a heartbeat is answered at once and decides nothing, also while it has to wait")
    func heartbeat() {
        var front = opened()
        _ = front.send(.heartbeat(lowestUnanswered: RequestNumber(1)))
        #expect(front.decided == ["client 7, at once: heartbeat 1"])
        let messages = [ClientMessage.close, .heartbeat(lowestUnanswered: RequestNumber(1))]
        front.handle(.clientWaits(front.client, ClientEnvelope(session: front.session, messages: messages)))
        #expect(front.decided == ["client 7, at once: heartbeat 1"])
    }

    @Test("a session that is not known, or of another connection, is told so, and nothing of the frame is run")
    func foreign() {
        var front = opened()
        for (session, line) in [(SessionID(99), "sessionEnded"), (front.session, "resumeFirst")] {
            front.handle(.clientSent(PeerID(8), Principal.everything, ClientEnvelope(session: session, messages: [.close, .close])))
            #expect(front.decided == ["client 8: \(line)"])
        }
    }

    @Test("a question is answered and not kept; what is asked to change something is")
    func reading() {
        var front = opened()
        _ = front.send(request(.listFeeds()))
        #expect(front.decided == ["client 7: reply 1 feeds items?parameter=sample lazy todos"])
        front.nextRequest = 2
        _ = front.ask(.feed(.named("nothing"), .reset(version: nil)))
        #expect(front.decided == ["entry replyRetained 2 refused unknownFeed", "client 7: reply 2 refused unknownFeed"])
    }

    @Test("a snapshot is sent of any topic, also of a job that is not known; one of a feed that nobody can have is refused")
    func snapshot() {
        var front = opened()
        for topic in [Topic.jobs, .job(JobID(9))] {
            _ = front.send(.snapshot(topic: topic))
            #expect(front.decided == ["client 7: snapshot of \(topic)"])
        }
        _ = front.send(.snapshot(topic: .feed(.named("nothing"))))
        #expect(front.decided == ["client 7: snapshotRefused feed/nothing unknownFeed"])
    }

    @Test("what cannot be read is refused and counted, and the rest of the frame is run")
    func unreadable() {
        var front = opened()
        _ = front.send(.unreadable(CodecError(what: "a feed's key", reason: "it is none")), request(.listFeeds()))
        #expect(
            front.decided == [
                "client 7: refused invalidData", "client 7: reply 1 feeds items?parameter=sample lazy todos", "changed front front",
            ])
    }

    @Test("a connection that is lost leaves its session, which is taken up from another one")
    func lost() {
        var front = opened()
        front.handle(.peerLost(front.client))
        #expect(front.decided == ["forget client 7"])
        let hello = ClientMessage.hello(ClientMessage.Hello(label: "test", resumed: front.session))
        front.handle(.clientSent(PeerID(8), Principal.everything, ClientEnvelope(messages: [hello])))
        #expect(front.decided == ["client 8: welcome back"])
    }

    @Test("of a frame with more messages than a turn takes the rest is left for the next")
    func rest() {
        var front = opened()
        let envelope = ClientEnvelope(session: front.session, messages: [request(.listFeeds()), .close])
        front.handle(.clientSent(front.client, Principal.everything, envelope, from: 0, count: 1))
        #expect(front.decided == ["client 7: reply 1 feeds items?parameter=sample lazy todos", "go on with client 7 from 1"])
        front.handle(.clientSent(front.client, Principal.everything, envelope, from: 1, count: 1))
        #expect(front.decided == ["entry sessionEnded \(front.session)", "changed clients clients, front front"])
    }

    @Test("a full disk changes what observers of the front see, once, and no job is accepted while it lasts")
    func fullDisk() {
        var front = opened()
        front.handle(.storageFull(true))
        #expect(front.decided == ["changed front front"])
        front.handle(.storageFull(true))
        #expect(front.decided == [])
        #expect(front.submit(1) == .none)
        #expect(front.decided == ["client 7: reply 1 refused storageFull"])
        front.handle(.storageFull(false))
        #expect(front.decided == ["changed front front"])
    }
}
