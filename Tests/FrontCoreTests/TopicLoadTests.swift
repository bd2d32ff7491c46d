//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire
import TestSupport
import Testing

@testable import FrontCore

/// Floods of subscriptions and snapshot requests. The time limit is the test of the cost: what grows with the square takes many minutes here.
@Suite("Many topics", .timeLimit(.minutes(5)))
struct TopicLoadTests {
    private let client = PeerID(7)

    private func job(_ number: Int) -> Topic { .job(JobID(UInt64(number))) }

    private func summary(_ front: LoopHarness) -> FrontSummary? {
        if case .front(let summary)? = front.loop.item("front", of: .front) { return summary }
        return nil
    }

    @Test("100,000 subscriptions and their end cost a constant each, bring up as many topics as may be, and topic `front` says so")
    func subscriptions() async throws {
        try await onOwnThread {
            var settings = LoopSettings()
            settings.topics = 1_000
            settings.subscriptions = 2_000
            let front = try LoopHarness(loop: settings)
            for number in 1...100_000 { front.subscribe(job(number)) }
            while front.unread(.subscriptions) > 0 {
                try front.turn(1)
                try #require(front.loop.stepsOfTurn <= 40_000)
            }
            #expect(front.loop.topics.count == 1_000)
            front.pass(milliseconds: 1_000)
            try front.turn(3)
            #expect(summary(front)?.subscriptions == 2_000)
            #expect(summary(front)?.refusedTopics == 1_000 + 98_000)
            #expect(summary(front)?.subscriptionsMade == 100_000)
            #expect(front.takePublished().count >= 2_000)
            for number in 1...100_000 { front.subscribe(job(number), isWanted: false) }
            try front.turn(110)
            #expect(front.unread(.subscriptions) == 0)
            front.pass(milliseconds: 60_000)
            try front.turn(5)
            #expect(front.loop.topics.count == 0)
            #expect(front.loop.machine.queue.views.observed.isEmpty)
            #expect(summary(front)?.subscriptions == 0)
        }
    }

    @Test("topic `front` says when somebody leaves a topic that found no room")
    func leaving() throws {
        var settings = LoopSettings()
        settings.topics = 1
        let front = try LoopHarness(loop: settings)
        for number in 1...3 { front.subscribe(job(number)) }
        front.pass(milliseconds: 1_000)
        try front.turn(3)
        #expect(summary(front)?.subscriptions == 3)
        for number in 2...3 { front.subscribe(job(number), isWanted: false) }
        try front.turn()
        front.pass(milliseconds: 1_000)
        try front.turn()
        #expect(summary(front)?.subscriptions == 1)
    }

    @Test("observers of `front` are told of topics that others observe, and of each subscription")
    func reported() throws {
        let front = try LoopHarness()
        front.subscribe(.front)
        try front.turn()
        _ = front.takePublished()
        // The second one is of a topic that is observed already.
        for made in UInt64(2)...3 {
            front.subscribe(job(1))
            try front.turn()
            front.pass(milliseconds: 1_000)
            try front.turn(3)
            let reported = try front.takePublished().flatMap { publication -> [TopicItem] in
                if case .change(let change) = publication { change.puts } else { [] }
            }.compactMap { put -> [UInt64]? in
                guard case .front(let summary) = try WireCodec().decodeItem(put.value) else { return nil }
                return [summary.subscriptions, summary.subscriptionsMade]
            }
            #expect(reported.last == [2, made])
        }
    }

    @Test("a twofold number of snapshot requests costs twofold, and each topic is answered once for each turn that asks for it")
    func snapshots() async throws {
        try await onOwnThread {
            // Short turns, so that no request meets its repetition in one turn, however many there are.
            var settings = LoopSettings()
            settings.turnMessages = 500
            func steps(_ count: Int) throws -> UInt64 {
                let front = try LoopHarness(loop: settings)
                let session = try front.open()
                let before = front.loop.machine.steps
                for number in 1...count { front.client(client, session, .snapshot(topic: job(number))) }
                front.client(client, session, (1...count).map { .snapshot(topic: job($0)) })
                repeat { try front.turn(1) } while front.loop.clientInbox.isEmpty == false
                try front.turn(3)
                var answers: [Topic: Int] = [:]
                for case .snapshot(let part) in try front.takeMessages() { answers[part.topic, default: 0] += 1 }
                #expect(answers.count == count && answers.values.allSatisfy { $0 == 2 })
                return front.loop.machine.steps - before
            }
            let (one, two) = (try steps(4_000), try steps(8_000))
            #expect(Double(two) / Double(one) < 2.5)
        }
    }

