//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import FrontCore
import GantryModel
import Journal

/// One life of the front: the production loop over simulated sockets, journal and clock.
///
/// The loop waits inside of its turn. Here a turn begins when that wait would end, and its clock shows the beginning of the wait until the
/// wait is reached; so a process that sleeps lets the others go on.
final class FrontProcess: Process {
    private typealias Loop = FrontLoop<SimulatedFrontTransport, SimulatedJournal, SimulatedFrontClock, FrontCodec>

    private let head: JournalHead
    var epoch: Epoch { head.epoch }
    /// Nobody has it within its turn, nor before a life has taken over what an earlier one left.
    private var loop: Loop?
    private var journal: SimulatedJournal?
    /// Workers, clients, subscriptions.
    var inboxes: [Deque<ReceivedFrame>] = [[], [], []]
    /// Of each frame of a worker that lies in its inbox, the worker whose renewal is in it.
    private var renewals: Deque<WorkerID?> = []
    /// When the loop wants its next turn though nothing happens.
    var deadline: Int64 = .max
    /// Since when the loop has been waiting; nil inside of a turn.
    var sleptSince: Int64?
    /// Whether the turn read, wrote or sent something, so that the deadline it had begun with may not hold any more.
    var hasActed = false
    /// Whether this turn finds no frame of a worker (an injected bug).
    private(set) var overlooksFrames = false
    private(set) var isBound = false
    private(set) var diedAt: Int64 = 0
    private var workerPeers: Set<PeerID> = []
    private var watchedProcesses: Set<ProcessIdentity> = []
    private var endedProcesses: Deque<ProcessIdentity> = []
    /// Bytes of the largest frame that has come, with what the loop counts for keeping one.
    private var largestArrival = 0
    /// How often somebody was told `busy` at each bound, as of the last turn.
    private var busyCounts: [BusyBound: UInt64] = [:]
    private var vainTurns = 0
    private var fruitlessTurns = 0
    private var turnCount = 0
    /// Whether there are only sockets.
    private var isBare = false

    static let front = FrontID(4_711)
    /// Turns one after the other without any effect that are too many: the loop spins.
    private static let vainLimit = 3_000
    /// The same of turns that do something of which nothing comes.
    private static let fruitlessLimit = 30_000

    init(_ world: World) {
        head = world.disk.beginEpoch()
        super.init(world, name: "front \(head.epoch.rawValue % 100_000)")
        world.note("\(name) begins")
        world.ledger.frontBegins(head.epoch)
    }

    override func turn() {
        guard !isBare else { return }
        do {
            guard loop != nil else { return try start() }
            hasActed = false
            overlooksFrames = world.bug == .renewalsOverlooked && world.chance.chance(0.95)
            try makeTurn()
            sleptSince = world.now
            guard let loop else { return }
            // A front that dies in its turn cannot be asked then.
            guard isAlive else { return noteMarks(loop) }
            noteVainTurn(loop)
            noteBounds(loop)
            inspect(loop)
            rest(until: hasActed || deadline <= world.now ? world.now + 1_000 : deadline)
        } catch {
            let isDeposed = error == .fenced && journal?.hasSuccessor == true
            if !world.disk.hasFailed, !isDeposed { world.violate(.frontGoesOn, "\(name) ends: \(error)") }
            die("\(error)")
        }
    }

    /// What the loop's turn calls finds no loop here: it is held by its turn.
    private func makeTurn() throws(LoopEnding) {
        guard var loop = exchange(&loop, with: nil) else { return }
        let ending: LoopEnding?
        do throws(LoopEnding) {
            try loop.turn()
            ending = nil
        } catch { ending = error }
        self.loop = consume loop
        if let ending { throw ending }
    }

    private func start() throws(LoopEnding) {
        var settings = world.variation.settings(front: Self.front, epoch: epoch)
        settings.boot = BootInstant(id: "world", uptime: .milliseconds(world.now / 1_000_000))
        settings.refusesUnknownLoaders = world.refusesUnknownLoaders
        (settings.flow, settings.reservationPause) = (world.flow.settings(of: epoch), world.flow.reservationPause)
        settings.feeds = world.flow.feeds
        var loopSettings = world.variation.loop
        loopSettings.rowsUnderWay = world.journal.rowsUnderWay
        misread(&settings, &loopSettings)
        let journal = SimulatedJournal(self, head)
        self.journal = journal
        world.ledger.compareDisk(head)
        var loop = Loop(
            front: settings, loop: loopSettings, transport: SimulatedFrontTransport(self), journal: journal,
            clock: SimulatedFrontClock(self), codec: FrontCodec(world.bug))
        if world.isTraced { loop.onDecision = { [unowned world, name] event, actions in world.trace(event, actions, of: name) } }
        world.plan(self)
        try loop.restore()
        guard isAlive else { return }
        world.ledger.frontRestored { loop.item($0, of: $1) }
        world.ledger.checkWork(loop.present.state.workLeft)
        self.loop = loop
        isBound = true
        world.note("\(name) serves")
        sleptSince = world.now
        rest(until: world.now + 1_000)
    }

