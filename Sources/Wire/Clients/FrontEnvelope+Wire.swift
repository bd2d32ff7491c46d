//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

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
        case .reply(let number, let reply): self.reply = WireReply((number, reply))
        case .answers(let answers): self.answers = WireAnswers(answers)
        case .snapshot(let part): snapshot = WireSnapshotPart(part)
        case .refused(let reason): refused.reason = reason.cut(to: Bounds.messages.textByteCount)
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> FrontMessage {
        switch kind {
        case .welcome(let welcome): return .welcome(try welcome.value(within: bounds))
        case .sessionEnded: return .sessionEnded
        case .reply(let reply):
            let (number, answer) = try reply.value(within: bounds)
            return .reply(number: number, answer)
        case .answers(let answers): return .answers(try answers.value(within: bounds))
        case .snapshot(let part): return .snapshot(try part.value(within: bounds))
        case .refused(let refused): return .refused(reason: try bounds.text(refused.reason, "a reason"))
        case nil: throw bounds.unknownKind("a message to a client")
        }
    }
}

extension WireWelcome: Mapped {
    init(_ value: FrontMessage.Welcome) {
        self.init()
        version = value.version
        session = value.session.rawValue
        isResumed = value.isResumed
        heartbeatMilliseconds = value.heartbeatMilliseconds
        requestWindow = value.requestWindow
        largestFrame = value.largestFrame
        changesEndpoint = value.changesEndpoint
        pagesEndpoint = value.pagesEndpoint
        durability = value.durability
    }

    func value(within bounds: Bounds) throws(CodecError) -> FrontMessage.Welcome {
        var welcome = FrontMessage.Welcome(session: SessionID(session), isResumed: isResumed)
        welcome.version = version
        welcome.heartbeatMilliseconds = heartbeatMilliseconds
        welcome.requestWindow = requestWindow
        welcome.largestFrame = largestFrame
        welcome.changesEndpoint = try bounds.text(changesEndpoint, "an endpoint")
        welcome.pagesEndpoint = try bounds.text(pagesEndpoint, "an endpoint")
        welcome.durability = try bounds.label(durability, "durability")
        return welcome
    }
}

extension WireAnswers: Mapped {
    init(_ value: FrontMessage.Answers) {
        self.init()
        jobs = value.jobs
        states = Data(value.states)
        lengths = value.lengths
        results = Data(value.results)
        unknown = value.unknown
    }

    func value(within bounds: Bounds) throws(CodecError) -> FrontMessage.Answers {
        try bounds.columns(jobs.count, states.count, lengths.count, what: "answers")
        try bounds.parts(lengths, of: results.count, what: "results of answers")
        var answers = FrontMessage.Answers()
        answers.jobs = jobs
        answers.states = try bounds.finalStates(states)
        answers.lengths = lengths
        answers.results = [UInt8](results)
        try bounds.rows(unknown.count, "unknown jobs")
        answers.unknown = unknown
        return answers
    }
}

extension WireSnapshotPart: Mapped {
    init(_ value: FrontMessage.SnapshotPart) {
        self.init()
        topic = value.topic.description
        sequence = value.sequence.rawValue
        digest = value.digest.sum
        part = value.part
        partCount = value.partCount
        items = value.items.map(WireTopicItem.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> FrontMessage.SnapshotPart {
        guard part < partCount else {
            throw CodecError(what: "a part of a snapshot", reason: "part \(part) is not below \(partCount)")
        }
        return FrontMessage.SnapshotPart(
            topic: try bounds.topic(topic), sequence: Sequence(sequence), digest: TopicDigest(digest), part: part, partCount: partCount,
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
    func finalStates(_ data: Data) throws(CodecError) -> [UInt8] {
        try bytes(data, in: JobState.succeeded.rawValue...JobState.quarantined.rawValue, "a job's final state")
    }
}
