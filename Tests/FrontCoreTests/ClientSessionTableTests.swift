//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import TestSupport
import Testing

@testable import FrontCore

@Suite("every state of a client's session with everything that can happen to it")
struct ClientSessionTableTests {
    /// Where a session stands before.
    enum Start: CaseIterable {
        case unknown, earlierLife, lost, here, attached
    }

    /// What happens then. `…Elsewhere`: another connection says it.
    enum Event: CaseIterable {
        case hello, helloElsewhere, heartbeat, heartbeatElsewhere, request, requestElsewhere, close, closeElsewhere
        case lost, otherLost, attachmentTime, sessionTime, repeatedOpening
        case submit, snapshot, snapshotPartRead, detach, unknown, unreadable
    }

    /// What becomes of each start by each event, in the order of `Event`: where the session stands then, `+` attached to a view,
    /// and what is said and written.
    static let table: [Start: [String]] = [
        .unknown: [
            "gone: over", "gone: over", "gone: over", "gone: over", "gone: over", "gone: over", "gone: over", "gone: over",
            "gone: forget", "gone: forget", "gone", "gone", "gone: welcome", "gone: over", "gone: over", "gone: over", "gone: over",
            "gone: over", "gone: over",
        ],
        .earlierLife: [
            "here: welcome back", "elsewhere: welcome back", "away: resume", "away: resume", "away: resume", "away: resume", "away: resume",
            "away: resume", "away: forget", "away: forget", "away", "gone: ended", "here: welcome", "away: resume", "away: resume",
            "away: resume", "away: resume", "away: resume", "away: resume",
        ],
        .lost: [
            "here: welcome back", "elsewhere: welcome back", "away: resume", "away: resume", "away: resume", "away: resume", "away: resume",
            "away: resume", "away: forget", "away: forget", "away", "gone: ended", "here: welcome", "away: resume", "away: resume",
            "away: resume", "away: resume", "away: resume", "away: resume",
        ],
        .here: [
            "here: welcome back", "elsewhere: welcome back", "here: heartbeat", "here: resume", "here: reply", "here: resume",
            "gone: ended", "here: resume", "away: forget", "here: forget", "here", "gone: ended", "here: welcome",
            "here: reply", "here: snapshot", "here: more", "here: reply", "here: refused", "here: refused",
        ],
        .attached: [
            "here+: welcome back", "elsewhere+: welcome back", "here+: heartbeat", "here+: resume", "here+: reply", "here+: resume",
            "gone: ended", "here+: resume", "away+: forget", "here+: forget", "here", "gone: ended", "here+: welcome",
            "here+: reply", "here+: snapshot", "here+: more", "here: reply", "here+: refused", "here+: refused",
        ],
    ]

    static let other = PeerID(70)
    static let key = FeedKey.named("lazy")

    private var hello: ClientMessage.Hello {
        var hello = ClientMessage.Hello(label: "test")
        hello.nonce = 4_711
        return hello
    }

    private var jobs: ClientMessage.Submit {
        .init(number: RequestNumber(9), lowestUnanswered: RequestNumber(1), loader: "noop", reportsOutcomes: false, arguments: [[1]])
    }

    private func world(_ start: Start) -> FrontHarness {
        var front = FrontHarness()
        let opened = front.handle(.clientSent(front.client, Principal.everything, ClientEnvelope(messages: [.hello(hello)])))
        for case .send(_, let session, .welcome) in opened { front.session = session }
        // So that nobody takes its place for unused.
        _ = front.ask(.listFeeds(after: nil))
        switch start {
        case .unknown: _ = front.send(.close)
        case .earlierLife: front = front.restarted(isTakenUp: false)
        case .lost: front.handle(.peerLost(front.client))
        case .here: break
        case .attached: _ = front.ask(.feed(Self.key, .attach(view: "shared")))
        }
        return front
    }

