//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel

/// What passes between workers and the front: reports and their acknowledgments, cancels and the work that they are to reach.
extension Ledger {
    /// How long a cancel may take from the disk to the running work while nothing disturbs it, in milliseconds.
    private static let cancelLimit: Int64 = 3_000

    /// A worker's frame has reached the front.
    func noteReports(_ envelope: WorkerEnvelope, from peer: PeerID) {
        for message in envelope.messages {
            switch message {
            case .ended(let ended): reports[peer, default: [:]][ended.report] = Array(zip(ended.jobs, ended.leases))
            case .overdue(let jobs): queue.named(jobs, by: envelope.worker)
            case .register, .renewal, .progress, .cancelStep, .draining, .close, .refusedGrants, .log, .unknown, .unreadable: break
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

/// What the front counts as late or refused: what may be counted is known from what was done to the world.
extension Ledger {
    /// What makes something come late.
    private enum Cause {
        /// A mistake of the front's own parts: it never does.
        case error
        /// Something was lost, repeated, reordered or made up, or somebody died or stood still.
        case fault
        /// What somebody else asks for meanwhile, or the last word of a conversation: it may at any time.
        case others
    }

    /// What this life of the front has counted is possible, as far as the world has come.
    func checkLate(_ refused: RefusalCounts) {
        if refused.ofScheduler > 0 {
            world.violate(.nothingIsLate, "the scheduler was asked \(refused.ofScheduler) times for what cannot be")
        }
        let isUndisturbed = world.faults.total == 0
        for reason in JobRefusal.allCases {
            guard let count = refused.ofJobs[reason], count > 0, isUndisturbed || reason.isImpossible else { continue }
            world.violate(.nothingIsLate, "\(count) entries moved no job: \(reason), after \(world.faults.total) faults")
        }
        for reason in FrontIgnoredReason.allCases {
            guard let count = refused.late[reason], count > 0 else { continue }
            let isPossible =
                switch cause(of: reason) {
                case .error: false
                case .fault: !isUndisturbed
                case .others: true
                }
            guard !isPossible else { continue }
            world.violate(.nothingIsLate, "\(reason.rawValue) is counted \(count) times after \(world.faults.total) faults")
        }
    }

    private func cause(of reason: FrontIgnoredReason) -> Cause {
        switch reason {
        case .topicObserved, .jobForgotten, .bundleNotAwaited: .error
        case .sessionEnded, .notResumed, .notRegistered, .repeatedRegistration, .oldRenewal, .leaseNotHeld, .objectNotNamed,
            .tooManyDamaged,
            .storedSince, .topicUnknown, .feedForgotten:
            .fault
        case .loadNotAwaited, .orderNotAwaited, .detailNotAwaited, .feedReset, .selectedSince, .viewForgotten, .viewNotAttached,
            .snapshotSent, .topicNotObserved, .processForgotten, .ownerForgotten:
            .others
        }
    }
}
