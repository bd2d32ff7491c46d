//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel
import GantryWire
import GantryWorker

/// One life of a worker: the production loop over a simulated connection, clock and runner.
final class WorkerProcess: Process {
    private typealias Loop = WorkerLoop<SimulatedWorkerTransport, SimulatedRunner, SimulatedWorkerClock, WireCodec>

    let index: Int
    let id: WorkerID
    let slots: Int
    /// What it offers; the first worker offers everything that anybody does, so that every job can run in the end.
    let loaders: [SimulatedLoader]
    /// What the kernel calls it.
    var identity: ProcessIdentity { ProcessIdentity(namespace: "world", number: UInt32(index + 1), start: id.rawValue) }
    private(set) lazy var endpoint = Endpoint(self, .worker)
    private var loop: Loop?
    /// What running work has said.
    var reports: [WorkReport] = []
    /// Slot runs that have not really ended.
    private(set) var runs: [Run] = []
    private var killTimerNumber = 0

    init(_ world: World, index: Int) {
        self.index = index
        id = WorkerID(world.random.next() | 1)
        slots = world.swarm.slots
        let isPicky = index > 0 && world.variation.loadersDiffer
        loaders = SimulatedLoader.offered.filter { _ in !isPicky || world.chance.chance(0.6) }
        world.ledger.queue.slots[id] = slots
        super.init(world, name: "worker \(index) (\(id.rawValue % 10_000))")
    }

    /// Starts the process.
    func begin() {
        var settings = WorkerSettings(
            worker: id, name: "worker-\(index)", processID: UInt32(index), slots: world.bug == .slotsOverrun ? slots + 1 : slots,
            prefetch: world.swarm.prefetch,
            loaders: loaders.map { $0.declaration(world.bug) })
        settings.retainedJobs = 256
        settings.stopTimes = loaders.map { _ in .milliseconds(world.endChance.spread(300, 10_000)) }
        settings.neighborTime = .milliseconds(world.endChance.spread(300, 6_000))
        (settings.grace, settings.unrepeatableTime) = (world.grace.grace, world.grace.unrepeatableTime)
        settings.token = world.variation.token
        settings.reportByteCount = world.variation.workerFrame / 2
        if world.knowsProcesses { settings.process = identity }
        settings.secret = (0..<32).map { UInt8(truncatingIfNeeded: id.rawValue >> (UInt64($0) % 8 * 8)) }
        var bounds = WorkerLoopBounds()
        bounds.frameByteCount = world.variation.workerFrame - 4_096
        loop = Loop(
            settings: settings, transport: SimulatedWorkerTransport(process: self), runner: SimulatedRunner(process: self),
            clock: SimulatedWorkerClock(process: self), codec: WireCodec(), bounds: bounds)
        world.note("\(name) begins")
        world.plan(self)
        world.network.open(endpoint)
        wake()
    }

    /// Stands before each call; throws when the process is dead.
    func check() throws {
        guard call() else { throw ProcessDied() }
    }

    override func turn() {
        guard var loop else { return }
        self.loop = nil
        do {
            let progress = try loop.turn()
            self.loop = loop
            guard isAlive else { return }
            switch progress {
            case .goesOn: rest(until: loop.machine.nextDeadline, isBacklogged: loop.isBacklogged)
            case .finished: die("it has finished")
            case .refused(let reason): die("it is refused: \(reason)")
            }
        } catch {
            die("\(error)")
        }
    }

    private func rest(until deadline: MonotonicTime, isBacklogged: Bool) {
        // What is unsent leaves when the socket has room, of which it says nothing after a reconnection.
        let latest = isBacklogged ? world.now + 20_000_000 : Int64.max
        let isDue = !endpoint.inbox.isEmpty || !reports.isEmpty
        rest(until: isDue ? world.now + 1_000 : min(max(worldTime(of: deadline), world.now + 1_000), latest))
    }

    override func died() {
        killTimerNumber += 1
        for run in runs { world.ledger.ended(run) }
        runs = []
        world.network.close(endpoint)
        world.ledger.queue.ends(id)
        world.front?.processEnded(identity)
        let pause = world.isStormy ? world.random.spread(100, 6_000) : 200
        world.after(pause) { [world, index] in world.startWorker(index) }
    }

    // MARK: The kernel

    /// From now on the kernel ends the process at that time; nil: never.
    func armKillTimer(at instant: Int64?) {
        killTimerNumber += 1
        guard let instant else { return }
        if instant <= world.now { return killByTimer() }
        let number = killTimerNumber
        world.at(instant) { [self] in
            if number == killTimerNumber { killByTimer() }
        }
    }

    private func killByTimer() {
        guard isAlive else { return }
        world.count(.killTimer)
        die("the kernel ends it")
    }

    // MARK: Work

