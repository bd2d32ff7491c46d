//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension SessionMachine {
    /// Looks at the deadlines: signs of life, missing outcomes, a dead connection.
    public mutating func advance(to now: MonotonicTime, into actions: inout [SessionAction]) {
        switch phase {
        case .closed: return
        case .greeting:
            guard now >= greetAt else { return }
            if greetCount == 1, session != nil { noticeLoss(into: &actions) }
            if greetCount >= 2 {
                noticeLoss(into: &actions)
                actions.append(.reconnect)
            }
        case .open:
            if let oldest = ledger.oldestSentAt, now >= max(oldest, heardAt).adding(milliseconds: settings.death) {
                noticeLoss(into: &actions)
                actions.append(.reconnect)
                return greetAgain(at: now)
            }
            if !hasPinged, now >= heardAt.adding(milliseconds: settings.silence) {
                hasPinged = true
                if ledger.isEmpty { queue.prepend(.request(.outcomes([]), nil)) }
            }
            while case let jobs = outcomes.takeDue(at: now, atMost: 1_000), !jobs.isEmpty {
                queue.prepend(.request(.outcomes(jobs), nil))
            }
        }
    }

    /// Gives what is to be sent now, in order. Call it only when the transport has room.
    public mutating func collect(at now: MonotonicTime, into messages: inout [ClientMessage]) {
        switch phase {
        case .greeting:
            guard now >= greetAt else { return }
            messages.append(.hello(ClientMessage.Hello(role: settings.role, label: settings.label, resumed: session)))
            greetCount += 1
            greetAt = now.adding(milliseconds: greetBackoff.next(&random))
        case .closed:
            if owesGoodbye { messages.append(.bye) }
            owesGoodbye = false
        case .open:
            ledger.appendDue(at: now, into: &messages)
            var byteCount = 0
            while byteCount < Self.collectByteLimit, ledger.hasRoom(window: window), let content = queue.popFirst() {
                if case .jobs(let batch) = content { byteCount += batch.arguments.count }
                messages.append(ledger.add(content, at: now))
            }
            if now >= heartbeatAt {
                messages.append(.heartbeat(lowestUnanswered: ledger.lowest))
                heartbeatAt = now.adding(milliseconds: heartbeat)
            }
        }
    }

    /// Reads what the front sent.
    public mutating func received(_ envelope: FrontEnvelope, at now: MonotonicTime, into actions: inout [SessionAction]) {
        guard phase != .closed else { return }
        if envelope.front == front, envelope.epoch < epoch { return }
        for message in envelope.messages {
            switch message {
            case .welcome(let welcome): welcomed(welcome, envelope, at: now, into: &actions)
            case .sessionEnded:
                guard let session, envelope.session == session || envelope.session == .none else { continue }
                lose(isNewFront: false, at: now, into: &actions)
                greetAgain(at: now)
            case .refused(let refusal): refused(refusal.reason, at: now, into: &actions)
            case .reply(let number, let reply, _):
                guard heard(envelope, at: now), let content = ledger.settle(number) else { continue }
                refusals = 0
                answered(content, by: reply, at: now, into: &actions)
            case .answers(let answers):
                guard heard(envelope, at: now) else { continue }
                ended(answers, into: &actions)
            case .snapshot(let part):
                guard heard(envelope, at: now) else { continue }
                actions.append(.snapshot(part, envelope.front, envelope.epoch))
            case .heartbeat: _ = heard(envelope, at: now)
            case .resumeFirst: greetAgain(at: now)
            case .unknown: continue
            }
        }
    }

    /// Whether the envelope speaks to the open session; it is then a sign of life.
    private mutating func heard(_ envelope: FrontEnvelope, at now: MonotonicTime) -> Bool {
        guard phase == .open, envelope.session == session, envelope.front == front else { return false }
        epoch = max(epoch, envelope.epoch)
        (heardAt, hasPinged) = (now, false)
        return true
    }

    private mutating func welcomed(
        _ welcome: FrontMessage.Welcome, _ envelope: FrontEnvelope, at now: MonotonicTime, into actions: inout [SessionAction]
    ) {
        guard phase == .greeting else {
            // A repeated hello made a second session: it is given back, because sessions are bounded.
            if !welcome.isResumed, welcome.session != session { actions.append(.giveBack(welcome.session)) }
            return
        }
        let isNewFront = front != .none && envelope.front != front
        let isSame = welcome.isResumed && welcome.session == session && !isNewFront
        let isNewLife = envelope.epoch != epoch || isNewFront
        if !isSame, session != nil || isNewFront { lose(isNewFront: isNewFront, at: now, into: &actions) }
        (session, front, epoch, phase) = (welcome.session, envelope.front, envelope.epoch, .open)
        window = max(1, min(Int(welcome.requestWindow), 1_024))
        heartbeat = Int64(max(welcome.heartbeatMilliseconds, 100))
        queue.batchByteLimit = min(settings.batchByteLimit, max(Int(welcome.largestFrame) / 2, 32_768))
        (heartbeatAt, heardAt, hasPinged) = (now, now, false)
        let wasLost = isDisconnected || isNewLife || !isSame
        greetBackoff.reset()
        (greetCount, isDisconnected) = (0, false)
        ledger.makeAllDue(at: now)
        outcomes.makeAllDue(at: now)
        if wasLost {
            for wish in attachments.reversed() { queue.prepend(.request(.attach(wish.key, view: wish.view), nil)) }
            actions.append(.notify(.opened(welcome, envelope.front, envelope.epoch)))
        }
        actions.append(.opened(welcome, envelope.front, envelope.epoch))
    }

    private mutating func refused(_ reason: String, at now: MonotonicTime, into actions: inout [SessionAction]) {
        refusals += 1
        actions.append(.notify(.refused(reason: reason)))
        if refusals >= Self.refusalLimit {
            let error = ClientError(.refused, "the front refused what was sent (\(reason))")
            for content in ledger.drain() {
                for ticket in content.tickets { actions.append(.notify(.failed(ticket, error))) }
            }
            session = nil
            refusals = 0
        }
        guard phase == .open else { return }
        greetAgain(at: now)
        greetAt = now.adding(milliseconds: greetBackoff.next(&random))
    }

    private mutating func answered(
        _ content: RequestContent, by reply: Reply, at now: MonotonicTime, into actions: inout [SessionAction]
    ) {
        switch content {
        case .request(_, let ticket): if let ticket { actions.append(.notify(.replied(ticket, reply))) }
        case .jobs(let batch):
            guard let first = reply.firstJob, reply.jobCount == batch.lengths.count else {
                for ticket in content.tickets { actions.append(.notify(.replied(ticket, reply))) }
                return
            }
            var next = first
            for owner in batch.owners {
                if let ticket = owner.ticket {
                    actions.append(.notify(.accepted(ticket, first: next, count: UInt32(owner.count))))
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
        guard answers.states.count == count, answers.lengths.count == count else { return }
        guard answers.lengths.reduce(0, { $0 + Int($1) }) == answers.results.count else { return }
        var offset = 0
        for index in 0..<count {
            let end = offset + Int(answers.lengths[index])
            defer { offset = end }
            let job = JobID(answers.jobs[index])
            guard let state = JobState(rawValue: answers.states[index]), state.isFinal, outcomes.settle(job) else { continue }
            actions.append(.notify(.ended(job, state, result: Array(answers.results[offset..<end]))))
        }
        for id in answers.unknown where outcomes.settle(JobID(id)) {
            let error = ClientError(
                .notFound, "the front does not know job \(id): it was never accepted, or was forgotten after its end",
                nextStep: "look for what it made, then hand it in again if needed")
            actions.append(.notify(.outcomeLost(JobID(id), error)))
        }
    }

    /// The session is over: what may have been done fails, what only reads is asked again.
    private mutating func lose(isNewFront: Bool, at now: MonotonicTime, into actions: inout [SessionAction]) {
        actions.append(.notify(.sessionLost))
        let unknown = ClientError(
            .outcomeUnknown, "the session ended before the answer came, so the change may or may not have happened",
            nextStep: "look at the state before asking again")
        var again: [RequestContent] = []
        for content in ledger.drain() {
            guard content.changesState else {
                if !content.isAbandoned { again.append(content) }
                continue
            }
            for ticket in content.tickets { actions.append(.notify(.failed(ticket, unknown))) }
        }
        for content in again.reversed() { queue.prepend(content) }
        session = nil
        guard isNewFront else { return }
        for job in outcomes.drain() { actions.append(.notify(.outcomeLost(job, unknown))) }
    }

    mutating func greetAgain(at now: MonotonicTime) {
        (phase, greetAt, greetCount) = (.greeting, now, 0)
        greetBackoff.reset()
    }

    private mutating func noticeLoss(into actions: inout [SessionAction]) {
        guard !isDisconnected, session != nil else { return }
        isDisconnected = true
        actions.append(.notify(.disconnected))
    }
}

extension Reply {
    /// The first job of an acceptance.
    var firstJob: JobID? {
        switch self {
        case .accepted(let job, _): job
        case .jobsAccepted(let first, _): first
        case .done, .cancelling, .alreadyEnded, .refused, .jobs, .explanation, .feeds: nil
        }
    }

    /// How many jobs were accepted.
    var jobCount: Int {
        switch self {
        case .accepted: 1
        case .jobsAccepted(_, let count): Int(count)
        case .done, .cancelling, .alreadyEnded, .refused, .jobs, .explanation, .feeds: 0
        }
    }
}
