//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
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
        case hello, helloElsewhere, heartbeat, heartbeatElsewhere, request, requestElsewhere, bye, byeElsewhere
        case lost, otherLost, attachmentTime, sessionTime, repeatedOpening
    }

    /// What becomes of each start by each event, in the order of `Event`: where the session stands then, `+` with a view that it wishes to be
    /// kept, and what is said and written.
    static let table: [Start: [String]] = [
        .unknown: [
            "gone: over", "gone: over", "gone: over", "gone: over", "gone: over", "gone: over", "gone: over", "gone: over",
            "gone: forget", "gone: forget", "gone", "gone", "gone: welcome",
        ],
        .earlierLife: [
            "here: welcome back", "elsewhere: welcome back", "away: resume", "away: resume", "away: resume", "away: resume", "away: resume",
            "away: resume", "away: forget", "away: forget", "away", "gone: ended", "here: welcome",
        ],
        .lost: [
            "here: welcome back", "elsewhere: welcome back", "away: resume", "away: resume", "away: resume", "away: resume", "away: resume",
            "away: resume", "away: forget", "away: forget", "away", "gone: ended", "here: welcome",
        ],
        .here: [
            "here: welcome back", "elsewhere: welcome back", "here: heartbeat", "here: resume", "here: reply", "here: resume",
            "gone: ended", "here: resume", "away: forget", "here: forget", "here", "gone: ended", "here: welcome",
        ],
        .attached: [
            "here+: welcome back", "elsewhere+: welcome back", "here+: heartbeat", "here+: resume", "here+: reply", "here+: resume",
            "gone: ended", "here+: resume", "away+: forget", "here+: forget", "here", "gone: ended", "here+: welcome",
        ],
    ]

    static let other = PeerID(70)
    static let key = FeedKey(name: "lazy", parameters: [])

    private var hello: ClientMessage.Hello {
        var hello = ClientMessage.Hello(label: "test")
        hello.nonce = 4_711
        return hello
    }

    private func world(_ start: Start) -> FrontHarness {
        var front = FrontHarness()
        let opened = front.handle(.clientSpoke(front.client, Principal.everything, ClientEnvelope(messages: [.hello(hello)])))
        for case .tell(_, let session, .welcome) in opened { front.session = session }
        // So that nobody takes its place for unused.
        _ = front.ask(.listFeeds(after: nil))
        switch start {
        case .unknown: _ = front.say(.bye)
        case .earlierLife: front = front.restarted(isTakenUp: false)
        case .lost: front.handle(.peerLost(front.client))
        case .here: break
        case .attached: if let key = Self.key { _ = front.ask(.feed(key, .attach(view: "shared"))) }
        }
        return front
    }

    private func meet(_ event: Event, _ front: inout FrontHarness) -> [FrontAction] {
        let (settings, session) = (front.settings, front.session)
        func say(_ message: ClientMessage, by peer: PeerID) -> [FrontAction] {
            let isHello = if case .hello = message { true } else { false }
            return front.handle(
                .clientSpoke(peer, Principal.everything, ClientEnvelope(session: isHello ? .none : session, messages: [message])))
        }
        func pass(_ milliseconds: Int64) -> [FrontAction] {
            front.pass(milliseconds: milliseconds)
            return front.settle()
        }
        let resumed = ClientMessage.hello(ClientMessage.Hello(label: "test", resumed: session))
        let request = ClientMessage.request(
            .init(number: RequestNumber(9), lowestUnanswered: RequestNumber(1), body: .listFeeds(after: nil)))
        return switch event {
        case .hello: say(resumed, by: front.client)
        case .helloElsewhere: say(resumed, by: Self.other)
        case .heartbeat: say(.heartbeat(lowestUnanswered: RequestNumber(1)), by: front.client)
        case .heartbeatElsewhere: say(.heartbeat(lowestUnanswered: RequestNumber(1)), by: Self.other)
        case .request: say(request, by: front.client)
        case .requestElsewhere: say(request, by: Self.other)
        case .bye: say(.bye, by: front.client)
        case .byeElsewhere: say(.bye, by: Self.other)
        case .lost: front.handle(.peerLost(front.client))
        case .otherLost: front.handle(.peerLost(Self.other))
        case .attachmentTime: pass(settings.attachmentPatience.wholeMilliseconds)
        case .sessionTime: pass(settings.sessionPatience.wholeMilliseconds)
        case .repeatedOpening: say(.hello(hello), by: front.client)
        }
    }

    private func text(_ front: FrontHarness, _ actions: [FrontAction]) -> String {
        let said = actions.compactMap { action -> String? in
            switch action {
            case .tell(_, _, .welcome(let welcome)): welcome.isResumed ? "welcome back" : "welcome"
            case .tell(_, _, .sessionEnded): "over"
            case .tell(_, _, .resumeFirst): "resume"
            case .tell(_, _, .reply): "reply"
            case .answerHeartbeat: "heartbeat"
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
        return said.isEmpty ? stands : "\(stands): \(said.joined(separator: ", "))"
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let row = try #require(Self.table[start])
        #expect(row.count == Event.allCases.count)
        for (event, expected) in zip(Event.allCases, row) {
            var front = world(start)
            let late = front.machine.turn.context.lateCounts
            let actions = meet(event, &front)
            #expect(text(front, actions) == expected, "\(start) and \(event)")
            // What changes nothing is counted under its name.
            let counted = { (reason: FrontLateness) in (front.machine.turn.context.lateCounts[reason] ?? 0) - (late[reason] ?? 0) }
            let isHello = event == .hello || event == .helloElsewhere
            #expect(counted(.sessionEnded) == (expected.hasSuffix(": over") && !isHello ? 1 : 0), "\(start) and \(event)")
            #expect(counted(.notResumed) == (expected.hasSuffix(": resume") ? 1 : 0), "\(start) and \(event)")
        }
    }
}
