//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

extension Reply {
    /// Whether it is a refusal for what some of several jobs are, which others may not be.
    fileprivate var mayBeOfSome: Bool {
        if case .refused(let failure, _) = self { failure.code != .busy && failure.code != .storageFull } else { false }
    }
}

extension SessionMachine {
    /// Looks at the deadlines: missed heartbeats, missing outcomes, a hello without an answer.
    package mutating func advance(to now: MonotonicTime, into actions: inout [SessionAction]) {
        guard !isOver else { return }
        heartbeats.advance(to: now)
        if heartbeats.availability == .lost, availability != .lost {
            actions.append(.reconnect)
            greetAgain(at: now)
        }
        notifyAvailability(into: &actions)
        switch phase {
        case .closing, .closed: return
        // The first hello may just be late; after two without an answer the connection itself may be dead.
        case .greeting: if now >= greetAt, greetCount >= 2 { actions.append(.reconnect) }
        case .open:
            if heartbeats.takePause() || now >= attachAt { renewAttachments() }
            while case let jobs = outcomes.takeDue(at: now, atMost: Self.outcomesOfRequest), !jobs.isEmpty {
                queue.prepend(.request(.job(.outcomes(jobs)), nil))
            }
        }
    }

    /// Gives what is to be sent now, in order. Call it only when the transport has room.
    package mutating func collect(at now: MonotonicTime, into messages: inout [ClientMessage]) {
        switch phase {
        case .greeting:
            guard now >= greetAt else { return }
            messages.append(.hello(hello))
            greetCount += 1
            greetAt = now.advanced(by: greetBackoff.next(&random))
        case .closing:
            messages.append(.close)
            phase = .closed
        case .closed: break
        case .open:
            // Repeats before new requests, as what waits longest is lowest in the window and keeps it from moving.
            inFlight.appendDue(at: now, into: &messages)
            var byteCount = 0
            while byteCount < Self.collectByteLimit, inFlight.hasRoom(window: window), let content = queue.popFirst() {
                byteCount += content.byteCount
                messages.append(inFlight.add(content, at: now))
            }
            if heartbeats.isDue {
                messages.append(.heartbeat(lowestUnanswered: inFlight.lowest))
                heartbeats.sent()
            }
        }
    }

    private var hello: ClientMessage.Hello {
        var hello = ClientMessage.Hello(label: settings.label, resumed: session)
        (hello.nonce, hello.token, hello.client) = (nonce, settings.token, settings.client)
        return hello
    }

    /// Reads what the front sent.
    package mutating func received(_ envelope: FrontEnvelope, at now: MonotonicTime, into actions: inout [SessionAction]) {
        guard !isOver else { return ignored.note(.closed) }
        if envelope.front == front, envelope.epoch < epoch { return ignored.note(.oldEpoch) }
        for message in envelope.messages {
            switch message {
            case .welcome(let welcome): welcomed(welcome, envelope, at: now, into: &actions)
            case .sessionEnded:
                guard let session, envelope.session == session || envelope.session == .none else {
                    ignored.note(.otherSession)
                    continue
                }
                lose(isNewFront: false, at: now, into: &actions)
                greetAgain(at: now)
            case .refused(let refusal):
                guard refusal.number == .none else {
                    guard let content = asked(refusal.number, in: envelope, at: now) else { continue }
                    for callID in content.callIDs { actions.append(.notify(.failed(callID, ClientError(refusal)))) }
                    continue
                }
                refused(refusal, isWholeFrame: envelope.session == .none, at: now, into: &actions)
            case .reply(let number, let reply, let feed):
                guard let content = asked(number, in: envelope, at: now) else { continue }
                refusals = 0
                answered(content, by: reply, feed, at: now, into: &actions)
            case .answers(let answers):
                guard received(envelope, at: now) else { continue }
                ended(answers, into: &actions)
            case .snapshot(let part):
                guard received(envelope, at: now) else { continue }
                actions.append(.snapshot(part, envelope.front, envelope.epoch))
            case .snapshotRefused(let asked, let failure, let retryAfter):
                // Where waiting helps, the topic's replica asks again by itself.
                guard received(envelope, at: now), !failure.retryable else { continue }
                actions.append(.topicFailed(asked: asked, ClientError(failure, retryAfter: retryAfter)))
            case .heartbeat(let answer): if received(envelope, at: now) { heartbeats.answered(answer, at: now) }
            case .resumeFirst:
                guard isOfOpenSession(envelope) else { continue }
                greetAgain(at: now)
                // A front that welcomes and then sends the client away, again and again, is not asked without end.
                if !hasReceived { greetAt = now.advanced(by: greetBackoff.next(&random)) }
            case .unknown: ignored.note(.unknown)
            }
        }
        notifyAvailability(into: &actions)
    }

