//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPlatform
import GantryZMQ
import Simulation

@testable import FrontService

/// A front's transport and the sockets of workers, clients and observers that a test speaks for.
protocol TransportContract: AnyObject {
    /// The front's side.
    var transport: any FrontTransport { get }
    /// Connects a worker's, a client's or an observer's socket; its number.
    func connect(_ channel: FrontChannel) throws -> Int
    /// Sends; what was taken has arrived when this returns. False: the socket takes no more.
    func send(_ bytes: [UInt8], from peer: Int) throws -> Bool
    /// The next frame that the front has sent to a peer, or published under a topic of it; nil: none has come.
    func receive(at peer: Int) throws -> [UInt8]?
    /// Subscribes an observer to a topic, or takes the subscription back.
    func subscribe(_ topic: [UInt8], _ isWanted: Bool, at peer: Int) throws
    /// Ends a peer's connection.
    func disconnect(_ peer: Int) throws
}

extension TransportBench: TransportContract {}

/// The real sockets, inside of one process: there a frame has arrived when its sending returns, so that nothing is waited for.
final class ZeroMQBench: TransportContract {
    /// Sockets are not copyable, so that an array holds each in a box.
    private enum Peer {
        final class Speaker {
            let socket: Socket<Dealer>
            init(_ context: Context) throws { socket = try Socket<Dealer>(context) }
        }

        final class Observer {
            let socket: Socket<Subscriber>
            init(_ context: Context) throws { socket = try Socket<Subscriber>(context) }
        }

        case speaker(Speaker, endpoint: String)
        case observer(Observer)
    }

    private static let endpoints = FrontEndpoints(
        requests: "inproc://requests", changes: "inproc://changes", workers: "inproc://workers", pages: "inproc://pages")
    private let context: Context
    private let front: ZeroMQFrontTransport
    private var peers: [Peer] = []

    init() throws {
        context = try Context()
        front = try ZeroMQFrontTransport(context: context, endpoints: Self.endpoints, wake: EventSignal())
    }

    var transport: any FrontTransport { front }

    func connect(_ channel: FrontChannel) throws -> Int {
        switch channel {
        case .workers: try connectSpeaker(Self.endpoints.workers)
        case .clients: try connectSpeaker(Self.endpoints.requests)
        case .subscriptions:
            let observer = try Peer.Observer(context)
            try observer.socket.connect(Self.endpoints.changes)
            peers.append(.observer(observer))
        }
        return peers.count - 1
    }

    private func connectSpeaker(_ endpoint: String) throws {
        let speaker = try Peer.Speaker(context)
        try speaker.socket.connect(endpoint)
        peers.append(.speaker(speaker, endpoint: endpoint))
    }

    func send(_ bytes: [UInt8], from peer: Int) throws -> Bool {
        guard case .speaker(let speaker, _) = peers[peer] else { return false }
        switch try speaker.socket.send(bytes) {
        case .sent: return true
        case .wouldBlock: return false
        }
    }

    func receive(at peer: Int) throws -> [UInt8]? {
        switch peers[peer] {
        case .speaker(let speaker, _): try speaker.socket.receive()?.copyBytes()
        case .observer(let observer): try observer.socket.receive()?.payload
        }
    }

    func subscribe(_ topic: [UInt8], _ isWanted: Bool, at peer: Int) throws {
        guard case .observer(let observer) = peers[peer] else { return }
        if isWanted { try observer.socket.subscribe(topic) } else { try observer.socket.unsubscribe(topic) }
    }

    func disconnect(_ peer: Int) throws {
        switch peers[peer] {
        case .speaker(let speaker, let endpoint): try speaker.socket.disconnect(endpoint)
        case .observer(let observer):
            try observer.socket.disconnect(Self.endpoints.changes)
            // Both sides have a part in the end of a connection inside of one process, each in a call of its own.
            front.wait(until: MonotonicTime(nanoseconds: 0))
            _ = try observer.socket.receive()
        }
    }
}

/// The transports that keep one contract.
enum TransportKind: CaseIterable {
    case simulated
    case zeroMQ

    func make() throws -> any TransportContract {
        switch self {
        case .simulated: TransportBench()
        case .zeroMQ: try ZeroMQBench()
        }
    }
}
