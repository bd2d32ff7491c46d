//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

/// A front with a job that has a unique key, brought where a test wants it.
struct KeyWorld {
    /// Where the job is.
    enum Holder: CaseIterable {
        case scheduled, waiting, running, cancelling, backingOff, requeued, endedWithin, endedAfter, ended, cancelled, failed, quarantined
    }

    var front: FrontHarness
    var worker = WorkerHarness(1)
    private(set) var job = JobID.none
    let key: UniqueKey

    static let kept = Duration.seconds(10)
    static let retryable = Failure(code: .unreachable, text: "the origin does not answer", retryable: true)

    init(_ key: UniqueKey, _ change: (inout FrontSettings) -> Void = { _ in }) {
        self.key = key
        front = FrontHarness {
            $0.crashLimit = 1
            // The clock of lengths goes on over a restart within one boot.
            $0.boot = BootInstant(id: "one", uptime: .seconds(1))
            change(&$0)
        }
        front.open()
        // Times that count from the beginning are others than those that count from now.
        front.pass(milliseconds: 60_000)
        front.settle()
    }

    /// A job with that key, there.
    init(_ mode: UniqueMode, _ holder: Holder) {
        let isKept = holder == .endedWithin || holder == .endedAfter
        self.init(UniqueKey("k", mode: mode, afterEnd: isKept ? Self.kept : .zero))
        job = first(submit(start: holder == .scheduled ? .after(.seconds(60)) : .now))
        guard holder != .scheduled, holder != .waiting else { return }
        worker.register(with: &front, slots: 1)
        worker.take(front.settle())
        move(to: holder)
        front.settle()
    }

    private mutating func move(to holder: Holder) {
        let id = job.rawValue
        switch holder {
        case .scheduled, .waiting, .running: break
        case .cancelling, .cancelled:
            _ = front.ask(.job(.cancel(job)))
            if holder == .cancelled { worker.end(id, .cancelled, in: &front) }
        case .backingOff: worker.end(id, .failed, failure: Self.retryable, in: &front)
        case .requeued: worker.end(id, .returned, in: &front)
        case .failed: worker.end(id, .failed, failure: Failure(code: .invalidData, text: "no JSON"), in: &front)
        case .ended, .endedWithin, .endedAfter:
            worker.end(id, in: &front)
            if holder == .endedWithin { front.pass(milliseconds: 9_999) }
            if holder == .endedAfter { front.pass(milliseconds: 10_000) }
        case .quarantined:
            front.pass(milliseconds: 5_500)
            front.settle()
        }
    }

    /// The options of a submit with the key.
    func options(_ priority: UInt8 = 5, start: JobStart = .now, retryOf: JobID? = nil, limits: [LimitKey] = []) -> JobOptions {
        JobOptions(priority: priority, start: start, limitKeys: limits, retryOf: retryOf, uniqueKey: key)
    }

    /// The message of a submit.
    mutating func message(_ argument: [UInt8], _ options: JobOptions, loader: String = "slow", reports: Bool = false) -> ClientMessage {
        let number = RequestNumber(front.nextRequest)
        front.nextRequest += 1
        return .submit(
            ClientMessage.Submit(
                number: number, lowestUnanswered: number, loader: loader, options: JobOptionsColumn(options), reportsOutcomes: reports,
                arguments: [argument]))
    }

    /// Replies to messages of the client.
    mutating func replies(to messages: ClientMessage...) -> [Reply] {
        let envelope = ClientEnvelope(session: front.session, messages: messages)
        return front.handle(.clientSent(front.client, .everything, envelope)).compactMap { action in
            if case .send(_, _, .reply(_, let reply, _)) = action { reply } else { nil }
        }
    }

    /// What a submit gets.
    @discardableResult
    mutating func submit(
        _ argument: [UInt8] = [1], start: JobStart = .now, _ options: JobOptions? = nil, loader: String = "slow"
    ) -> Reply? {
        let options = options ?? self.options(start: start)
        return replies(to: message(argument, options, loader: loader)).first
    }

    /// The same of work with these options.
    mutating func submit(_ options: JobOptions) -> Reply? { submit([1], options) }

    /// The job of an acceptance.
    func first(_ reply: Reply?) -> JobID {
        if case .jobsAccepted(let first, _, _, _)? = reply { return first }
        return .none
    }

    /// What a reply comes to, in a word.
    func word(_ reply: Reply?) -> String {
        switch reply {
        case .jobsAccepted(let first, 1, _, .new)?: first == job ? "the same" : "new"
        case .jobsAccepted(job, 1, _, let acceptance)?: "\(acceptance)"
        case .refused(let failure, .zero)? where failure.code == .conflict && failure.arguments.prefix(2) == ["job", job.description]:
            "conflict"
        default: "\(String(describing: reply))"
        }
    }

    /// The same front after a restart that has read its rows.
    func restarted() -> KeyWorld {
        var world = self
        world.front = front.restarted()
        return world
    }

    /// The same after one that has read a checkpoint, and the rows again.
    func restored() -> KeyWorld {
        var world = restarted()
        let turn = TurnNumber(UInt64(front.entries.count))
        world.front.machine = FrontMachine(settings: world.front.settings, now: front.now)
        world.front.machine.restore(front.machine.wholeCheckpoint, of: turn, isSlice: true)
        for (index, entry) in front.entries.enumerated() {
            world.front.machine.restore([entry], of: TurnNumber(UInt64(index + 1)), isSlice: false)
        }
        var actions: [FrontAction] = []
        world.front.machine.start(at: front.now, into: &actions)
        let hello = ClientMessage.Hello(label: "test", resumed: front.session)
        world.front.handle(.clientSent(front.client, .everything, ClientEnvelope(messages: [.hello(hello)])))
        return world
    }

    var keys: UniqueKeys { front.machine.state.jobs.keys }

    /// What is wrong with the front's counts; nil: nothing.
    var miscount: String? {
        let state = front.machine.state
        return state.keysMiscount ?? state.miscount ?? state.termsMiscount ?? state.limitsMiscount
    }
}