    /// Whether the envelope is for the open session; it then shows that the front runs. In a later epoch the client sends hello again.
    private mutating func received(_ envelope: FrontEnvelope, at now: MonotonicTime) -> Bool {
        guard isOfOpenSession(envelope) else { return false }
        heartbeats.received()
        hasReceived = true
        greetBackoff.reset()
        sawEpoch(envelope.epoch, of: envelope.front, at: now)
        return true
    }

    /// Whether a session is open, and the envelope is for it.
    private mutating func isOfOpenSession(_ envelope: FrontEnvelope) -> Bool {
        guard phase != .open || envelope.session != session || envelope.front != front else { return true }
        ignored.note(phase == .open ? .otherSession : .notOpen)
        return false
    }

    /// What a request of that number asked; nil: nothing that waits for its answer.
    private mutating func asked(_ number: RequestNumber, in envelope: FrontEnvelope, at now: MonotonicTime) -> RequestContent? {
        guard received(envelope, at: now) else { return nil }
        let content = inFlight.finish(number)
        if content == nil { ignored.note(.notAsked) }
        return content
    }

    /// Reports a change of the front's availability, once for each change.
    private mutating func notifyAvailability(into actions: inout [SessionAction]) {
        guard heartbeats.availability != availability else { return }
        availability = heartbeats.availability
        actions.append(.availability(availability))
    }

    private mutating func welcomed(
        _ welcome: FrontMessage.Welcome, _ envelope: FrontEnvelope, at now: MonotonicTime, into actions: inout [SessionAction]
    ) {
        // A repeated hello is answered again, with the same session: its number says so.
        guard phase == .greeting else { return ignored.note(.alreadyOpen) }
        if let error = Self.otherVersion(of: welcome) ?? Self.forbiddenAddress(of: welcome) {
            actions.append(.notify(.refused(error)))
            return keepOut(error, at: now, into: &actions)
        }
        let isNewFront = front != .none && envelope.front != front
        // The answer to a repeat of the hello that opened it says that the session was not resumed: it is the same one all the same.
        let isSame = welcome.session == session && !isNewFront
        let isNewEpoch = envelope.epoch != epoch || isNewFront
        if !isSame, session != nil || isNewFront { lose(isNewFront: isNewFront, at: now, into: &actions) }
        // Behind that, since what was asked under the old session must not be repeated under this one.
        (session, front, epoch, phase) = (welcome.session, envelope.front, envelope.epoch, .open)
        window = max(1, min(Int(welcome.requestWindow), MessageBounds.requestWindow))
        // Half a frame: options, names and the columns' numbers have to fit beside the arguments.
        queue.batchByteLimit = min(settings.batchByteLimit, max(Int(welcome.largestFrame) / 2, Self.leastBatchByteCount))
        let wasLost = heartbeats.availability == .lost || isNewEpoch || !isSame
        heartbeats.opened(every: max(welcome.heartbeat, Self.leastHeartbeat), at: now)
        (greetCount, hasReceived, exclusion) = (0, false, nil)
        inFlight.makeAllDue(at: now)
        outcomes.makeAllDue(at: now)
        if wasLost {
            renewAttachments()
            actions.append(.notify(.opened(welcome, envelope.front, envelope.epoch)))
        }
        actions.append(.opened(welcome, envelope.front, envelope.epoch))
    }

    private mutating func renewAttachments() {
        attachAt = .distantFuture
        // Backwards, each before the last, so that they leave in the order in which they were made.
        for interest in attachments.reversed() { queue.prepend(.request(.feed(interest.key, .attach(view: interest.view)), nil)) }
    }

