//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryAuditRecord
import GantryModel
import GantryWorker

/// What workers would write into their records, and what an audit of that finds: at the end of a world in which limits held, that they held.
struct AuditWatch {
    private var runs: [AuditedRun] = []
    private var open: [UInt64: Int] = [:]

    /// A run begins.
    mutating func began(_ number: UInt64, _ starts: [RecordedStart], on worker: WorkerProcess, at time: Int64) {
        guard !starts.isEmpty else { return }
        open[number] = runs.count
        runs.append(
            AuditedRun(
                label: worker.name, writer: RecordWriterName(.worker, worker.id.rawValue), process: worker.identity, starts: starts,
                start: time, end: time, sureEnd: time, ending: .running))
    }

    /// A run has really ended, or its process has.
    mutating func ended(_ number: UInt64, at time: Int64) {
        guard let index = open.removeValue(forKey: number) else { return }
        (runs[index].end, runs[index].sureEnd, runs[index].ending) = (time, time, .stopped)
    }

    /// What an audit finds that is not so; nil: all limits held.
    func fault(at time: Int64) -> String? {
        let audit = LimitAudit(runs.sorted { $0.start < $1.start }, from: 0, to: time)
        guard let value = audit.values.first(where: { $0.state != .held }) else { return nil }
        let most = value.excesses.first.map { "\($0.running) of \($0.capacity) run" }
        let early = value.rate?.early.first.map { "job \($0.job) began with \($0.tokens) tokens of \($0.refill.line)" }
        return "the audit says that the limit \(value.key.text) is \(value.state): \(most ?? early ?? "")"
    }
}

extension Ledger {
    /// A job begins in a slot, and its start is written down.
    func records(_ run: Run, _ start: WorkStart) {
        guard let limited = start.limited else { return }
        let recorded = RecordedStart(run: run.number, job: start.job, attempt: start.attempt, limited: limited, leaseEnd: world.now)
        audits.began(run.number, [recorded], on: run.worker, at: world.now)
    }

    /// Jobs of a bulk loader run one after another.
    func records(_ starts: [RecordedStart], on worker: WorkerProcess) {
        guard let run = starts.first?.run else { return }
        audits.began(run, starts, on: worker, at: world.now)
        audits.ended(run, at: world.now)
    }

    /// The audit of a world that has come to its end. A front that keeps nothing forgets what runs, and what was taken of a rate.
    func checkAudit() {
        if !isMemory, let fault = audits.fault(at: world.now) { world.violate(.auditsAgree, fault) }
    }
}
