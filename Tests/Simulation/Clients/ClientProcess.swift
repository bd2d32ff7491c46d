//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryClient
import GantryModel
import GantryWire

/// One life of a client: the production loop over simulated sockets, and a user who asks for things.
final class ClientProcess: Process {
    private typealias Loop = ClientLoop<SimulatedClientTransport, SimulatedClientClock, ClientCodec>

    let index: Int
    private(set) lazy var requests = Endpoint(self, .requests)
    private(set) lazy var changes = Endpoint(self, .changes)
    /// Pages that have come.
    var pages: Deque<[UInt8]> = []
    /// Topics of which a byte flipped: what is read there means nothing until it is verified again.
    var spoiledTopics: Set<[UInt8]> = []
    private var loop: Loop?
    private var commands: [ClientCommand] = []
    private var nextCallID: UInt64 = 1
    /// What was asked and not yet answered.
    private(set) var open: [CallID: OpenCall] = [:]
    /// Calls that are taken back in the next turn: what that turn reads before may still answer them.
    private var abandoned: Set<CallID> = []
    /// Submits that do not take any loader: whether some worker had offered their loader.
    private var offered: [CallID: Bool] = [:]
    /// Jobs whose outcomes are to come by themselves.
    private var awaited: Set<JobID> = []
    /// Whether a frame was refused for want of room.
    var isBacklogged = false
    private var lastListing: Int64 = 0
    /// How often it has looked after the storm.
    private var restRound = 0
    /// Whether it closes its session, and ends.
    var isClosing = false

    init(_ world: World, index: Int) {
        self.index = index
        super.init(world, name: "client \(index)-\(world.clients.count > index ? world.processes.count : 0)")
    }

    /// Starts the process.
    func begin() {
        var settings = SessionSettings(label: name, seed: world.random.next())
        (settings.token, settings.client) = (world.variation.token, FlowVariation.client(index))
        ClientVariation.vary(&settings, &world.late)
        loop = Loop(
            transport: SimulatedClientTransport(process: self), clock: SimulatedClientClock(process: self), codec: ClientCodec(world.bug),
            settings: settings)
        world.note("\(name) begins")
        world.plan(self)
        world.network.open(requests)
        for topic in Script.firstTopics(index, &world.random) { commands.append(.observe(topic)) }
        wake()
        act()
    }

    /// The user does something every now and then.
    private func act() {
        let mean = world.swarm.actionMilliseconds
        world.after(world.random.between(1, 2 * mean)) { [self] in
            guard isAlive else { return }
            if world.isStormy {
                if !isClosing, let command = Script.next(for: self, in: world) { send(command) }
                return act()
            }
            guard index == 0 else { return }
            if world.now >= lastListing + 2_000_000_000, !isListing {
                lastListing = world.now
                defer { restRound += 1 }
                // One at a time: its queue may be that short.
                let command = Script.raisingLimit(restRound, self, world)
                if let command { send(command) } else { list(accepted: world.ledger.acceptedCount) }
            }
            act()
        }
    }

    /// Whether a listing is under way: with small pages one takes longer than the time between two.
    private var isListing: Bool {
        open.values.contains { call in
            if case .listing = call { true } else { false }
        }
    }

    private func list(accepted: Int, listed: [JobID] = [], before: JobID? = nil) {
        send(.request(callID(.listing(accepted: accepted, listed: listed)), .job(.list(JobQuery(limit: 1_000, before: before)))))
    }

    private func send(_ command: ClientCommand) {
        world.note("\(name) is asked for \(command)")
        commands.append(command)
        wake()
    }

    /// Names a new call.
    func callID(_ call: OpenCall) -> CallID {
        let callID = CallID(nextCallID)
        nextCallID += 1
        open[callID] = call
        return callID
    }