    /// A job begins in a slot.
    func begin(_ start: WorkStart) {
        guard loaders.indices.contains(start.loader) else { return }
        let loader = loaders[start.loader]
        let marker = Run.number(in: start.feedWork?.item ?? start.argument)
        let run = Run(world.ledger.nextRun(), start, loader, marker, on: self)
        run.fails = loader != .doomed && world.random.chance(world.swarm.failShare)
        if world.variation.ordersHold, run.work?.operation == .sort { run.fails = false }
        run.ignoresCancel = world.random.chance(world.swarm.ignoreShare)
        run.snoozes = run.work == nil && loader != .doomed && world.endChance.chance(0.1)
        run.hasProcess = world.endChance.chance(0.3)
        runs.append(run)
        world.ledger.began(run)
        world.ledger.records(run, start)
        let longest = loader == .list ? 400 : world.swarm.longestRun
        let duration = world.random.chance(0.3) ? world.random.between(longest / 4, longest) : world.random.spread(5, longest)
        if world.random.chance(0.5) { report(run, after: duration / 2) }
        if run.number % 3 == 0 { log(run, after: duration / 3) }
        world.after(duration) { [self] in finish(run) }
    }

    /// Whether the start of a job with limits cannot be written down now.
    func failsToRecord() -> Bool {
        guard world.isStormy, world.recordChance.chance(world.recordShare) else { return false }
        world.count(.startUnrecorded)
        return true
    }

    /// What is reported then.
    static let unrecorded = Failure(code: .storageFull, text: "its start could not be recorded: the disk is full", retryable: true)

    /// A job does not begin.
    func giveBack(_ start: WorkStart) {
        reports.append(.ended(start.token, .unstarted(Self.unrecorded)))
        wake()
    }

    private func report(_ run: Run, after milliseconds: Int64) {
        world.after(milliseconds) { [self] in
            guard isAlive, !run.isOver, world.now >= stoppedUntil else { return }
            reports.append(.progress(run.token, JobProgress(percent: 50, completed: run.number, unit: "items")))
            wake()
        }
    }

    /// A run writes lines, each with its job's number, and saves what it is.
    private func log(_ run: Run, after milliseconds: Int64) {
        world.after(milliseconds) { [self] in
            guard isAlive, !run.isOver, world.now >= stoppedUntil else { return }
            let lines = (0..<2).map {
                LogLine(attempt: 1, at: WallTime(milliseconds: milliseconds), text: "job \(run.job) run \(run.number) line \($0)")
            }
            var log = JobLog(lines)
            log.save(run.number.isMultiple(of: 9) ? [] : run.result)
            reports.append(.logged(run.token, log))
            wake()
        }
    }

    /// A run comes to its own end.
    private func finish(_ run: Run) {
        guard isAlive, !run.isOver else { return }
        guard world.now >= stoppedUntil else {
            world.at(stoppedUntil + 1_000) { [self] in finish(run) }
            return
        }
        if run.loader == .doomed {
            world.count(.poison)
            return die("job \(run.job) ends it")
        }
        if run.snoozes {
            world.ledger.snoozes(run)
            end(run, .snoozed(.milliseconds(world.endChance.spread(1, 3_000))))
        } else if run.fails {
            let codes: [FailureCode] = [.httpStatus, .unreachable, .loaderFailed]
            let ofJob = run.work == nil ? codes[Int(run.number % 3)] : .httpStatus
            let code: FailureCode = run.work?.operation == .update || run.work?.operation == .detail ? .unknownItem : ofJob
            let argument = String(repeating: "x", count: MessageBounds.failureArgumentByteCount)
            let arguments = Array(repeating: argument, count: world.variation.failureByteCount / MessageBounds.failureArgumentByteCount)
            let asked = world.retryChance.chance(0.1) ? Duration.milliseconds(world.retryChance.between(100, 3_000)) : nil
            let failure = Failure(
                code: code, text: "run \(run.number) failed", arguments: arguments,
                retryable: world.retryChance.chance(0.8), retryAfter: asked)
            end(run, .failed(failure))
        } else {
            end(run, .succeeded(run.work == nil ? run.result : [], run.made(&world.random)))
        }
    }

    /// The task of a run is told to stop.
    func cancel(_ token: WorkToken, because reason: CancelReason) {
        guard let run = runs.first(where: { $0.token == token }), !run.isCancelAsked else { return }
        if reason == .timedOut { world.ledger.timesOut(run) }
        run.isCancelAsked = true
        if run.ignoresCancel { world.count(.cancelIgnored) }
        let milliseconds = run.ignoresCancel ? world.random.spread(100, 9_000) : world.random.between(0, 30)
        world.after(milliseconds) { [self] in finishCancelled(run) }
    }

    /// The process of a run is killed, if it has one: then its loader returns soon.
    func kill(_ token: WorkToken) -> Bool {
        guard let run = runs.first(where: { $0.token == token }), run.hasProcess else { return false }
        let milliseconds = world.endChance.chance(0.8) ? world.endChance.spread(1, 100) : 20_000
        world.after(milliseconds) { [self] in finishCancelled(run) }
        return true
    }

    private func finishCancelled(_ run: Run) {
        guard isAlive, !run.isOver else { return }
        guard world.now >= stoppedUntil else {
            world.at(stoppedUntil + 1_000) { [self] in finishCancelled(run) }
            return
        }
        end(run, .cancelled)
    }

    private func end(_ run: Run, _ end: WorkEnd) {
        runs.removeAll { $0 === run }
        world.ledger.ended(run)
        reports.append(.ended(run.token, end))
        wake()
    }
}
