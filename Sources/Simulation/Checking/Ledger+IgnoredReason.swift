//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore

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
        if isUndisturbed, refused.ofJobs > 0 {
            world.violate(.nothingIsLate, "nothing has gone wrong, and \(refused.ofJobs) entries moved no job")
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
        case .topicObserved, .jobForgotten: .error
        case .sessionEnded, .notResumed, .notRegistered, .repeatedRegistration, .oldRenewal, .leaseNotHeld, .objectNotNamed,
            .tooManyDamaged,
            .storedSince, .topicUnknown, .feedForgotten:
            .fault
        case .loadNotAwaited, .orderNotAwaited, .detailNotAwaited, .feedReset, .selectedSince, .viewForgotten, .viewNotAttached,
            .snapshotSent, .topicNotObserved:
            .others
        }
    }
}
