//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import GantryZMQ
import Testing

@Suite("CURVE")
struct CurveTests {
    @Test("keys survive Z85, and other text is no key")
    func keys() throws {
        let pair = try CurveKeyPair.generate()
        #expect(CurveKey(z85: pair.publicKey.z85) == pair.publicKey)
        #expect(pair.publicKey.z85.utf8.count == 40)
        #expect(pair.publicKey != pair.secretKey)
        #expect(try CurveKeyPair(secretKey: pair.secretKey) == pair)
        #expect(CurveKey(z85: "short") == nil)
        #expect(CurveKey(z85: String(repeating: "~", count: 40)) == nil)
        #expect(CurveKey(bytes: [1, 2, 3]) == nil)
        #expect(!"\(pair)".contains(pair.secretKey.z85))
    }

    @Test("a vector of RFC 32's alphabet decodes as it must")
    func vector() throws {
        // The test key of the CURVE documentation, public half.
        let key = try #require(CurveKey(z85: "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"))
        #expect(key.bytes.prefix(4) == [0xBB, 0x88, 0x47, 0x1D])
    }

    @Test("a known key gets in over TCP with its user id, a stranger stays outside")
    func encryptedPair() throws {
        let context = try Context()
        let serverKeys = try CurveKeyPair.generate()
        let workerKeys = try CurveKeyPair.generate()
        let strangerKeys = try CurveKeyPair.generate()
        let refusals = try Socket<Dealer>(context)
        try refusals.bind("inproc://refusals")
        let handler = ZAPHandler(context: context, allowed: workerKeys.publicKey)
        let ready = try Socket<Dealer>(context)
        try ready.bind("inproc://ready")
        let thread = try startThread(name: "zap") {
            handler.run {
                guard let signal = try? Socket<Dealer>(handler.context) else { return }
                try? signal.set(.linger, to: .seconds(1))
                try? signal.connect("inproc://ready")
                _ = try? signal.send([1])
            }
        }
        #expect(try waitReadable(ready))
        let server = try Socket<Router>(context)
        try server.apply(OptionSheet())
        try server.becomeCurveServer(keys: serverKeys, domain: "workers")
        try server.bind("tcp://127.0.0.1:*")
        let endpoint = try server.lastEndpoint

        let stranger = try Socket<Dealer>(context)
        try stranger.apply(OptionSheet())
        try stranger.becomeCurveClient(keys: strangerKeys, serverKey: serverKeys.publicKey)
        try stranger.connect(endpoint)
        #expect(try waitReadable(refusals))
        #expect(try refusals.receive()?.copyBytes() == strangerKeys.publicKey.bytes)
        #expect(try stranger.send([66]) == .wouldBlock)

        let worker = try Socket<Dealer>(context)
        try worker.apply(OptionSheet())
        try worker.becomeCurveClient(keys: workerKeys, serverKey: serverKeys.publicKey)
        try worker.connect(endpoint)
        #expect(try waitWritable(worker))
        #expect(try worker.send([1, 2]) == .sent)
        #expect(try waitReadable(server))
        guard let message = try server.receiveRouted() else { throw MissingMessage() }
        #expect(message.body.copyBytes() == [1, 2])
        #expect(message.body.metadata(.userID) == "worker-1")
        context.shutdown()
        thread.join()
    }

    @Test("while no ZAP handler answers, nobody gets in")
    func failsClosed() throws {
        let context = try Context()
        let serverKeys = try CurveKeyPair.generate()
        let server = try Socket<Router>(context)
        try server.becomeCurveServer(keys: serverKeys, domain: "workers")
        try server.bind("tcp://127.0.0.1:*")
        let client = try Socket<Dealer>(context)
        try client.apply(OptionSheet())
        try client.becomeCurveClient(keys: try CurveKeyPair.generate(), serverKey: serverKeys.publicKey)
        try client.connect(try server.lastEndpoint)
        var poller = Poller()
        _ = try poller.add(client, for: .writable)
        // An absence can only be seen over a time: a loopback handshake takes a few milliseconds.
        #expect(try poller.wait(upTo: .milliseconds(500)) == 0)
    }
}
