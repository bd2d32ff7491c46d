//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Places of sessions")
struct SessionPlaceTests {
    @Test("however many sessions have ended, a full front finds one that is not used and gives its place away")
    func endedSessions() {
        var front = FrontHarness { $0.bounds.sessions = 4 }
        for _ in 0..<300 {
            front.open()
            _ = front.send(.close)
        }
        let hello = ClientEnvelope(messages: [.hello(ClientMessage.Hello(label: "greedy"))])
        for _ in 0..<4 { front.handle(.clientSent(PeerID(30), Principal.everything, hello)) }
        front.session = .none
        front.open()
        #expect(front.session != .none)
    }

    @Test("a number that is refused was seen: the client's mark may pass it")
    func refusedNumbers() {
        var session = ClientSession(JournalEntry.SessionOpened(SessionID(1), label: "", nonce: 0))
        func admit(_ number: UInt64, lowest: UInt64) -> Admission {
            session.admit(RequestNumber(number), lowest: RequestNumber(lowest), fingerprint: 0, window: 10)
        }
        #expect(admit(1, lowest: 1) == .run)
        #expect(admit(5_000, lowest: 1) == .refused(.outsideWindow))
        #expect(admit(5_001, lowest: 5_001) == .run)
        #expect(admit(5_003, lowest: 5_003) == .refused(.markAboveSeen(highest: 5_001)))
    }
}
