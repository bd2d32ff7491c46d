//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import FrontCore
import GantryModel

/// The front of a trial: its machine, and what is durable of each of its lives. Entries are kept as values, and no disk is ever full.
final class TrialFront {
    /// A turn that has not left: what it sends waits until its row, and those before it, are durable.
    private struct Closed {
        let turn: UInt64
        let entries: [JournalEntry]
        let messages: [() -> Void]
        let decided: DecisionMark
        let decidedAt: Int64
        let durableAt: Int64
    }

    private unowned let trial: LimitTrial
    private var machine: FrontMachine
    private(set) var epoch: UInt64 = 0
    private(set) var isAlive = false
    private var actions = FrontActions()
    private var inbox: [FrontEvent] = []
    private var leaving: Deque<Closed> = []
    private var sentBelow = LeaseID.none
    /// What is durable: a checkpoint and the turn that it was taken at, and the rows behind it.
    private var checkpoint: (turn: UInt64, slices: [[JournalEntry]]) = (0, [])
    private var rows: [(turn: UInt64, entries: [JournalEntry])] = []
    private var nextTurn: UInt64 = 1
    /// When it wakes, and since when it stands still until when.
    private var wakesAt = Int64.max
    private var stopped: (from: Int64, until: Int64)?
    private var commitIsSlowUntil: Int64 = 0
    /// Whether it is killed once a turn waits.
    private var isDying = false
    private var wallOffset: Int64 = 0
    /// Who the front's peers are in this life.
    private var peers: [PeerID: (WorkerBoundEnvelope) -> Void] = [:]
    private var clients: [PeerID: (SessionID, FrontMessage) -> Void] = [:]

    private static let front = FrontID(1)

    init(_ trial: LimitTrial) {
        self.trial = trial
        machine = FrontMachine(settings: Self.settings(of: 1, trial), now: Self.time(trial))
    }

    private static func settings(of epoch: UInt64, _ trial: LimitTrial) -> FrontSettings {
        var settings = FrontSettings(front: front, epoch: Epoch(epoch), sessionKey: SessionKey(epoch, 2))
        settings.boot = BootInstant(id: "trial", uptime: .milliseconds(trial.now / 1_000_000))
        settings.refusesUnknownLoaders = false
        settings.reservationPause = trial.settings.reservationPause
        // A checkpoint has what has ended: little of it, since nobody asks for that here.
        for kind in EndedKind.allCases { settings.bounds.retention[kind].count = 64 }
        return settings
    }

    private static func time(_ trial: LimitTrial) -> FrontTime {
        FrontTime(
            monotonic: MonotonicTime(nanoseconds: trial.now),
            wall: WallTime(milliseconds: World.startWall + trial.now / 1_000_000 + trial.wallOffset))
    }

    private var time: FrontTime { Self.time(trial) }

    /// Whether something waits to be read or to leave.
    var isBusy: Bool { !inbox.isEmpty || !leaving.isEmpty }

    // MARK: Lives

    /// A life begins: it reads what is durable, and serves.
    func begin() {
        epoch += 1
        isAlive = true
        wallOffset = trial.wallOffset
        machine = FrontMachine(settings: Self.settings(of: epoch, trial), now: time)
        do {
            for slice in checkpoint.slices { try restore(slice, turn: checkpoint.turn, isSlice: true) }
            for row in rows { try restore(row.entries, turn: row.turn, isSlice: false) }
        } catch { trial.watch.find(.rowsAreReadable, "life \(epoch) of the front cannot read its rows: \(error)") }
        nextTurn = max(nextTurn, (rows.last?.turn ?? checkpoint.turn) + 1)
        sentBelow = LeaseID(machine.decided.lease)
        trial.note("front \(epoch) begins")
        machine.start(at: time, into: &actions)
        close()
        wake(at: deadline)
    }

    private func restore(_ entries: [JournalEntry], turn: UInt64, isSlice: Bool) throws {
        try machine.restore(
            trial.bug?.read(entries, isSlice: isSlice, isBehind: !isSlice && checkpoint.turn > 0) ?? entries, turn: TurnNumber(turn),
            isSlice: isSlice)
    }

