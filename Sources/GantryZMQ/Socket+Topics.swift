//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ
internal import Glibc

/// XPUB with `ZMQ_XPUB_VERBOSE`: publishes to many and reads every subscription, repeated ones too.
///
/// It drops for a subscriber whose queue is full and never waits for one.
package enum ExtendedPublisher: PublishesTopics {
    /// `ZMQ_XPUB`.
    package static let kind = ZMQ_XPUB
    /// "publisher".
    package static let name = "publisher"
    /// Every subscription is delivered, not only the first of a topic.
    package static var fixedOptions: [SocketOption<Bool>] { [.publisherVerbose] }
}

/// SUB: receives the publications whose topic begins with something it subscribed to.
package enum Subscriber: ReceivesTopics {
    /// `ZMQ_SUB`.
    package static let kind = ZMQ_SUB
    /// "subscriber".
    package static let name = "subscriber"
    /// A look for a publication takes its topic.
    package static let readsAhead = true
}

/// A role that publishes `[topic][payload]` and receives subscriptions, nothing else.
package protocol PublishesTopics: SocketRole {}

/// A role that subscribes to topics and receives `[topic][payload]`; it cannot send.
package protocol ReceivesTopics: SocketRole {}

/// One published message as copied bytes.
package struct Publication: Hashable, Sendable {
    /// The first frame.
    package let topic: [UInt8]
    /// The second frame.
    package let payload: [UInt8]
}

/// A subscription or its end, as a publisher reads it.
package struct SubscriptionChange: Hashable, Sendable {
    /// True for a subscription, false for its end.
    package let isSubscribed: Bool
    /// The prefix of topics that is meant; any peer may send any bytes.
    package let topic: [UInt8]
}

extension Socket where Role: PublishesTopics {
    /// Publishes to everybody whose subscription is a prefix of `topic`. It never blocks: a subscriber whose queue is full
    /// misses it, so payloads need sequence numbers.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func publish(topic: [UInt8], payload: [UInt8]) throws(ZMQError) {
        var code = unsafe topic.withUnsafeBytes { unsafe handle.send($0, flags: ZMQ_SNDMORE) }
        if code == 0 { code = unsafe payload.withUnsafeBytes { unsafe handle.send($0) } }
        guard code == 0 else { throw handle.failure(code, "publishing on") }
    }

    /// Reads the next subscription or its end, or nil if none waits. Anything else a peer sends is dropped and counted.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func receiveSubscription() throws(ZMQError) -> SubscriptionChange? {
        let message = Message()
        while true {
            let frame = try handle.receive(into: message)
            if frame == .nothing { return nil }
            let bytes = message.copyBytes()
            guard frame == .last, let kind = bytes.first, kind <= 1 else {
                try handle.dropRest(after: frame)
                continue
            }
            return SubscriptionChange(isSubscribed: kind == 1, topic: Array(bytes.dropFirst()))
        }
    }
}

extension Socket where Role: ReceivesTopics {
    /// Asks for all topics that begin with `prefix`; an empty one is everything. Publications of before it arrives are gone.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func subscribe(_ prefix: [UInt8]) throws(ZMQError) {
        try change(ZMQ_SUBSCRIBE, prefix)
    }

    /// Takes one earlier `subscribe` of the same prefix back.
    /// - Throws: `invalidArgument` when there was none.
    package borrowing func unsubscribe(_ prefix: [UInt8]) throws(ZMQError) {
        try change(ZMQ_UNSUBSCRIBE, prefix)
    }

    /// Receives the next publication without allocating. One that has not exactly two frames is dropped, counted, reported.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func receive(topic: inout Message, payload: inout Message) throws(ZMQError) -> Receipt {
        switch try handle.receive(into: topic) {
        case .nothing: return .nothing
        case .last:
            handle.malformedCount += 1
            return .malformed
        case .more: break
        }
        let frame = try handle.receive(into: payload)
        guard frame == .last else {
            try handle.dropRest(after: frame)
            return .malformed
        }
        return .message
    }

    /// Receives the next publication of two frames, or nil if none waits. Others are dropped and counted.
    /// - Throws: `terminated` after the context was shut down.
    package borrowing func receive() throws(ZMQError) -> Publication? {
        var topic = Message()
        var payload = Message()
        while true {
            switch try receive(topic: &topic, payload: &payload) {
            case .nothing: return nil
            case .message: return Publication(topic: topic.copyBytes(), payload: payload.copyBytes())
            case .malformed: continue
            }
        }
    }

    private borrowing func change(_ option: Int32, _ prefix: [UInt8]) throws(ZMQError) {
        let socket = unsafe try handle.live()
        guard unsafe zmq_setsockopt(socket, option, prefix, prefix.count) == 0 else {
            throw ZMQError.last("changing the subscriptions of a subscriber; unsubscribe only what was subscribed")
        }
    }
}
