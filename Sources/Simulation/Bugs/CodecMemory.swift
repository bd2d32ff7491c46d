//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Synchronization

/// What a lying codec remembers of the frames that it has seen, so that its lies are plausible.
final class CodecMemory: Sendable {
    private struct State {
        /// The newest lease of each job and who holds it, and the job of each lease.
        var leases: [UInt64: (lease: UInt64, holder: RegistrationNumber)] = [:]
        var jobs: [UInt64: UInt64] = [:]
        /// How each job was last said to have ended, and under which lease.
        var ends: [UInt64: (lease: UInt64, outcome: Outcome, result: [UInt8])] = [:]
        /// Reports that were read and not yet acknowledged by the lie.
        var reports: [UInt64] = []
        /// The entry that the last row lacks.
        var late: JournalEntry?

        /// The earlier ends of jobs that a worker holds anew, as if it reported them itself; nil: there are none.
        mutating func earlierEnds(of holder: RegistrationNumber) -> WorkerMessage.Ended? {
            var report = WorkerMessage.Ended(report: .max)
            for (job, end) in ends.sorted(by: { $0.key < $1.key }) {
                guard let newest = leases[job], newest.holder == holder, newest.lease != end.lease else { continue }
                ends[job] = nil
                report.jobs.append(job)
                report.leases.append(newest.lease)
                report.outcomes.append(end.outcome)
                report.results.append(end.result)
            }
            return report.jobs.isEmpty ? nil : report
        }
    }

    private let state = Mutex(State())

    /// Notes the leases of the grants in a frame.
    func noteGrants(_ envelope: WorkerBoundEnvelope) {
        for case .grant(let grant) in envelope.messages {
            state.withLock { state in
                for (job, lease) in zip(grant.jobs, grant.leases) {
                    state.leases[job] = (lease, grant.registrationNumber)
                    state.jobs[lease] = job
                }
            }
        }
    }

    /// Notes the reports in a frame.
    func noteReports(_ envelope: WorkerEnvelope) {
        for case .ended(let ended) in envelope.messages { state.withLock { $0.reports.append(ended.report) } }
    }

    /// The reports noted since the last time; nil: none.
    func takeReports() -> [UInt64]? {
        state.withLock { state in
            defer { state.reports = [] }
            return state.reports.isEmpty ? nil : state.reports
        }
    }

    /// The entries of a row but for the last of several, behind what the row before lacks.
    func withoutLast(_ entries: [JournalEntry]) -> [JournalEntry] {
        state.withLock { state in
            let all = (state.late.map { [$0] } ?? []) + entries
            state.late = entries.count > 1 ? entries.last : nil
            return entries.count > 1 ? all.dropLast() : all
        }
    }

    /// The envelope as if its worker reported once more how its jobs had ended under earlier leases.
    func withEarlierEnds(_ envelope: WorkerEnvelope) -> WorkerEnvelope {
        var envelope = envelope
        for case .ended(let ended) in envelope.messages { note(ended) }
        if let earlier = state.withLock({ $0.earlierEnds(of: envelope.registrationNumber) }) { envelope.messages.append(.ended(earlier)) }
        return envelope
    }

    private func note(_ ended: WorkerMessage.Ended) {
        for (row, result) in ended.results.enumerated() {
            state.withLock { $0.ends[ended.jobs[row]] = (ended.leases[row], ended.outcomes[row], Array(result)) }
        }
    }

    /// The message as if work that is told to stop had stopped.
    func withStopsAsEnds(_ message: WorkerMessage) -> WorkerMessage {
        guard case .cancelStep(let lease, _) = message, let job = state.withLock({ $0.jobs[lease.rawValue] }) else { return message }
        var ended = WorkerMessage.Ended(report: .max)
        ended.jobs = [job]
        ended.leases = [lease.rawValue]
        ended.outcomes = [.cancelled]
        ended.results.appendEmpty()
        return .ended(ended)
    }
}
