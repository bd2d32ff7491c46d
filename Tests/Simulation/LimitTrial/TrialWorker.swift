//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryWorker

/// A worker of a trial, life after life: the machine that every worker has, with runs that last as long as is drawn, and a kernel that ends it.
final class TrialWorker {
    unowned let trial: LimitTrial
    let index: Int
    private(set) lazy var link = TrialLink(trial)
    /// Counts its processes: what was planned for an earlier one does not happen.
    private(set) var generation: UInt64 = 0
    private(set) var isAlive = false
    private var machine: WorkerMachine
    /// What the kernel calls it, if the front is to know.
    private var process: ProcessIdentity?
    private var actions: [WorkerAction] = []
    private var outgoing: [WorkerMessage] = []
    private var inbox: [WorkerBoundEnvelope] = []
    var reports: [WorkReport] = []
    /// What really runs in slots, by the numbers of their tokens.
    var runs: [UInt64: TrialRun] = [:]
    /// Bulk jobs that run on its own thread: until they have ended it does nothing else.
    var bulk: TrialBulk?
    private(set) var stoppedUntil: Int64 = 0
    private var killAt = Int64.max
    private var killLookedAt = Int64.max
    private var wakesAt = Int64.max
    private var wakeNumber: UInt64 = 0
    private var frontEpoch: UInt64 = 0

    /// What workers offer; some only the first.
    static let loaders = [LoaderDeclaration(name: "slow"), LoaderDeclaration(name: "fast", isBulk: true)]

    init(_ trial: LimitTrial, index: Int) {
        (self.trial, self.index) = (trial, index)
        machine = WorkerMachine(Self.settings(trial, index, generation: 0))
    }

    private static func settings(_ trial: LimitTrial, _ index: Int, generation: UInt64) -> WorkerSettings {
        let drawn = trial.settings.workers[index]
        let id = WorkerID(UInt64(index + 1) * 1_000_000 + generation)
        var settings = WorkerSettings(
            worker: id, name: "worker-\(index)", processID: UInt32(index + 1), slots: drawn.slots, prefetch: drawn.prefetch,
            loaders: drawn.prefetch > 0 ? loaders : [loaders[0]])
        settings.secret = Array(repeating: UInt8(index + 1), count: 32)
        if drawn.isKnown { settings.process = ProcessIdentity(namespace: "trial", number: UInt32(index + 1), start: id.rawValue) }
        return settings
    }

    /// For people.
    var name: String { "worker \(machine.worker)" }
    private var time: MonotonicTime { MonotonicTime(nanoseconds: trial.now) }
    /// Whether nothing runs.
    var isIdle: Bool { runs.isEmpty && bulk == nil }
    /// Whether it stands still.
    var isStopped: Bool { trial.now < stoppedUntil }

    // MARK: Its process

    /// A process begins.
    func begin() {
        generation += 1
        isAlive = true
        let settings = Self.settings(trial, index, generation: generation)
        (machine, process) = (WorkerMachine(settings), settings.process)
        trial.note("\(name) begins")
        link.reconnect()
        wake(at: trial.now)
    }

    /// Its process ends, and all that runs in it.
    func die(_ reason: String, isSeen: Bool) {
        guard isAlive else { return }
        trial.note("\(name) ends: \(reason)")
        isAlive = false
        for run in runs.values.sorted(by: { $0.token.number < $1.token.number }) { trial.watch.end(run.job, run.keys) }
        if let bulk, let keys = bulk.keys { trial.watch.end(bulk.job, keys) }
        (runs, bulk, reports, inbox, outgoing, actions) = ([:], nil, [], [], [], [])
        (stoppedUntil, killAt, killLookedAt, wakesAt, wakeNumber) = (0, .max, .max, .max, wakeNumber + 1)
        if isSeen, let process {
            trial.after(trial.random.between(0, 5)) { [trial] in trial.front.receive(.processEnded(process)) }
        }
        trial.after(trial.random.spread(50, 4_000)) { [self] in begin() }
    }

    /// It is killed.
    func kill() {
        let isSeen = process != nil && trial.random.chance(0.7)
        guard isAlive else { return }
        trial.count(isSeen ? .workerKilledAndSeen : .workerKilled)
        die("it is killed", isSeen: isSeen)
    }

    /// It stands still for so long; its runs go on, those in other processes as if nothing was.
    func stop(for milliseconds: Int64) {
        guard isAlive else { return }
        trial.count(milliseconds > 5_000 ? .workerStoppedBeyondLease : .workerStopped)
        trial.note("\(name) stands still for \(milliseconds) ms")
        stoppedUntil = max(stoppedUntil, trial.now + milliseconds * 1_000_000)
    }

