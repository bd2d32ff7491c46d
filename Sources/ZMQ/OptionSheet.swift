//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The settings every socket gets before `bind` or `connect`, with measured defaults.
///
/// It has no ZMTP heartbeats (they abort a stalled process) and no `XPUB_NODROP` (one stuck subscriber would stop all).
public struct OptionSheet: Hashable, Sendable {
    /// Messages queued to one peer; 0 is unlimited and only for traffic bounded by credit.
    public var sendHighWaterMark: Int32
    /// Messages queued from one peer; 0 is unlimited and only for traffic bounded by credit.
    public var receiveHighWaterMark: Int32
    /// Bytes of a single received frame, at least 512; a longer one ends its connection before it is kept in memory.
    public var maximumMessageByteCount: Int64
    /// How long unsent messages survive closing.
    public var linger: Duration = .zero
    /// How long a handshake may take.
    public var handshakeInterval: Duration = .seconds(3)
    /// First pause before connecting again.
    public var reconnectInterval: Duration = .milliseconds(250)
    /// Longest pause before connecting again.
    public var reconnectIntervalMaximum: Duration = .seconds(10)
    /// Queue only for complete connections. Sockets that read ahead queue all the same: see `apply`.
    public var isImmediate = true
    /// Connections that may wait to be accepted.
    public var backlog: Int32 = 128
    /// IPv6 beside IPv4.
    public var allowsIPv6 = false
    /// Silence before TCP probes begin.
    public var tcpKeepAliveIdle: Duration = .seconds(30)
    /// Pause between TCP probes.
    public var tcpKeepAliveInterval: Duration = .seconds(10)
    /// Unanswered TCP probes before the connection is dead.
    public var tcpKeepAliveCount: Int32 = 3
    /// How long sent bytes may stay unacknowledged.
    public var tcpMaximumRetransmission: Duration = .seconds(15)

    /// Sizes chosen by the caller, everything else by measurement.
    ///
    /// A frame of 1 MiB where the caller names none: this module knows no protocol, and a socket without any bound takes what a peer makes up.
    public init(
        sendHighWaterMark: Int32 = 1_000,
        receiveHighWaterMark: Int32 = 1_000,
        maximumMessageByteCount: Int64 = 1 << 20
    ) {
        self.sendHighWaterMark = sendHighWaterMark
        self.receiveHighWaterMark = receiveHighWaterMark
        self.maximumMessageByteCount = maximumMessageByteCount
    }

    /// For a publisher, which receives nothing but subscriptions: frames of at most 512 bytes.
    public static func publisher(sendHighWaterMark: Int32 = 1_000) -> OptionSheet {
        OptionSheet(sendHighWaterMark: sendHighWaterMark, receiveHighWaterMark: 1_000, maximumMessageByteCount: 512)
    }
}
