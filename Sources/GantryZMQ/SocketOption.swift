//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// One setting of a socket with the type of its value.
///
/// Options that matter before a connection exists (all of `OptionSheet`) must be set before `bind` or `connect`.
package struct SocketOption<Value: SocketOptionValue>: Hashable, Sendable {
    /// libzmq's number.
    package let number: Int32
    /// libzmq's name, for errors.
    package let name: String
    let millisecondsPerUnit: Int64

    init(_ number: Int32, _ name: String, millisecondsPerUnit: Int64 = 1) {
        self.number = number
        self.name = name
        self.millisecondsPerUnit = millisecondsPerUnit
    }
}

extension SocketOption where Value == Bool {
    /// True on the server side of CURVE.
    package static var curveServer: Self { Self(ZMQ_CURVE_SERVER, "CURVE_SERVER") }
    /// True: queue only for connections that are complete, never for a peer that may not come back.
    package static var immediate: Self { Self(ZMQ_IMMEDIATE, "IMMEDIATE") }
    /// True: IPv6 addresses are accepted beside IPv4.
    package static var ipv6: Self { Self(ZMQ_IPV6, "IPV6") }
    /// True: the publisher sees repeated subscriptions too. Can be set but not read back.
    package static var publisherVerbose: Self { Self(ZMQ_XPUB_VERBOSE, "XPUB_VERBOSE") }
    /// True: sending to a full or unknown peer is reported. Can be set but not read back.
    package static var routerMandatory: Self { Self(ZMQ_ROUTER_MANDATORY, "ROUTER_MANDATORY") }
    /// True: no connection is accepted while no ZAP handler answers. Number 93; the header of release builds hides it.
    package static var zapEnforceDomain: Self { Self(93, "ZAP_ENFORCE_DOMAIN") }
}

extension SocketOption where Value == Int32 {
    /// Connections that may wait to be accepted.
    package static var backlog: Self { Self(ZMQ_BACKLOG, "BACKLOG") }
    /// Messages queued from one peer before it is held back; 0 is unlimited.
    package static var receiveHighWaterMark: Self { Self(ZMQ_RCVHWM, "RCVHWM") }
    /// Messages queued to one peer before sending would block or drop; 0 is unlimited.
    package static var sendHighWaterMark: Self { Self(ZMQ_SNDHWM, "SNDHWM") }
    /// TCP keep-alive: 1 on, 0 off, -1 as the system has it.
    package static var tcpKeepAlive: Self { Self(ZMQ_TCP_KEEPALIVE, "TCP_KEEPALIVE") }
    /// Unanswered probes after which a TCP connection is dead.
    package static var tcpKeepAliveCount: Self { Self(ZMQ_TCP_KEEPALIVE_CNT, "TCP_KEEPALIVE_CNT") }
}

extension SocketOption where Value == Int64 {
    /// Bytes a single received frame may have; a longer one ends the connection. Not below 512: the handshake counts.
    package static var maximumMessageByteCount: Self { Self(ZMQ_MAXMSGSIZE, "MAXMSGSIZE") }
}

extension SocketOption where Value == Duration {
    /// How long a connection may take for its handshake.
    package static var handshakeInterval: Self { Self(ZMQ_HANDSHAKE_IVL, "HANDSHAKE_IVL") }
    /// How long unsent messages survive `close`.
    package static var linger: Self { Self(ZMQ_LINGER, "LINGER") }
    /// First pause before connecting again.
    package static var reconnectInterval: Self { Self(ZMQ_RECONNECT_IVL, "RECONNECT_IVL") }
    /// Longest pause before connecting again; the pause doubles up to it.
    package static var reconnectIntervalMaximum: Self { Self(ZMQ_RECONNECT_IVL_MAX, "RECONNECT_IVL_MAX") }
    /// How long a send may block; this wrapper keeps it at zero.
    package static var sendTimeout: Self { Self(ZMQ_SNDTIMEO, "SNDTIMEO") }
    /// Silence after which TCP keep-alive probes begin; whole seconds.
    package static var tcpKeepAliveIdle: Self {
        Self(ZMQ_TCP_KEEPALIVE_IDLE, "TCP_KEEPALIVE_IDLE", millisecondsPerUnit: 1_000)
    }
    /// Pause between TCP keep-alive probes; whole seconds.
    package static var tcpKeepAliveInterval: Self {
        Self(ZMQ_TCP_KEEPALIVE_INTVL, "TCP_KEEPALIVE_INTVL", millisecondsPerUnit: 1_000)
    }
    /// How long sent bytes may stay unacknowledged before TCP gives the connection up.
    package static var tcpMaximumRetransmission: Self { Self(ZMQ_TCP_MAXRT, "TCP_MAXRT") }
}

