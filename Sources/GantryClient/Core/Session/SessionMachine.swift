//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// One client's numbered conversation with the front: says hello, numbers, repeats, keeps the session and its attachments alive.
///
/// Time and messages come in, actions and messages go out; nothing is read and nothing waits. Each turn: `received` for everything that
/// came, then the calls of the user, then `advance`, then `collect` for what is to be sent.
package struct SessionMachine: Sendable {
    /// Where the conversation is.
    package enum Phase: Hashable, Sendable {
        /// Hello is sent and repeated. Moves to open on welcome, on `close` to closing where it has a session, to
        /// closed where it has none.
        case greeting
        /// Requests flow. Moves to greeting when the session ends, belongs to another connection, or the front is lost or restarts, to
        /// closing on `close`.
        case open
        /// `close` was called in a session, and the message is still to be sent. Moves to closed when it is handed over.
        case closing
        /// It is closed. Final.
        case closed
    }

    let settings: SessionSettings
    /// Where the conversation is.
    package internal(set) var phase = Phase.greeting
    /// The session; nil before the first welcome and after its end.
    package internal(set) var session: SessionID?
    /// The front of this session; none before the first welcome.
    package internal(set) var front = FrontID.none
    /// The newest known epoch of that front.
    package internal(set) var epoch = Epoch.none
    var inFlight: InFlightRequests
    var queue: RequestQueue
    var outcomes: OutcomeWatch
    /// Attachments, repeated whenever the front may have forgotten them, oldest first.
    var attachments: [Attachment] = []
    /// When they are renewed once more, because the front had no room for one of them; never where it had.
    var attachAt = MonotonicTime.distantFuture
    var window = MessageBounds.requestWindow
    var heartbeats = HeartbeatWatch()
    /// The availability of the front that was reported last.
    var availability = FrontAvailability.answering
    var greetAt: MonotonicTime
    var greetBackoff: Backoff
    var random: SplitMix64
    var greetCount = 0
    /// Names the session that hellos without one are to open, so that a repeated hello opens no second one.
    var nonce: UInt64
    /// Whether the front has said anything in the session since its welcome.
    var hasReceived = true
    /// Refusals in a row, without an answer between them.
    var refusals = 0
    /// Why the front does not let this client in, where waiting does not help; calls fail with it until it does.
    var exclusion: ClientError?
    /// What came late, or could not be.
    package internal(set) var ignored = IgnoredCounts()

    /// One attachment of the user.
    struct Attachment: Hashable, Sendable {
        var key: FeedKey
        var view: String
    }

    /// Refusals in a row after which open requests fail instead of being repeated.
    static let refusalLimit = 5
    /// Bytes of arguments and items that one turn hands out, about: the front takes 4 MiB of one connection at a time.
    static let collectByteLimit = 1 << 20

    /// A conversation that begins at once.
    package init(settings: SessionSettings, at now: MonotonicTime) {
        self.settings = settings
        var random = SplitMix64(seed: settings.seed)
        self.inFlight = InFlightRequests(settings, random: SplitMix64(seed: random.next()))
        self.nonce = random.nextNonzero()
        self.random = random
        self.queue = RequestQueue(settings)
        self.outcomes = OutcomeWatch(settings)
        self.greetAt = now
        self.greetBackoff = Backoff(first: settings.firstRepeat, longest: settings.longestRepeat)
    }

    /// Whether requests can be sent now.
    package var isOpen: Bool { phase == .open }

    /// Whether `close` was called: nothing is asked or heard any more.
    package var isOver: Bool { phase == .closing || phase == .closed }

    /// Asks for something; the answer comes as `replied` or `failed` with that call id.
    package mutating func request(_ body: RequestBody, for callID: CallID, into actions: inout [SessionAction]) {
        if let error = reasonNotToAsk { return actions.append(.notify(.failed(callID, error))) }
        guard queue.append(body, for: callID) else { return actions.append(.notify(.failed(callID, queueIsFull))) }
        if body.effect == .interest, case .feed(let key, let request) = body { noteInterest(request, of: key) }
    }

    /// Notes what a new session has to be asked for again.
    private mutating func noteInterest(_ request: FeedRequest, of key: FeedKey) {
        if case .attach(let view) = request {
            let interest = Attachment(key: key, view: view)
            if !attachments.contains(interest) { attachments.append(interest) }
        } else if case .detach(let view) = request {
            attachments.removeAll { $0 == Attachment(key: key, view: view) }
        }
    }

    /// Submits jobs; the answer comes as `accepted`, `replied` (refused) or `failed` with that call id.
    package mutating func submit(_ batch: JobBatch, for callID: CallID, into actions: inout [SessionAction]) {
        if let error = reasonNotToAsk { return actions.append(.notify(.failed(callID, error))) }
        if let fault = batch.options.fault(ofJobs: batch.arguments.count) {
            let error = ClientError(.invalidInput, fault, nextStep: "submit the jobs with other options")
            return actions.append(.notify(.failed(callID, error)))
        }
        guard batch.isWellFormed, batch.arguments.count <= settings.batchLimit, batch.byteCount <= queue.batchByteLimit else {
            let bounds =
                "1 to \(settings.batchLimit) jobs, at most \(JobBatch.argumentByteLimit) bytes each and \(queue.batchByteLimit) together"
            let context = "\(batch.arguments.count) jobs of \(batch.byteCount) bytes do not fit a message (\(bounds))"
            let error = ClientError(.tooLarge, context, nextStep: "submit fewer or smaller jobs at once")
            return actions.append(.notify(.failed(callID, error)))
        }
        let owned = batch.owned(by: callID)
        if batch.reportsOutcomes, outcomes.isFull || !queue.append(owned) {
            return actions.append(.notify(.failed(callID, queueIsFull)))
        }
        if !batch.reportsOutcomes, !queue.append(owned) { actions.append(.notify(.failed(callID, queueIsFull))) }
    }

    /// Awaits the outcome of a job that was submitted before; it comes as `ended`.
    package mutating func awaitOutcome(of job: JobID, at now: MonotonicTime, into actions: inout [SessionAction]) {
        guard !isOver else { return actions.append(.notify(.outcomeLost(job, Self.isClosed))) }
        guard !outcomes.isFull else { return actions.append(.notify(.outcomeLost(job, queueIsFull))) }
        outcomes.expectEarlier(job, at: now)
    }

    /// Nobody waits for that job any more.
    package mutating func forgetOutcome(of job: JobID) { _ = outcomes.finish(job) }

    /// Nobody waits for that call any more. What was sent already may still be carried out.
    package mutating func abandon(_ callID: CallID) {
        queue.abandon(callID)
        inFlight.abandon(callID)
    }

    /// Nothing more of that call is to be sent: one that still waits to be sent ends at once, one that was sent keeps waiting for its answer.
    package mutating func withdraw(_ callID: CallID, into actions: inout [SessionAction]) {
        guard queue.abandon(callID) else { return }
        actions.append(.notify(.failed(callID, ClientError(.cancelled, "the calling task was cancelled before this was sent"))))
    }

    /// Ends the conversation: everything open fails, and close is the last message.
    package mutating func close(into actions: inout [SessionAction]) {
        guard !isOver else { return }
        // A front that knows no session of this client has nothing to end.
        phase = session == nil ? .closed : .closing
        for content in inFlight.drain() {
            for callID in content.callIDs { actions.append(.notify(.failed(callID, Self.isClosed))) }
        }
        for callID in queue.drain() { actions.append(.notify(.failed(callID, Self.isClosed))) }
        for job in outcomes.drain() { actions.append(.notify(.outcomeLost(job, Self.isClosed))) }
    }

    /// A publication shows that the front has a later epoch: the session is taken up again at once.
    package mutating func sawEpoch(_ seen: Epoch, of other: FrontID, at now: MonotonicTime) {
        guard phase == .open, other == front, seen > epoch else { return }
        greetAgain(at: now)
    }

    /// What the transport had no room for has left: a hello gets its whole pause for an answer from now on.
    package mutating func left(at now: MonotonicTime) {
        guard phase == .greeting else { return }
        greetAt = max(greetAt, now.advanced(by: settings.firstRepeat))
    }

    /// Why nothing can be asked for now; nil: it can.
    private var reasonNotToAsk: ClientError? { isOver ? Self.isClosed : exclusion }

    /// When `advance` and `collect` have something to do, if nothing else happens.
    package mutating func nextDeadline() -> MonotonicTime {
        switch phase {
        case .greeting: return min(greetAt, heartbeats.nextDeadline)
        case .closing: return MonotonicTime(nanoseconds: .min)
        case .closed: return .distantFuture
        case .open:
            if !queue.isEmpty, inFlight.hasRoom(window: window) { return MonotonicTime(nanoseconds: .min) }
            if heartbeats.isDue { return MonotonicTime(nanoseconds: .min) }
            return min(heartbeats.nextDeadline, attachAt, inFlight.nextRepeat, outcomes.nextDue())
        }
    }

    /// When `advance` has something to do while the transport has no room: only whether the front still answers.
    package var deadlineWithoutRoom: MonotonicTime { isOver ? .distantFuture : heartbeats.nextDeadline }

    static let isClosed = ClientError(.closed, "the client was closed", nextStep: "open a new one")

    var queueIsFull: ClientError {
        ClientError(
            .busy, "the client's queue is full (\(settings.queueLimit) requests, \(settings.queueByteLimit) bytes)",
            nextStep: "wait for answers before asking for more", isRetryable: true)
    }
}

