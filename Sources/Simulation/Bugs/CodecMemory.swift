//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Synchronization

/// What a lying codec remembers of the frames that it has seen, so that its lies are plausible.
final class CodecMemory: Sendable {
    private struct State {
        /// The job of each lease.
        var jobs: [UInt64: UInt64] = [:]
        /// Reports that were read and not yet acknowledged by the lie.
        var reports: [UInt64] = []
    }

    private let state = Mutex(State())

    /// Notes the leases of the grants in a frame.
    func noteGrants(_ envelope: WorkerBoundEnvelope) {
        for case .grant(let grant) in envelope.messages {
            state.withLock { state in
                for (job, lease) in zip(grant.jobs, grant.leases) { state.jobs[lease] = job }
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

    /// The message as if work that is told to stop had stopped.
    func withStopsAsEnds(_ message: WorkerMessage) -> WorkerMessage {
        guard case .cancelStep(let lease, _) = message, let job = state.withLock({ $0.jobs[lease.rawValue] }) else { return message }
        var ended = WorkerMessage.Ended(report: .max)
        ended.jobs = [job]
        ended.leases = [lease.rawValue]
        ended.outcomes = [Outcome.cancelled.rawValue]
        ended.lengths = [0]
        return .ended(ended)
    }
}