extension SocketOption where Value == String {
    /// The address of the last `bind` or `connect`, with the port the system chose. Read only.
    package static var lastEndpoint: Self { Self(ZMQ_LAST_ENDPOINT, "LAST_ENDPOINT") }
    /// The name under which the ZAP handler is asked about connections to this socket.
    package static var zapDomain: Self { Self(ZMQ_ZAP_DOMAIN, "ZAP_DOMAIN") }
}

extension SocketOption where Value == CurveKey {
    /// This side's public key.
    package static var curvePublicKey: Self { Self(ZMQ_CURVE_PUBLICKEY, "CURVE_PUBLICKEY") }
    /// This side's secret key.
    package static var curveSecretKey: Self { Self(ZMQ_CURVE_SECRETKEY, "CURVE_SECRETKEY") }
    /// The public key a client expects of its server.
    package static var curveServerKey: Self { Self(ZMQ_CURVE_SERVERKEY, "CURVE_SERVERKEY") }
}

/// The settings every socket gets before `bind` or `connect`, with measured defaults.
///
/// It has no ZMTP heartbeats (they abort a stalled process) and no `XPUB_NODROP` (one stuck subscriber would stop all).
package struct OptionSheet: Hashable, Sendable {
    /// Messages queued to one peer; 0 is unlimited and only for traffic bounded by credit.
    package var sendHighWaterMark: Int32
    /// Messages queued from one peer; 0 is unlimited and only for traffic bounded by credit.
    package var receiveHighWaterMark: Int32
    /// Bytes of a single received frame, at least 512; a longer one ends its connection before it is kept in memory.
    package var maximumMessageByteCount: Int64
    /// How long unsent messages survive closing.
    package var linger: Duration = .zero
    /// How long a handshake may take.
    package var handshakeInterval: Duration = .seconds(3)
    /// First pause before connecting again.
    package var reconnectInterval: Duration = .milliseconds(250)
    /// Longest pause before connecting again.
    package var reconnectIntervalMaximum: Duration = .seconds(10)
    /// Queue only for complete connections. Sockets that read ahead queue all the same: see `apply`.
    package var isImmediate = true
    /// Connections that may wait to be accepted.
    package var backlog: Int32 = 128
    /// IPv6 beside IPv4.
    package var allowsIPv6 = false
    /// Silence before TCP probes begin.
    package var tcpKeepAliveIdle: Duration = .seconds(30)
    /// Pause between TCP probes.
    package var tcpKeepAliveInterval: Duration = .seconds(10)
    /// Unanswered TCP probes before the connection is dead.
    package var tcpKeepAliveCount: Int32 = 3
    /// How long sent bytes may stay unacknowledged.
    package var tcpMaximumRetransmission: Duration = .seconds(15)

    /// Sizes chosen by the caller, everything else by measurement.
    ///
    /// A frame of 1 MiB where the caller names none: this module knows no protocol, and a socket without any bound takes what a peer makes up.
    package init(
        sendHighWaterMark: Int32 = 1_000,
        receiveHighWaterMark: Int32 = 1_000,
        maximumMessageByteCount: Int64 = 1 << 20
    ) {
        self.sendHighWaterMark = sendHighWaterMark
        self.receiveHighWaterMark = receiveHighWaterMark
        self.maximumMessageByteCount = maximumMessageByteCount
    }

    /// For a publisher, which receives nothing but subscriptions: frames of at most 512 bytes.
    package static func publisher(sendHighWaterMark: Int32 = 1_000) -> OptionSheet {
        OptionSheet(sendHighWaterMark: sendHighWaterMark, receiveHighWaterMark: 1_000, maximumMessageByteCount: 512)
    }
}

