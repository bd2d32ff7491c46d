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
        _ = front.send(.heartbeat(lowestUnanswered: RequestNumber(3)))
        #expect(kept(front) == [3, 4])
        let session = front.machine.state.sessions[front.session]
        #expect(session?.retainedByteCount == session?.replies.reduce(0) { $0 + $1.roughByteCount })
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
}
