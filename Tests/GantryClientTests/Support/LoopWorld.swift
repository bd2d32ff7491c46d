//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire

@testable import GantryClient

/// A client's loop over sockets that are lists, with a manual clock.
struct LoopWorld {
    /// Sockets that are lists: what the test puts in is received, what is sent is kept.
    final class Sockets: ClientTransport {
        var isConnected = true
        var received: [ClientChannel: [[UInt8]]] = [:]
        var publications: [TopicFrames] = []
        var sent: [[UInt8]] = []
        var topics: [[UInt8]] = []
        var reconnected: [ClientChannel] = []
        /// The subscriptions and unsubscriptions in order, `+topic` and `-topic`.
        var subscriptions: [String] = []

        func wait(until deadline: MonotonicTime, wantsToSend: Bool) {}

        func receive(from channel: ClientChannel) -> [UInt8]? {
            guard received[channel]?.isEmpty == false else { return nil }
            return received[channel]?.removeFirst()
        }

        func receivePublication() -> TopicFrames? { publications.isEmpty ? nil : publications.removeFirst() }

        func send(_ frame: [UInt8], to channel: ClientChannel) -> Bool {
            guard isConnected else { return false }
            if channel == .requests { sent.append(frame) }
            return true
        }

        func subscribe(to topicFrame: [UInt8]) { note("+", topicFrame) { topics.append(topicFrame) } }

        func unsubscribe(from topicFrame: [UInt8]) { note("-", topicFrame) { topics.removeAll { $0 == topicFrame } } }

        func connect(_ channel: ClientChannel, to endpoint: String) {}

        func reconnect(_ channel: ClientChannel) { reconnected.append(channel) }

        private func note(_ sign: String, _ frame: [UInt8], _ change: () -> Void) {
            subscriptions.append(sign + String(decoding: frame.dropLast(), as: UTF8.self))
            change()
        }
    }

    /// A clock that stands until it is moved.
    final class Time: ClientClock {
        var time = MonotonicTime(nanoseconds: 0)

        func now() -> MonotonicTime { time }
    }

    let sockets = Sockets()
    let clock = Time()
    var loop: ClientLoop<Sockets, Time, WireCodec>
    var notices: [ClientNotice] = []
    let front = FrontID(7)
    var epoch = Epoch(100)
    let session = SessionID(42)

    init() {
        loop = ClientLoop(transport: sockets, clock: clock, codec: WireCodec(), settings: SessionSettings(label: "test", seed: 1))
    }

    /// A world whose session is open.
    static func opened() -> LoopWorld {
        var world = LoopWorld()
        world.turn()
        world.send(.welcome(.open(session: world.session, isResumed: false)))
        world.turn()
        _ = world.takeSent()
        return world
    }

    /// Lets time pass, then makes a turn.
    mutating func turn(_ commands: ClientCommand..., after milliseconds: Int64 = 0) {
        clock.time = clock.time.advanced(by: .milliseconds(milliseconds))
        loop.turn(commands, into: &notices)
    }

    /// Makes a turn at each instant at which the loop wants one, until so much time is over.
    mutating func run(_ milliseconds: Int64, _ answer: (inout LoopWorld) -> Void = { _ in }) {
        let end = clock.time.advanced(by: .milliseconds(milliseconds))
        while loop.nextDeadline < end {
            clock.time = max(clock.time, loop.nextDeadline)
            turn()
            answer(&self)
        }
        clock.time = end
        turn()
    }

    /// The front says something by the session.
    func send(_ messages: FrontMessage...) {
        let envelope = FrontEnvelope(front: front, epoch: epoch, session: session, messages: messages)
        sockets.received[.requests, default: []].append(WireCodec().encode(envelope))
    }

    /// The front publishes something.
    func publish(_ topic: Topic, _ publication: Publication) {
        sockets.publications.append(TopicFrames(topic: topic.frame, payload: WireCodec().encode(publication)))
    }

    /// What was sent by the session since the last call.
    func takeSent() -> [ClientMessage] {
        defer { sockets.sent = [] }
        return sockets.sent.compactMap { try? WireCodec().decodeClient($0).messages }.flatMap { $0 }
    }

    /// The events of topics since the last call, `!` behind those that are verified.
    mutating func takeEvents() -> [String] {
        defer { notices = [] }
        return notices.compactMap { notice in
            guard case .topic(let update) = notice else { return nil }
            return update.isVerified ? update.event.rawValue + "!" : update.event.rawValue
        }
    }
}
