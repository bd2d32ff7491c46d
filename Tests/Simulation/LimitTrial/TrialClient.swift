//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns

/// A client of a trial: it keeps some hundred jobs waiting, and changes limits, cancels and pauses. One request at a time, repeated until it is answered.
final class TrialClient {
    private unowned let trial: LimitTrial
    private let index: Int
    private(set) lazy var link = TrialLink(trial)
    private var session: SessionID?
    private var isWelcome = false
    private var number: UInt64 = 0
    /// What is not answered yet, and when it was sent last.
    private var pending: (message: ClientMessage, sentAt: Int64)?
    /// What is asked next, first.
    private var next: [RequestBody] = []
    private var isFinishing = false
    /// The life of the front that it is connected with.
    private var epoch: UInt64 = 0

    private static let pause: Int64 = 40

    init(_ trial: LimitTrial, index: Int) { (self.trial, self.index) = (trial, index) }

    /// Whether all that it asked is answered.
    var isDone: Bool { isFinishing && pending == nil && next.isEmpty }

    /// Comes, the first one with the limits.
    func begin() {
        if index == 0 { next = trial.settings.allLimits.map { .limit(.set($0.name, $0.rule)) } }
        tick()
    }

    /// Asks for nothing new: limits allow again what they did, and nothing is paused.
    func finish() {
        isFinishing = true
        next = index > 0 ? [] : [.pause(.end(.everything))] + TrialWorker.loaders.map { .pause(.end(.loader($0.name))) }
        if index == 0 { next += trial.settings.allLimits.map { .limit(.set($0.name, $0.rule)) } }
    }

    private func tick() {
        if epoch != trial.front.epoch {
            epoch = trial.front.epoch
            link.reconnect()
            isWelcome = false
        }
        if !isWelcome {
            greet()
        } else if let pending, trial.now - pending.sentAt > 700_000_000 {
            send(pending.message)
            self.pending?.sentAt = trial.now
        } else if pending == nil {
            ask()
        }
        trial.after(isDone || !isWelcome ? 10 * Self.pause : Self.pause) { [self] in tick() }
    }

    private func greet() {
        var hello = ClientMessage.Hello(label: "client-\(index)", resumed: session)
        hello.client = "client-\(index)"
        send(.hello(hello))
    }

    private func send(_ message: ClientMessage) {
        var envelope = ClientEnvelope(session: session ?? .none, messages: [message])
        if case .hello = message { envelope.session = .none }
        let peer = link.peer
        link.carry(toFront: true) { [self] in
            trial.front.receive(envelope, from: peer) { [self] session, message in
                link.carry(toFront: false) { [self] in if peer == link.peer { receive(message, of: session) } }
            }
        }
    }

    private func receive(_ message: FrontMessage, of sender: SessionID) {
        switch message {
        case .welcome(let welcome):
            if welcome.session != session {
                // What was asked in a session that is over nobody answers any more.
                (number, pending) = (0, nil)
            }
            (session, isWelcome) = (welcome.session, true)
            if let pending { send(pending.message) }
        case .sessionEnded: (session, isWelcome) = (nil, false)
        case .resumeFirst: isWelcome = false
        case .reply(let answered, let reply, _):
            guard sender == session, answered.rawValue == number, pending != nil else { return }
            take(reply)
            pending = nil
            ask()
        default: break
        }
    }

    private func take(_ reply: Reply) {
        switch (pending?.message, reply) {
        case (.submit(let submit)?, .jobsAccepted(let first, _, _, _)):
            trial.watch.confirm(first: first.rawValue, submit.arguments.indices.map { submit.options[$0.row].limitKeys })
        case (.request(let request)?, .done):
            if case .limit(.delete) = request.body { trial.count(.limitDeleted) }
        default: break
        }
    }

    // MARK: What it asks

    private func ask() {
        guard pending == nil, isWelcome else { return }
        if !next.isEmpty { return ask(next.removeFirst()) }
        guard !isFinishing else { return }
        if trial.random.chance(0.05), let body = change() { return ask(body) }
        if trial.watch.aliveCount < trial.settings.jobsOfClient * trial.settings.clients { submit() }
    }

    private func ask(_ body: RequestBody) {
        number += 1
        if case .limit(.set(let name, let rule)) = body { trial.watch.asks(name, for: rule) }
        let asked = RequestNumber(number)
        trial.note("client \(index) asks \(body)")
        begin(.request(.init(number: asked, lowestUnanswered: asked, body: body)))
    }

    private func submit() {
        number += 1
        let loader = trial.settings.workers[0].prefetch > 0 && trial.random.chance(0.5) ? TrialWorker.loaders[1] : TrialWorker.loaders[0]
        let count = Int(trial.random.between(20, 120))
        // Few different ones beside each other, as clients have them.
        let kinds = (0..<8).map { _ in trial.settings.options(&trial.random) }
        let options = (0..<count).map { _ in kinds[trial.random.below(kinds.count)] }
        let submit = ClientMessage.Submit(
            number: RequestNumber(number), lowestUnanswered: RequestNumber(number), loader: loader.name, options: JobOptionsColumn(options),
            arguments: PackedBytes(repeating: [9, 9], count: count))
        begin(.submit(submit))
    }

    private func begin(_ message: ClientMessage) {
        pending = (message, trial.now)
        send(message)
    }

    /// Something beside jobs, most of it a fault for those who run.
    private func change() -> RequestBody? {
        guard trial.isStormy, let limit = trial.random.pick(trial.settings.limits) else { return nil }
        switch trial.random.below(20) {
        case 0..<4:
            trial.count(.limitChanged)
            if trial.random.chance(0.5) { return .limit(.set(limit.name, limit.rule)) }
            return .limit(.set(limit.name, TrialSettings.changed(limit.rule, &trial.random)))
        case 4:
            // Refused while jobs count in it.
            let deleted = trial.random.chance(0.2) ? limit : trial.settings.rare
            next = [.limit(.set(deleted.name, deleted.rule))]
            return .limit(.delete(deleted.name))
        case 5:
            trial.count(.pause)
            let target: PauseTarget = trial.random.chance(0.3) ? .everything : .loader(TrialWorker.loaders[trial.random.below(2)].name)
            return .pause(.begin(target, reason: "a trial", length: .milliseconds(trial.random.spread(20, 2_000))))
        default:
            let isRunning = trial.random.chance(0.5)
            guard let job = isRunning ? trial.runningJob() : trial.watch.alive(&trial.random) else { return nil }
            trial.count(.jobCancelled)
            return .job(.cancel(JobID(job)))
        }
    }
}
