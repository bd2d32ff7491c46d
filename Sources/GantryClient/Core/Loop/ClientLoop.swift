//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import GantryModel

/// The turn of a client: reads everything, takes the user's commands, looks at deadlines, sends. Owns nothing but contracts, so that the
/// simulator can lose, delay and crash between any two calls.
package struct ClientLoop<Transport: ClientTransport, Clock: ClientClock, Codec: EnvelopeCodec> {
    /// The ways to the front.
    package var transport: Transport
    /// The clock.
    package var clock: Clock
    let codec: Codec
    let replicaSettings: ReplicaSettings
    /// The conversation.
    package internal(set) var session: SessionMachine
    /// Replicas in the order of their observation.
    package internal(set) var replicas: [ReplicaMachine] = []
    /// Replicas by the frame under which they were asked for.
    var replicaIndexes: [[UInt8]: Int] = [:]
    /// Replicas by the frame under which the front publishes, where it is another one: a feed's key with its defaults filled in.
    var resolvedIndexes: [[UInt8]: [Int]] = [:]
    var pages = PageCalls()
    var outbox: Deque<[UInt8]> = []
    var pageOutbox: Deque<[UInt8]> = []
    /// What replicas want to say in this turn.
    var extras: [ClientMessage] = []
    var largestFrame = MessageBounds.frameByteCount
    var subscriptionRenewedAt = MonotonicTime(nanoseconds: .min)
    var pagesRenewedAt: MonotonicTime
    var hasMoreToRead = false
    /// Room for what a session says, used again and again: thousands of outcomes come in one envelope, and to grow for them each time costs as
    /// much as to read them.
    private var spareActions: [SessionAction] = []
    var random: SplitMix64
    /// Frames that could not be read or belong to nothing, counted since the start.
    package internal(set) var malformedCount = 0

    /// Topics that one client may observe at once.
    package static var topicLimit: Int { 4_096 }
    /// Frames that one turn reads from each channel at most.
    static var readLimit: Int { 1_024 }
    /// Actions that room is kept for: more than come in one envelope now and then are not worth their memory.
    private static var spareLimit: Int { 8_192 }

    /// A client that says hello in its first turn.
    package init(
        transport: Transport, clock: Clock, codec: Codec, settings: SessionSettings, replicaSettings: ReplicaSettings = ReplicaSettings()
    ) {
        self.transport = transport
        self.clock = clock
        self.codec = codec
        self.replicaSettings = replicaSettings
        // The session's own chance begins at the seed itself.
        self.random = SplitMix64(seed: ~settings.seed)
        self.session = SessionMachine(settings: settings, at: clock.now())
        self.pagesRenewedAt = clock.now()
    }

    /// When the next turn is due, if nothing comes in and the user says nothing.
    package var nextDeadline: MonotonicTime {
        mutating get {
            if hasMoreToRead { return MonotonicTime(nanoseconds: .min) }
            var next = pageOutbox.isEmpty ? pages.nextDeadline : .distantFuture
            // What is due but finds no room would make the loop turn without end.
            guard outbox.isEmpty else { return min(next, session.deadlineWithoutRoom) }
            next = min(next, session.nextDeadline())
            for replica in replicas { next = min(next, replica.nextDeadline) }
            return next
        }
    }

    /// Whether the client is closed and its close was handed over.
    package var isFinished: Bool { session.phase == .closed && outbox.isEmpty }

    /// Waits until a turn is worth while, or the user wants one.
    package mutating func wait(until own: MonotonicTime = .distantFuture) {
        let deadline = min(nextDeadline, own)
        transport.wait(until: deadline, wantsToSend: !outbox.isEmpty || !pageOutbox.isEmpty)
    }

    /// One turn.
    package mutating func turn(_ commands: [ClientCommand], into notices: inout [ClientNotice]) {
        flush()
        // Before what has come: another call may just be accepted for a job that the first one left, and its outcome is awaited.
        let asked = clock.now()
        for command in commands where command.isOfOutcome { carryOut(command, at: asked, into: &notices) }
        read(into: &notices)
        let now = clock.now()
        for command in commands where !command.isOfOutcome { carryOut(command, at: now, into: &notices) }
        var actions: [SessionAction] = []
        session.advance(to: now, into: &actions)
        carryOut(actions, at: now, into: &notices)
        for index in replicas.indices {
            var actions: [ReplicaAction] = []
            replicas[index].advance(to: now, into: &actions)
            carryOut(actions, of: index, at: now, into: &notices)
        }
        send(at: now)
    }

    private mutating func read(into notices: inout [ClientNotice]) {
        hasMoreToRead = true
        var count = 0
        var actions = spareActions
        spareActions = []
        while count < Self.readLimit, let frame = transport.receive(from: .requests) {
            count += 1
            guard let envelope = try? codec.decodeFront(frame) else {
                malformedCount += 1
                continue
            }
            let now = clock.now()
            session.received(envelope, at: now, into: &actions)
            carryOut(actions, at: now, into: &notices)
            actions.removeAll(keepingCapacity: true)
        }
        if actions.capacity <= Self.spareLimit { spareActions = actions }
        var publications = 0
        while publications < Self.readLimit, let frames = transport.receivePublication() {
            publications += 1
            receive(frames, into: &notices)
        }
        var pageCount = 0
        while pageCount < Self.readLimit, let frame = transport.receive(from: .pages) {
            pageCount += 1
            guard let reply = try? codec.decodePageReply(frame) else {
                malformedCount += 1
                continue
            }
            if let callID = pages.finish(reply.number) { notices.append(.page(callID, reply)) }
        }
        // At the limit something may be left, which no socket shows again by itself.
        hasMoreToRead = max(count, publications, pageCount) == Self.readLimit
    }

    private mutating func receive(_ frames: TopicFrames, into notices: inout [ClientNotice]) {
        // Under the name that was asked for nothing of the feed comes any more once the whole key is known.
        let own = replicaIndexes[frames.topic].flatMap { replicas[$0].resolved == replicas[$0].topic ? $0 : nil }
        let resolved = resolvedIndexes[frames.topic] ?? []
        guard own != nil || !resolved.isEmpty else { return }
        guard let publication = try? codec.decodePublication(frames.payload) else {
            malformedCount += 1
            return
        }
        let now = clock.now()
        session.sawEpoch(publication.position.epoch, of: publication.position.front, at: now)
        if let own { receive(publication, at: now, by: own, into: &notices) }
        for index in resolved { receive(publication, at: now, by: index, into: &notices) }
    }

    private mutating func receive(
        _ publication: Publication, at now: MonotonicTime, by index: Int, into notices: inout [ClientNotice]
    ) {
        var actions: [ReplicaAction] = []
        replicas[index].received(publication, at: now, into: &actions)
        carryOut(actions, of: index, at: now, into: &notices)
    }
}