    /// The front did not take a hello, a message that is no request, or a frame as a whole.
    private mutating func refused(
        _ refusal: Refused, isWholeFrame: Bool, at now: MonotonicTime, into actions: inout [SessionAction]
    ) {
        let error = ClientError(refusal)
        actions.append(.notify(.refused(error)))
        switch phase {
        case .closing, .closed: return
        case .greeting:
            guard error.isRetryable else { return keepOut(error, at: now, into: &actions) }
            // The front says when it may have room; to ask sooner only makes it busier.
            let pause = max(greetBackoff.next(&random), refusal.retryAfter)
            (greetAt, greetCount) = (now.advanced(by: pause), 0)
        case .open:
            // Of a single message the rest of its frame was taken.
            guard isWholeFrame, !error.isRetryable else { return }
            refusals += 1
            guard refusals >= Self.refusalLimit else { return }
            giveUp(error, into: &actions)
            greetAgain(at: now)
        }
    }

    /// Waiting does not help: all that is open fails, as do calls until a welcome comes that can be used.
    private mutating func keepOut(_ error: ClientError, at now: MonotonicTime, into actions: inout [SessionAction]) {
        (greetAt, greetCount) = (now.advanced(by: settings.longestRepeat), 0)
        exclusion = error
        giveUp(error, into: &actions)
        for callID in queue.drain() { actions.append(.notify(.failed(callID, error))) }
        for job in outcomes.drain() { actions.append(.notify(.outcomeLost(job, error))) }
    }

    /// A front chooses among the versions that the hello offers, so another one is a front that does not keep to the protocol. What it sent
    /// after that would be read by the wrong rules.
    private static func otherVersion(of welcome: FrontMessage.Welcome) -> ClientError? {
        guard welcome.version != ProtocolVersion.current else { return nil }
        let isNewer = welcome.version > ProtocolVersion.current
        return ClientError(
            .refused, "the front chose protocol version \(welcome.version), this client supports \(ProtocolVersion.current)",
            nextStep: "update \(isNewer ? "this client" : "the front"): both are to be of the same release")
    }

    /// What is wrong with the addresses that a front names; nil: nothing. Without its changes nothing would ever be verified, and the
    /// reason would not be shown.
    private static func forbiddenAddress(of welcome: FrontMessage.Welcome) -> ClientError? {
        let nextStep = "start the front on sockets in its data folder, or on TCP at 127.0.0.1 (gantry front --tcp)"
        guard !welcome.changesEndpoint.isEmpty else {
            return ClientError(.refused, "the front names no address for changes", nextStep: nextStep)
        }
        for (what, address) in [("changes", welcome.changesEndpoint), ("pages", welcome.pagesEndpoint)] where !address.isEmpty {
            guard let reason = LocalAddress.refusal(of: address) else { continue }
            let context = "the front names an address for \(what) that is not connected to: \(reason)"
            return ClientError(.refused, context, nextStep: nextStep)
        }
        return nil
    }

    /// Nothing that was sent is sent again: it would be refused like the last time.
    private mutating func giveUp(_ error: ClientError, into actions: inout [SessionAction]) {
        for content in inFlight.drain() {
            for callID in content.callIDs { actions.append(.notify(.failed(callID, error))) }
        }
        forgetSession()
        refusals = 0
    }

    /// The next hello opens another session, under a number of its own.
    private mutating func forgetSession() { (session, nonce) = (nil, random.nextNonzero()) }

    private mutating func answered(
        _ content: RequestContent, by reply: Reply, _ feed: FeedKey?, at now: MonotonicTime, into actions: inout [SessionAction]
    ) {
        switch content {
        case .request(.feed(_, .attach), nil):
            // Nobody else asks for it: a front that was too busy for it is asked once more when it said so.
            guard case .refused(_, let retryAfter) = reply, retryAfter > .zero else { return }
            attachAt = min(attachAt, now.advanced(by: max(retryAfter, settings.firstRepeat)))
        case .request(_, let callID): if let callID { actions.append(.notify(.replied(callID, reply, feed: feed))) }
        case .jobs(let batch):
            guard let first = reply.firstJob, reply.jobCount == batch.arguments.count else {
                // One call names a limit that is not there, or a limit has tokens for some: nobody is refused for what others ask.
                if reply.mayBeOfSome, batch.owners.count > 1 {
                    // Backwards, each before the last, so that the calls keep their order.
                    for part in batch.parts.reversed() { queue.prepend(.jobs(part)) }
                    return
                }
                for callID in content.callIDs { actions.append(.notify(.replied(callID, reply))) }
                return
            }
            var next = first
            for owner in batch.owners {
                if let callID = owner.callID {
                    actions.append(.notify(.accepted(callID, first: next, count: UInt32(owner.count), reply.acceptance)))
                    if batch.reportsOutcomes {
                        for offset in 0..<UInt64(owner.count) { outcomes.expect(next.advanced(by: offset), at: now) }
                    }
                }
                next = next.advanced(by: UInt64(owner.count))
            }
        }
    }

