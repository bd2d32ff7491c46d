//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns
import GantryWorker

/// A run in a slot that has not really ended.
struct TrialRun {
    let job: UInt64
    let token: WorkToken
    let keys: [LimitKey]
    let ignoresCancel: Bool
    var isCancelled = false
}

/// Bulk jobs that run one after another.
struct TrialBulk {
    let work: BulkWork
    let rows: Int
    /// The next row, and what of it runs: nil, none does.
    var row: Int
    var job: UInt64 = 0
    var keys: [LimitKey]?
    var ended = WorkerMessage.Ended(report: 0)
}

extension TrialWorker {
    /// A job begins in a slot.
    func begin(_ work: WorkStart) {
        let (id, settings) = (work.job.rawValue, trial.settings)
        let isLong = trial.random.chance(settings.longShare)
        let length = isLong ? trial.random.between(2_000, 9_000) * 1_000_000 : trial.random.spread(100, 200_000) * 1_000
        trial.note("\(name) begins job \(id) for \(length / 1_000_000) ms")
        let keys = trial.watch.begin(id, at: name)
        let ignoresCancel = trial.random.chance(settings.ignoreShare)
        runs[work.token.number] = TrialRun(job: id, token: work.token, keys: keys, ignoresCancel: ignoresCancel)
        let end: WorkEnd =
            work.attempt < 3 && trial.random.chance(0.02)
            ? .failed(Failure(code: .unreachable, text: "attempt \(work.attempt) failed", retryable: true)) : .succeeded([], nil)
        self.end(work.token, at: trial.now + length, end)
    }

    /// The task of a run is asked to stop.
    func cancel(_ token: WorkToken) {
        guard let run = runs[token.number], !run.isCancelled else { return }
        runs[token.number]?.isCancelled = true
        if run.ignoresCancel { trial.count(.cancelIgnored) }
        let milliseconds = run.ignoresCancel ? trial.random.spread(100, 9_000) : trial.random.between(0, 30)
        end(token, at: trial.now + milliseconds * 1_000_000, .cancelled)
    }

    private func end(_ token: WorkToken, at time: Int64, _ end: WorkEnd) {
        let number = generation
        trial.at(time) { [self] in
            guard number == generation, isAlive, let run = runs[token.number] else { return }
            // It stands still with its worker.
            guard !isStopped else { return self.end(token, at: stoppedUntil, end) }
            runs[token.number] = nil
            trial.watch.end(run.job, run.keys)
            trial.note("\(name) has ended job \(run.job)")
            reports.append(.ended(token, end))
            if bulk == nil { wake(at: trial.now) }
        }
    }

    /// Some rows from the front of these run, one after another, on the worker's own thread.
    func run(_ work: BulkWork) {
        let rows = min(work.remainingCount, Int(trial.random.between(1, 16)))
        bulk = TrialBulk(work: work, rows: rows, row: work.nextRow)
        goOn(generation)
    }

    private func goOn(_ number: UInt64) {
        guard number == generation, isAlive, var bulk else { return }
        guard !isStopped else { return trial.at(stoppedUntil) { [self] in goOn(number) } }
        if let keys = bulk.keys {
            trial.watch.end(bulk.job, keys)
            bulk.ended.jobs.append(bulk.job)
            bulk.ended.leases.append(bulk.work.leases[bulk.row])
            bulk.ended.outcomes.append(.succeeded)
            bulk.ended.results.appendEmpty()
            bulk.row += 1
            bulk.keys = nil
        }
        guard bulk.row < bulk.work.nextRow + bulk.rows else { return endBulk(bulk.ended, rows: bulk.rows) }
        bulk.job = bulk.work.jobs[bulk.row]
        trial.note("\(name) begins bulk job \(bulk.job)")
        bulk.keys = trial.watch.begin(bulk.job, at: name)
        self.bulk = bulk
        trial.at(trial.now + trial.random.spread(5, 2_000) * 1_000) { [self] in goOn(number) }
    }
}

extension LimitTrial {
    /// Plans what goes wrong by itself; what frames meet is drawn for each.
    func planFaults() {
        for fault in TrialFault.allCases { if let milliseconds = settings.every[fault] { plan(fault, every: milliseconds) } }
        if bug == .freedEarly { plan(.workerKilledAndSeen, every: 1_000) }
    }

    private func plan(_ fault: TrialFault, every milliseconds: Int64) {
        after(random.between(milliseconds / 4, 2 * milliseconds)) { [self] in
            guard isStormy else { return }
            inject(fault)
            plan(fault, every: milliseconds)
        }
    }

    private func inject(_ fault: TrialFault) {
        guard let worker = random.pick(workers) else { return }
        switch fault {
        case .linkBlocked:
            count(fault)
            let milliseconds = random.spread(200, 20_000)
            note("frames of \(worker.name) do not come through for \(milliseconds) ms")
            worker.link.block(until: now + milliseconds * 1_000_000)
        case .linkBroken:
            count(fault)
            let peer = worker.link.peer
            worker.link.reconnect()
            if random.chance(0.5) { front.receive(.peerLost(PeerID(peer))) }
        case .workerKilled: worker.kill()
        case .workerStopped: worker.stop(for: random.chance(0.4) ? random.between(5_001, 12_000) : random.spread(50, 5_000))
        case .frontKilledAtRest: front.dieSoon()
        case .frontStopped: front.stop(for: random.spread(100, 8_000))
        case .slowCommit: front.slowCommits(for: random.spread(200, 5_000))
        case .wallStep:
            count(fault)
            wallOffset += random.between(-10_800_000, 10_800_000)
            note("the wall clock is set: \(wallOffset) ms")
        case .workerKilledAndSeen: worker.seemDead()
        default: break
        }
    }
}