/// What a client's user asks its loop for.
package enum ClientCommand: Hashable, Sendable {
    /// Sends a request under the session's next number.
    case request(CallID, RequestBody)
    /// Submits jobs; those of one turn travel together.
    case submit(CallID, JobBatch)
    /// Awaits the outcome of a job that was submitted before.
    case awaitOutcome(JobID)
    /// Stops awaiting an outcome.
    case forgetOutcome(JobID)
    /// Reads items of a list.
    case page(CallID, PageRequest)
    /// Keeps a replica of a topic.
    case observe(Topic)
    /// Drops the replica of a topic.
    case unobserve(Topic)
    /// Nobody waits for that call's answer any more.
    case abandon(CallID)
    /// That call was cancelled: it ends with `cancelled` unless it was sent already; then its answer is still wanted.
    case withdraw(CallID)
    /// Sends close; everything open fails with `closed`.
    case close

    /// Whether it says which outcomes are awaited.
    fileprivate var isOfOutcome: Bool {
        switch self {
        case .awaitOutcome, .forgetOutcome: true
        case .request, .submit, .page, .observe, .unobserve, .abandon, .withdraw, .close: false
        }
    }
}

/// What a client's loop needs of sockets. Nothing here blocks but `wait`, and nothing fails: what is lost is repeated by the machines.
package protocol ClientTransport {
    /// Waits until something can be received, the user has something to say, the time is over or, when `wantsToSend` says so, a channel
    /// whose last `send` found no room has room. May return early; a simulated one returns at once.
    mutating func wait(until deadline: MonotonicTime, wantsToSend: Bool)
    /// The next frame from the front on `requests` or `pages`; nil when nothing waits.
    mutating func receive(from channel: ClientChannel) -> [UInt8]?
    /// The next publication; nil when nothing waits.
    mutating func receivePublication() -> TopicFrames?
    /// Hands a frame over on `requests` or `pages`; false when there is no room, and it is then offered again. True promises nothing.
    mutating func send(_ frame: [UInt8], to channel: ClientChannel) -> Bool
    /// Subscribes to exactly that topic frame, also on later sockets of the channel.
    mutating func subscribe(to topicFrame: [UInt8])
    /// Takes the subscription back.
    mutating func unsubscribe(from topicFrame: [UInt8])
    /// Connects `changes` or `pages` to the endpoint that the front named; does nothing when it is connected there already.
    mutating func connect(_ channel: ClientChannel, to endpoint: String)
    /// Closes the channel's socket with all that waits in it and connects a new one to the same endpoint, with the same subscriptions.
    mutating func reconnect(_ channel: ClientChannel)
}

