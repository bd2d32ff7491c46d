//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import FrontCore
import Model
import Wire

/// One life of the front: the production loop over simulated sockets, journal and clock.
///
/// The loop waits inside of its turn. Here a turn begins when that wait would end, and its clock shows the beginning of the wait until the
/// wait is reached; so a process that sleeps lets the others go on.
final class FrontProcess: Process {
    private typealias Loop = FrontLoop<SimulatedFrontTransport, SimulatedJournal, SimulatedFrontClock, WireCodec>

    let epoch: Epoch
    private var loop: Loop?
    private var journal: SimulatedJournal?
    /// Workers, clients, subscriptions.
    var inboxes: [Deque<ReceivedFrame>] = [[], [], []]
    /// When the loop wants its next turn though nothing happens.
    var deadline: Int64 = .max
    /// Since when the loop has been waiting; nil inside of a turn.
    var sleptSince: Int64?
    /// Whether the turn read, wrote or sent something, so that the deadline it had begun with may not hold any more.
    var hasActed = false
    private(set) var isBound = false
    private(set) var diedAt: Int64 = 0
    private var workerPeers: Set<PeerID> = []
    private var vainTurns = 0

    static let front = FrontID(4_711)
    /// Turns one after the other without any effect that are too many: the loop spins.
    private static let vainLimit = 3_000

    init(_ world: World) {
        epoch = world.disk.nextEpoch()
        super.init(world, name: "front \(epoch.rawValue % 100_000)")
        world.note("\(name) begins")
        world.ledger.frontBegins(epoch)
    }

    override func turn() {
        do {
            guard let loop else { return try start() }
            hasActed = false
            try loop.turn()
            sleptSince = world.now
            guard isAlive else { return }
            noteVainTurn()
            rest(until: hasActed || deadline <= world.now ? world.now + 1_000 : deadline)
        } catch {
            die("\(error)")
        }
    }

    private func start() throws(LoopEnding) {
        var settings = FrontSettings(front: Self.front, epoch: epoch, sessionKey: SessionKey(epoch.rawValue, 1))
        settings.feeds = Feeds.definitions
        settings.changesEndpoint = "changes"
        settings.plantedFault = world.planted
        settings.boot = BootInstant(id: "world", milliseconds: world.now / 1_000_000)
        var loopSettings = LoopSettings()
        loopSettings.checkpointByteCount = world.swarm.checkpointByteCount
        loopSettings.sliceChunks = 1
        let journal = SimulatedJournal(self)
        self.journal = journal
        let loop = Loop(
            front: settings, loop: loopSettings, transport: SimulatedFrontTransport(self), journal: journal,
            clock: SimulatedFrontClock(self), codec: WireCodec())
        world.plan(self)
        try loop.restore()
        guard isAlive else { return }
        world.ledger.frontRestored { loop.item($0, of: $1) }
        self.loop = loop
        isBound = true
        world.note("\(name) serves")
        sleptSince = world.now
        rest(until: world.now + 1_000)
    }

    private func noteVainTurn() {
        vainTurns = hasActed || deadline > world.now ? 0 : vainTurns + 1
        if vainTurns > Self.vainLimit { world.violate("an idle front sleeps", "\(name) makes turn after turn") }
    }

    override func died() {
        diedAt = world.now
        world.network.frontDied()
        journal?.crash()
        world.ledger.frontDied()
        let pause = world.isStormy ? world.random.spread(100, 4_000) : 200
        world.after(pause) { [world] in world.startFront() }
    }

    /// A frame has come.
    func received(_ bytes: [UInt8], from link: Link) {
        switch link.endpoint.kind {
        case .worker:
            workerPeers.insert(link.peer)
            world.ledger.arrived(bytes, at: epoch)
            inboxes[0].append(ReceivedFrame(peer: link.peer, bytes: bytes))
        case .requests: inboxes[1].append(ReceivedFrame(peer: link.peer, bytes: bytes))
        case .changes: return
        }
        wake()
    }

    /// Somebody subscribes, or nobody does any more.
    func receivedSubscription(_ topic: [UInt8], _ isWanted: Bool) {
        guard isAlive else { return }
        inboxes[2].append(ReceivedFrame(peer: .none, bytes: [isWanted ? 1 : 0] + topic))
        wake()
    }

    func isWorker(_ peer: PeerID) -> Bool { workerPeers.contains(peer) }
}