    /// Mistakes in what the front is told of its bounds.
    private func misread(_ settings: inout FrontSettings, _ loop: inout LoopSettings) {
        switch world.bug {
        case .quarantineTooEarly: settings.crashLimit = 1
        case .weightsMisread: settings.flow.clientWeights = ["even": 1_000]
        case .neverReserved: settings.reservationPause = .seconds(3_600)
        case .endedKeptTooLong:
            settings.bounds.retention[.succeeded].count *= 100
            settings.bounds.retention[.cancelled].count *= 100
        case .codesOverlooked:
            settings.flow.retryRules = settings.flow.retryRules.mapValues { RetryRule(attempts: $0.attempts, backOff: $0.backOff) }
        case .loadsHeldBack:
            for index in settings.feeds.indices {
                guard let debounce = settings.feeds[index].loads.debounce else { continue }
                settings.feeds[index].loads.debounce = Debounce(quiet: debounce.quiet, longest: debounce.longest * 2)
            }
        case .queueTooLong: settings.bounds.queuedJobs *= 100
        case .repliesTooLarge: settings.bounds.retainedByteCount *= 100
        case .readingsTooMany: settings.bounds.readingRequests *= 100
        case .inboxTooLarge: loop.inboxByteLimit *= 100
        case .framesTooLarge: loop.largestFrame *= 64
        default: break
        }
    }

    /// Binds the sockets without a loop, for a test that reads them itself.
    func bindOnly() { (isBound, isBare) = (true, true) }

    private func noteVainTurn(_ loop: Loop) {
        // A turn that handles but one message of those that were read does something, too.
        vainTurns = hasActed || loop.stepsOfTurn > 0 || deadline > world.now ? 0 : vainTurns + 1
        // Work goes on over many turns, but something comes of it now and then.
        fruitlessTurns = hasActed || deadline > world.now ? 0 : fruitlessTurns + 1
        guard vainTurns > Self.vainLimit || fruitlessTurns > Self.fruitlessLimit else { return }
        world.violate(.idleSleeps, "\(name) makes turn after turn")
    }

    private func noteBounds(_ loop: Loop) {
        if loop.leftMessages { world.metBounds.count(.turnMessages) }
        if loop.isGatheredFull { world.metBounds.count(.gatherByteLimit) }
        if loop.isInboxFull { world.metBounds.count(.inboxByteLimit) }
        if loop.present.state.mostWorkOfAKind > world.variation.bounds.workLists { world.metBounds.count(.workLists) }
        let counts = loop.busyCounts
        guard counts != busyCounts else { return }
        for (bound, count) in counts { world.busy.count(bound, times: count - busyCounts[bound, default: 0]) }
        busyCounts = counts
    }

    override func died() {
        diedAt = world.now
        if let loop { noteMarks(loop) }
        world.network.frontDied()
        journal?.crash()
        world.ledger.frontDied()
        let pause = world.isStormy ? world.random.spread(100, 4_000) : 200
        world.after(pause) { [world] in world.startFront() }
    }

    /// Replies that clients have, as far as the front has heard.
    private func noteMarks(_ loop: Loop) { world.ledger.raiseMarks(to: loop.present.state.replyMarks) }

    /// The loop hands something to a socket. What the call itself delays is as if it had been late on the way.
    func checkMayLeave() {
        guard isAlive, let journal else { return }
        if !journal.isWriter { world.violate(.onlyWritersSend, "\(name) speaks, whose authority has run out") }
        if journal.hasSuccessor { world.violate(.deposedAreSilent, "\(name) speaks, which has a successor") }
    }

    // MARK: Looking in from outside

    /// The state is compared with the journal after every turn. Every so many turns, in some worlds after each, its bounds are looked at; at times
    /// an object is found damaged, or orphans are collected.
    private func inspect(_ loop: Loop) {
        turnCount += 1
        world.ledger.turnCount += 1
        world.ledger.checkWaiting(
            WaitingBytes(
                forSlowest: loop.largestOutboxByteCount, forAll: loop.outboxByteCount, unhandled: loop.inboxByteCounts.max() ?? 0,
                largestArrival: largestArrival, snapshots: loop.snapshotCount, readings: loop.waitingReadings))
        compareState(loop)
        world.ledger.checkLate(loop.refusals)
        if turnCount % world.variation.comparisonPeriod == 0 { checkState(loop) }
        guard turnCount % world.variation.inspectionPeriod == 0 else { return }
        if world.isStormy, world.chance.chance(world.variation.damageShare) {
            for object in world.ledger.anyContents(&world.chance, several: world.variation.damagesSeveral) {
                world.count(.objectDamaged)
                world.ledger.saves.noteDamage(of: object)
                self.loop?.noteDamage(of: object)
                wake()
            }
        }
        // An object's age is its file's wall time: once that clock has jumped, it says nothing.
        if world.variation.collects, world.wallOffset == 0 {
            guard let (named, olderThan) = self.loop?.collectable(now: world.wall) else { return }
            world.ledger.collect(keeping: world.bug == .collectsNamed ? [] : named, olderThan: olderThan)
        }
    }

