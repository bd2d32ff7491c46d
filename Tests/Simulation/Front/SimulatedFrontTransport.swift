//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import FrontCore
import GantryModel

/// The front's sockets in a world, and the place where everything that leaves is looked at.
final class SimulatedFrontTransport: FrontTransport {
    private unowned let process: FrontProcess
    private let world: World

    init(_ process: FrontProcess) {
        self.process = process
        world = process.world
    }

    /// The waiting was done before the turn: a process sleeps between its turns, see `FrontProcess`.
    func wait(until deadline: MonotonicTime?) {
        process.deadline = world.bug == .restless ? world.now : deadline.map { process.worldTime(of: $0) } ?? .max
        process.sleptSince = nil
        _ = process.call()
    }

    func receive(_ channel: FrontChannel) -> ReceivedFrame? {
        guard process.call() else { return nil }
        if channel == .workers, process.overlooksFrames { return nil }
        guard let frame = process.nextFrame(channel) else { return nil }
        process.hasActed = true
        return frame
    }

    func send(_ bytes: [UInt8], to peer: PeerID) -> SendResult {
        process.checkMayLeave()
        guard process.call() else { return .sent }
        world.ledger.willSend(bytes, to: peer, isWorker: process.isWorker(peer))
        let result = world.network.send(bytes, to: peer)
        if result != .full { process.hasActed = true }
        return result
    }

    func publish(_ bytes: [UInt8], under topicFrame: [UInt8]) {
        process.checkMayLeave()
        guard process.call() else { return }
        process.hasActed = true
        if world.bug == .bookmarksLeftOut, world.ledger.isBookmark(bytes) { return }
        world.ledger.willPublish(bytes, under: topicFrame)
        world.network.publish(bytes, under: topicFrame)
    }

    func watch(_ watched: ProcessIdentity) {
        guard process.call() else { return }
        process.watch(watched)
    }

    func unwatch(_ watched: ProcessIdentity) { process.unwatch(watched) }

    func takeEndedProcess() -> ProcessIdentity? { process.call() ? process.takeEndedProcess() : nil }
}

/// The front's clocks in a world.
final class SimulatedFrontClock: FrontClock {
    private unowned let process: FrontProcess

    init(_ process: FrontProcess) { self.process = process }

    func now() -> FrontTime {
        // Until a turn reaches its wait, it is still the moment at which the waiting began.
        if let since = process.sleptSince {
            return FrontTime(monotonic: process.reading(at: since), wall: process.world.wall)
        }
        _ = process.call()
        return FrontTime(
            monotonic: process.reading(at: process.isAlive ? process.world.now : process.diedAt), wall: process.world.wall)
    }
}

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
