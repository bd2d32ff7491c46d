//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

extension WireClientEnvelope: Mapped {
    init(_ value: ClientEnvelope) {
        self.init()
        session = value.session.rawValue
        messages = value.messages.map(WireClientMessage.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> ClientEnvelope {
        ClientEnvelope(session: SessionID(session), messages: try bounds.values(messages, "a client's messages"))
    }
}

extension WireClientMessage: Mapped {
    init(_ value: ClientMessage) {
        self.init()
        switch value {
        case .hello(let hello): self.hello = WireHello(hello)
        case .heartbeat(let lowest): heartbeat.lowestUnanswered = lowest.rawValue
        case .close: close = WireNothing()
        case .request(let request): self.request = WireRequest(request)
        case .submit(let submit): self.submit = WireSubmit(submit)
        case .snapshot(let topic, let asked): snapshot.topic = asked ?? topic.description
        case .snapshotPartRead(let topic): snapshotPartRead.topic = topic.description
        case .unknown, .unreadable: kind = nil
        }
    }

    /// What the message says. One that breaks a rule spoils nothing beside it: a request keeps its number, so that its reply refuses it.
    func value(within bounds: Bounds) -> ClientMessage {
        do {
            switch kind {
            case .hello(let hello): return .hello(try hello.value(within: bounds))
            case .heartbeat(let heartbeat): return .heartbeat(lowestUnanswered: RequestNumber(heartbeat.lowestUnanswered))
            case .close: return .close
            case .request(let request): return .request(request.value(within: bounds))
            case .submit(let submit): return submit.message(within: bounds)
            case .snapshot(let name):
                let topic = try bounds.topic(name.topic)
                return .snapshot(topic: topic, asked: topic.description == name.topic ? nil : name.topic)
            case .snapshotPartRead(let name): return .snapshotPartRead(topic: try bounds.topic(name.topic))
            case nil: return .unknown
            }
        } catch {
            return .unreadable(error)
        }
    }
}

extension WireHello: Mapped {
    init(_ value: ClientMessage.Hello) {
        self.init()
        minimumVersion = value.minimumVersion
        maximumVersion = value.maximumVersion
        largestFrame = value.largestFrame
        label = value.label
        if let session = value.resumed { resumed = session.rawValue }
        nonce = value.nonce
        token = Data(value.token)
    }

    func value(within bounds: Bounds) throws(CodecError) -> ClientMessage.Hello {
        var hello = ClientMessage.Hello(
            label: try bounds.label(label, "a client's label"),
            resumed: hasResumed ? SessionID(resumed) : nil)
        hello.minimumVersion = minimumVersion
        hello.maximumVersion = maximumVersion
        hello.largestFrame = largestFrame
        hello.nonce = nonce
        hello.token = try bounds.secret(token, "a token")
        return hello
    }
}

extension WireSubmit {
    /// The submit, or the request under its number that the front refuses.
    fileprivate func message(within bounds: Bounds) -> ClientMessage {
        do {
            return .submit(try value(within: bounds))
        } catch {
            return .request(
                ClientMessage.Request(
                    number: RequestNumber(number), lowestUnanswered: RequestNumber(lowestUnanswered), body: .unreadable(error)))
        }
    }
}

extension WireSubmit: JobColumns, Mapped {
    init(_ value: ClientMessage.Submit) {
        self.init()
        number = value.number.rawValue
        lowestUnanswered = value.lowestUnanswered.rawValue
        loader = value.loader
        reportsOutcomes = value.reportsOutcomes
        write(value.arguments, value.options)
    }

    func value(within bounds: Bounds) throws(CodecError) -> ClientMessage.Submit {
        let columns = try columns(within: bounds)
        return ClientMessage.Submit(
            number: RequestNumber(number), lowestUnanswered: RequestNumber(lowestUnanswered),
            loader: try bounds.text(loader, "a loader's name"), options: columns.options, reportsOutcomes: reportsOutcomes,
            arguments: columns.arguments)
    }
}