    private func compareState(_ loop: Loop) { world.ledger.compareState(loop.present, unwritten: loop.unwrittenEntries) }

    private func checkState(_ loop: Loop) {
        let present = loop.present
        world.ledger.checkBounds(present, topics: loop.topicCounts, unwritten: loop.unwrittenEntries)
        let neglected = loop.neglected
        if let forgotten = neglected.work { world.violate(.workGoesOn, forgotten) }
        if let stale = neglected.wait { world.violate(.observersSeeTheState, stale) }
        if let wrong = neglected.reason { world.violate(.reasonsAreTrue, wrong) }
    }

    /// What differs between what observers are shown and what the loop holds; nil: nothing. At rest nothing may.
    func stale(_ topic: Topic, _ items: [TopicItem]) -> String? {
        guard let loop else { return nil }
        let codec = FrontCodec(nil)
        var expected: [[UInt8]: [UInt8]] = [:]
        for key in loop.itemKeys(of: topic) {
            if let item = loop.item(key, of: topic) { expected[Array(key.utf8)] = codec.encode(item) }
        }
        let held = Dictionary(items.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        guard held != expected else { return nil }
        let keys = Set(held.keys).union(expected.keys).filter { held[$0] != expected[$0] }.map { String(decoding: $0, as: UTF8.self) }
            .sorted()
        let key = keys.first ?? ""
        let shown = held[Array(key.utf8)].flatMap { try? codec.decodeItem($0) }
        return "\(topic) \(key) is \(loop.item(key, of: topic).map { "\($0)" } ?? "gone"), shown as \(shown.map { "\($0)" } ?? "gone")"
    }

    /// The last comparison, once everything has ended.
    func inspectAtRest() {
        guard let loop else { return }
        compareState(loop)
        checkState(loop)
    }

    /// What earlier turns have left to do and none has done yet; nil: nothing.
    var workLeft: String? { loop?.present.state.workLeft.first }

    /// Whether an action with many jobs says that it waits.
    var hasWaitingAction: Bool {
        guard case .counts(let counts)? = item(ItemKey.counts, of: .jobs) else { return false }
        return counts.bulkActions.contains { !$0.isFinished && !$0.waitsFor.isEmpty }
    }

    /// What is known of the first jobs that have not ended.
    var unendedJobs: [String] { loop?.present.state.unendedJobs(limit: 3) ?? [] }

    /// Jobs that wait for a loader which no worker offers, counted anew.
    var unofferedJobs: [LoaderCount] { loop?.present.state.unofferedJobs ?? [] }

    /// What an item of a topic is now.
    func item(_ key: String, of topic: Topic) -> ItemValue? { loop?.item(key, of: topic) }

    // MARK: Processes

    func watch(_ watched: ProcessIdentity) {
        watchedProcesses.insert(watched)
        if world.worker(watched)?.isAlive != true { processEnded(watched) }
    }

    func unwatch(_ watched: ProcessIdentity) {
        watchedProcesses.remove(watched)
        endedProcesses.removeAll { $0 == watched }
    }

    /// The kernel has seen a process end.
    func processEnded(_ process: ProcessIdentity) {
        guard watchedProcesses.remove(process) != nil else { return }
        endedProcesses.append(process)
        wake()
    }

    func takeEndedProcess() -> ProcessIdentity? {
        if world.bug == .stoppedTakenForEnded {
            for worker in world.workers where worker.stoppedUntil > world.now { processEnded(worker.identity) }
        }
        guard let process = endedProcesses.popFirst() else { return nil }
        hasActed = true
        return process
    }

    /// What waits in the loop between two turns, in bytes; of snapshots their number, and of requests for ended jobs those of one session.
    struct WaitingBytes {
        let forSlowest: Int
        let forAll: Int
        let unhandled: Int
        let largestArrival: Int
        let snapshots: Int
        let readings: Int
    }

    // MARK: Arrivals

    /// The next frame of a channel; nil: there is none.
    func nextFrame(_ channel: FrontChannel) -> ReceivedFrame? {
        let clock = reading(at: world.now).nanoseconds
        guard let frame = inboxes[Int(channel.rawValue)].popFirst() else {
            if channel == .workers { world.ledger.workersWereReadEmpty(clock: clock) }
            return nil
        }
        if channel == .workers, let worker = renewals.popFirst() ?? nil { world.ledger.leases.noteRead(worker, at: clock) }
        return frame
    }

    /// A frame has come.
    func received(_ bytes: [UInt8], from link: Link) {
        largestArrival = max(largestArrival, bytes.count + 64)
        switch link.endpoint.kind {
        case .worker:
            workerPeers.insert(link.peer)
            renewals.append(world.ledger.arrived(bytes, from: link, clock: reading(at: world.now).nanoseconds))
            let principal = Principal(process: (link.endpoint.owner as? WorkerProcess)?.identity, rights: .work)
            inboxes[0].append(ReceivedFrame(peer: link.peer, principal: principal, bytes: bytes))
        case .requests:
            world.ledger.refusals.arrived(bytes)
            inboxes[1].append(ReceivedFrame(peer: link.peer, principal: Principal(rights: [.observe, .request, .admin]), bytes: bytes))
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