    private mutating func ended(_ answers: FrontMessage.Answers, into actions: inout [SessionAction]) {
        let count = answers.jobs.count
        guard answers.states.count == count, answers.results.count == count else { return ignored.note(.malformed) }
        let others = Set(answers.jobs.indices.filter { !isAwaited(JobID(answers.jobs[$0])) })
        let ended = others.isEmpty && answers.unknown.isEmpty ? answers : answers.without(others)
        if !ended.jobs.isEmpty { actions.append(.notify(.ended(ended))) }
        for id in answers.unknown where isAwaited(JobID(id)) {
            let error = ClientError(
                .notFound,
                "the front does not know what became of job \(id): it was never accepted, was forgotten after its end, or cannot be read",
                nextStep: "look for what it made, then submit it again if needed")
            actions.append(.notify(.outcomeLost(JobID(id), error)))
        }
    }

    /// Whether somebody awaited that job's outcome, which is here.
    private mutating func isAwaited(_ job: JobID) -> Bool {
        guard !outcomes.finish(job) else { return true }
        ignored.note(.outcomeNotAwaited)
        return false
    }

    /// The session is over: what may have been done fails, what only reads is asked again.
    private mutating func lose(isNewFront: Bool, at now: MonotonicTime, into actions: inout [SessionAction]) {
        actions.append(.notify(.sessionLost))
        let unknown = ClientError(
            .outcomeUnknown, "the session ended before the answer came, so the change may or may not have happened",
            nextStep: "look at the state before asking again")
        var again: [RequestContent] = []
        for content in inFlight.drain() {
            guard content.changesState else {
                // A request that only reads does no harm twice, so its caller need not notice that the session has ended.
                if !content.isAbandoned { again.append(content) }
                continue
            }
            for callID in content.callIDs { actions.append(.notify(.failed(callID, unknown))) }
        }
        for content in again.reversed() { queue.prepend(content) }
        forgetSession()
        // The same front still knows the jobs by their ids, whatever session has submitted them.
        guard isNewFront else { return }
        for job in outcomes.drain() { actions.append(.notify(.outcomeLost(job, unknown))) }
    }

    mutating func greetAgain(at now: MonotonicTime) { (phase, greetAt, greetCount) = (.greeting, now, 0) }
}

extension Reply {
    /// The first job of an acceptance.
    var firstJob: JobID? {
        switch self {
        case .accepted(let job, _): job
        case .jobsAccepted(let first, _, _, _): first
        case .done, .cancelling, .alreadyEnded, .refused, .jobs, .explanation, .feeds, .selected: nil
        }
    }

    /// How many jobs were accepted.
    var jobCount: Int {
        switch self {
        case .accepted: 1
        case .jobsAccepted(_, let count, _, _): Int(count)
        case .done, .cancelling, .alreadyEnded, .refused, .jobs, .explanation, .feeds, .selected: 0
        }
    }

    /// How they were.
    var acceptance: JobAcceptance { if case .jobsAccepted(_, _, _, let acceptance) = self { acceptance } else { .new } }
}

extension SessionMachine {
    /// Jobs whose outcomes one request asks for: some kilobytes of ids, and an answer that a turn of the front has room for.
    private static var outcomesOfRequest: Int { 1_000 }
    /// A front that calls its frames smaller than this is wrong or hostile: batches of a few jobs would make a request of each.
    private static var leastBatchByteCount: Int { 32 << 10 }
    /// The same of heartbeats: more than ten a second bring no more information.
    private static var leastHeartbeat: Duration { .milliseconds(100) }
}
