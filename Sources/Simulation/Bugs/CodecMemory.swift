//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Synchronization

/// What a lying codec remembers of the frames that it has seen, so that its lies are plausible.
final class CodecMemory: Sendable {
    private struct State {
        /// The newest lease of each job and who holds it, and the job of each lease.
        var leases: [UInt64: (lease: UInt64, holder: AttachmentNumber)] = [:]
        var jobs: [UInt64: UInt64] = [:]
        /// Late ends of jobs that another worker holds by now, by that one.
        var late: [AttachmentNumber: [(job: UInt64, outcome: UInt8, result: [UInt8])]] = [:]
        /// Reports that were read and not yet acknowledged by the lie.
        var reports: [UInt64] = []

        /// The late ends for a worker, as if it reported them itself; nil: there are none.
        mutating func endsOfOthers(_ holder: AttachmentNumber) -> WorkerMessage.Ended? {
            guard let results = late.removeValue(forKey: holder) else { return nil }
            var ended = WorkerMessage.Ended(report: .max)
            for (job, outcome, result) in results {
                ended.jobs.append(job)
                ended.leases.append(leases[job]?.lease ?? 0)
                ended.outcomes.append(outcome)
                ended.lengths.append(UInt32(result.count))
                ended.results += result
            }
            return ended
        }
    }

    private let state = Mutex(State())

    /// Notes the leases of the grants in a frame.
    func noteGrants(_ envelope: WorkerBoundEnvelope) {
        for case .grant(let grant) in envelope.messages {
            state.withLock { state in
                for (job, lease) in zip(grant.jobs, grant.leases) {
                    state.leases[job] = (lease, grant.attachment)
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

    /// The envelope as if each report in it named the newest lease of its job; what another worker holds by now ends with that one's next
    /// envelope.
    func withNewestLeases(_ envelope: WorkerEnvelope) -> WorkerEnvelope {
        var envelope = envelope
        envelope.messages = envelope.messages.map { message in
            guard case .ended(var ended) = message else { return message }
            state.withLock { forgive(&ended, of: envelope.attachment, &$0) }
            return .ended(ended)
        }
        if let late = state.withLock({ $0.endsOfOthers(envelope.attachment) }) { envelope.messages.append(.ended(late)) }
        return envelope
    }

    private func forgive(_ ended: inout WorkerMessage.Ended, of speaker: AttachmentNumber, _ state: inout State) {
        var offset = 0
        for (row, job) in ended.jobs.enumerated() {
            let end = offset + Int(ended.lengths[row])
            defer { offset = end }
            guard let newest = state.leases[job], newest.lease != ended.leases[row] else { continue }
            if newest.holder == speaker {
                ended.leases[row] = newest.lease
            } else {
                state.late[newest.holder, default: []].append((job, ended.outcomes[row], Array(ended.results[offset..<end])))
            }
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
