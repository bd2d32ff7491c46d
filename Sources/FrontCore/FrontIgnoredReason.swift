//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Why something that was said to the front changes nothing: it came too late, twice, or from somebody whose word it is not. Each is counted.
package enum FrontIgnoredReason: String, Sendable, CaseIterable {
    /// The session has ended, or never was.
    case sessionEnded
    /// Another connection speaks for the session, or none does.
    case notResumed
    /// A worker speaks that is not registered with this life of the front, under an older attachment, or by another connection.
    case notRegistered
    /// A registration came again that the worker has spoken after.
    case repeatedRegistration
    /// A renewal is no newer than one that was read.
    case oldRenewal
    /// A report, a refusal or progress is about a lease that the worker does not hold, or holds no longer; or one report names a job twice.
    case leaseNotHeld

    // What has become of a feed's job.

    /// Its feed waits for another load, or for none: another one has taken its place, or the feed was reset.
    case loadNotAwaited
    /// Its view waits for another order, or for none.
    case orderNotAwaited
    /// Its view waits for another detail, or for none, and does not show the item of this one.
    case detailNotAwaited
    /// It was forgotten in the same event.
    case jobForgotten
    /// It is a save from before a reset of its feed.
    case feedReset
    /// It is a create whose item is not selected, for somebody has selected since it was asked for.
    case selectedSince

    // What is said of feeds, views and objects.

    /// A job, a deadline or an attachment is of a feed that is not there any more.
    case feedForgotten
    /// The same of a view.
    case viewForgotten
    /// A session detaches from a view that it is not attached to.
    case viewNotAttached
    /// No feed and no view names an object that is damaged.
    case objectNotNamed
    /// So many damaged objects are under way that this one has to be found again.
    case tooManyDamaged
    /// A damaged object was stored again before the feed that names it was looked at.
    case storedSince

    // What is said of topics.

    /// A part was read of a snapshot of which nothing is left to be sent: that part was one of the last, or the snapshot has ended.
    case snapshotSent
    /// A part was read of a topic that there is not.
    case topicUnknown
    /// A topic begins to be observed that is observed already.
    case topicObserved
    /// A topic is observed no more that was not: a subscription beyond the bound ends, or one that an earlier life of the front was told of.
    case topicNotObserved
}
