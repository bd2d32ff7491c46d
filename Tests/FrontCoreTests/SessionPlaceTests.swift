//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model
import Testing

@Suite("Places of sessions")
struct SessionPlaceTests {
    @Test("however many sessions have ended, a full front finds one that is not used and gives its place away")
    func endedSessions() {
        var front = FrontHarness { $0.bounds.sessions = 4 }
        for _ in 0..<300 {
            front.open()
            _ = front.say(.bye)
        }
        let hello = ClientEnvelope(messages: [.hello(ClientMessage.Hello(label: "greedy"))])
        for _ in 0..<4 { front.handle(.clientSpoke(PeerID(30), Principal(), hello)) }
        front.session = .none
        front.open()
        #expect(front.session != .none)
    }
}
