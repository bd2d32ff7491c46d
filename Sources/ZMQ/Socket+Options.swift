//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Socket {
    /// Sets everything a sheet says. Call it before `bind` or `connect`: most of it does not reach older connections.
    /// - Throws: `invalidArgument` for a frame limit below 512 bytes or a value that libzmq refuses.
    public borrowing func apply(_ sheet: OptionSheet) throws(ZMQError) {
        guard sheet.maximumMessageByteCount >= 512 else {
            throw ZMQError(
                code: .invalidArgument,
                context: "a frame limit of \(sheet.maximumMessageByteCount) bytes breaks the handshake; use 512 or more")
        }
        try set(.linger, to: sheet.linger)
        try set(.sendTimeout, to: .zero)
        try set(.sendHighWaterMark, to: sheet.sendHighWaterMark)
        try set(.receiveHighWaterMark, to: sheet.receiveHighWaterMark)
        try set(.maximumMessageByteCount, to: sheet.maximumMessageByteCount)
        try set(.handshakeInterval, to: sheet.handshakeInterval)
        try set(.reconnectInterval, to: sheet.reconnectInterval)
        try set(.reconnectIntervalMaximum, to: sheet.reconnectIntervalMaximum)
        // libzmq 4.3.4 gives an immediate connection up, with what it holds, as soon as it breaks. Between two frames of a message that ends the
        // process ("Assertion failed: !_more", fq.cpp), and a socket that reads ahead is between two frames whenever it was looked at.
        try set(.immediate, to: sheet.isImmediate && !Role.readsAhead)
        try set(.backlog, to: sheet.backlog)
        try set(.ipv6, to: sheet.allowsIPv6)
        try set(.tcpKeepAlive, to: 1)
        try set(.tcpKeepAliveIdle, to: sheet.tcpKeepAliveIdle)
        try set(.tcpKeepAliveInterval, to: sheet.tcpKeepAliveInterval)
        try set(.tcpKeepAliveCount, to: sheet.tcpKeepAliveCount)
        try set(.tcpMaximumRetransmission, to: sheet.tcpMaximumRetransmission)
    }

    /// Makes this the server side of CURVE. Every client is shown to the ZAP handler of the context under `domain`, and
    /// while no handler answers nobody is let in.
    /// - Throws: `invalidArgument` when the library has no CURVE or cannot enforce the domain; never go on without.
    public borrowing func becomeCurveServer(keys: CurveKeyPair, domain: String) throws(ZMQError) {
        try set(.zapDomain, to: domain)
        try set(.zapEnforceDomain, to: true)
        try set(.curveServer, to: true)
        try set(.curvePublicKey, to: keys.publicKey)
        try set(.curveSecretKey, to: keys.secretKey)
    }

    /// Makes this the client side of CURVE, which talks only to the owner of `serverKey`.
    /// - Throws: `invalidArgument` when the library has no CURVE.
    public borrowing func becomeCurveClient(keys: CurveKeyPair, serverKey: CurveKey) throws(ZMQError) {
        try set(.curveServerKey, to: serverKey)
        try set(.curvePublicKey, to: keys.publicKey)
        try set(.curveSecretKey, to: keys.secretKey)
    }
}
