//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryZMQ
import TestSupport
import Testing

@Suite("Endpoints and contexts")
struct EndpointTests {
    @Test("an ipc path of 107 bytes works and one of 108 is refused with the limit")
    func pathLength() throws {
        let folder = try TemporaryFolder()
        let context = try Context()
        let socket = try Socket<Router>(context)
        let longest = folder.path + "/" + String(repeating: "x", count: 106 - folder.path.utf8.count)
        try socket.bind("ipc://" + longest)
        let error = #expect(throws: ZMQError.self) { try socket.bind("ipc://" + longest + "x") }
        #expect(error?.code == .nameTooLong)
        #expect(error?.context.contains("108 bytes (limit 107)") == true)
    }

    @Test("an ipc peer is known by its user and process")
    func peerCredentials() throws {
        let folder = try TemporaryFolder()
        let context = try Context()
        let router = try Socket<Router>(context)
        try router.bind("ipc://\(folder.path)/requests")
        let dealer = try Socket<Dealer>(context)
        try dealer.connect("ipc://\(folder.path)/requests")
        #expect(try dealer.send([1]) == .sent)
        #expect(try waitReadable(router))
        guard let message = try router.receiveRouted() else { throw MissingMessage() }
        #expect(message.body.peerCredentials?.processID == ProcessInfo.processInfo.processIdentifier)
        #expect(message.body.peerCredentials?.userID == getuid())
        #expect(message.body.metadata(.userID) == nil)
    }

    @Test(
        "a text that is no address of an ipc peer names nobody",
        arguments: [
            "", "localhost", "localhost:", "localhost:1:2", "localhost:1:2:", "localhost:1:2:3:4", "localhost:1:2:3x", "localhost::2:3",
            "localhost:-1:2:3", "localhost:4294967296:2:3", "localhost:1:2:2147483648", "127.0.0.1:1:2:3", "localhosts:1:2:3",
        ])
    func rubbishCredentials(text: String) {
        #expect(PeerCredentials(peerAddress: text) == nil)
    }

    @Test("the largest numbers of an ipc peer are read")
    func largestCredentials() throws {
        let credentials = try #require(PeerCredentials(peerAddress: "localhost:4294967295:0:2147483647"))
        #expect(credentials.userID == .max && credentials.groupID == 0 && credentials.processID == .max)
    }

    @Test("an address in use names itself")
    func addressInUse() throws {
        let context = try Context()
        let first = try Socket<Router>(context)
        try first.bind("tcp://127.0.0.1:*")
        let endpoint = try first.lastEndpoint
        #expect(endpoint.hasPrefix("tcp://127.0.0.1:"))
        let second = try Socket<Router>(context)
        let error = #expect(throws: ZMQError.self) { try second.bind(endpoint) }
        #expect(error?.code == .addressInUse)
        #expect(error?.endpoint == endpoint)
        #expect(error?.context.contains(endpoint) == true)
    }

    @Test("after shutdown every operation ends with terminated")
    func shutdown() throws {
        let context = try Context()
        let socket = try Socket<Dealer>(context)
        context.shutdown()
        let error = #expect(throws: ZMQError.self) { _ = try socket.receive() }
        #expect(error?.code == .terminated)
        #expect(throws: ZMQError.self) { _ = try socket.send([1]) }
    }

    @Test("terminate ends at once when all sockets are closed")
    func terminate() throws {
        let context = try Context()
        let socket = try Socket<Dealer>(context)
        try socket.connect("tcp://127.0.0.1:1")
        _ = try socket.send([1])
        socket.close()
        #expect(context.terminate(within: gracePeriod))
        #expect(context.terminate(within: .zero))
    }

    @Test("terminate gives up at its limit while a socket is open")
    func terminateBounded() throws {
        let context = try Context()
        let socket = try Socket<Dealer>(context)
        #expect(!context.terminate(within: .milliseconds(50)))
        socket.close()
    }

    @Test("a poller that watches a closed socket says so")
    func closedSocket() throws {
        let context = try Context()
        let socket = try Socket<Dealer>(context)
        var poller = Poller()
        _ = try poller.add(socket)
        socket.close()
        let error = #expect(throws: ZMQError.self) { _ = try poller.wait(upTo: .zero) }
        #expect(error?.code == .notASocket)
    }
}