    /// It is killed: a part of what is under way becomes durable all the same, and is sent by nobody.
    func die() {
        guard isAlive else { return }
        let durable = trial.random.below(leaving.count + 1)
        if durable > 0 { trial.count(.frontKilledBeforeSending) }
        if durable < leaving.count { trial.count(.frontKilledBeforeDurable) }
        if leaving.isEmpty { trial.count(.frontKilledAtRest) }
        trial.note("front \(epoch) is killed: \(durable) of \(leaving.count) turns become durable")
        for closed in leaving.prefix(durable) { keep(closed) }
        (leaving, inbox, stopped) = ([], [], nil)
        isAlive = false
        (peers, clients) = ([:], [:])
        (wakesAt, wakeNumber, isDying) = (.max, wakeNumber + 1, false)
        trial.after(trial.random.spread(1, 4_000)) { [self] in begin() }
    }

    /// It is killed at once, or as soon as a turn waits for its row.
    func dieSoon() { if trial.random.chance(0.3) { die() } else { isDying = true } }

    /// It stands still for so long.
    func stop(for milliseconds: Int64) {
        guard isAlive, stopped == nil else { return }
        trial.note("front \(epoch) stands still for \(milliseconds) ms")
        trial.count(.frontStopped)
        stopped = (max(trial.now, min(wakesAt, deadline)), trial.now + milliseconds * 1_000_000)
        wake(at: trial.now + milliseconds * 1_000_000)
    }

    /// Commits take half a second and more until then.
    func slowCommits(for milliseconds: Int64) {
        trial.count(.slowCommit)
        commitIsSlowUntil = trial.now + milliseconds * 1_000_000
    }

    // MARK: Turns

    /// A worker's envelope arrives; it is answered there.
    func receive(_ envelope: WorkerEnvelope, from peer: UInt64, process: ProcessIdentity?, answer: @escaping (WorkerBoundEnvelope) -> Void)
    {
        guard isAlive else { return }
        peers[PeerID(peer)] = answer
        var principal = Principal.everything
        principal.process = process
        receive(.workerSent(PeerID(peer), principal, envelope))
    }

    /// A client's envelope arrives.
    func receive(_ envelope: ClientEnvelope, from peer: UInt64, answer: @escaping (SessionID, FrontMessage) -> Void) {
        guard isAlive else { return }
        clients[PeerID(peer)] = answer
        receive(.clientSent(PeerID(peer), .everything, trial.bug?.read(envelope) ?? envelope))
    }

    /// Something happens that the front is told at once.
    func receive(_ event: FrontEvent) {
        guard isAlive else { return }
        inbox.append(event)
        if stopped == nil { wake(at: trial.now + trial.random.between(50, trial.settings.gathering) * 1_000) }
    }

    private var deadline: Int64 { machine.nextDeadline?.nanoseconds ?? .max }
    private var wakeNumber: UInt64 = 0

    private func wake(at time: Int64) {
        guard time < wakesAt || wakesAt < trial.now, time < .max else { return }
        wakesAt = max(time, trial.now)
        wakeNumber += 1
        let number = wakeNumber
        trial.at(wakesAt) { [self] in if number == wakeNumber { turn() } }
    }

    private func turn() {
        wakesAt = .max
        guard isAlive else { return }
        if let stopped {
            guard trial.now >= stopped.until else { return wake(at: stopped.until) }
            self.stopped = nil
            let length = trial.now - stopped.from
            if length > 500_000_000 { machine.handle(.loopPaused(.nanoseconds(length)), at: time, into: &actions) }
        }
        if abs(trial.wallOffset - wallOffset) > 500 {
            machine.handle(.clockStepped(by: .milliseconds(trial.wallOffset - wallOffset)), at: time, into: &actions)
            wallOffset = trial.wallOffset
        }
        leave()
        for event in inbox { machine.handle(event, at: time, into: &actions) }
        inbox.removeAll(keepingCapacity: true)
        let undurable = leaving.first.map { trial.now - $0.decidedAt } ?? 0
        let reading = TurnReading(
            began: MonotonicTime(nanoseconds: trial.now), isWorkersDone: true, isClientsDone: true, undurable: .nanoseconds(undurable))
        machine.handle(.inputRead(reading), at: time, into: &actions)
        close()
        mayStore()
        wake(at: deadline)
    }