    @Test("snapshots of many topics in one frame are spread over turns, and what is asked for counts until it is")
    func snapshotsByTurns() throws {
        var settings = LoopSettings()
        settings.turnSnapshots = 10
        let front = try LoopHarness(loop: settings)
        let session = try front.open()
        front.client(client, session, (1...100).map { .snapshot(topic: job($0)) })
        var answered: [Int] = []
        for turn in 1...11 {
            try front.turn(1)
            let waiting = front.loop.gathered.snapshots.elements.count
            #expect(waiting == max(0, 100 - 10 * turn))
            #expect(front.loop.gathered.byteCount >= waiting * RoughSize.feed)
            answered.append(try front.takeMessages().count { if case .snapshot = $0 { true } else { false } })
        }
        #expect(answered.reduce(0, +) == 100 && answered.allSatisfy { $0 <= 10 })
    }

    @Test("a topic that a client asks for again and again in one turn is answered once")
    func repeatedSnapshot() throws {
        let front = try LoopHarness()
        let session = try front.open()
        front.client(client, session, Array(repeating: .snapshot(topic: job(1)), count: 100))
        try front.turn(3)
        let answered = try front.takeMessages().count { if case .snapshot = $0 { true } else { false } }
        #expect(answered == 1)
    }

    @Test("a topic that is dropped and observed again while a turn is gathered begins beyond the number that it had reached")
    func broughtUpAgain() throws {
        let front = try LoopHarness()
        let session = try front.open()
        let key = try #require(FeedKey(text: "items"))
        var worker = try front.register(1, at: PeerID(2_001))
        front.holdsRows = true
        front.client(client, session, .snapshot(topic: .workers), LoopHarness.request(1, .feed(key, .load)))
        try front.turn(1)
        let reached = try #require(front.loop.topics.live(.workers)?.sequence)
        #expect(reached > SequenceNumber(1), "it begins at the turn")
        worker.messages = [.draining]
        front.worker(PeerID(2_001), worker)
        front.pass(milliseconds: LoopSettings().topicAge.wholeMilliseconds + 1)
        try front.turn(1)
        #expect(front.loop.topics.isLive(.workers) == false)
        front.subscribe(.workers)
        try front.turn(1)
        #expect(try #require(front.loop.topics.live(.workers)?.sequence) > reached)
    }

    @Test("a snapshot that a hundred clients ask for in one turn is made once, and each has all of it under its own session")
    func sharedSnapshot() throws {
        let front = try LoopHarness()
        for number in 1...40 { _ = try front.register(UInt64(number), at: PeerID(2_000 + UInt64(number))) }
        let clients = (1...100).map { PeerID(100 + UInt64($0)) }
        let sessions = try clients.map { try front.open($0) }
        for (client, session) in zip(clients, sessions) { front.client(client, session, .snapshot(topic: .workers)) }
        try front.turn(1)
        // To look at 40 items for each of them would be 4,000 steps.
        #expect(front.loop.stepsOfTurn < 1_500)
        try front.turn()
        for (client, session) in zip(clients, sessions) {
            let envelope = try #require(try front.takeSent(to: client).first?.envelope)
            #expect(envelope.session == session && envelope.front == FrontID(1) && envelope.epoch == front.epoch)
            guard case .snapshot(let part)? = envelope.messages.first else {
                Issue.record("no snapshot")
                return
            }
            #expect(part.items.count == 40 && part.topic == .workers)
        }
    }

    @Test("snapshots that nobody reads end with their client, or after a time, and cost nothing until then")
    func unreadSnapshots() throws {
        let front = try LoopHarness()
        let session = try front.open()
        for number in 1...3 {
            let key = SnapshotKey(peer: PeerID(UInt64(number)), session: session, topic: .jobs)
            let queue = SnapshotQueue(
                key: key, parts: Array(repeating: [1], count: 5), byteCount: 100, touchedAt: front.now().monotonic)
            #expect(front.loop.snapshots.begin(queue) == true)
            front.loop.watchSnapshot(key, at: front.now().monotonic)
        }
        front.results[PeerID(1)] = .gone
        front.loop.lostPeers.append(PeerID(1))
        try front.turn(2)
        #expect(front.loop.snapshots.count == 2)
        front.pass(milliseconds: 30_000)
        front.loop.continueSnapshot(SnapshotKey(peer: PeerID(2), session: session, topic: .jobs))
        front.pass(milliseconds: 30_000)
        try front.turn(2)
        #expect(front.loop.snapshots.count == 1)
        front.pass(milliseconds: 60_000)
        try front.turn(2)
        #expect(front.loop.snapshots.count == 0 && front.loop.deadlines.count == 0)
    }