    override func turn() {
        guard var loop else { return }
        self.loop = nil
        isBacklogged = false
        let reported = commands
        commands = []
        var notices: [ClientNotice] = []
        loop.turn(reported, into: &notices)
        // Asked before it is put back: there would be two of it, and the question, which changes it, would copy one.
        let (deadline, isFinished) = (loop.nextDeadline.nanoseconds, loop.isFinished)
        self.loop = consume loop
        guard isAlive else { return }
        for notice in notices { receive(notice) }
        for case .abandon(let callID) in reported { abandoned.remove(callID) }
        if isFinished { return die("it has closed its session") }
        let latest = isBacklogged ? world.now + 20_000_000 : Int64.max
        rest(until: min(max(clock.time(of: deadline), world.now + 1_000), latest))
        if !requests.inbox.isEmpty || !changes.inbox.isEmpty || !pages.isEmpty || !commands.isEmpty { rest(until: world.now + 1_000) }
    }

    private func receive(_ notice: ClientNotice) {
        let ledger = world.ledger
        switch notice {
        case .opened(let welcome, _, _): world.note("\(name) has session \(welcome.session)")
        case .availability, .refused, .sessionLost: world.note("\(name) hears \(notice)")
        case .page(let callID, _):
            if open.removeValue(forKey: callID) == nil, !abandoned.contains(callID) {
                world.violate(.answeredOnce, "\(name) got page \(callID) again")
            }
        case .replied(let callID, let reply, _):
            guard let call = open.removeValue(forKey: callID) else {
                if !abandoned.contains(callID) { world.violate(.answeredOnce, "\(name) was answered \(reply) again") }
                return
            }
            ledger.replied(reply, to: call, of: self)
            if case .listing(let accepted, let listed) = call, case .jobs(let jobs, let next?, _) = reply {
                list(accepted: accepted, listed: listed + jobs.map(\.id), before: next)
            }
        case .accepted(let callID, let first, let count, let acceptance):
            guard case .submit(let loader, let markers, let options, let isAwaited)? = open.removeValue(forKey: callID) else {
                if !abandoned.contains(callID) { world.violate(.answeredOnce, "\(name) was told again that job \(first) is accepted") }
                return
            }
            if offered.removeValue(forKey: callID) == false, !ledger.offeredLoaders.contains(loader.declaration.name) {
                world.violate(.loadersAreKnown, "\(name): jobs of \(loader) are accepted, which no worker has offered")
            }
            ledger.accepted(first, count, acceptance, loader: loader, markers: markers, options: options, by: self)
            if isAwaited { awaited.formUnion((0..<UInt64(count)).map { first.advanced(by: $0) }) }
        case .failed(let callID, let error):
            world.note("\(name): call \(callID) fails: \(error)")
            if offered.removeValue(forKey: callID) == true, error.code == ClientErrorCode(.unknownLoader) {
                world.violate(.loadersAreKnown, "\(name): \(error), and a worker has offered it")
            }
            if error.code == ClientErrorCode(.rateLimited), case .submit(_, _, let options, _)? = open[callID] {
                ledger.refusedBeyondRate(options, of: name)
            }
            leave(callID)
            noteBounds(error)
        case .ended(let ended):
            for (index, result) in ended.results.enumerated() {
                let job = JobID(ended.jobs[index])
                awaited.remove(job)
                ledger.received(job, ended.states[index], result: Array(result), by: "\(name)'s answer")
            }
        case .outcomeLost(let job, let error):
            awaited.remove(job)
            noteBounds(error)
            guard error.code != .busy else { return }
            guard !isClosing, !ledger.mayBeForgotten(job), !world.variation.sessionsLapse else { return }
            world.violate(.outcomesCome, "\(name) will not hear of job \(job): \(error)")
        case .topic(let update): receive(update)
        case .topicFailed(let topic, let error): world.violate(.topicsCome, "\(name) cannot observe \(topic): \(error)")
        }
    }

    private func receive(_ update: TopicUpdate) {
        if update.isVerified { spoiledTopics.remove(update.topic.frame) }
        let isSpoiled = spoiledTopics.contains(update.topic.frame)
        for put in update.puts where !isSpoiled { world.ledger.observed(put.value, key: put.key, in: update.topic) }
        guard update.isVerified, let replica = loop?.replicas.first(where: { $0.topic == update.topic }) else { return }
        guard replica.isVerified, replica.sequence == update.position.sequence, replica.epoch == update.position.epoch else { return }
        world.ledger.compare(replica.sortedItems, at: update.position, of: update.topic, by: name)
    }

