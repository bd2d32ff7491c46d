//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import HeapModule

/// One trial of limits: the front's machine and the machines of workers, without loops, wire, sockets and disk, in virtual time. Only what limits, leases
/// and restarts are about happens here, some hundred times as often in a second as in a `World`.
final class LimitTrial {
    let settings: TrialSettings
    let bug: TrialBug?
    var random: SplitMix64
    /// Nanoseconds of the clock that never jumps.
    private(set) var now: Int64 = 1_000_000_000_000
    /// Milliseconds by which the wall clock was set.
    var wallOffset: Int64 = 0
    var watch: TrialWatch
    var faults = KindCounts<TrialFault>()
    /// Whether faults and new jobs go on.
    private(set) var isStormy = true
    private(set) lazy var front = TrialFront(self)
    private(set) lazy var workers = settings.workers.indices.map { TrialWorker(self, index: $0) }
    private(set) lazy var clients = (0..<settings.clients).map { TrialClient(self, index: $0) }
    private var queue = Heap<TrialEvent>()
    private var nextNumber: UInt64 = 0
    private var nextPeer: UInt64 = 1
    private var trace: [String] = []
    private let isTraced: Bool
    private let seed: UInt64

    private static let start: Int64 = 1_000_000_000_000
    /// How long all may take to end after the last fault, in nanoseconds.
    private static let restLimit: Int64 = 900_000_000_000
    private static let tracedLines = 20_000

    init(seed: UInt64, grants: UInt64?, bug: TrialBug?, isTraced: Bool) {
        (self.seed, self.bug, self.isTraced) = (seed, bug, isTraced)
        watch = TrialWatch(seeking: bug?.breaks)
        random = SplitMix64(mixing: seed)
        settings = TrialSettings(&random, grants: grants)
    }

    /// The trial from its beginning to its end.
    func run() -> TrialReport {
        front.begin()
        for worker in workers { worker.begin() }
        for client in clients { client.begin() }
        planFaults()
        while watch.violation == nil, watch.limits.grants.all < settings.grants, step() {}
        endFaults()
        let deadline = now + Self.restLimit
        while watch.violation == nil, !isAtRest, now < deadline, step() {}
        if watch.violation == nil { checkEnd() }
        return TrialReport(
            seed: seed, violation: watch.violation, faults: faults, grants: watch.limits.grants, runCount: watch.runCount,
            acceptedCount: watch.acceptedCount, frontCount: front.epoch, simulatedMilliseconds: (now - Self.start) / 1_000_000,
            trace: trace)
    }

    private var isAtRest: Bool {
        watch.aliveCount == 0 && front.isAlive && !front.isBusy && clients.allSatisfy(\.isDone) && workers.allSatisfy(\.isIdle)
    }

    /// A job that runs; nil: the worker that was picked has none.
    func runningJob() -> UInt64? {
        guard let worker = random.pick(workers), let first = worker.runs.keys.min() else { return nil }
        return worker.runs[first]?.job
    }

    private func checkEnd() {
        if watch.aliveCount > 0 { watch.find(.everythingEnds, "\(watch.aliveCount) jobs have not ended; \(front.left)") }
        watch.checkEnd()
        if let taken = front.takenPermits { watch.find(.countsAreTrue, taken) }
    }

    /// Faults end: everybody goes on, and limits allow what they did at first.
    private func endFaults() {
        isStormy = false
        note("faults end")
        for worker in workers { worker.link.unblock() }
        for client in clients { client.link.unblock() }
        for client in clients { client.finish() }
    }

    // MARK: Time

    /// Plans something.
    func at(_ time: Int64, _ action: @escaping () -> Void) {
        queue.insert(TrialEvent(time: max(time, now), number: nextNumber, action: action))
        nextNumber += 1
    }

    /// Plans something, in milliseconds from now.
    func after(_ milliseconds: Int64, _ action: @escaping () -> Void) { at(now + milliseconds * 1_000_000, action) }

    private func step() -> Bool {
        guard let next = queue.popMin() else { return false }
        now = next.time
        next.action()
        return true
    }

    /// A number that no connection has had.
    func takePeer() -> UInt64 {
        nextPeer += 1
        return nextPeer
    }

    /// Counts a fault.
    func count(_ fault: TrialFault) { faults.count(fault) }

    /// Notes what happens; the text is made only if somebody is to read it.
    func note(_ text: @autoclosure () -> String) {
        guard isTraced else { return }
        if trace.count > Self.tracedLines { trace.removeFirst(Self.tracedLines / 2) }
        let microseconds = (now - Self.start) / 1_000
        trace.append("\(microseconds / 1_000).\(String(microseconds % 1_000 + 1_000).dropFirst()) \(text())")
    }
}

extension TrialReport {
    /// The trial of a seed.
    /// - Parameter grants: After how many grants faults end; nil: drawn.
    package static func run(_ seed: UInt64, grants: UInt64? = nil, bug: TrialBug? = nil, isTraced: Bool = false) -> TrialReport {
        LimitTrial(seed: seed, grants: grants, bug: bug, isTraced: isTraced).run()
    }
}

/// Something that is to happen.
private struct TrialEvent: Comparable {
    let time: Int64
    let number: UInt64
    let action: () -> Void

    static func == (left: Self, right: Self) -> Bool { left.number == right.number }
    static func < (left: Self, right: Self) -> Bool { (left.time, left.number) < (right.time, right.number) }
}

/// Both ways between the front and somebody else. Order is kept, save for what comes twice.
final class TrialLink {
    private unowned let trial: LimitTrial
    /// As what the front knows it; another one by each new connection.
    private(set) var peer: UInt64
    /// When the last frame arrives, and until when none does: to the front, from the front.
    private var last: [Int64] = [0, 0]
    private var blocked: [Int64] = [0, 0]

    init(_ trial: LimitTrial) {
        self.trial = trial
        peer = trial.takePeer()
    }

    /// A new connection: what was on its way from the front is lost.
    func reconnect() { peer = trial.takePeer() }

    /// A frame is on its way; `isAlive`: whether it still may arrive when its time has come.
    func carry(toFront: Bool, _ arrive: @escaping () -> Void) {
        let lane = toFront ? 0 : 1
        let (settings, isStormy) = (trial.settings, trial.isStormy)
        if isStormy, trial.random.chance(settings.lostShare) { return trial.count(.frameLost) }
        var delay = trial.random.between(20, settings.latency) * 1_000
        if isStormy, trial.random.chance(settings.lateShare) {
            trial.count(.frameLate)
            delay += trial.random.spread(20, 4_500) * 1_000_000
        }
        last[lane] = max(last[lane] + 1, blocked[lane], trial.now + delay)
        let sender = peer
        trial.at(last[lane]) { [self] in if toFront || peer == sender { arrive() } }
        guard isStormy, trial.random.chance(settings.repeatedShare) else { return }
        trial.count(.frameRepeated)
        trial.at(last[lane] + trial.random.spread(1, 5_000) * 1_000_000) { [self] in if toFront || peer == sender { arrive() } }
    }

    /// Nothing goes one way, or both, until then.
    func block(until time: Int64) {
        let ways = trial.random.below(3)
        if ways != 1 { blocked[0] = time }
        if ways != 0 { blocked[1] = time }
    }

    /// All goes again; what waits comes when it was to come.
    func unblock() { blocked = [0, 0] }
}
