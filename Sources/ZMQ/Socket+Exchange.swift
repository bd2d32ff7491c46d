//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import Glibc

extension Socket where Role: ExchangesMessages {
    /// Receives the next message into `body` without allocating. A message of several frames is dropped, counted, reported.
    /// - Throws: `terminated` after the context was shut down.
    public borrowing func receive(into body: inout Message) throws(ZMQError) -> Receipt {
        switch try handle.receive(into: body) {
        case .nothing: return .nothing
        case .last: return .message
        case .more:
            try handle.dropRest(after: .more)
            return .malformed
        }
    }

    /// Receives the next message of one frame, or nil if none waits. Others are dropped and counted.
    /// - Throws: `terminated` after the context was shut down.
    public borrowing func receive() throws(ZMQError) -> Message? {
        var body = Message()
        while true {
            switch try receive(into: &body) {
            case .nothing: return nil
            case .message: return body
            case .malformed: continue
            }
        }
    }

    /// Queues a message without ever blocking.
    /// - Throws: `terminated` after the context was shut down.
    public borrowing func send(_ body: [UInt8]) throws(ZMQError) -> SendOutcome {
        try outcome(of: unsafe body.withUnsafeBytes { unsafe handle.send($0) })
    }

    /// Queues a part of an array without ever blocking.
    /// - Throws: `terminated` after the context was shut down.
    public borrowing func send(_ body: ArraySlice<UInt8>) throws(ZMQError) -> SendOutcome {
        try outcome(of: unsafe body.withUnsafeBytes { unsafe handle.send($0) })
    }

    /// Queues a span of bytes without ever blocking.
    /// - Throws: `terminated` after the context was shut down.
    public borrowing func send(_ body: Span<UInt8>) throws(ZMQError) -> SendOutcome {
        try outcome(of: unsafe body.withUnsafeBytes { unsafe handle.send($0) })
    }

    private borrowing func outcome(of code: Int32) throws(ZMQError) -> SendOutcome {
        switch code {
        case 0: return .sent
        case EAGAIN: return .wouldBlock
        default: throw handle.failure(code, "sending on")
        }
    }
}
