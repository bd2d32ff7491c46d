//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryPackedColumns
import GantryWireMessages

extension WireFrontEnvelope: Mapped {
    init(_ value: FrontEnvelope) {
        self.init()
        front = value.front.rawValue
        epoch = value.epoch.rawValue
        session = value.session.rawValue
        messages = value.messages.map(WireFrontMessage.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> FrontEnvelope {
        FrontEnvelope(
            front: FrontID(front), epoch: Epoch(epoch), session: SessionID(session),
            messages: try bounds.values(messages, "messages to a client"))
    }
}

extension WireFrontMessage: Mapped {
    init(_ value: FrontMessage) {
        self.init()
        switch value {
        case .welcome(let welcome): self.welcome = WireWelcome(welcome)
        case .sessionEnded: sessionEnded = WireNothing()
        case .reply(let number, let reply, let feed):
            self.reply = WireReply((number, reply))
            self.reply.feed = feed?.text ?? ""
        case .answers(let answers): self.answers = WireAnswers(answers)
        case .snapshot(let part): snapshot = WireSnapshotPart(part)
        case .snapshotRefused(let asked, let failure, let retryAfter):
            snapshotRefused.topic = asked
            snapshotRefused.refusal = WireRefusal(failure, retryAfter: retryAfter)
        case .refused(let refused): self.refused = WireRefused(refused)
        case .heartbeat(let answer): heartbeat = WireHeartbeatAnswer(answer)
        case .resumeFirst: resumeFirst = WireNothing()
        case .unknown: kind = nil
        }
    }

    /// What the message says; what this version does not know spoils nothing beside it.
    func value(within bounds: Bounds) -> FrontMessage {
        do {
            switch kind {
            case .welcome(let welcome): return .welcome(try welcome.value(within: bounds))
            case .sessionEnded: return .sessionEnded
            case .reply(let reply):
                let (number, answer) = reply.readableValue(within: bounds)
                return .reply(number: number, answer, feed: reply.feed.isEmpty ? nil : try? bounds.feed(reply.feed))
            case .answers(let answers): return .answers(try answers.value(within: bounds))
            case .snapshot(let part): return .snapshot(try part.value(within: bounds))
            case .snapshotRefused(let refused):
                return .snapshotRefused(
                    asked: try bounds.text(refused.topic, "a topic's text"), try refused.refusal.failure.value(within: bounds),
                    retryAfter: refused.refusal.retryAfter)
            case .refused(let refused): return .refused(try refused.value(within: bounds))
            case .heartbeat(let answer): return .heartbeat(answer.value(within: bounds))
            case .resumeFirst: return .resumeFirst
            case nil: return .unknown
            }
        } catch {
            return .unknown
        }
    }
}

extension WireWelcome: Mapped {
    init(_ value: FrontMessage.Welcome) {
        self.init()
        version = value.version
        session = value.session.rawValue
        isResumed = value.isResumed
        heartbeatMilliseconds = value.heartbeat.wireMilliseconds
        requestWindow = value.requestWindow
        largestFrame = value.largestFrame
        changesEndpoint = value.changesEndpoint
        pagesEndpoint = value.pagesEndpoint
        durability = value.durability.rawValue
    }

    func value(within bounds: Bounds) throws(CodecError) -> FrontMessage.Welcome {
        var welcome = FrontMessage.Welcome(session: SessionID(session), isResumed: isResumed)
        welcome.version = version
        welcome.heartbeat = .milliseconds(heartbeatMilliseconds)
        welcome.requestWindow = requestWindow
        welcome.largestFrame = largestFrame
        welcome.changesEndpoint = try bounds.text(changesEndpoint, "an endpoint")
        welcome.pagesEndpoint = try bounds.text(pagesEndpoint, "an endpoint")
        welcome.durability = JobDurability(rawValue: try bounds.label(durability, "durability"))
        return welcome
    }
}

extension WireHeartbeatAnswer: Mapped {
    init(_ value: FrontMessage.HeartbeatAnswer) {
        self.init()
        lowestUnanswered = value.lowestUnanswered.rawValue
        isStorageFull = value.isStorageFull
        undurableMilliseconds = UInt32(clamping: value.undurable.wholeMilliseconds)
    }

    func value(within bounds: Bounds) -> FrontMessage.HeartbeatAnswer {
        FrontMessage.HeartbeatAnswer(
            lowestUnanswered: RequestNumber(lowestUnanswered), isStorageFull: isStorageFull,
            undurable: .milliseconds(undurableMilliseconds))
    }
}

extension WireRefused: Mapped {
    init(_ value: Refused) {
        self.init()
        reason = value.reason.cut(to: Bounds.messages.textByteCount)
        code = value.code?.rawValue ?? ""
        number = value.number.rawValue
        retryAfterMilliseconds = value.retryAfter.wireMilliseconds
    }

    func value(within bounds: Bounds) throws(CodecError) -> Refused {
        Refused(
            reason: try bounds.text(reason, "a reason"),
            code: code.isEmpty ? nil : bounds.failureCode(code), number: RequestNumber(number),
            retryAfter: .milliseconds(retryAfterMilliseconds))
    }
}

extension WireAnswers: Mapped {
    init(_ value: FrontMessage.Answers) {
        self.init()
        jobs = value.jobs
        states = Data(value.states.map(\.rawValue))
        lengths = value.results.lengths
        results = Data(value.results.bytes)
        unknown = value.unknown
    }

    func value(within bounds: Bounds) throws(CodecError) -> FrontMessage.Answers {
        try bounds.columns(jobs.count, states.count, lengths.count, what: "answers")
        var answers = FrontMessage.Answers()
        answers.results = try bounds.packed(lengths, results, "results of answers")
        answers.jobs = jobs
        answers.states = try bounds.finalStates(states)
        try bounds.rows(unknown.count, "unknown jobs")
        answers.unknown = unknown
        return answers
    }
}

extension WireSnapshotPart: Mapped {
    init(_ value: FrontMessage.SnapshotPart) {
        self.init()
        topic = value.topic.description
        asked = value.asked ?? ""
        sequence = value.sequence.rawValue
        checksum = value.checksum.sum
        part = value.part
        partCount = value.partCount
        items = value.items.map(WireTopicItem.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> FrontMessage.SnapshotPart {
        guard part < partCount else {
            throw CodecError(what: "a part of a snapshot", reason: "part \(part) is not below \(partCount)")
        }
        return FrontMessage.SnapshotPart(
            topic: try bounds.topic(topic), asked: asked.isEmpty ? nil : try bounds.text(asked, "a topic's text"),
            sequence: SequenceNumber(sequence), checksum: TopicChecksum(checksum), part: part, partCount: partCount,
            items: try bounds.values(items, "a snapshot's items"))
    }
}

extension WireTopicItem: Mapped {
    init(_ value: TopicItem) {
        self.init()
        key = Data(value.key)
        self.value = Data(value.value)
    }

    func value(within bounds: Bounds) throws(CodecError) -> TopicItem {
        TopicItem(key: try bounds.key(key), value: [UInt8](value))
    }
}

extension Bounds {
    /// A column of final states.
    func finalStates(_ data: Data) throws(CodecError) -> [JobState] {
        try column(data, "a job's final state", where: \.isFinal)
    }
}

extension WireReply: Mapped {
    init(_ value: (RequestNumber, Reply)) {
        self.init()
        number = value.0.rawValue
        switch value.1 {
        case .accepted(let job, let joined): (accepted.job, accepted.joined) = (job.rawValue, joined)
        case .jobsAccepted(let first, let count, let dueNow, let acceptance):
            (jobsAccepted.first, jobsAccepted.count, jobsAccepted.dueNow) = (first.rawValue, count, dueNow)
            (jobsAccepted.joined, jobsAccepted.replaced) = (acceptance != .new, acceptance == .replaced)
        case .done(let version):
            done = WireDone()
            done.version = version
        case .cancelling(let job): cancelling.job = job.rawValue
        case .alreadyEnded(let job, let state): (alreadyEnded.job, alreadyEnded.state) = (job.rawValue, WireJobState(state))
        case .refused(let failure, let retryAfter):
            refused = WireRefusal(failure, retryAfter: retryAfter)
        case .jobs(let list, let next, let retention):
            jobs.jobs = list.map(WireJobSummary.init)
            if let next { jobs.next = next.rawValue }
            if let retention { jobs.retention = WireJobRetention(retention) }
        case .explanation(let explanation): self.explanation = WireJobExplanation(explanation)
        case .feeds(let list, let next):
            feeds.feeds = list.map(WireFeedState.init)
            if let next { feeds.next = next.text }
        case .selected(let bulk, let jobs, let next):
            (selected.bulk, selected.jobs) = (bulk, jobs)
            if let next { selected.next = next.rawValue }
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> (RequestNumber, Reply) {
        (RequestNumber(number), try reply(within: bounds))
    }

    /// The reply. One that this version cannot read answers its request all the same: otherwise the client would ask for ever.
    fileprivate func readableValue(within bounds: Bounds) -> (RequestNumber, Reply) {
        do {
            return try value(within: bounds)
        } catch {
            let text = "the front has replied what this version cannot read (\(error)): look at the state before you ask again"
            return (RequestNumber(number), .refused(Failure(code: .outcomeUnknown, text: text), retryAfter: .zero))
        }
    }

    private func reply(within bounds: Bounds) throws(CodecError) -> Reply {
        switch kind {
        case .accepted(let accepted): .accepted(JobID(accepted.job), joined: accepted.joined)
        case .jobsAccepted(let accepted):
            .jobsAccepted(
                first: JobID(accepted.first), count: accepted.count, dueNow: accepted.dueNow,
                accepted.replaced ? .replaced : accepted.joined ? .joined : .new)
        case .done(let done): .done(version: done.version)
        case .cancelling(let target): .cancelling(JobID(target.job))
        case .alreadyEnded(let ended): .alreadyEnded(JobID(ended.job), try bounds.known(ended.state, "a job's state"))
        case .refused(let refusal):
            .refused(try refusal.failure.value(within: bounds), retryAfter: refusal.retryAfter)
        case .jobs(let page):
            .jobs(
                try bounds.readableValues(page.jobs, "a page of jobs"), next: page.hasNext ? JobID(page.next) : nil,
                retention: page.hasRetention ? try page.retention.value(within: bounds) : nil)
        case .explanation(let explanation): .explanation(try explanation.value(within: bounds))
        case .feeds(let page): .feeds(try bounds.readableValues(page.feeds, "feeds"), next: page.hasNext ? try bounds.feed(page.next) : nil)
        case .selected(let selected):
            .selected(bulk: selected.bulk, jobs: selected.jobs, next: selected.hasNext ? JobID(selected.next) : nil)
        case nil: throw bounds.unknownKind("a reply")
        }
    }
}

extension WireRefusal {
    init(_ failure: Failure, retryAfter: Duration) {
        self.init()
        (self.failure, retryAfterMilliseconds) = (WireFailure(failure), retryAfter.wireMilliseconds)
    }

    /// When it is worth asking again; zero where waiting does not help.
    var retryAfter: Duration { .milliseconds(retryAfterMilliseconds) }
}

extension WireJobExplanation: Mapped {
    init(_ value: JobExplanation) {
        self.init()
        job = WireJobSummary(value.job)
        if let place = value.placeInLine { placeInLine = place }
        if let estimate = value.estimate { estimateSeconds = estimate.inSeconds }
        timeline = value.timeline.map { $0.cut(to: Bounds.messages.textByteCount) }
        argument = Data(value.argument)
        argumentByteCount = value.argumentByteCount
        if !value.runs.isEmpty { runs = WireJobRuns(value.runs) }
        if !value.log.isEmpty { log = WireJobLog(value.log) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobExplanation {
        try bounds.demand(hasJob, "an explanation's job")
        var explanation = JobExplanation(
            job: try job.value(within: bounds), placeInLine: hasPlaceInLine ? placeInLine : nil,
            estimate: hasEstimateSeconds ? Duration(clampingSeconds: estimateSeconds) : nil,
            timeline: try bounds.texts(timeline, "a job's timeline")
        )
        explanation.argument = try bounds.payload(argument, "a job's argument")
        guard argument.isEmpty || argumentByteCount == UInt64(argument.count) else {
            let reason = "it is said to have \(argumentByteCount) bytes, but there are \(argument.count)"
            throw CodecError(what: "a job's argument", reason: reason)
        }
        explanation.argumentByteCount = argumentByteCount
        explanation.runs = try runs.value(within: bounds)
        explanation.log = try log.value(within: bounds)
        return explanation
    }
}