    override func died() {
        for callID in open.keys { leave(callID) }
        world.network.close(requests)
        world.network.close(changes)
        let pause = world.isStormy ? world.random.spread(100, 5_000) : 200
        world.after(pause) { [world, index] in world.startClient(index) }
    }

    /// Its replicas.
    var replicas: [ReplicaMachine] { loop?.replicas ?? [] }

    /// A submit does not take any loader.
    func namesKnownLoader(_ call: CallID, _ loader: SimulatedLoader) {
        // Where few are kept, the front may have forgotten it; absent ones nothing but a worker makes known.
        let isKept = world.variation.keepsLoaders
        let isOffered = world.ledger.offeredLoaders.contains(loader.declaration.name)
        if world.refusesUnknownLoaders, isOffered ? isKept : loader == .absent { offered[call] = isOffered }
    }

    /// Takes a call back: its answer is wanted no more.
    func abandon(_ callID: CallID) {
        leave(callID)
        abandoned.insert(callID)
    }

    /// Nobody will be told what becomes of a call.
    private func leave(_ callID: CallID) {
        if case .order(let part, let view, _)? = open.removeValue(forKey: callID) { world.ledger.leave(part, of: view) }
    }

    private func noteBounds(_ error: ClientError) {
        if error.code == .busy { world.metBounds.count(.clientBusy) }
        if error.code == .tooLarge { world.metBounds.count(.clientTooLarge) }
    }

    /// Whether something is asked of a view and not answered.
    func awaitsOrder(of view: Topic) -> Bool {
        open.values.contains { call in
            if case .order(_, view, _) = call { true } else { false }
        }
    }

    /// Wants the outcome of a job, or wants it no more.
    func awaitOutcome(_ job: JobID, _ isWanted: Bool) {
        if isWanted { awaited.insert(job) } else { awaited.remove(job) }
    }

    /// What keeps this client from being at rest; nil: nothing.
    var unrest: String? {
        guard isAlive else { return "\(name) is dead" }
        guard let loop else { return "\(name) stands still" }
        if let call = open.min(by: { $0.key < $1.key }) { return "\(name) still waits for an answer to \(call.value)" }
        if let job = awaited.min() { return "\(name) was not told how job \(job) ended" }
        for replica in loop.replicas {
            guard replica.isVerified else { return "\(name)'s replica of \(replica.topic) is not verified" }
            guard let newest = world.ledger.newest(of: replica.topic) else { continue }
            if newest.epoch != replica.epoch || newest.sequence != replica.sequence {
                return "\(name)'s replica of \(replica.topic) is at \(replica.sequence), the front at \(newest.sequence)"
            }
        }
        return nil
    }
}

/// A call of a client that is not answered yet.
enum OpenCall {
    /// Jobs of a loader, by the markers in their arguments, with their options.
    case submit(SimulatedLoader, markers: [UInt64], options: JobOptionsColumn, isAwaited: Bool)
    /// A create or an update with the marker in its item.
    case save(marker: UInt64)
    /// Ends a job.
    case cancel(JobID)
    /// Lists all jobs; so many had been accepted before the first page, and these were on the pages before.
    case listing(accepted: Int, listed: [JobID])
    /// Orders a view or selects in it; a version: only if the view still has it.
    case order(ViewInterest.Part, of: Topic, version: UInt64?)
    /// Reads a page of a list.
    case page
    /// Anything else.
    case other(RequestBody)
}

/// How one life of a client is set up, drawn from the seed: mostly as usual, often with pauses that are short or long or bounds that are tiny.
private enum ClientVariation {
    static func vary(_ settings: inout SessionSettings, _ random: inout SplitMix64) {
        if random.chance(0.3) { settings.firstRepeat = .milliseconds(random.spread(20, 1_000)) }
        if random.chance(0.3) { settings.longestRepeat = .milliseconds(random.spread(settings.firstRepeat.wholeMilliseconds, 10_000)) }
        if random.chance(0.3) { settings.firstOutcome = .milliseconds(random.spread(20, 4_000)) }
        if random.chance(0.3) { settings.longestOutcome = .milliseconds(random.spread(settings.firstOutcome.wholeMilliseconds, 32_000)) }
        if random.chance(0.2) { settings.queueLimit = Int(random.spread(1, 64)) }
        if random.chance(0.2) { settings.queueByteLimit = Int(random.spread(300, 16_384)) }
        if random.chance(0.2) { settings.batchLimit = Int(random.spread(2, 40)) }
        if random.chance(0.2) { settings.batchByteLimit = Int(random.spread(64, 16_384)) }
        if random.chance(0.2) { settings.outcomeLimit = Int(random.spread(1, 64)) }
    }
}

