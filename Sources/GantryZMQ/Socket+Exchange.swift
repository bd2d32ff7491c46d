//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ
internal import Glibc

/// DEALER: one numbered conversation with a `Router`.
package enum Dealer: ExchangesMessages, ExchangesFrames {
    /// `ZMQ_DEALER`.
    package static let kind = ZMQ_DEALER
    /// "dealer".
    package static let name = "dealer"
}

/// REP: answers one multi-frame request after the other; the role of a ZAP handler.
package enum Replier: ExchangesFrames {
    /// `ZMQ_REP`.
    package static let kind = ZMQ_REP
    /// "replier".
    package static let name = "replier"
    /// It is a router within.
    package static let readsAhead = true
}

/// A role that sends and receives messages of one frame without naming a peer.
package protocol ExchangesMessages: SocketRole {}

/// A role that may send and receive whole multi-frame messages, for foreign protocols such as ZAP (RFC 27).
package protocol ExchangesFrames: SocketRole {}

/// What became of a message without an address. "Sent" means queued, never received.
package enum SendOutcome: Hashable, Sendable {
    /// libzmq has it.
    case sent
    /// The queue is full or nobody is connected; keep the message and try later.
    case wouldBlock
}

/// What one look at a socket's queue brought.
package enum Receipt: Hashable, Sendable {
    /// Nothing is waiting.
    case nothing
    /// The buffer holds a message.
    case message
    /// A message with the wrong number of frames was dropped whole.
    case malformed
}

extension Socket where Role: ExchangesMessages {
    /// Receives the next message into `body` without allocating. A message of several frames is dropped, counted, reported.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func receive(into body: inout Message) throws(ZMQError) -> Receipt {
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
    package borrowing func receive() throws(ZMQError) -> Message? {
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
    package borrowing func send(_ body: [UInt8]) throws(ZMQError) -> SendOutcome {
        try outcome(of: unsafe body.withUnsafeBytes { unsafe handle.send($0) })
    }

    /// Queues a part of an array without ever blocking.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func send(_ body: ArraySlice<UInt8>) throws(ZMQError) -> SendOutcome {
        try outcome(of: unsafe body.withUnsafeBytes { unsafe handle.send($0) })
    }

    /// Queues a span of bytes without ever blocking.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func send(_ body: Span<UInt8>) throws(ZMQError) -> SendOutcome {
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

extension Socket where Role: ExchangesFrames {
    /// Receives a whole message of any number of frames, or nil if none waits.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func receiveFrames() throws(ZMQError) -> [[UInt8]]? {
        let message = Message()
        var frames: [[UInt8]] = []
        while true {
            switch try handle.receive(into: message) {
            case .nothing:
                return nil
            case .more:
                frames.append(message.copyBytes())
            case .last:
                frames.append(message.copyBytes())
                return frames
            }
        }
    }

    /// Queues a message of one or more frames, all or nothing, without ever blocking.
    /// - Throws: `invalidArgument` for no frames, `terminated` after the context was shut down.
    package borrowing func sendFrames(_ frames: [[UInt8]]) throws(ZMQError) -> SendOutcome {
        guard !frames.isEmpty else {
            throw ZMQError(code: .invalidArgument, context: "sending a message without frames; give at least one")
        }
        for (index, frame) in frames.enumerated() {
            let flags = index == frames.count - 1 ? 0 : ZMQ_SNDMORE
            let code = unsafe frame.withUnsafeBytes { unsafe handle.send($0, flags: flags) }
            if code == EAGAIN, index == 0 { return .wouldBlock }
            guard code == 0 else { throw handle.failure(code, "sending on") }
        }
        return .sent
    }
}
