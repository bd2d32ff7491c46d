//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

extension SocketOption where Value == Bool {
    /// True on the server side of CURVE.
    public static var curveServer: Self { Self(ZMQ_CURVE_SERVER, "CURVE_SERVER") }
    /// True: queue only for connections that are complete, never for a peer that may not come back.
    public static var immediate: Self { Self(ZMQ_IMMEDIATE, "IMMEDIATE") }
    /// True: IPv6 addresses are accepted beside IPv4.
    public static var ipv6: Self { Self(ZMQ_IPV6, "IPV6") }
    /// True: the publisher sees repeated subscriptions too. Can be set but not read back.
    public static var publisherVerbose: Self { Self(ZMQ_XPUB_VERBOSE, "XPUB_VERBOSE") }
    /// True: sending to a full or unknown peer is reported. Can be set but not read back.
    public static var routerMandatory: Self { Self(ZMQ_ROUTER_MANDATORY, "ROUTER_MANDATORY") }
    /// True: no connection is accepted while no ZAP handler answers. Number 93; the header of release builds hides it.
    public static var zapEnforceDomain: Self { Self(93, "ZAP_ENFORCE_DOMAIN") }
}

extension SocketOption where Value == Int32 {
    /// Connections that may wait to be accepted.
    public static var backlog: Self { Self(ZMQ_BACKLOG, "BACKLOG") }
    /// Messages queued from one peer before it is held back; 0 is unlimited.
    public static var receiveHighWaterMark: Self { Self(ZMQ_RCVHWM, "RCVHWM") }
    /// Messages queued to one peer before sending would block or drop; 0 is unlimited.
    public static var sendHighWaterMark: Self { Self(ZMQ_SNDHWM, "SNDHWM") }
    /// TCP keep-alive: 1 on, 0 off, -1 as the system has it.
    public static var tcpKeepAlive: Self { Self(ZMQ_TCP_KEEPALIVE, "TCP_KEEPALIVE") }
    /// Unanswered probes after which a TCP connection is dead.
    public static var tcpKeepAliveCount: Self { Self(ZMQ_TCP_KEEPALIVE_CNT, "TCP_KEEPALIVE_CNT") }
}

extension SocketOption where Value == Int64 {
    /// Bytes a single received frame may have; a longer one ends the connection. Not below 512: the handshake counts.
    public static var maximumMessageByteCount: Self { Self(ZMQ_MAXMSGSIZE, "MAXMSGSIZE") }
}

extension SocketOption where Value == Duration {
    /// How long a connection may take for its handshake.
    public static var handshakeInterval: Self { Self(ZMQ_HANDSHAKE_IVL, "HANDSHAKE_IVL") }
    /// How long unsent messages survive `close`.
    public static var linger: Self { Self(ZMQ_LINGER, "LINGER") }
    /// First pause before connecting again.
    public static var reconnectInterval: Self { Self(ZMQ_RECONNECT_IVL, "RECONNECT_IVL") }
    /// Longest pause before connecting again; the pause doubles up to it.
    public static var reconnectIntervalMaximum: Self { Self(ZMQ_RECONNECT_IVL_MAX, "RECONNECT_IVL_MAX") }
    /// How long a send may block; this wrapper keeps it at zero.
    public static var sendTimeout: Self { Self(ZMQ_SNDTIMEO, "SNDTIMEO") }
    /// Silence after which TCP keep-alive probes begin; whole seconds.
    public static var tcpKeepAliveIdle: Self {
        Self(ZMQ_TCP_KEEPALIVE_IDLE, "TCP_KEEPALIVE_IDLE", millisecondsPerUnit: 1_000)
    }
    /// Pause between TCP keep-alive probes; whole seconds.
    public static var tcpKeepAliveInterval: Self {
        Self(ZMQ_TCP_KEEPALIVE_INTVL, "TCP_KEEPALIVE_INTVL", millisecondsPerUnit: 1_000)
    }
    /// How long sent bytes may stay unacknowledged before TCP gives the connection up.
    public static var tcpMaximumRetransmission: Self { Self(ZMQ_TCP_MAXRT, "TCP_MAXRT") }
}

extension SocketOption where Value == String {
    /// The address of the last `bind` or `connect`, with the port the system chose. Read only.
    public static var lastEndpoint: Self { Self(ZMQ_LAST_ENDPOINT, "LAST_ENDPOINT") }
    /// The name under which the ZAP handler is asked about connections to this socket.
    public static var zapDomain: Self { Self(ZMQ_ZAP_DOMAIN, "ZAP_DOMAIN") }
}

extension SocketOption where Value == CurveKey {
    /// This side's public key.
    public static var curvePublicKey: Self { Self(ZMQ_CURVE_PUBLICKEY, "CURVE_PUBLICKEY") }
    /// This side's secret key.
    public static var curveSecretKey: Self { Self(ZMQ_CURVE_SECRETKEY, "CURVE_SECRETKEY") }
    /// The public key a client expects of its server.
    public static var curveServerKey: Self { Self(ZMQ_CURVE_SERVERKEY, "CURVE_SERVERKEY") }
}
