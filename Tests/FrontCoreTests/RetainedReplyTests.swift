//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("Replies that a session keeps")
struct RetainedReplyTests {
    private func submit(_ number: UInt64) -> ClientMessage {
        .submit(.init(number: RequestNumber(number), lowestUnanswered: RequestNumber(1), loader: "noop", arguments: [[9]]))
    }

    /// The numbers of the requests whose replies are kept.
    private func kept(_ front: FrontHarness) -> [UInt64]? { front.machine.state.sessions[front.session]?.replies.map(\.number.rawValue) }

    @Test("stand in the order of their numbers, in whatever order those come, and each answers the repeat of its request")
    func order() {
        var front = FrontHarness()
        front.open()
        for number: UInt64 in [3, 1, 4, 2] { _ = front.send(submit(number)) }
        front.follow()
        for number: UInt64 in 1...4 { _ = front.send(submit(number)) }
        #expect(
            front.path() == [
                "client 7: reply 1 jobsAccepted 2 and 0 more", "client 7: reply 2 jobsAccepted 4 and 0 more",
                "client 7: reply 3 jobsAccepted 1 and 0 more", "client 7: reply 4 jobsAccepted 3 and 0 more",
            ])
        #expect(kept(front) == [1, 2, 3, 4] && kept(front.restarted()) == [1, 2, 3, 4])
        // The mark of a client that has never had a reply.
        _ = front.send(.heartbeat(lowestUnanswered: RequestNumber(0)))
        #expect(kept(front) == [1, 2, 3, 4])
        _ = front.send(.heartbeat(lowestUnanswered: RequestNumber(3)))
        #expect(kept(front) == [3, 4])
        let session = front.machine.state.sessions[front.session]
        #expect(session?.retainedByteCount == session?.replies.reduce(0) { $0 + $1.roughByteCount })
    }

    @Test("of a request that its client has given up none is kept, however late its reply is made, and no mark goes back")
    func givenUp() {
        var session = ClientSession(JournalEntry.SessionOpened(SessionID(8), label: "test"))
        #expect(session.takeMark(RequestNumber(3)) == nil)
        for number in UInt64(1)...4 {
            let reply = RetainedReply(number: RequestNumber(number), reply: .done(version: 0), feed: nil, fingerprint: number)
            session.keep(reply)
            session.hold(reply)
        }
        for (mark, kept) in [(3, [3, 4]), (2, [3, 4]), (4, [4]), (3, [4])] as [(UInt64, [UInt64])] {
            #expect(session.takeMark(RequestNumber(mark)) == nil)
            #expect(session.replies.map(\.number.rawValue) == kept && session.held.map(\.number.rawValue) == kept)
            #expect(session.lowestUnanswered == kept.first && session.readings == kept.count)
            #expect(session.retainedByteCount == session.replies.reduce(0) { $0 + $1.roughByteCount })
        }
    }

    @Test("a client that reads none of them is refused what only reads until it has; what changes something is done all the same")
    func unread() {
        var front = FrontHarness()
        front.open()
        front.handle(.peerFull(front.client, true))
        guard case .refused(let failure, let pause)? = front.ask(.listFeeds()) else {
            Issue.record("not refused")
            return
        }
        #expect(failure.code == .busy && pause == .seconds(1) && front.busy == [.unreadReplies: 1])
        #expect(front.submit(1) == JobID(1))
        front.handle(.peerFull(front.client, false))
        guard case .feeds? = front.ask(.listFeeds()) else {
            Issue.record("refused still")
            return
        }
        #expect(front.busy == [.unreadReplies: 1])
    }

    @Test("it is refused as soon as more than half of the room for what waits for it is taken, and no longer once that was sent")
    func halfFull() throws {
        var settings = LoopSettings()
        settings.outboxByteLimit = 1_000
        let (front, client) = (try LoopHarness(loop: settings), PeerID(7))
        let session = try front.open()
        front.results[client] = .full
        var refused: UInt64 = 0
        for number in UInt64(1)...60 {
            if front.loop.outboxes.byteCount(for: client) > 500 { refused += 1 }
            front.client(client, session, LoopHarness.request(number, .job(.explain(JobID(4_000)))))
            try front.turn(1)
            #expect((front.loop.busyCounts[.unreadReplies] ?? 0) == refused, "at request \(number)")
        }
        #expect(refused > 0)
        front.results[client] = nil
        front.pass(milliseconds: 5)
        try front.turn()
        #expect(try front.takeReplies().count > 1)
        front.client(client, session, LoopHarness.request(61, .job(.explain(JobID(4_000)))))
        try front.turn()
        #expect(try front.takeReplies().keys.sorted() == [61] && front.loop.busyCounts == [.unreadReplies: refused])
    }
}
