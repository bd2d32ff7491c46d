//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns
import Testing

@Suite("Rules of sessions")
struct SessionRuleTests {
    private let other = PeerID(8)

    private func hello(nonce: UInt64 = 0, resumed: SessionID? = nil) -> ClientMessage.Hello {
        var hello = ClientMessage.Hello(label: "test", resumed: resumed)
        hello.nonce = nonce
        return hello
    }

    /// What a connection is told when it sends messages in a session.
    private func send(
        _ messages: [ClientMessage], _ session: SessionID = .none, from peer: PeerID, with rights: Rights = [.observe, .request],
        to front: inout FrontHarness
    ) -> [FrontMessage] {
        let actions = front.handle(.clientSent(peer, Principal(rights: rights), ClientEnvelope(session: session, messages: messages)))
        return actions.compactMap { if case .send(peer, _, let message) = $0 { message } else { nil } }
    }

    /// The session that a hello was welcomed to.
    private func open(_ hello: ClientMessage.Hello, from peer: PeerID, in front: inout FrontHarness) -> SessionID? {
        guard case .welcome(let welcome) = send([.hello(hello)], from: peer, to: &front).first else { return nil }
        return welcome.session
    }

    private func refused(_ hello: ClientMessage.Hello, by front: inout FrontHarness) -> Refused? {
        guard case .refused(let refused) = send([.hello(hello)], from: other, to: &front).first else { return nil }
        return refused
    }

    private func request(_ number: UInt64, _ lowest: UInt64, _ body: RequestBody = .listFeeds()) -> ClientMessage {
        .request(.init(number: RequestNumber(number), lowestUnanswered: RequestNumber(lowest), body: body))
    }

    // MARK: Whose a session is

    @Test("a session's number says nothing of the next one's")
    func numbers() {
        var front = FrontHarness()
        let opened = (0..<50).compactMap { _ in open(hello(), from: front.client, in: &front)?.rawValue }
        #expect(Set(opened).count == 50)
        let distances = zip(opened.dropFirst(), opened).map { $0 &- $1 }
        #expect(Set(distances).count == 49 && distances.allSatisfy { $0 > 1 << 32 && $0 < .max - 1 << 32 })
        var another = FrontHarness { $0.sessionKey = SessionKey(9, 9) }
        #expect(open(hello(), from: front.client, in: &another)?.rawValue != opened.first)
    }

