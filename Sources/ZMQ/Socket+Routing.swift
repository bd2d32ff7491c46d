//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import Glibc

extension Socket where Role: RoutesMessages {
    /// Receives the next message into `body` without allocating.
    ///
    /// A malformed message is dropped whole, counted, and reported so that the caller can answer or look on.
    /// - Throws: `terminated` after the context was shut down.
    public borrowing func receiveRouted(into body: inout Message) throws(ZMQError) -> RoutedReceipt {
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
    public borrowing func receiveRouted() throws(ZMQError) -> RoutedMessage? {
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
    public borrowing func send(to routingID: RoutingID, _ body: [UInt8]) throws(ZMQError) -> RoutedSendOutcome {
        try outcome(of: unsafe body.withUnsafeBytes { unsafe sendRaw(to: routingID, $0) })
    }

    /// Queues a part of an array for one connection without ever blocking.
    /// - Throws: `terminated` after the context was shut down.
    public borrowing func send(to routingID: RoutingID, _ body: ArraySlice<UInt8>) throws(ZMQError) -> RoutedSendOutcome {
        try outcome(of: unsafe body.withUnsafeBytes { unsafe sendRaw(to: routingID, $0) })
    }

    /// Queues a span of bytes for one connection without ever blocking.
    /// - Throws: `terminated` after the context was shut down.
    public borrowing func send(to routingID: RoutingID, _ body: Span<UInt8>) throws(ZMQError) -> RoutedSendOutcome {
        try outcome(of: unsafe body.withUnsafeBytes { unsafe sendRaw(to: routingID, $0) })
    }

    private borrowing func sendRaw(to routingID: RoutingID, _ body: UnsafeRawBufferPointer) -> Int32 {
        let code = unsafe withUnsafeBytes(of: routingID.storage) { name in
            unsafe handle.send(UnsafeRawBufferPointer(rebasing: name.prefix(Int(routingID.count))), flags: sendMore)
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
