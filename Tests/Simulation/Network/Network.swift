//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import FrontCore
import GantryModel

/// Connections as ZeroMQ makes them: order within one, none between them; frames are lost when one breaks or when a socket is full.
final class Network {
    unowned let world: World
    /// Connections by their order of making; broken ones are gone.
    private(set) var links: [Link] = []
    private var peers: [PeerID: Link] = [:]
    private var nextPeer: UInt64 = 1
    /// How many connections subscribe each topic, as the front's socket counts.
    private var subscribers: [[UInt8]: Int] = [:]
    /// How many frames wait each way on a connection at most: as the world has drawn it, until a test says otherwise.
    var highWaterMark: Int

    init(_ world: World) {
        self.world = world
        highWaterMark = world.swarm.highWaterMark
    }

    // MARK: Connecting

    /// Opens a socket: it connects, and connects again whenever it has to.
    func open(_ endpoint: Endpoint) {
        endpoint.isOpen = true
        endpoint.generation += 1
        attempt(endpoint, endpoint.generation, after: world.random.between(0, 5))
    }

    /// Closes a socket with all that it has received, and opens the next one.
    func reopen(_ endpoint: Endpoint) {
        close(endpoint)
        open(endpoint)
    }

    /// Closes a socket; what it sent may still arrive, or not.
    func close(_ endpoint: Endpoint) {
        endpoint.isOpen = false
        endpoint.generation += 1
        endpoint.inbox.removeAll()
        if let link = endpoint.link { breakLink(link, lingers: world.random.chance(0.5)) }
    }

    private func attempt(_ endpoint: Endpoint, _ generation: Int, after milliseconds: Int64) {
        world.after(milliseconds) { [self] in
            guard endpoint.isOpen, endpoint.generation == generation, endpoint.link == nil, endpoint.owner.isAlive else { return }
            guard let front = world.front, front.isAlive, front.isBound else {
                return attempt(endpoint, generation, after: world.random.between(30, 250))
            }
            let link = Link(PeerID(nextPeer), endpoint)
            nextPeer += 1
            links.append(link)
            peers[link.peer] = link
            endpoint.link = link
            endpoint.wantsRoom = false
            world.note("\(endpoint.owner.name) has connected \(endpoint.kind) as peer \(link.peer)")
            for topic in endpoint.topics { sendSubscription(link, topic, true) }
            endpoint.owner.wake()
        }
    }

    /// Breaks a connection; the socket connects again if it is open.
    func breakLink(_ link: Link, lingers: Bool) {
        guard !link.isBroken else { return }
        link.isBroken = true
        link.lingers = lingers
        if lingers, link.toFront.inFlight > 0 { world.count(.lateFrames) }
        peers[link.peer] = nil
        links.removeAll { $0 === link }
        for topic in link.subscribed.sorted(by: { $0.lexicographicallyPrecedes($1) }) { forget(topic) }
        link.subscribed = []
        let endpoint = link.endpoint
        guard endpoint.link === link else { return }
        endpoint.link = nil
        if endpoint.isOpen { attempt(endpoint, endpoint.generation, after: world.random.spread(20, 600)) }
    }

    /// The front is gone, with everything on its way to it.
    func frontDied() {
        for link in links { breakLink(link, lingers: false) }
        subscribers = [:]
    }

    // MARK: Sending

    /// Hands a frame to a socket; false: it takes none now.
    func send(_ bytes: [UInt8], from endpoint: Endpoint) -> Bool {
        guard let link = endpoint.link, link.toFront.inFlight < highWaterMark else {
            if endpoint.link != nil { world.count(.socketFull) }
            endpoint.wantsRoom = true
            return false
        }
        if endpoint.kind == .worker, bytes.count > world.variation.workerFrame {
            world.violate(.framesFit, "\(bytes.count) bytes of \(endpoint.owner.name), at most \(world.variation.workerFrame)")
        }
        deliverToFront(link) { front in front.received(bytes, from: link) }
        repeatLater {
            guard !link.isBroken || link.lingers, let front = self.world.front, front.isAlive, self.peers[link.peer] === link else {
                return
            }
            front.received(bytes, from: link)
        }
        return true
    }

    /// The front hands a frame to a peer.
    func send(_ bytes: [UInt8], to peer: PeerID) -> SendResult {
        guard let link = peers[peer] else { return .gone }
        if bytes.count > world.variation.loop.largestFrame {
            world.violate(.framesFit, "\(bytes.count) bytes for \(link.endpoint.owner.name), at most \(world.variation.loop.largestFrame)")
        }
        guard link.toPeer.inFlight + link.endpoint.inbox.count < highWaterMark else {
            world.count(.socketFull)
            return .full
        }
        deliverToPeer(link, topic: [], bytes)
        return .sent
    }

    /// The front publishes; whoever is slow misses it.
    func publish(_ bytes: [UInt8], under topic: [UInt8]) {
        if bytes.count > world.variation.loop.largestFrame {
            world.violate(.framesFit, "\(bytes.count) bytes for all observers, at most \(world.variation.loop.largestFrame)")
        }
        for link in links where link.subscribed.contains(topic) {
            let isFull = link.toPeer.inFlight + link.endpoint.inbox.count >= highWaterMark
            if isFull || (world.isStormy && world.random.chance(world.swarm.dropShare)) {
                world.count(.publicationDropped)
            } else {
                deliverToPeer(link, topic: topic, bytes)
            }
        }
    }