    @Test("from another connection a session is answered resumeFirst: nothing is run, no bye is obeyed")
    func foreign() {
        var front = FrontHarness()
        front.open()
        let foreign: [ClientMessage] = [
            .close, .submit(.init(number: RequestNumber(1), lowestUnanswered: RequestNumber(1), loader: "noop", arguments: [[]])),
        ]
        front.follow()
        for message in foreign { _ = send([message], front.session, from: other, to: &front) }
        #expect(front.submit(1) == JobID(1))
        #expect(
            front.path() == [
                "client 8: resumeFirst", "client 8: resumeFirst", "entry jobsAccepted 1",
                "entry replyRetained 1 jobsAccepted 1 and 0 more", "client 7: reply 1 jobsAccepted 1 and 0 more",
            ])
    }

    @Test("a session that was taken up from another connection belongs to that one, its retained replies too")
    func takenUp() {
        var front = FrontHarness()
        front.open()
        let job = front.submit(1)
        front.follow()
        #expect(open(hello(resumed: front.session), from: other, in: &front) == front.session)
        _ = front.send(.heartbeat(lowestUnanswered: RequestNumber(1)))
        #expect(front.path() == ["client 8: welcome back", "client 7: resumeFirst"])
        let submit = ClientMessage.submit(
            .init(
                number: RequestNumber(1), lowestUnanswered: RequestNumber(1), loader: "noop", reportsOutcomes: true,
                arguments: [[9, 9]]))
        #expect(
            send([submit], front.session, from: other, to: &front) == [
                .reply(number: RequestNumber(1), .jobsAccepted(first: job, count: 1))
            ]
        )
        #expect(front.path() == ["client 8: reply 1 jobsAccepted 1 and 0 more"])
    }

    @Test("after a restart a session is nobody's until it is taken up")
    func restarted() {
        var front = FrontHarness()
        front.open()
        var next = front.restarted(isTakenUp: false)
        next.follow()
        _ = send([.close], front.session, from: front.client, to: &next)
        #expect(open(hello(resumed: front.session), from: front.client, in: &next) == front.session)
        _ = send([.close, .close], front.session, from: front.client, to: &next)
        #expect(
            next.path() == [
                "client 7: resumeFirst", "client 7: welcome back", "entry sessionEnded \(front.session)", "client 7: sessionEnded",
                "changed clients clients, front front",
            ])
    }

    @Test("a hello repeated with its number opens nothing new, from wherever it comes, also after a restart; another number does")
    func repeatedHello() {
        var front = FrontHarness()
        let session = open(hello(nonce: 77), from: front.client, in: &front)
        #expect(session != nil)
        front.follow()
        #expect(open(hello(nonce: 77), from: front.client, in: &front) == session)
        #expect(open(hello(nonce: 77), from: other, in: &front) == session)
        #expect(front.path() == ["client 7: welcome", "client 8: welcome"])
        var next = front.restarted()
        #expect(open(hello(nonce: 77), from: other, in: &next) == session)
        #expect(open(hello(nonce: 78), from: other, in: &next) != session)
        #expect(send([.close], session ?? .none, from: other, to: &next) == [])
        #expect(open(hello(nonce: 77), from: other, in: &next) != session)
    }

    // MARK: Who is welcome

    @Test("one connection has at most 64 sessions, the front at most its bound: both are refused as busy, with a time")
    func bounds() {
        var front = FrontHarness { $0.bounds.sessions = 66 }
        let opened = (0..<65).compactMap { _ in open(hello(), from: front.client, in: &front) }
        #expect(opened.count == 64)
        #expect(open(hello(), from: other, in: &front) != nil && open(hello(), from: other, in: &front) != nil)
        for session in opened { _ = send([request(1, 1)], session, from: front.client, to: &front) }
        let full = refused(hello(), by: &front)
        #expect(full?.code == .busy && full?.retryAfter == .seconds(1))
        #expect(front.busy == [.sessionsPerConnection: 1, .sessions: 1])
        // A connection that is gone makes room for the next one of the same client: its sessions are nobody's.
        front.handle(.peerLost(front.client))
        #expect(open(hello(resumed: opened[0]), from: front.client, in: &front) == opened[0])
    }

    @Test("a full front gives the place of a session that asked for nothing to a connection that has fewer, never that of one that is used")
    func places() throws {
        var front = FrontHarness { $0.bounds.sessions = 6 }
        let greedy = PeerID(30)
        let opened = (0..<4).compactMap { _ in open(hello(), from: greedy, in: &front) }
        let left = try #require(open(hello(), from: PeerID(31), in: &front))
        front.handle(.peerLost(PeerID(31)))
        _ = send([request(1, 1)], opened[0], from: greedy, to: &front)
        #expect(open(hello(), from: PeerID(32), in: &front) != nil)
        // First the one that no connection speaks for, unless it has only just lost it.
        front.pass(milliseconds: 5_000)
        #expect(open(hello(), from: other, in: &front) != nil)
        #expect(send([.heartbeat(lowestUnanswered: RequestNumber(1))], left, from: PeerID(31), to: &front) == [.sessionEnded])
        // Then an unused one of a connection that has more than who asks.
        #expect(open(hello(), from: other, in: &front) != nil)
        #expect(send([request(1, 1)], opened[1], from: greedy, to: &front) == [.sessionEnded])
        #expect(send([request(2, 1)], opened[0], from: greedy, to: &front).count == 1)
        #expect(refused(hello(), by: &front)?.code == .busy)
        #expect(open(hello(), from: PeerID(33), in: &front) != nil)
        #expect(refused(hello(), by: &front)?.code == .busy)
    }

    @Test("a wrong token and a frame that is too small are refused by name")
    func unwelcome() {
        var front = FrontHarness { $0.token = SharedToken(Array("right".utf8)) }
        #expect(refused(hello(), by: &front)?.code == .notAuthorized)
        var known = hello()
        known.token = Array("right".utf8)
        #expect(refused(known, by: &front) == nil)
        var small = known
        small.largestFrame = 131_071
        #expect(refused(small, by: &front)?.code == .invalidData)
        known.maximumVersion = 0
        #expect(refused(known, by: &front)?.retryAfter == .zero)
    }

    @Test("who may only observe changes nothing, and reads")
    func observes() {
        var front = FrontHarness()
        guard let session = open(hello(), from: other, in: &front), let key = FeedKey(name: "items") else {
            Issue.record("no session")
            return
        }
        let submit = ClientMessage.Submit(
            number: RequestNumber(4), lowestUnanswered: RequestNumber(1), loader: "noop", reportsOutcomes: true,
            arguments: [[7]])
        let asked = [
            request(1, 1, .feed(key, .load)), request(2, 1, .feed(key, .attach(view: "shared"))), request(3, 1), .submit(submit),
            .submit(submit),
        ]
        let reported = send(asked, session, from: other, with: .observe, to: &front)
        let codes = reported.map { message -> FailureCode? in
            if case .reply(_, .refused(let failure, _), _) = message { failure.code } else { nil }
        }
        #expect(codes == [.notAuthorized, .notAuthorized, nil, .notAuthorized, .notAuthorized])
        let kept = front.entries.contains { if case .replyRetained = $0 { true } else { false } }
        #expect(send([.snapshot(topic: .jobs)], session, from: other, with: .observe, to: &front).isEmpty)
        #expect(!kept, "what rights refuse is refused again when it is repeated, and not written")
    }

    @Test("who may not even observe reads nothing")
    func blind() {
        var front = FrontHarness()
        guard let session = open(hello(), from: other, in: &front) else {
            Issue.record("no session")
            return
        }
        let reported = send([request(1, 1), .snapshot(topic: .jobs)], session, from: other, with: .work, to: &front)
        guard reported.count == 2, case .reply(_, .refused(let failure, .zero), _) = reported[0],
            case .snapshotRefused("jobs", let refused, .zero) = reported[1]
        else {
            Issue.record("\(reported)")
            return
        }
        #expect(failure.code == .notAuthorized && !failure.retryable && failure.text.contains("observe"))
        #expect(refused == failure)
    }

    // MARK: Numbers

    @Test("numbers that cannot be are refused by name, and the front goes on")
    func impossible() {
        var front = FrontHarness()
        front.open()
        let cases: [(number: UInt64, lowest: UInt64, code: FailureCode)] = [
            (0, 0, .invalidData), (1, 2, .invalidData), (.max, .max, .invalidData), (.max, 1, .busy),
            (.max - 1, .max - 1_023, .invalidData),
        ]
        for (number, lowest, code) in cases {
            var front = front
            guard case .send(_, _, .reply(RequestNumber(number), .refused(let failure, _), _)) = front.send(request(number, lowest)).first
            else {
                Issue.record("\(number), \(lowest)")
                continue
            }
            #expect(failure.code == code, "\(number), \(lowest)")
        }
        guard case .send(_, _, .refused(let refused)) = front.send(.heartbeat(lowestUnanswered: RequestNumber(.max))).first else {
            Issue.record("the heartbeat was taken")
            return
        }
        #expect(refused.code == .invalidData)
        guard case .feeds? = front.ask(.listFeeds()) else {
            Issue.record("the feeds are not listed")
            return
        }
        guard case .send(_, _, .reply(RequestNumber(1), .feeds, _)) = front.send(request(1, 1)).first else {
            Issue.record("the repeat is not answered")
            return
        }
        _ = front.send(.heartbeat(lowestUnanswered: RequestNumber(2)))
        guard case .send(_, _, .reply(_, .refused(let below, _), _)) = front.send(request(1, 1)).first else {
            Issue.record("a number below the mark is not answered")
            return
        }
        #expect(below.text.contains("below 2"))
    }

    @Test("a number up to the last one counts, and a session of an earlier life is believed its first mark")
    func largestNumbers() {
        var front = FrontHarness()
        front.open()
        var next = front.restarted(isTakenUp: false)
        _ = send([.hello(hello(resumed: front.session))], from: front.client, to: &next)
        let last = request(.max, .max)
        for _ in 0..<2 {
            guard case .reply(_, .feeds, _) = send([last], front.session, from: front.client, to: &next).first else {
                Issue.record("the last number is not answered")
                return
            }
        }
    }

    @Test("a repeat with another body is refused as a conflict, and what was asked first stays the answer")
    func otherBody() {
        var front = FrontHarness()
        front.open()
        func submit(_ argument: UInt8) -> ClientMessage {
            .submit(
                .init(number: RequestNumber(1), lowestUnanswered: RequestNumber(1), loader: "noop", arguments: [[argument]]))
        }
        let first = front.send(submit(1)).last
        for message in [submit(2), request(1, 1, .job(.cancel(JobID(1))))] {
            guard case .send(_, _, .reply(_, .refused(let failure, .zero), _)) = front.send(message).last else {
                Issue.record("\(message)")
                continue
            }
            #expect(failure.code == .conflict && !failure.retryable)
        }
        #expect(front.send(submit(1)).last == first)
        var next = front.restarted(isTakenUp: false)
        _ = send([.hello(hello(resumed: front.session))], from: front.client, to: &next)
        #expect(send([submit(1)], front.session, from: front.client, to: &next).count == 1)
        guard case .reply(_, .refused(let failure, _), _) = send([submit(2)], front.session, from: front.client, to: &next).first else {
            Issue.record("the restarted front takes another body")
            return
        }
        #expect(failure.code == .conflict)
    }

    // MARK: Names

    @Test("a refusal keeps no more of a long name than is useful to read")
    func longNames() throws {
        var front = FrontHarness()
        front.open()
        let long = String(repeating: "X", count: 1_000_000)
        let key = try #require(FeedKey(name: "items"))
        for body in [
            RequestBody.feed(key, .filter(view: long, text: "", version: nil)), .feed(key, .retry(view: long, failure: FailureID(3))),
        ] {
            _ = front.ask(body)
        }
        _ = front.send(
            .submit(.init(number: RequestNumber(3), lowestUnanswered: RequestNumber(1), loader: long, arguments: [[]])))
        let kept = front.entries.compactMap { if case .replyRetained(let kept) = $0 { kept.reply } else { nil } }
        #expect(kept.count == 3)
        for reply in kept {
            guard case .refused(let failure, _) = reply.reply else { continue }
            #expect(failure.text.utf8.count <= 1_024)
        }
    }

    @Test("a version that has moved on is a conflict, which names the current one and is not worth repeating")
    func conflicts() throws {
        var front = FrontHarness()
        front.open()
        let key = try #require(FeedKey(name: "todos"))
        let moved: [RequestBody] = [
            .feed(key, .reset(version: ContentVersion(9))), .feed(key, .sort(view: "shared", order: nil, version: 9)),
            .feed(key, .filter(view: "shared", text: "a", version: 9)), .feed(key, .select(view: "shared", itemID: nil, version: 9)),
        ]
        for body in moved {
            guard case .refused(let failure, .zero) = front.ask(body) else {
                Issue.record("\(body)")
                continue
            }
            #expect(failure.code == .conflict && !failure.retryable)
            #expect(failure.arguments.suffix(2) == ["version", "0"])
        }
    }

    @Test("what cannot be read is refused by its reply, and the rest of the frame is taken")
    func unreadable() {
        var front = FrontHarness()
        front.open()
        let error = CodecError(what: "a feed's key", reason: "it is none")
        let reported = send(
            [request(1, 1, .unreadable(error)), .unreadable(error), .unknown, request(2, 1, .unknown), request(3, 1)], front.session,
            from: front.client, to: &front)
        #expect(reported.count == 5)
        guard case .reply(RequestNumber(1), .refused(let failure, .zero), _) = reported[0], case .refused(let refused) = reported[1],
            case .refused = reported[2], case .reply(RequestNumber(2), .refused, _) = reported[3], case .reply(_, .feeds, _) = reported[4]
        else {
            Issue.record("\(reported)")
            return
        }
        #expect(failure.code == .invalidData && refused.code == .invalidData && refused.reason == error.description)
        let item = front.machine.item("front", of: .front)
        guard case .front(let summary) = item else {
            Issue.record("\(String(describing: item))")
            return
        }
        #expect(summary.malformedMessages == 2)
    }
}
