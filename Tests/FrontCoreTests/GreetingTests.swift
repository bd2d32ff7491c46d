//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing

@testable import FrontCore

@Suite("Greetings")
struct GreetingTests {
    @Test("what cannot be read beside a hello spoils nothing of it")
    func unreadable() {
        var front = FrontHarness()
        let error = CodecError(what: "a topic", reason: "it is none")
        let envelope = ClientEnvelope(messages: [.unreadable(error), .hello(ClientMessage.Hello(label: "test"))])
        var told: [FrontMessage] = []
        for case .tell(_, _, let message) in front.handle(.clientSpoke(front.client, .everything, envelope)) { told.append(message) }
        guard told.count == 2, case .refused(let refused) = told[0], case .welcome = told[1] else {
            Issue.record("\(told)")
            return
        }
        #expect(refused.reason == error.description)
    }

    @Test("who asks for a session that is over is told so, and nothing is opened")
    func over() {
        var front = FrontHarness()
        let hello = ClientMessage.hello(ClientMessage.Hello(label: "test", resumed: SessionID(99)))
        let actions = front.handle(.clientSpoke(front.client, .everything, ClientEnvelope(messages: [hello])))
        #expect(actions.contains(.tell(front.client, SessionID(99), .sessionEnded)))
        #expect(front.machine.state.sessions.count == 0)
    }
}
