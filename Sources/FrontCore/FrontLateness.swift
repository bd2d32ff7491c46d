//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Why something that was said to the front changes nothing: it came too late, twice, or from somebody whose word it is not. Each is counted.
package enum FrontLateness: String, Sendable, CaseIterable {
    /// The session has ended, or never was.
    case sessionEnded
    /// Another connection speaks for the session, or none does.
    case notResumed
    /// A worker speaks that is not registered with this life of the front, under an older attachment, or by another connection.
    case notAttached
    /// A registration came again that the worker has spoken after.
    case repeatedRegistration
    /// A renewal is no newer than one that was read.
    case oldRenewal
    /// A report, a refusal or progress is about a lease that the worker does not hold, or holds no longer; or one report names a job twice.
    case leaseNotHeld
    /// Something has become of a feed's job that neither the feed nor a view waits for any more: another has taken its place, or the feed was reset.
    case jobNotAwaited
}
