//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing
import ZMQ

@testable import FrontService

@Suite("Who may read pages")
struct PageGateTests {
    private let gate = PageGate(ownUserID: 1_000)

    @Test("over ipc our own user and root, nobody else, whatever connection spoke under that routing id before")
    func ipc() throws {
        #expect(gate.admits(PeerCredentials(peerAddress: "1000:1000:7")))
        #expect(gate.admits(PeerCredentials(peerAddress: "0:0:7")))
        #expect(!gate.admits(PeerCredentials(peerAddress: "1001:1000:7")))
    }

    @Test("over TCP there are no users: everybody who could connect")
    func tcp() {
        #expect(gate.admits(nil))
    }
}