/// A client's sockets in a world. Pages are not read there: each question is answered with an empty one.
struct SimulatedClientTransport: ClientTransport {
    unowned let process: ClientProcess

    func wait(until deadline: MonotonicTime, wantsToSend: Bool) {}

    func receive(from channel: ClientChannel) -> [UInt8]? {
        guard process.call() else { return nil }
        switch channel {
        case .requests: return process.requests.inbox.popFirst()?.payload
        case .changes: return nil
        case .pages: return process.pages.popFirst()
        }
    }

    func receivePublication() -> TopicFrames? {
        guard process.call(), let frames = process.changes.inbox.popFirst() else { return nil }
        return TopicFrames(topic: frames.topic, payload: flipped(frames.payload, of: frames.topic))
    }

    func send(_ frame: [UInt8], to channel: ClientChannel) -> Bool {
        guard process.call() else { return true }
        if channel == .pages { answer(frame) }
        guard channel == .requests else { return true }
        let isTaken = process.world.network.send(frame, from: process.requests)
        if !isTaken { process.isBacklogged = true }
        return isTaken
    }

    /// The pages of a world are empty: what matters is that each question is answered once.
    private func answer(_ frame: [UInt8]) {
        guard let request = try? WireCodec().decodePageRequest(frame), !process.world.chance.chance(0.2) else { return }
        process.world.after(process.world.chance.between(1, 400)) { [process] in
            guard process.isAlive else { return }
            process.pages.append(WireCodec().encode(PageReply(number: request.number)))
            process.wake()
        }
    }

    /// The publication, now and then with another bit in the value of an item.
    private func flipped(_ payload: [UInt8], of topic: [UInt8]) -> [UInt8] {
        let world = process.world
        guard world.isStormy, world.chance.chance(world.variation.flipShare),
            case .change(var change)? = try? WireCodec().decodePublication(payload),
            let put = change.puts.indices.randomElement(using: &world.chance),
            let place = change.puts[put].value.indices.randomElement(using: &world.chance)
        else { return payload }
        world.count(.byteFlipped)
        process.spoiledTopics.insert(topic)
        change.puts[put].value[place] ^= 1 << UInt8(world.chance.below(8))
        return WireCodec().encode(.change(change))
    }

    func subscribe(to topicFrame: [UInt8]) {
        guard process.call(), !process.changes.topics.contains(topicFrame) else { return }
        process.changes.topics.append(topicFrame)
        if let link = process.changes.link { process.world.network.sendSubscription(link, topicFrame, true) }
    }

    func unsubscribe(from topicFrame: [UInt8]) {
        guard process.call() else { return }
        if let link = process.changes.link { process.world.network.sendSubscription(link, topicFrame, false) }
        process.changes.topics.removeAll { $0 == topicFrame }
    }

    func connect(_ channel: ClientChannel, to endpoint: String) {
        guard process.call(), channel == .changes, !process.changes.isOpen else { return }
        process.world.network.open(process.changes)
    }

    func reconnect(_ channel: ClientChannel) {
        guard process.call() else { return }
        process.world.note("\(process.name) reconnects \(channel)")
        switch channel {
        case .requests: process.world.network.reopen(process.requests)
        case .changes: process.world.network.reopen(process.changes)
        case .pages: break
        }
    }
}

/// A client's clock in a world.
struct SimulatedClientClock: ClientClock {
    unowned let process: ClientProcess

    func now() -> MonotonicTime {
        _ = process.call()
        return process.reading(at: process.world.now)
    }
}
