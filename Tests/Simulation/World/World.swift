//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import HeapModule

/// A small world in virtual time: one front, some workers, some clients, a network and a disk, and chance.
///
/// Everything in it is the production code's own loops and machines, save what they ask for by contract. One event happens after the other.
/// While a process stands still between two of its calls, the others go on inside of that call.
final class World {
    let seed: UInt64
    let bug: InjectedBug?
    let isTraced: Bool
    var random: SplitMix64
    let swarm: Swarm
    /// How the front is set up.
    let variation: FrontVariation
    /// Whether it refuses jobs of loaders that it does not know.
    var refusesUnknownLoaders: Bool { !seed.isMultiple(of: 3) }
    /// What kind of journal it has.
    let journal: JournalVariation
    /// Whether the front can know the processes of workers, or has nothing but their leases.
    let knowsProcesses: Bool
    /// Chance of everything that came later than the faults of the network, apart so that neither changes the other.
    var chance: SplitMix64
    /// Chance of what came last, apart for the same reason.
    var late: SplitMix64
    /// Chance of the options of jobs.
    var optionChance: SplitMix64
    /// Draws what later still came: workers that are asked to drain.
    var drainChance: SplitMix64
    /// Draws when jobs are to start, and what moves them.
    var startChance: SplitMix64
    /// Whether and how jobs are tried again.
    var retryChance: SplitMix64
    /// Which limits there are, and which jobs count in them.
    var limitChance: SplitMix64
    let flow: FlowVariation
    let grace: GraceVariation
    /// How long attempts may take.
    var timeoutChance: SplitMix64
    /// When jobs expire, how long they may take in all, which are snoozed, and how work stops.
    var endChance: SplitMix64
    /// Whether a front is killed that has left work to later turns.
    var workChance: SplitMix64
    /// What is paused, and when.
    var pauseChance: SplitMix64
    /// Which submits take loaders that the front does not know.
    var loaderChance: SplitMix64
    /// Which ended jobs are repeated, many at once.
    var repeatChance: SplitMix64
    /// Which jobs are repeated once more, though others repeat them.
    var againChance: SplitMix64
    /// Which jobs have unique keys.
    var keyChance: SplitMix64
    /// Which starts of jobs with limits cannot be recorded, and how often that is.
    var recordChance: SplitMix64
    let recordShare: Double
    /// Chance of a journal that fronts share.
    var journalChance: SplitMix64
    /// Nanoseconds of the world's own clock, from which those of the processes drift; it counts while a process stands still.
    private(set) var now: Int64 = 1_000_000_000_000
    /// Milliseconds by which the wall clock has jumped.
    var wallOffset: Int64 = 0
    private var queue = Heap<TimedEvent>()
    private var nextNumber: UInt64 = 0
    private var fingerprint: UInt64 = 0
    private var lastNotes: [String] = []

    private(set) lazy var ledger = Ledger(self)
    private(set) lazy var network = Network(self)
    private(set) lazy var disk = Disk(self)
    /// Everybody who ever lived: links and runs of the dead still name them.
    var processes: [Process] = []
    var front: FrontProcess?
    var workers: [WorkerProcess] = []
    var clients: [ClientProcess] = []
    var faults = KindCounts<FaultKind>()
    var metBounds = KindCounts<MetBound>()
    var busy = KindCounts<BusyBound>()
    /// Whether faults and new requests go on.
    var isStormy = true
    var poisonCount = 0
    /// Until when the effects of faults may be felt, in nanoseconds.
    var disturbedUntil: Int64 = 0
    private(set) var violation: Violation?
    private var isAtRest = false
    /// Since when everything has ended though observers are not shown it.
    private var quietSince: Int64?

    static let startWall: Int64 = 1_790_000_000_000
    /// How long everything may take to end after the last fault, in nanoseconds.
    static let restLimit: Int64 = 400_000_000_000
    /// How long what observers are shown may differ from what the front holds once everything has ended, in nanoseconds.
    private static let staleLimit: Int64 = 15_000_000_000