extension Socket {
    /// Sets everything a sheet says. Call it before `bind` or `connect`: most of it does not reach older connections.
    /// - Throws: `invalidArgument` for a frame limit below 512 bytes or a value that libzmq refuses.
    package borrowing func apply(_ sheet: OptionSheet) throws(ZMQError) {
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
    package borrowing func becomeCurveServer(keys: CurveKeyPair, domain: String) throws(ZMQError) {
        try set(.zapDomain, to: domain)
        try set(.zapEnforceDomain, to: true)
        try set(.curveServer, to: true)
        try set(.curvePublicKey, to: keys.publicKey)
        try set(.curveSecretKey, to: keys.secretKey)
    }

    /// Makes this the client side of CURVE, which talks only to the owner of `serverKey`.
    /// - Throws: `invalidArgument` when the library has no CURVE.
    package borrowing func becomeCurveClient(keys: CurveKeyPair, serverKey: CurveKey) throws(ZMQError) {
        try set(.curveServerKey, to: serverKey)
        try set(.curvePublicKey, to: keys.publicKey)
        try set(.curveSecretKey, to: keys.secretKey)
    }
}

/// A Swift type that a socket option can hold. The size of an option comes from its type.
package protocol SocketOptionValue: Sendable, Equatable {
    /// The bytes libzmq expects, in the machine's byte order. `millisecondsPerUnit` matters to durations only.
    func optionBytes(millisecondsPerUnit: Int64) -> [UInt8]
    /// The value for bytes that libzmq returned; nil if they have the wrong size.
    static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> Self?
    /// How many bytes to offer when reading.
    static var optionCapacity: Int { get }
}

extension FixedWidthInteger {
    /// The integer's bytes in the machine's order.
    fileprivate var nativeBytes: [UInt8] {
        var bits = littleEndian
        var bytes: [UInt8] = []
        for _ in 0..<(Self.bitWidth / 8) {
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
        }
        return littleEndian == self ? bytes : bytes.reversed()
    }

    fileprivate init?(nativeBytes bytes: [UInt8]) {
        guard bytes.count == Self.bitWidth / 8 else { return nil }
        var value: Self = 0
        for byte in bytes.reversed() {
            value = (value << 8) | Self(truncatingIfNeeded: byte)
        }
        self = Self(littleEndian: value)
    }
}

extension Int32: SocketOptionValue {
    /// Four bytes.
    package func optionBytes(millisecondsPerUnit: Int64) -> [UInt8] { nativeBytes }
    /// Reads four bytes.
    package static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> Int32? { Int32(nativeBytes: bytes) }
    /// Four.
    package static var optionCapacity: Int { 4 }
}

extension Int64: SocketOptionValue {
    /// Eight bytes.
    package func optionBytes(millisecondsPerUnit: Int64) -> [UInt8] { nativeBytes }
    /// Reads eight bytes.
    package static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> Int64? { Int64(nativeBytes: bytes) }
    /// Eight.
    package static var optionCapacity: Int { 8 }
}

extension Bool: SocketOptionValue {
    /// An `int` of 0 or 1.
    package func optionBytes(millisecondsPerUnit: Int64) -> [UInt8] { Int32(self ? 1 : 0).nativeBytes }
    /// Reads an `int`; anything but 0 is true.
    package static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> Bool? {
        Int32(nativeBytes: bytes).map { $0 != 0 }
    }
    /// Four.
    package static var optionCapacity: Int { 4 }
}

extension Duration: SocketOptionValue {
    /// An `int` of whole units, rounded up and kept within 0 and `Int32.max`.
    package func optionBytes(millisecondsPerUnit: Int64) -> [UInt8] {
        let (seconds, attoseconds) = components
        let bounded = min(max(seconds, 0), Int64(Int32.max))
        let milliseconds = bounded * 1_000 + (max(attoseconds, 0) + 999_999_999_999_999) / 1_000_000_000_000_000
        let units = (milliseconds + millisecondsPerUnit - 1) / millisecondsPerUnit
        return Int32(clamping: units).nativeBytes
    }
    /// Reads an `int` of units; -1, libzmq's "for ever", stays negative.
    package static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> Duration? {
        Int32(nativeBytes: bytes).map { .milliseconds(Int64($0) * millisecondsPerUnit) }
    }
    /// Four.
    package static var optionCapacity: Int { 4 }
}

extension String: SocketOptionValue {
    /// UTF-8 without a closing zero.
    package func optionBytes(millisecondsPerUnit: Int64) -> [UInt8] { Array(utf8) }
    /// Reads UTF-8 up to the first zero.
    package static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> String? {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    /// 512, more than any endpoint or domain.
    package static var optionCapacity: Int { 512 }
}
