//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

@testable import GantryClient

/// A session machine with a manual clock and the last turn's messages and notices.
struct SessionWorld {
    var machine: SessionMachine
    var now = MonotonicTime(nanoseconds: 0)
    var notices: [ClientNotice] = []
    var actions: [SessionAction] = []
    let front = FrontID(7)
    var epoch = Epoch(100)
    let session = SessionID(42)
    /// Whether the front answers heartbeats.
    var answersHeartbeats = false

    init(_ change: (inout SessionSettings) -> Void = { _ in }) {
        var settings = SessionSettings(label: "test", seed: 1)
        change(&settings)
        machine = SessionMachine(settings: settings, at: now)
    }

    /// A world whose session is open.
    static func opened(_ change: (inout SessionSettings) -> Void = { _ in }) -> SessionWorld {
        var world = SessionWorld(change)
        _ = world.turn()
        world.receive(.welcome(.open(session: world.session, isResumed: false)))
        _ = world.turn()
        return world
    }

    /// Lets time pass, then makes a turn and gives what is sent.
    mutating func turn(after milliseconds: Int64 = 0) -> [ClientMessage] {
        now = now.advanced(by: .milliseconds(milliseconds))
        var messages: [ClientMessage] = []
        perform { machine, now, actions in machine.advance(to: now, into: &actions) }
        machine.collect(at: now, into: &messages)
        for case .heartbeat(let lowest) in messages where answersHeartbeats { receive(.heartbeat(.init(lowestUnanswered: lowest))) }
        return messages
    }

    /// Makes a turn at each instant at which the machine wants one, until so much time is over; everything that is sent.
    mutating func run(_ milliseconds: Int64) -> [ClientMessage] {
        let end = now.advanced(by: .milliseconds(milliseconds))
        var messages: [ClientMessage] = []
        while machine.nextDeadline() < end {
            now = max(now, machine.nextDeadline())
            messages += turn()
        }
        now = end
        return messages + turn()
    }

    /// The hello that the machine says now.
    func hello(resumed: SessionID? = nil) -> ClientMessage {
        var hello = ClientMessage.Hello(label: "test", resumed: resumed)
        hello.nonce = machine.nonce
        return .hello(hello)
    }

    mutating func receive(_ messages: FrontMessage...) {
        let envelope = FrontEnvelope(front: front, epoch: epoch, session: machine.session ?? session, messages: messages)
        perform { machine, now, actions in machine.received(envelope, at: now, into: &actions) }
    }

    /// The front could not read a frame, so it does not know whose it was.
    mutating func receiveUnaddressed(_ message: FrontMessage) { receive(message, in: .none) }

    /// The front says something in a session, be it that of the machine or not.
    mutating func receive(_ message: FrontMessage, in session: SessionID) {
        let envelope = FrontEnvelope(front: front, epoch: epoch, session: session, messages: [message])
        perform { machine, now, actions in machine.received(envelope, at: now, into: &actions) }
    }

    mutating func request(_ body: RequestBody, _ callID: UInt64) {
        perform { machine, _, actions in machine.request(body, for: CallID(callID), into: &actions) }
    }

    mutating func submit(_ batch: JobBatch, _ callID: UInt64) {
        perform { machine, _, actions in machine.submit(batch, for: CallID(callID), into: &actions) }
    }

    mutating func withdraw(_ callID: UInt64) {
        perform { machine, _, actions in machine.withdraw(CallID(callID), into: &actions) }
    }

    mutating func close() { perform { machine, _, actions in machine.close(into: &actions) } }

    /// The notices since the last call.
    mutating func takeNotices() -> [ClientNotice] {
        defer { notices = [] }
        return notices
    }

    private mutating func perform(_ body: (inout SessionMachine, MonotonicTime, inout [SessionAction]) -> Void) {
        var actions: [SessionAction] = []
        body(&machine, now, &actions)
        for action in actions {
            switch action {
            case .notify(let notice): notices.append(notice)
            case .availability(let availability): notices.append(.availability(availability))
            case .reconnect, .opened, .snapshot, .topicFailed: continue
            }
        }
        self.actions.append(contentsOf: actions)
    }
}

extension ClientMessage {
    var number: UInt64? {
        switch self {
        case .request(let request): request.number.rawValue
        case .submit(let submit): submit.number.rawValue
        default: nil
        }
    }
}