/// Times and bounds of a session.
package struct SessionSettings: Hashable, Sendable {
    /// A name for people, at most 64 bytes.
    package var label: String
    /// What the session's chance follows from: the numbers of its hellos and the spread of its repeats. Draw it from the system, another one
    /// for each client: two clients with the same seed would take each other's session.
    package var seed: UInt64
    /// What a front that listens on TCP asks for; empty where it listens in a folder.
    package var token: [UInt8] = []
    /// The name under which its jobs share the workers.
    package var client = ""
    /// First pause before an unanswered request or hello is repeated.
    package var firstRepeat: Duration = .milliseconds(250)
    /// Longest pause before a repeat.
    package var longestRepeat: Duration = .seconds(5)
    /// First pause before a missing outcome is asked for.
    package var firstOutcome: Duration = .seconds(1)
    /// Longest pause before a missing outcome is asked for again.
    package var longestOutcome: Duration = .seconds(32)
    /// Requests and batches that may wait for a number; beyond it calls fail with `busy`.
    package var queueLimit = 65_536
    /// Bytes of arguments, items and texts that may wait for a number; beyond it calls fail with `busy`.
    package var queueByteLimit = 64 << 20
    /// Jobs in one submit message.
    package var batchLimit = 4_096
    /// Bytes of arguments in one submit message; lowered to half of the front's largest frame.
    package var batchByteLimit = 256 << 10
    /// Jobs whose outcomes may be awaited at once; beyond it calls fail with `busy`.
    package var outcomeLimit = 1_000_000

    /// The defaults under a name for people, with a seed that no other client has.
    package init(label: String, seed: UInt64) { (self.label, self.seed) = (label, seed) }
}