    private func meet(_ event: Event, _ front: inout FrontHarness) -> [FrontAction] {
        let (settings, session) = (front.settings, front.session)
        func send(_ message: ClientMessage, by peer: PeerID) -> [FrontAction] {
            let isHello = if case .hello = message { true } else { false }
            return front.handle(
                .clientSent(peer, Principal.everything, ClientEnvelope(session: isHello ? .none : session, messages: [message])))
        }
        func pass(_ milliseconds: Int64) -> [FrontAction] {
            front.pass(milliseconds: milliseconds)
            return front.settle()
        }
        let resumed = ClientMessage.hello(ClientMessage.Hello(label: "test", resumed: session))
        let request = ClientMessage.request(
            .init(number: RequestNumber(9), lowestUnanswered: RequestNumber(1), body: .listFeeds(after: nil)))
        let detach = ClientMessage.request(
            .init(number: RequestNumber(9), lowestUnanswered: RequestNumber(1), body: .feed(Self.key, .detach(view: "shared"))))
        return switch event {
        case .hello: send(resumed, by: front.client)
        case .helloElsewhere: send(resumed, by: Self.other)
        case .heartbeat: send(.heartbeat(lowestUnanswered: RequestNumber(1)), by: front.client)
        case .heartbeatElsewhere: send(.heartbeat(lowestUnanswered: RequestNumber(1)), by: Self.other)
        case .request: send(request, by: front.client)
        case .requestElsewhere: send(request, by: Self.other)
        case .close: send(.close, by: front.client)
        case .closeElsewhere: send(.close, by: Self.other)
        case .lost: front.handle(.peerLost(front.client))
        case .otherLost: front.handle(.peerLost(Self.other))
        case .attachmentTime: pass(settings.attachmentGracePeriod.wholeMilliseconds)
        case .sessionTime: pass(settings.sessionGracePeriod.wholeMilliseconds)
        case .repeatedOpening: send(.hello(hello), by: front.client)
        case .submit: send(.submit(jobs), by: front.client)
        case .snapshot: send(.snapshot(topic: .jobs), by: front.client)
        case .snapshotPartRead: send(.snapshotPartRead(topic: .jobs), by: front.client)
        case .detach: send(detach, by: front.client)
        case .unknown: send(.unknown, by: front.client)
        case .unreadable: send(.unreadable(CodecError(what: "snapshot", reason: "no topic")), by: front.client)
        }
    }

    private func text(_ front: FrontHarness, _ actions: [FrontAction]) -> String {
        let answered = actions.compactMap { action -> String? in
            switch action {
            case .send(_, _, .welcome(let welcome)): welcome.isResumed ? "welcome back" : "welcome"
            case .send(_, _, .sessionEnded): "over"
            case .send(_, _, .resumeFirst): "resume"
            case .send(_, _, .reply): "reply"
            case .answerHeartbeat: "heartbeat"
            case .send(_, _, .refused): "refused"
            case .sendSnapshot: "snapshot"
            case .continueSnapshot: "more"
            case .record(.sessionEnded): "ended"
            case .forget: "forget"
            default: nil
            }
        }
        var stands = "gone"
        if let session = front.machine.state.sessions[front.session] {
            stands = session.state == .away ? "away" : session.state == .here(front.client) ? "here" : "elsewhere"
            if !session.attachments.isEmpty { stands += "+" }
        }
        return answered.isEmpty ? stands : "\(stands): \(answered.joined(separator: ", "))"
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let row = try #require(Self.table[start])
        #expect(row.count == Event.allCases.count)
        for (event, expected) in zip(Event.allCases, row) {
            var front = world(start)
            let late = front.machine.turn.context.ignoredCounts
            let malformed = front.machine.turn.context.summary.malformedMessages
            let actions = meet(event, &front)
            #expect(text(front, actions) == expected, "\(start) and \(event)")
            // What changes nothing is counted under its name.
            let counted = { (reason: FrontIgnoredReason) in (front.machine.turn.context.ignoredCounts[reason] ?? 0) - (late[reason] ?? 0) }
            #expect(counted(.sessionEnded) == (expected.hasSuffix(": over") ? 1 : 0), "\(start) and \(event)")
            #expect(counted(.notResumed) == (expected.hasSuffix(": resume") ? 1 : 0), "\(start) and \(event)")
            #expect(counted(.viewNotAttached) == (start == .here && event == .detach ? 1 : 0), "\(start) and \(event)")
            let refused = front.machine.turn.context.summary.malformedMessages - malformed
            #expect(refused == (expected.hasSuffix(": refused") ? 1 : 0), "\(start) and \(event)")
        }
    }
}