    @Test("two sessions of one connection that ask for a topic of several parts get all of it, each at its own pace")
    func sessionsOfOneConnection() throws {
        var settings = LoopSettings()
        settings.largestFrame = 1_000
        settings.snapshotPartsInFlight = 1
        let front = try LoopHarness(loop: settings)
        for number in 1...40 { _ = try front.register(UInt64(number), at: PeerID(2_000 + UInt64(number))) }
        let sessions = [try front.open(client), try front.open(client)]
        for session in sessions { front.client(client, session, .snapshot(topic: .workers)) }
        var items: [SessionID: Int] = [:]
        var parts: [SessionID: Int] = [:]
        for _ in 0..<200 {
            try front.turn(1)
            for sent in try front.takeSent(to: client) {
                for case .snapshot(let part) in sent.envelope.messages {
                    let session = sent.envelope.session
                    items[session, default: 0] += part.items.count
                    parts[session, default: 0] += 1
                    front.client(client, session, .snapshotPartRead(topic: .workers))
                }
            }
        }
        #expect(sessions.map { items[$0] } == [40, 40])
        #expect(sessions.allSatisfy { parts[$0] ?? 0 > 2 }, "\(parts)")
        #expect(front.loop.snapshots.count == 0)
        // Nothing is left to be sent when the last part of each was read.
        #expect(front.loop.refusals.late == [.snapshotSent: 2])
    }

    @Test("a client that asks for more snapshots at once than may wait for it gets some, and the others later")
    func manySnapshots() throws {
        var settings = LoopSettings()
        settings.outboxByteLimit = 2_000
        let front = try LoopHarness(loop: settings)
        let session = try front.open()
        for number in 1...40 { _ = try front.register(UInt64(number), at: PeerID(2_000 + UInt64(number))) }
        for asked in 0..<20 { front.subscribe(job(asked + 1)) }
        try front.turn()
        front.client(client, session, .snapshot(topic: .workers))
        for asked in 0..<20 { front.client(client, session, .snapshot(topic: job(asked + 1))) }
        try front.turn()
        let reported = try front.takeMessages()
        let sent = reported.count { if case .snapshot = $0 { true } else { false } }
        let busy = reported.count {
            if case .snapshotRefused(_, let failure, let wait) = $0 { failure.code == .busy && wait == .milliseconds(100) } else { false }
        }
        #expect(sent == 1 && busy == 20, "\(sent) sent, \(busy) refused")
        #expect(front.loop.busyCounts == [.snapshotByteCount: 20])
    }

    @Test("snapshots of one turn have a bound in bytes for all clients: who asks beyond it asks again in a moment")
    func snapshotsOfATurn() throws {
        var settings = LoopSettings()
        settings.snapshotByteLimit = 100
        let front = try LoopHarness(loop: settings)
        for number in 1...10 { _ = try front.register(UInt64(number), at: PeerID(2_000 + UInt64(number))) }
        let clients = [PeerID(101), PeerID(102)]
        let sessions = try clients.map { try front.open($0) }
        for (client, session) in zip(clients, sessions) { front.client(client, session, .snapshot(topic: .workers)) }
        try front.turn()
        guard case .snapshot? = try front.takeMessages(to: clients[0]).first,
            case .snapshotRefused("workers", let failure, let wait)? = try front.takeMessages(to: clients[1]).first,
            wait == .milliseconds(100)
        else {
            Issue.record("the first has no snapshot, or the second one is not refused")
            return
        }
        #expect(failure.code == .busy && failure.retryable)
    }

    @Test("beyond the bounds a snapshot is refused with a time")
    func refusedSnapshot() throws {
        var settings = LoopSettings()
        settings.topics = 1
        let front = try LoopHarness(loop: settings)
        let session = try front.open()
        front.subscribe(job(1))
        try front.turn()
        front.client(client, session, .snapshot(topic: job(2)))
        try front.turn()
        guard case .snapshotRefused("job/2", let failure, let retryAfter)? = try front.takeMessages().last else {
            Issue.record("not refused")
            return
        }
        #expect(failure.code == .busy && failure.retryable && retryAfter > .zero)
        #expect(front.loop.busyCounts == [.topics: 1])
    }

    @Test("a snapshot's parts are as large as the settings say, and the next goes when the one before it was read")
    func smallParts() throws {
        var settings = LoopSettings()
        (settings.snapshotPartByteLimit, settings.snapshotPartsInFlight) = (1, 1)
        let front = try LoopHarness(loop: settings)
        let session = try front.open()
        for number in 1...3 { _ = try front.register(UInt64(number), at: PeerID(2_000 + UInt64(number))) }
        front.client(client, session, .snapshot(topic: .workers))
        var parts: [UInt32] = []
        for round in 0..<5 {
            try front.turn()
            for case .snapshot(let part) in try front.takeMessages() {
                parts.append(part.part)
                #expect(part.partCount == 3)
            }
            #expect(parts.count == min(round + 1, 3))
            front.client(client, session, .snapshotPartRead(topic: .workers))
        }
        #expect(parts == [0, 1, 2])
    }
}