    /// The front is told that its process has ended, which is not so.
    func seemDead() {
        guard isAlive, let process else { return }
        trial.front.receive(.processEnded(process))
    }

    private func armKillTimer(at instant: Int64) {
        killAt = instant
        // Moved with each renewal: one look is planned, and looks again.
        if killLookedAt > killAt { lookAtKillTimer(at: killAt) }
    }

    private func lookAtKillTimer(at instant: Int64) {
        killLookedAt = instant
        let number = generation
        let late: Int64 = trial.bug == .killedLate ? 8_000_000_000 : 0
        trial.at(instant + late) { [self] in
            guard number == generation, isAlive, killLookedAt == instant else { return }
            killLookedAt = .max
            if killAt > trial.now - late { return killAt < .max ? lookAtKillTimer(at: killAt) : () }
            trial.count(.killTimer)
            die("the kernel ends it", isSeen: process != nil)
        }
    }

    // MARK: Turns

    /// Has a turn at that time, or earlier.
    func wake(at time: Int64) {
        guard time < wakesAt, time < .max else { return }
        wakesAt = max(time, trial.now)
        wakeNumber += 1
        let number = wakeNumber
        trial.at(wakesAt) { [self] in if number == wakeNumber { turn() } }
    }

    private func receive(_ envelope: WorkerBoundEnvelope) {
        guard isAlive else { return }
        inbox.append(envelope)
        if bulk == nil { wake(at: trial.now + 10_000) }
    }

    private func turn() {
        wakesAt = .max
        guard isAlive, bulk == nil else { return }
        guard !isStopped else { return wake(at: stoppedUntil) }
        if frontEpoch != trial.front.epoch {
            frontEpoch = trial.front.epoch
            link.reconnect()
        }
        let number = generation
        for envelope in inbox { decide(.received(envelope)) }
        inbox.removeAll(keepingCapacity: true)
        for report in reports { decide(.reported(report)) }
        reports.removeAll(keepingCapacity: true)
        decide(.tick)
        if number == generation, isAlive, bulk == nil { endTurn() }
    }

    /// What was decided leaves; bulk jobs have run before that.
    private func endTurn() {
        decide(.turnEnds)
        guard isAlive else { return }
        if !outgoing.isEmpty { send(outgoing, epoch: machine.epoch, machine.registrationNumber) }
        outgoing.removeAll(keepingCapacity: true)
        let isLeft = !inbox.isEmpty || !reports.isEmpty
        wake(at: isLeft ? trial.now : max(machine.nextDeadline.nanoseconds, trial.now + 20_000))
    }

    /// The rows of bulk jobs have run.
    func endBulk(_ ended: WorkerMessage.Ended, rows: Int) {
        bulk = nil
        decide(.bulkEnded(ended, rows: rows))
        if isAlive { endTurn() }
    }

    private func decide(_ event: WorkerEvent) {
        var next: WorkerEvent? = event
        var performed = 0
        while isAlive {
            if let event = next { machine.handle(event, at: time, into: &actions) }
            guard performed < actions.count else { break }
            let action = actions[performed]
            performed += 1
            next = perform(action)
        }
        actions.removeAll(keepingCapacity: true)
    }

    private func perform(_ action: WorkerAction) -> WorkerEvent? {
        switch action {
        case .send(let message): outgoing.append(message)
        case .register(let registration):
            outgoing.removeAll(keepingCapacity: true)
            send([.register(registration)], epoch: machine.epoch, machine.registrationNumber)
        case .reconnect:
            outgoing.removeAll(keepingCapacity: true)
            inbox.removeAll()
            link.reconnect()
        case .start(let work): begin(work)
        case .cancelWork(let token, _): cancel(token)
        case .killWork(let token): return .workKilled(token, false)
        case .runBulk(let work): run(work)
        case .armKillTimer(let instant):
            armKillTimer(at: instant.nanoseconds)
            return .killTimerArmed
        case .disarmKillTimer: killAt = .max
        case .ignored: break
        case .finish: die("it has finished", isSeen: false)
        case .refused(let reason): trial.watch.find(.frontGoesOn, "\(name) is refused: \(reason)")
        }
        return nil
    }

    private func send(_ messages: [WorkerMessage], epoch: Epoch, _ number: RegistrationNumber) {
        let envelope = WorkerEnvelope(worker: machine.worker, epoch: epoch, registrationNumber: number, messages: messages)
        let (peer, process, sender) = (link.peer, process, generation)
        link.carry(toFront: true) { [self] in
            trial.front.receive(envelope, from: peer, process: process) { [self] answer in
                link.carry(toFront: false) { [self] in if sender == generation, peer == link.peer { receive(answer) } }
            }
        }
    }
}
