//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Greetings")
struct GreetingTests {
    @Test("what cannot be read beside a hello spoils nothing of it")
    func unreadable() {
        var front = FrontHarness()
        let error = CodecError(what: "a topic", reason: "it is none")
        let envelope = ClientEnvelope(messages: [.unreadable(error), .hello(ClientMessage.Hello(label: "test"))])
        var reported: [FrontMessage] = []
        for case .send(_, _, let message) in front.handle(.clientSent(front.client, .everything, envelope)) { reported.append(message) }
        guard reported.count == 2, case .refused(let refused) = reported[0], case .welcome = reported[1] else {
            Issue.record("\(reported)")
            return
        }
        #expect(refused.reason == error.description)
    }

    @Test("who asks for a session that is over is told so, and nothing is opened")
    func over() {
        var front = FrontHarness()
        let hello = ClientMessage.hello(ClientMessage.Hello(label: "test", resumed: SessionID(99)))
        let actions = front.handle(.clientSent(front.client, .everything, ClientEnvelope(messages: [hello])))
        #expect(actions.contains(.send(front.client, SessionID(99), .sessionEnded)))
        #expect(front.machine.state.sessions.count == 0)
    }
}
