//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Why a message was ignored. All of these are normal on a network; the loop counts them.
package enum WorkerIgnoredReason: Hashable, Sendable, CaseIterable {
    /// It is of another front or of an earlier life of ours.
    case otherFront
    /// It is of a registration that is over.
    case grantOfOlderRegistration
    /// The registration that it answers is already there.
    case alreadyRegistered
    /// It answers an older registration: it does not judge every lease that is held now.
    case olderRegistration
    /// The worker is not registered now.
    case notRegistered
    /// The echoed renewal is not one that was sent under this registration.
    case unknownRenewal
    /// The lease was granted before and is held, or its outcome was reported.
    case knownLease
    /// The run that reports is over.
    case unknownWork
    /// The job has ended; its report is on the way.
    case alreadyEnded
    /// No such report is kept.
    case unknownReport
    /// Too many outcomes wait to become durable: the grant is refused as busy.
    case overBound
    /// The columns of a grant do not fit each other.
    case malformed
    /// The front could not take a message of this worker.
    case refusedMessage
    /// The worker has sent close.
    case ended
}