/// Counts the heartbeats that were not answered, and how long the front's disk has kept it waiting.
///
/// It counts turns, not time: a client that stood still itself looks at most one heartbeat further when it goes on, after it has read what
/// came meanwhile. So only three silent intervals in which the client itself was awake lose the front.
struct HeartbeatWatch: Sendable {
    /// Heartbeats in a row without a word of the front after which it is lost. One may be lost with a connection that has just been made
    /// anew, and a front that takes over a second for a turn misses two.
    static let missedLimit = 3
    /// How long the front's disk may be full, or a decision wait for it, before that is reported. Shorter waits are ordinary: a
    /// checkpoint, a burst on a slow disk.
    static let diskGracePeriod: Duration = .seconds(3)
    /// Intervals without a heartbeat of this client after which the front may have let its attachments lapse: it waits five seconds.
    static let pauseLimit: Int64 = 3

    /// What is known of the front.
    private(set) var availability = FrontAvailability.answering
    /// Whether a heartbeat is to be sent.
    private(set) var isDue = false
    /// Whether the client stood still itself for so long that its attachments may have lapsed: nothing reports that, since its session goes on.
    private var hasPaused = false
    /// From one heartbeat to the next.
    private var interval: Duration = .seconds(1)
    /// When the next interval begins; never before the first welcome.
    private(set) var nextDeadline = MonotonicTime.distantFuture
    private var missed = 0
    private var hasReceived = false
    private var fullSince: MonotonicTime?

    /// A session is open (again); the first heartbeat goes out at once.
    mutating func opened(every interval: Duration, at now: MonotonicTime) {
        self.interval = interval
        (hasReceived, missed, isDue) = (true, 0, true)
        nextDeadline = now.advanced(by: interval)
        // A disk that kept it waiting before it was lost says nothing of the front of now; one of a mere reconnect still counts.
        if availability == .lost { (availability, fullSince) = (.answering, nil) }
    }

    /// The front said something by the session.
    mutating func received() { hasReceived = true }

    /// The front answered a heartbeat.
    mutating func answered(_ answer: FrontMessage.HeartbeatAnswer, at now: MonotonicTime) {
        hasReceived = true
        fullSince = answer.isStorageFull ? fullSince ?? now : nil
        let full = fullSince.map { now.duration(since: $0) } ?? .zero
        let isWaiting = max(full, answer.undurable) > Self.diskGracePeriod
        // Only a welcome brings a lost front back: replicas and attachments have to be renewed then.
        if availability != .lost { availability = isWaiting ? .waitingForDisk : .answering }
    }

    /// Looks whether an interval is over: then a heartbeat is due, and one without a word of the front counts as missed.
    mutating func advance(to now: MonotonicTime) {
        guard now >= nextDeadline else { return }
        // The last heartbeat left one interval before the deadline.
        hasPaused = hasPaused || now >= nextDeadline.advanced(by: interval.multiplied(by: Self.pauseLimit - 1))
        nextDeadline = now.advanced(by: interval)
        isDue = true
        missed = hasReceived ? 0 : missed + 1
        hasReceived = false
        guard missed >= Self.missedLimit else { return }
        // Nothing more is counted until a session is open again.
        (availability, nextDeadline, isDue) = (.lost, .distantFuture, false)
    }

    /// Whether the client has paused since this was asked last.
    mutating func takePause() -> Bool {
        defer { hasPaused = false }
        return hasPaused
    }

    /// A heartbeat goes out.
    mutating func sent() { isDue = false }
}