    init(seed: UInt64, bug: InjectedBug?, isTraced: Bool) {
        self.seed = seed
        self.bug = bug
        self.isTraced = isTraced
        random = SplitMix64(.world, of: seed)
        swarm = Swarm(&random)
        chance = SplitMix64(.chance, of: seed)
        var tight = SplitMix64(.tightBounds, of: seed)
        knowsProcesses = tight.chance(0.6)
        var looks = SplitMix64(.looks, of: seed)
        late = SplitMix64(.late, of: seed)
        optionChance = SplitMix64(.options, of: seed)
        drainChance = SplitMix64(.drains, of: seed)
        startChance = SplitMix64(.starts, of: seed)
        retryChance = SplitMix64(.retries, of: seed)
        limitChance = SplitMix64(.limits, of: seed)
        flow = FlowVariation(seed: seed)
        grace = GraceVariation(seed: seed)
        workChance = SplitMix64(.work, of: seed)
        timeoutChance = SplitMix64(.timeouts, of: seed)
        endChance = SplitMix64(.ends, of: seed)
        loaderChance = SplitMix64(.loaders, of: seed)
        pauseChance = SplitMix64(.pauses, of: seed)
        repeatChance = SplitMix64(.repeats, of: seed)
        againChance = SplitMix64(.repeatsAgain, of: seed)
        keyChance = SplitMix64(.keys, of: seed)
        variation = FrontVariation(&chance, tight: &tight, looks: &looks, late: &late, swarm: swarm)
        recordChance = SplitMix64(.records, of: seed)
        recordShare = recordChance.chance(0.5) ? 0 : 0.2
        journalChance = SplitMix64(.journal, of: seed)
        journal = JournalVariation(&journalChance, isQuiet: variation.isQuiet)
    }

    /// By how many millionths the clock of a new process is too fast; negative: too slow.
    func drift() -> Int64 { variation.clocksDrift ? chance.between(-10_000, 10_000) : 0 }

    var wall: WallTime { WallTime(milliseconds: Self.startWall + now / 1_000_000 + wallOffset) }
    var isOver: Bool { violation != nil || isAtRest }

    /// Plans something.
    func at(_ time: Int64, _ action: @escaping () -> Void) {
        queue.insert(TimedEvent(time: max(time, now), number: nextNumber, action: action))
        nextNumber += 1
    }

    /// Plans something, in milliseconds from now.
    func after(_ milliseconds: Int64, _ action: @escaping () -> Void) { at(now + milliseconds * 1_000_000, action) }

    /// Lets the next event happen if it is due by `limit`; otherwise it is `limit` now.
    func step(until limit: Int64) -> Bool {
        guard let next = queue.min, next.time <= limit else {
            now = max(now, limit)
            return false
        }
        queue.removeMin()
        now = max(now, next.time)
        fingerprint = (fingerprint ^ UInt64(bitPattern: now)) &* 0x100_0000_01B3
        next.action()
        return true
    }

    /// Lets the others go on while a process is inside of a call.
    func pass(_ milliseconds: Int64, for process: Process) {
        let end = now + milliseconds * 1_000_000
        while process.isAlive, !isOver, step(until: end) {}
    }

    /// Says what happens, for a report that was asked for.
    func note(_ text: @autoclosure () -> String) {
        guard isTraced else { return }
        let milliseconds = (now - 1_000_000_000_000) / 1_000_000
        lastNotes.append("\(milliseconds / 1_000).\(String(milliseconds % 1_000 + 1_000).dropFirst()) \(text())")
        if lastNotes.count > 100_000 { lastNotes.removeFirst(50_000) }
    }

    /// A promise is broken: the world ends.
    func violate(_ promise: Promise, _ text: @autoclosure () -> String) {
        guard violation == nil, bug == nil || bug?.breaks == promise else { return }
        violation = Violation(promise: promise, text: text())
        note("VIOLATION: \(promise.rawValue): \(text())")
    }

    /// From beginning to end.
    func run() -> SeedReport {
        populate()
        let quietAt = now + swarm.activeMilliseconds * 1_000_000
        at(quietAt) { self.endFaults() }
        while !isOver {
            guard step(until: quietAt + Self.restLimit) else {
                for job in front?.unendedJobs ?? [] { note("not ended: \(job)") }
                violate(.everythingEnds, ledger.unrest() ?? "it is at rest only now")
                break
            }
        }
        queue = Heap()
        return SeedReport(
            seed: seed, violation: violation, faults: faults, metBounds: metBounds, busy: busy,
            simulatedMilliseconds: (now - 1_000_000_000_000) / 1_000_000,
            eventCount: nextNumber, acceptedCount: ledger.acceptedCount, grants: ledger.queue.limits.grants, runCount: ledger.runCount,
            verifiedCount: ledger.verifiedCount, turnCount: ledger.turnCount, comparisonCount: ledger.comparisonCount,
            fingerprint: fingerprint, trace: lastNotes)
    }