    /// What was decided is a turn: its entries become a row, and all else waits for that.
    private func close() {
        var entries: [JournalEntry] = []
        var order: [PeerID] = []
        var together: [PeerID: [WorkerBoundMessage]] = [:]
        var messages: [() -> Void] = []
        let below = LeaseID(machine.decided.lease)
        while let (_, action) = actions.takeFirst() {
            switch action {
            case .record(let entry): entries.append(entry)
            case .sendToWorker(let peer, let message):
                if together[peer] == nil { order.append(peer) }
                together[peer, default: []].append(message)
            case .sendToWorkerApart(let peer, let message): messages.append { [self] in send([message], to: peer, below: .none) }
            case .send(let peer, let session, let message): messages.append { [self] in clients[peer]?(session, message) }
            // At once: it decides nothing.
            case .answerRenewal(let peer, let number): send([.renewed(number, cancels: [])], to: peer, below: sentBelow)
            default: break
            }
        }
        for peer in order {
            guard let all = together[peer] else { continue }
            messages.append { [self] in send(all, to: peer, below: below) }
        }
        guard !entries.isEmpty || !messages.isEmpty else { return }
        if trial.bug == .durableTooEarly { for message in messages { message() } }
        let isSlow = trial.now < commitIsSlowUntil
        let commit =
            entries.isEmpty
            ? 0 : isSlow ? trial.random.between(300, 3_000) * 1_000_000 : trial.random.between(20, trial.settings.commit) * 1_000
        let closed = Closed(
            turn: nextTurn, entries: entries, messages: trial.bug == .durableTooEarly ? [] : messages, decided: machine.decided,
            decidedAt: trial.now, durableAt: max(leaving.last?.durableAt ?? 0, trial.now + commit))
        nextTurn += 1
        leaving.append(closed)
        let number = epoch
        if commit == 0, leaving.count == 1 { return leave() }
        if isDying {
            isDying = false
            trial.at(trial.now + trial.random.between(0, commit)) { [self] in if number == epoch { die() } }
        }
        trial.at(closed.durableAt) { [self] in if number == epoch, isAlive, stopped == nil { leave() } }
    }

    private func send(_ messages: [WorkerBoundMessage], to peer: PeerID, below: LeaseID) {
        peers[peer]?(WorkerBoundEnvelope(front: Self.front, epoch: Epoch(epoch), messages: messages, sentBelow: below))
    }

    /// What is durable leaves.
    private func leave() {
        while let closed = leaving.first, closed.durableAt <= trial.now {
            leaving.removeFirst()
            keep(closed)
            for message in closed.messages { message() }
            sentBelow = LeaseID(closed.decided.lease)
            machine.handle(.sent(closed.decided), at: time, into: &actions)
        }
    }

    private func keep(_ closed: Closed) {
        guard !closed.entries.isEmpty else { return }
        rows.append((closed.turn, closed.entries))
        trial.watch.take(closed.entries, turn: closed.turn)
        trial.note("turn \(closed.turn) is durable: \(closed.entries.map(\.trialLine).joined(separator: "; "))")
    }

    /// A checkpoint takes the place of the rows, once all that was decided is durable.
    private func mayStore() {
        guard rows.count >= trial.settings.checkpointRows, leaving.isEmpty else { return }
        checkpoint = (nextTurn - 1, machine.state.slices(LoopSettings(), .full))
        rows.removeAll(keepingCapacity: true)
        trial.note("a checkpoint at turn \(nextTurn - 1)")
    }

    // MARK: The end

    /// What limits are said to be in use when all has ended; nil: none.
    var takenPermits: String? {
        for limit in trial.settings.allLimits {
            guard case .limit(let summary)? = machine.item(ItemKey.limit(named: limit.name), of: .limits), summary.inUse > 0 else {
                continue
            }
            return "\(summary.inUse) permits of \(limit.name) are taken when all has ended"
        }
        return nil
    }

    /// What is left, for people.
    var left: String { "\(leaving.count) turns have not left, \(inbox.count) messages are unread, \(rows.count) rows" }
}
