//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryZMQ
import Testing

@testable import FrontService

@Suite("Who may read pages")
struct PageGateTests {
    private let gate = PageGate(peers: PeerGate(ownUserID: 1_000), token: nil)

    @Test("over ipc our own user and root, nobody else")
    func ipc() throws {
        #expect(gate.peers.admits(PeerCredentials(peerAddress: "localhost:1000:1000:7")))
        #expect(gate.peers.admits(PeerCredentials(peerAddress: "localhost:0:0:7")))
        #expect(!gate.peers.admits(PeerCredentials(peerAddress: "localhost:1001:1000:7")))
    }

    @Test("over TCP who knows the token of the front; without one everybody who could connect")
    func tcp() throws {
        #expect(gate.peers.admits(nil))
        let request = PageRequest(number: 7, content: ObjectDigest(words: (1, 2, 3, 4)))
        #expect(gate.refusal(of: request) == nil)
        let token = try #require(SharedToken([1, 2, 3]))
        let guarded = PageGate(peers: PeerGate(ownUserID: 1_000), token: token)
        #expect(guarded.refusal(of: request)?.failure?.code == .notAuthorized)
        #expect(guarded.refusal(of: request)?.number == 7)
        var known = request
        known.token = [1, 2, 3]
        #expect(guarded.refusal(of: known) == nil)
    }
}