    private func populate() {
        note("the world: \(swarm) \(variation) \(journal)")
        startFront()
        for index in 0..<swarm.workers { startWorker(index) }
        for index in 0..<swarm.clients { startClient(index) }
        if variation.hasHostiles { startHostiles() }
        planFaults()
    }

    private func startHostiles() {
        for process: Hostile in [HostileClient(self), HostileWorker(self)] {
            processes.append(process)
            process.begin()
        }
    }

    func startFront() {
        let process = FrontProcess(self)
        processes.append(process)
        front = process
        process.wake()
    }

    func startWorker(_ index: Int) {
        let process = WorkerProcess(self, index: index)
        processes.append(process)
        if index < workers.count { workers[index] = process } else { workers.append(process) }
        process.begin()
    }

    /// The living worker of a process, or the one that has ended last in its place.
    func worker(_ process: ProcessIdentity) -> WorkerProcess? { workers.first { $0.identity == process } }

    /// Whether a worker's process runs, or stands still.
    func isAlive(_ id: WorkerID) -> Bool { workers.contains { $0.id == id && $0.isAlive } }

    func startClient(_ index: Int) {
        let process = ClientProcess(self, index: index)
        processes.append(process)
        if index < clients.count { clients[index] = process } else { clients.append(process) }
        process.begin()
    }

    private func endFaults() {
        isStormy = false
        note("the faults are over")
        network.repair()
        for case let process as Hostile in processes { network.close(process.endpoint) }
        disk.repair()
        passPoints()
        watchForRest()
    }

    /// A wall clock that has jumped may show points that jobs wait for only hours later: it jumps behind all of them.
    private func passPoints() {
        guard wallOffset != 0 else { return }
        wallOffset = Self.furthestOffset + 60_000
        ledger.queue.clockJumps()
        note("the wall clock jumps to \(wallOffset) ms")
    }

    /// How far the wall clock jumps from where it began, in milliseconds.
    static let furthestOffset: Int64 = 36_000_000

    private func watchForRest() {
        guard ledger.unrest() == nil, let front else {
            quietSince = nil
            return after(500) { self.watchForRest() }
        }
        // What observers are shown may be a little late; if it stays so, it is wrong.
        if let difference = ledger.stale(at: front) {
            let since = quietSince ?? now
            quietSince = since
            guard now > since + Self.staleLimit else { return after(500) { self.watchForRest() } }
            violate(.observersSeeTheState, difference)
        }
        ledger.checkRest(at: front)
        isAtRest = true
    }
}

/// Something that happens in a world at a time; of two at the same time the one that was planned first.
private struct TimedEvent: Comparable {
    /// Nanoseconds of the world's monotonic clock.
    let time: Int64
    let number: UInt64
    let action: () -> Void

    static func == (left: Self, right: Self) -> Bool { left.time == right.time && left.number == right.number }
    static func < (left: Self, right: Self) -> Bool { (left.time, left.number) < (right.time, right.number) }
}

extension World {
    /// Notes an event of the front and what it decided because of it, each action with the event's number. What decides nothing is left out.
    func trace(_ event: FrontEvent?, _ actions: FrontActions, of name: String) {
        guard isTraced, !actions.isEmpty else { return }
        for (index, (cause, action)) in actions.enumerated() {
            if index == 0 { note("\(name) event=\(cause): \(event.map(brief) ?? "start")") }
            note("\(name) event=\(cause) -> \(brief(action))")
        }
    }
}

/// The name of a case with those of the cases in it: `send 7 41 reply`. Whole values would be pages long and slow to make.
private func brief(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum else { return value is any CustomStringConvertible && isBulk(mirror) ? "\(value)" : "" }
    guard let content = mirror.children.first, let name = content.label else { return "\(value)" }
    let inner = Mirror(reflecting: content.value)
    let parts = inner.displayStyle == .tuple ? inner.children.map { brief($0.value) } : [brief(content.value)]
    return ([name] + parts.filter { !$0.isEmpty }).joined(separator: " ")
}

/// Whether it is a number or a name, and no collection of them.
private func isBulk(_ mirror: Mirror) -> Bool { mirror.displayStyle == nil || mirror.displayStyle == .struct }