/// The three ways between a client and its front.
package enum ClientChannel: UInt8, Hashable, Sendable, CaseIterable {
    /// Requests and answers of the session.
    case requests = 0
    /// Publications, one way only.
    case changes = 1
    /// Pages of lists.
    case pages = 2
}

/// A publication as it travels: the topic's frame and the payload.
package struct TopicFrames: Hashable, Sendable {
    /// The topic's text and a byte 0x00.
    package var topic: [UInt8]
    /// The encoded publication.
    package var payload: [UInt8]

    /// Joins the two frames.
    package init(topic: [UInt8], payload: [UInt8]) {
        self.topic = topic
        self.payload = payload
    }
}

/// The clock of a client's loop.
package protocol ClientClock {
    /// The time now; never goes back.
    func now() -> MonotonicTime
}

/// Questions for pages: numbered, repeated until answered. A page is only read, so a second answer is harmless and dropped.
struct PageCalls: Sendable {
    private struct Entry: Sendable {
        var request: PageRequest
        var callID: CallID
        var backoff = PageCalls.unrepeated
        var sendAt: MonotonicTime
    }

    /// Pauses before a question is asked again, in milliseconds: as for requests. A page comes within some, unless its disk is slow.
    private static let unrepeated = Backoff(first: .milliseconds(250), longest: .seconds(5))
    /// Questions that may be open at once.
    static let limit = 1_024
    /// Questions that are sent and not answered at once: the page service answers `busy` to more of one client. The others wait here.
    static let underWay = 64
    private var entries: [Entry] = []
    private var nextNumber: UInt64 = 1

    var nextDeadline: MonotonicTime { entries.prefix(Self.underWay).map(\.sendAt).min() ?? .distantFuture }

    /// Whether questions have been asked again, so that the connection is in doubt.
    var isInDoubt: Bool { entries.contains { $0.backoff != Self.unrepeated } }

    /// Takes a question; false when too many are open.
    mutating func ask(_ request: PageRequest, for callID: CallID, at now: MonotonicTime) -> Bool {
        guard entries.count < Self.limit else { return false }
        var numbered = request
        numbered.number = nextNumber
        nextNumber += 1
        entries.append(Entry(request: numbered, callID: callID, sendAt: now))
        return true
    }

    /// Who asked; nil for a second answer.
    mutating func finish(_ number: UInt64) -> CallID? {
        guard let index = entries.firstIndex(where: { $0.request.number == number }) else { return nil }
        return entries.remove(at: index).callID
    }

    mutating func abandon(_ callID: CallID) { entries.removeAll { $0.callID == callID } }

    /// The questions that are due now.
    mutating func takeDue(at now: MonotonicTime) -> [PageRequest] {
        var due: [PageRequest] = []
        for index in entries.indices.prefix(Self.underWay) where now >= entries[index].sendAt {
            entries[index].sendAt = now.advanced(by: entries[index].backoff.next())
            due.append(entries[index].request)
        }
        return due
    }

    /// Ends all questions.
    mutating func drain() -> [CallID] {
        defer { entries = [] }
        return entries.map(\.callID)
    }
}
