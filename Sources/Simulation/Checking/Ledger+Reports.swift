//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What passes between workers and the front: reports and their acknowledgements, cancels and the work that they are to reach.
extension Ledger {
    /// How long a cancel may take from the disk to the running work while nothing disturbs it, in milliseconds.
    private static let cancelLimit: Int64 = 3_000

    /// A worker's frame has reached the front.
    func noteReports(_ envelope: WorkerEnvelope, from peer: PeerID) {
        for message in envelope.messages {
            switch message {
            case .ended(let ended): reports[peer, default: [:]][ended.report] = Array(zip(ended.jobs, ended.leases))
            case .overdue(let jobs): queue.named(jobs, by: envelope.worker)
            case .register, .renewal, .progress, .cancelStep, .draining, .close, .refusedGrants, .unknown, .unreadable: break
            }
        }
    }

    /// The front tells a worker which reports it may forget: nothing that they say may still be open.
    func checkAcknowledged(_ acknowledged: [UInt64], to peer: PeerID) {
        for report in acknowledged {
            for (job, lease) in reports[peer]?[report] ?? [] where durable.held.contains(job) && durable.newestLeases[job] == lease {
                world.violate(.ackedIsDurable, "report \(report) says that job \(job) has ended, the journal that it runs")
            }
        }
    }

    /// A cancel of running work is durable: it reaches the work in time, if the world is quiet meanwhile.
    func watchCancel(of job: JobID) {
        let begun = world.now
        guard world.disturbedUntil < begun else { return }
        let running = world.workers.flatMap(\.runs).filter { $0.job == job }
        world.after(Self.cancelLimit) { [self] in
            guard world.disturbedUntil < begun else { return }
            for run in running where !run.isOver && !run.isCancelAsked {
                world.violate(.cancelIsQuick, "run \(run.number) of job \(job) is not told to stop \(Self.cancelLimit) ms after its cancel")
            }
        }
    }
}
