//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ
internal import Glibc

/// ROUTER with `ZMQ_ROUTER_MANDATORY`: a full or unknown peer is told instead of losing the message in silence.
package enum Router: RoutesMessages {
    /// `ZMQ_ROUTER`.
    package static let kind = ZMQ_ROUTER
    /// "router".
    package static let name = "router"
    /// A look for a message takes the identity before it.
    package static let readsAhead = true
    /// Mandatory routing.
    package static var fixedOptions: [SocketOption<Bool>] { [.routerMandatory] }
}

/// A role that serves many peers and names one with each message: `[routing id][body]`.
package protocol RoutesMessages: SocketRole {}

/// The name a `Router` gives to one connection: 1 to 16 bytes, kept inline.
///
/// It is a claim, not an identity: take who somebody is from `Message.metadata(.userID)` or `peerCredentials` of the body.
/// Automatic names have 5 bytes and are new for each connection. Longer names of up to 255 bytes, which a peer may choose
/// itself, are refused as malformed.
package struct RoutingID: Hashable, Sendable, CustomStringConvertible {
    /// The longest name that is accepted, in bytes.
    package static let maximumByteCount = 16

    var storage: (UInt64, UInt64) = (0, 0)
    var count: UInt8 = 0

    init() {}

    /// Wraps bytes.
    /// - Returns: nil unless there are 1 to 16.
    package init?(bytes: [UInt8]) {
        guard 1...Self.maximumByteCount ~= bytes.count else { return nil }
        unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.copyBytes(from: bytes) }
        count = UInt8(bytes.count)
    }

    /// Wraps the low bytes of a number, the lowest first.
    /// - Returns: nil unless there are 1 to 8.
    package init?(number: UInt64, byteCount: Int) {
        guard 1...8 ~= byteCount else { return nil }
        // Bytes beyond the count are zero, as equality asks for.
        storage.0 = (byteCount == 8 ? number : number & ((1 << UInt64(8 * byteCount)) - 1)).littleEndian
        count = UInt8(byteCount)
    }

    /// The bytes as a number, the first the lowest; nil for more than 8.
    package var number: UInt64? { count <= 8 ? UInt64(littleEndian: storage.0) : nil }

    /// How many bytes there are.
    package var byteCount: Int { Int(count) }

    /// The bytes as they travel.
    package var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: storage) { unsafe Array($0.prefix(Int(count))) }
    }

    /// The bytes as hexadecimal digits.
    package var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Names are equal when their bytes are.
    package static func == (left: RoutingID, right: RoutingID) -> Bool {
        left.storage.0 == right.storage.0 && left.storage.1 == right.storage.1 && left.count == right.count
    }

    /// Feeds the bytes to a hasher.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(storage.0)
        hasher.combine(storage.1)
        hasher.combine(count)
    }
}

/// A message that a `Router` received, with the connection it came from.
package struct RoutedMessage: ~Copyable {
    /// Where an answer goes.
    package let routingID: RoutingID
    /// The one body frame.
    package let body: Message
}

/// What one look at a router's queue brought.
package enum RoutedReceipt: Hashable, Sendable {
    /// Nothing is waiting.
    case nothing
    /// The buffer holds a body from this connection.
    case message(from: RoutingID)
    /// A message with more than one body frame or with a routing id above 16 bytes (then nil) was dropped whole.
    case malformed(from: RoutingID?)
}

/// What became of a message to one connection. "Sent" means queued, never received.
package enum RoutedSendOutcome: Hashable, Sendable {
    /// libzmq has it.
    case sent
    /// The connection's queue is full; keep the message and try later.
    case wouldBlock
    /// The connection is gone or never was; forget it.
    case unreachable
}

extension Socket where Role: RoutesMessages {
    /// Receives the next message into `body` without allocating.
    ///
    /// A malformed message is dropped whole, counted, and reported so that the caller can answer or look on.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func receiveRouted(into body: inout Message) throws(ZMQError) -> RoutedReceipt {
        guard let routingID = try handle.receiveRoutingID() else { return .nothing }
        let frame = try handle.receive(into: body)
        guard frame == .last, routingID.count > 0 else {
            try handle.dropRest(after: frame)
            return .malformed(from: routingID.count > 0 ? routingID : nil)
        }
        return .message(from: routingID)
    }

    /// Receives the next well-formed message, or nil if none waits. Malformed ones are dropped and counted.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func receiveRouted() throws(ZMQError) -> RoutedMessage? {
        var body = Message()
        while true {
            switch try receiveRouted(into: &body) {
            case .nothing: return nil
            case .message(let routingID): return RoutedMessage(routingID: routingID, body: body)
            case .malformed: continue
            }
        }
    }

    /// Queues a message for one connection without ever blocking.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func send(to routingID: RoutingID, _ body: [UInt8]) throws(ZMQError) -> RoutedSendOutcome {
        try outcome(of: unsafe body.withUnsafeBytes { unsafe sendRaw(to: routingID, $0) })
    }

    /// Queues a part of an array for one connection without ever blocking.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func send(to routingID: RoutingID, _ body: ArraySlice<UInt8>) throws(ZMQError) -> RoutedSendOutcome {
        try outcome(of: unsafe body.withUnsafeBytes { unsafe sendRaw(to: routingID, $0) })
    }

    /// Queues a span of bytes for one connection without ever blocking.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func send(to routingID: RoutingID, _ body: Span<UInt8>) throws(ZMQError) -> RoutedSendOutcome {
        try outcome(of: unsafe body.withUnsafeBytes { unsafe sendRaw(to: routingID, $0) })
    }

    private borrowing func sendRaw(to routingID: RoutingID, _ body: UnsafeRawBufferPointer) -> Int32 {
        let code = unsafe withUnsafeBytes(of: routingID.storage) { name in
            unsafe handle.send(UnsafeRawBufferPointer(rebasing: name.prefix(Int(routingID.count))), flags: ZMQ_SNDMORE)
        }
        // Room is promised with the routing frame, so the body cannot find the queue full.
        return code == 0 ? unsafe handle.send(body) : code
    }

    private borrowing func outcome(of code: Int32) throws(ZMQError) -> RoutedSendOutcome {
        switch code {
        case 0: return .sent
        case EAGAIN: return .wouldBlock
        case EHOSTUNREACH: return .unreachable
        default: throw handle.failure(code, "sending on")
        }
    }
}
