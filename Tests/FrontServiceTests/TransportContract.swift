//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model
import Platform
import Simulation
import ZMQ

@testable import FrontService

/// A front's transport and the workers' sockets that a test speaks for.
protocol TransportContract: AnyObject {
    /// The front's side.
    var transport: any FrontTransport { get }
    /// Connects a worker's socket; its number.
    func connect() throws -> Int
    /// Sends; what was taken has arrived when this returns. False: the socket takes no more.
    func send(_ bytes: [UInt8], from peer: Int) throws -> Bool
    /// The next frame that the front has sent to a peer; nil: none has come.
    func receive(at peer: Int) throws -> [UInt8]?
    /// Ends a peer's connection.
    func disconnect(_ peer: Int) throws
}

extension TransportBench: TransportContract {}

/// The real sockets, inside of one process: there a frame has arrived when its sending returns, so that nothing is waited for.
final class ZeroMQBench: TransportContract {
    /// Socket is not copyable, so that an array holds it in a box.
    private final class Peer {
        let socket: Socket<Dealer>
        init(_ context: Context) throws { socket = try Socket<Dealer>(context) }
    }

    private static let endpoint = "inproc://workers"
    private let context: Context
    private let front: ZeroMQFrontTransport
    private var peers: [Peer] = []

    init() throws {
        context = try Context()
        let endpoints = FrontEndpoints(
            requests: "inproc://requests", changes: "inproc://changes", workers: Self.endpoint, pages: "inproc://pages")
        front = try ZeroMQFrontTransport(context: context, endpoints: endpoints, wake: EventSignal())
    }

    var transport: any FrontTransport { front }

    func connect() throws -> Int {
        let peer = try Peer(context)
        try peer.socket.connect(Self.endpoint)
        peers.append(peer)
        return peers.count - 1
    }

    func send(_ bytes: [UInt8], from peer: Int) throws -> Bool {
        switch try peers[peer].socket.send(bytes) {
        case .sent: true
        case .wouldBlock: false
        }
    }

    func receive(at peer: Int) throws -> [UInt8]? { try peers[peer].socket.receive()?.copyBytes() }

    func disconnect(_ peer: Int) throws { try peers[peer].socket.disconnect(Self.endpoint) }
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