    /// A subscription travels to the front.
    func sendSubscription(_ link: Link, _ topic: [UInt8], _ isWanted: Bool) {
        deliverToFront(link) { [self] front in
            guard !link.isBroken else { return }
            if isWanted {
                if link.subscribed.insert(topic).inserted { subscribers[topic, default: 0] += 1 }
                front.receivedSubscription(topic, true)
            } else if link.subscribed.remove(topic) != nil {
                forget(topic)
            }
        }
    }

    /// One subscriber less; the front hears of the last one only.
    private func forget(_ topic: [UInt8]) {
        subscribers[topic, default: 1] -= 1
        if subscribers[topic] == 0 { world.front?.receivedSubscription(topic, false) }
    }

    private func deliverToFront(_ link: Link, _ arrive: @escaping (FrontProcess) -> Void) {
        let front = world.front
        link.toFront.inFlight += 1
        world.at(arrival(&link.toFront)) { [self] in
            link.toFront.inFlight -= 1
            if link.endpoint.wantsRoom {
                link.endpoint.wantsRoom = false
                link.endpoint.owner.wake()
            }
            guard !link.isBroken || link.lingers, let front, front.isAlive, front === world.front else { return }
            arrive(front)
        }
    }

    private func deliverToPeer(_ link: Link, topic: [UInt8], _ bytes: [UInt8]) {
        link.toPeer.inFlight += 1
        world.at(arrival(&link.toPeer)) {
            link.toPeer.inFlight -= 1
            self.hand(bytes, topic, to: link)
        }
        repeatLater { self.hand(bytes, topic, to: link) }
    }

    private func hand(_ bytes: [UInt8], _ topic: [UInt8], to link: Link) {
        guard !link.isBroken, link.endpoint.owner.isAlive else { return }
        link.endpoint.inbox.append((topic, bytes))
        link.endpoint.owner.wake()
    }

    /// Now and then a frame comes a second time, after others.
    private func repeatLater(_ arrive: @escaping () -> Void) {
        guard world.isStormy, world.random.chance(world.swarm.repeatShare) else { return }
        world.count(.frameRepeated)
        let delay = world.random.chance(0.5) ? world.random.spread(5, 500) : world.random.between(500, 5_000)
        world.after(delay) { arrive() }
    }

    private func arrival(_ lane: inout Lane) -> Int64 {
        var delay = world.random.between(20, world.swarm.latency) * 1_000
        if world.isStormy, !world.variation.isQuiet, world.random.chance(world.swarm.slowFrameShare) {
            let milliseconds = world.random.chance(0.2) ? world.random.between(1_500, 4_500) : world.random.spread(50, 1_500)
            world.count(.slowFrame, for: milliseconds)
            delay += milliseconds * 1_000_000
        }
        lane.lastArrival = max(lane.lastArrival + 1, lane.blockedUntil, world.now + delay)
        return lane.lastArrival
    }

    // MARK: Faults

    /// Breaks some connection.
    func breakOne() {
        guard let link = world.random.pick(links) else { return }
        world.count(.connectionBroken)
        world.note("the connection of \(link.endpoint.owner.name) as peer \(link.peer) breaks")
        breakLink(link, lingers: world.random.chance(0.4))
    }

    /// Lets one direction of some connection stand still for a while.
    func blockOne() {
        guard let link = world.random.pick(links) else { return }
        let milliseconds = world.random.spread(200, 15_000)
        world.count(.oneWayBlocked, for: milliseconds)
        let until = world.now + milliseconds * 1_000_000
        let isToFront = world.random.chance(0.5)
        world.note("nothing goes \(isToFront ? "from" : "to") \(link.endpoint.owner.name) for \(milliseconds) ms")
        if isToFront { link.toFront.blockedUntil = until } else { link.toPeer.blockedUntil = until }
        if world.random.chance(0.3) { world.at(until) { self.breakLink(link, lingers: false) } }
    }

    /// Nothing is blocked any more; what is under way comes when it was to come.
    func repair() {
        for link in links {
            link.toFront.blockedUntil = 0
            link.toPeer.blockedUntil = 0
        }
    }
}

/// A connecting socket of a worker or a client, and what it has received.
final class Endpoint {
    /// What the socket is for.
    enum Kind {
        case worker
        case requests
        case changes
    }

    unowned let owner: Process
    let kind: Kind
    /// The connection; nil while there is none.
    var link: Link?
    /// Whether the socket is open: then it connects by itself.
    var isOpen = false
    /// Received frames; the topic is empty save for publications.
    var inbox: Deque<(topic: [UInt8], payload: [UInt8])> = []
    /// Topics subscribed to, in order.
    var topics: [[UInt8]] = []
    /// Counts the sockets, so that an older one's attempts end.
    var generation = 0
    /// Whether a frame was refused for want of room.
    var wantsRoom = false

    init(_ owner: Process, _ kind: Kind) {
        self.owner = owner
        self.kind = kind
    }
}

/// One connection between a socket and the front: a new one has a new peer id.
final class Link {
    let peer: PeerID
    let endpoint: Endpoint
    var toFront = Lane()
    var toPeer = Lane()
    var isBroken = false
    /// Whether frames that are on their way to the front still come when the connection is broken.
    var lingers = false
    /// Topics that the front's socket knows to be subscribed.
    var subscribed: Set<[UInt8]> = []

    init(_ peer: PeerID, _ endpoint: Endpoint) {
        self.peer = peer
        self.endpoint = endpoint
    }
}

/// One direction of a connection: order is kept.
struct Lane {
    /// When the last frame arrives; none arrives before it.
    var lastArrival: Int64 = 0
    /// Until when nothing arrives.
    var blockedUntil: Int64 = 0
    /// Frames on their way.
    var inFlight = 0
}
