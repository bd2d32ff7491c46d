//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import FrontCore

/// The simulated sockets of a front with peers that only a test speaks for: without faults, without a loop.
///
/// It exists so that one suite holds the simulated transport and the real one to the same contract.
package final class TransportBench {
    /// The bytes of a test are no envelopes: a world with a bug looks for what that breaks and for nothing else.
    private let world = World(seed: 1, bug: .collectsNamed, isTraced: false)
    private let process: FrontProcess
    private var peers: [SilentPeer] = []
    /// The front's side.
    package let transport: any FrontTransport

    /// A front without peers.
    package init() {
        world.isStormy = false
        // That of most worlds: this one may have drawn a smaller one.
        world.network.highWaterMark = 1_000
        process = FrontProcess(world)
        process.bindOnly()
        world.front = process
        transport = SimulatedFrontTransport(process)
    }

    /// Connects a worker's, a client's or an observer's socket; its number.
    package func connect(_ channel: FrontChannel) -> Int {
        let kind: Endpoint.Kind =
            switch channel {
            case .workers: .worker
            case .clients: .requests
            case .subscriptions: .changes
            }
        let peer = SilentPeer(world, name: "peer \(peers.count)", kind)
        peers.append(peer)
        world.network.open(peer.endpoint)
        passTime()
        return peers.count - 1
    }

    /// Sends from a peer; what was sent has arrived at the front when this returns. False: the socket takes no more.
    package func send(_ bytes: [UInt8], from peer: Int) -> Bool {
        let isTaken = world.network.send(bytes, from: peers[peer].endpoint)
        passTime()
        return isTaken
    }

    /// The next frame that the front has sent to a peer, or published under a topic of it; nil: none has come.
    package func receive(at peer: Int) -> [UInt8]? {
        passTime()
        return peers[peer].endpoint.inbox.popFirst()?.payload
    }

    /// Subscribes an observer to a topic, or takes the subscription back.
    package func subscribe(_ topic: [UInt8], _ isWanted: Bool, at peer: Int) {
        if let link = peers[peer].endpoint.link { world.network.sendSubscription(link, topic, isWanted) }
        passTime()
    }

    /// Ends a peer's connection.
    package func disconnect(_ peer: Int) {
        world.network.close(peers[peer].endpoint)
        passTime()
    }

    /// Lets everything arrive that is on its way.
    private func passTime() { world.pass(1_000, for: process) }
}

/// A peer that leaves what it has received where it is.
private final class SilentPeer: Hostile {
    override func turn() {}
}
