//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import GantryZMQ

@Suite("Options")
struct OptionSheetTests {
    private func checkReadBack<Role>(_ role: Role.Type, _ sheet: OptionSheet, isImmediate: Bool = true) throws where Role: SocketRole {
        let context = try Context()
        let socket = try Socket<Role>(context)
        try socket.apply(sheet)
        #expect(try socket.value(of: .linger) == sheet.linger)
        #expect(try socket.value(of: .sendTimeout) == .zero)
        #expect(try socket.value(of: .sendHighWaterMark) == sheet.sendHighWaterMark)
        #expect(try socket.value(of: .receiveHighWaterMark) == sheet.receiveHighWaterMark)
        #expect(try socket.value(of: .maximumMessageByteCount) == sheet.maximumMessageByteCount)
        #expect(try socket.value(of: .handshakeInterval) == sheet.handshakeInterval)
        #expect(try socket.value(of: .reconnectInterval) == sheet.reconnectInterval)
        #expect(try socket.value(of: .reconnectIntervalMaximum) == sheet.reconnectIntervalMaximum)
        #expect(try socket.value(of: .immediate) == isImmediate)
        #expect(try socket.value(of: .backlog) == sheet.backlog)
        #expect(try socket.value(of: .ipv6) == sheet.allowsIPv6)
        #expect(try socket.value(of: .tcpKeepAlive) == 1)
        #expect(try socket.value(of: .tcpKeepAliveIdle) == sheet.tcpKeepAliveIdle)
        #expect(try socket.value(of: .tcpKeepAliveInterval) == sheet.tcpKeepAliveInterval)
        #expect(try socket.value(of: .tcpKeepAliveCount) == sheet.tcpKeepAliveCount)
        #expect(try socket.value(of: .tcpMaximumRetransmission) == sheet.tcpMaximumRetransmission)
    }

    @Test("every option of the default sheet reads back on every role")
    func defaults() throws {
        try checkReadBack(Router.self, OptionSheet(), isImmediate: false)
        try checkReadBack(Dealer.self, OptionSheet())
        try checkReadBack(ExtendedPublisher.self, .publisher())
        try checkReadBack(Subscriber.self, OptionSheet(), isImmediate: false)
        try checkReadBack(Replier.self, OptionSheet(), isImmediate: false)
    }

    @Test("values other than the defaults read back too, so no option is skipped")
    func others() throws {
        var sheet = OptionSheet(sendHighWaterMark: 7, receiveHighWaterMark: 0, maximumMessageByteCount: 5_000_000_000)
        sheet.linger = .milliseconds(900)
        sheet.handshakeInterval = .milliseconds(4_001)
        sheet.reconnectInterval = .milliseconds(11)
        sheet.reconnectIntervalMaximum = .milliseconds(1_234)
        sheet.isImmediate = false
        sheet.backlog = 17
        sheet.allowsIPv6 = true
        sheet.tcpKeepAliveIdle = .seconds(41)
        sheet.tcpKeepAliveInterval = .seconds(3)
        sheet.tcpKeepAliveCount = 9
        sheet.tcpMaximumRetransmission = .milliseconds(7_500)
        try checkReadBack(Router.self, sheet, isImmediate: false)
        try checkReadBack(Subscriber.self, sheet, isImmediate: false)
    }

    @Test("a new socket never lingers and never blocks, before any sheet")
    func birth() throws {
        let context = try Context()
        let socket = try Socket<Dealer>(context)
        #expect(try socket.value(of: .linger) == .zero)
        #expect(try socket.value(of: .sendTimeout) == .zero)
    }

    @Test("a frame limit that would break the handshake is refused with the least value")
    func tooSmallFrames() throws {
        let context = try Context()
        let socket = try Socket<Router>(context)
        let error = #expect(throws: ZMQError.self) { try socket.apply(OptionSheet(maximumMessageByteCount: 511)) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.context.contains("512") == true)
    }

    @Test("the keys, the domain and its enforcement read back on a CURVE server")
    func curve() throws {
        let context = try Context()
        let keys = try CurveKeyPair.generate()
        let server = try Socket<Router>(context)
        try server.becomeCurveServer(keys: keys, domain: "workers")
        #expect(try server.value(of: .curveServer))
        #expect(try server.value(of: .curvePublicKey) == keys.publicKey)
        #expect(try server.value(of: .curveSecretKey) == keys.secretKey)
        #expect(try server.value(of: .zapDomain) == "workers")
        #expect(try server.value(of: .zapEnforceDomain))
        let clientKeys = try CurveKeyPair.generate()
        let client = try Socket<Dealer>(context)
        try client.becomeCurveClient(keys: clientKeys, serverKey: keys.publicKey)
        #expect(try client.value(of: .curveServerKey) == keys.publicKey)
        #expect(try client.value(of: .curvePublicKey) == clientKeys.publicKey)
        #expect(try client.value(of: .curveSecretKey) == clientKeys.secretKey)
    }

    @Test("an option of another role is refused by its name")
    func foreignOption() throws {
        let context = try Context()
        let socket = try Socket<Dealer>(context)
        let error = #expect(throws: ZMQError.self) { try socket.set(.routerMandatory, to: true) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.context.contains("ROUTER_MANDATORY") == true)
    }

    @Test("a context keeps its limits and refuses impossible ones")
    func contextLimits() throws {
        let context = try Context(maximumSockets: 5_000, ioThreads: 2)
        #expect(context.maximumSockets == 5_000)
        #expect(context.ioThreads == 2)
        #expect(throws: ZMQError.self) { try Context(maximumSockets: 0) }
        #expect(throws: ZMQError.self) { try Context(ioThreads: -1) }
    }

    @Test("durations round up, so a short one never becomes none")
    func roundUp() {
        #expect(Duration.microseconds(1).optionBytes(millisecondsPerUnit: 1) == [1, 0, 0, 0])
        #expect(Duration.milliseconds(1_001).optionBytes(millisecondsPerUnit: 1_000) == [2, 0, 0, 0])
        #expect(Duration.seconds(-1).optionBytes(millisecondsPerUnit: 1) == [0, 0, 0, 0])
    }
}
