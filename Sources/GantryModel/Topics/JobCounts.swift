//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Counts of jobs by state and by outcome.
public struct JobCounts: Hashable, Sendable {
    /// Not yet granted.
    public var waiting: UInt64 = 0
    /// Accepted, and their time has not come.
    public var scheduled: UInt64 = 0
    /// Granted to a worker.
    public var running: UInt64 = 0
    /// Cancel asked, still running.
    public var cancelling: UInt64 = 0
    /// Ended with a result since the journal began.
    public var succeeded: UInt64 = 0
    /// Ended with a failure since the journal began.
    public var failed: UInt64 = 0
    /// Ended by a cancel since the journal began.
    public var cancelled: UInt64 = 0
    /// Ended unstarted at the time at which they expire, since the journal began.
    public var expired: UInt64 = 0
    /// Quarantined now.
    public var quarantined: UInt64 = 0
    /// How often jobs waited again since the journal began, because their worker was lost or had them no longer.
    public var requeuedTotal: UInt64 = 0
    /// How often jobs were to be tried again since the journal began, because an attempt had failed.
    public var retriedTotal: UInt64 = 0
    /// How often loaders asked to be run again later since the journal began.
    public var snoozedTotal: UInt64 = 0
    /// When the oldest waiting job was accepted.
    public var oldestWaiting: WallTime?
    /// Failed and quarantined jobs that are still known, by code, most first.
    public var failures: [FailureCount] = []
    /// Waiting jobs whose loader no registered worker offers, by loader, most first; those that wait for another job of their key are left out.
    public var unoffered: [LoaderCount] = []
    /// Such jobs of loaders that are not named, since there are too many.
    public var unofferedOthers: UInt64 = 0
    /// Actions with many jobs that are under way, and the last that have ended since the front began, oldest first.
    package var bulkActions: [BulkSummary] = []

    /// No jobs.
    package init() {}

    /// How a count is shown.
    package typealias Shown = (key: String, word: String, about: String, count: @Sendable (JobCounts) -> UInt64)

    /// Each count in the order in which people and programs see it, with its key in JSON, its word for people and what it counts.
    package static let shown: [Shown] = [
        ("waiting", "waiting", "Accepted, not granted.", { $0.waiting }),
        ("scheduled", "scheduled", "Accepted, and their time has not come.", { $0.scheduled }),
        ("running", "running", "Granted to a worker.", { $0.running }),
        ("cancelling", "cancelling", "Cancel asked, still running.", { $0.cancelling }),
        ("succeeded", "succeeded", "Ended with a result since the journal began.", { $0.succeeded }),
        ("failed", "failed", "Ended with a failure since the journal began.", { $0.failed }),
        ("cancelled", "cancelled", "Ended by a cancel since the journal began.", { $0.cancelled }),
        ("expired", "expired", "Ended unstarted at the time at which they expire, since the journal began.", { $0.expired }),
        ("quarantined", "quarantined", "Quarantined now.", { $0.quarantined }),
        (
            "requeuedTotal", "requeued",
            "How often jobs waited again since the journal began, because their worker was lost or had them no longer.",
            { $0.requeuedTotal }
        ),
        (
            "retriedTotal", "retried", "How often jobs were to be tried again since the journal began, because an attempt had failed.",
            { $0.retriedTotal }
        ),
        (
            "snoozedTotal", "snoozed", "How often loaders asked to be run again later since the journal began.", { $0.snoozedTotal }
        ),
    ]
}

/// How many jobs failed in one way.
public struct FailureCount: Hashable, Sendable {
    /// The kind of failure; `other` for the sum of the rarest where there are too many kinds.
    public var code: FailureCode
    /// How many jobs.
    public var count: UInt64

    package init(_ code: FailureCode, _ count: UInt64) { (self.code, self.count) = (code, count) }
}

/// How many jobs of one loader there are.
public struct LoaderCount: Hashable, Sendable {
    /// The loader.
    public var loader: String
    /// How many jobs.
    public var count: UInt64

    package init(_ loader: String, _ count: UInt64) { (self.loader, self.count) = (loader, count) }
}

/// An action with many jobs as observers see it: under way, or one of the last that have ended since the front began.
package struct BulkSummary: Hashable, Sendable {
    /// Its number.
    package var number: UInt64
    /// What is done with each job, as the word of its command: a text, for an observer shows also what only newer fronts can do.
    package var action: String
    /// The label of the client that asked for it.
    package var by: String
    /// When it was asked for.
    package var since: WallTime
    /// Jobs with which it was done.
    package var done: UInt64
    /// Jobs that were chosen, and had changed since or could not take it.
    package var passedOver: UInt64
    /// Whether nothing is left to do.
    package var isFinished: Bool
    /// What it waits for at the moment, as a sentence; empty: it goes on.
    package var waitsFor: String

    /// One with which nothing was done yet.
    package init(number: UInt64, action: String, by label: String, since: WallTime) {
        (self.number, self.action, by, self.since) = (number, action, label, since)
        (done, passedOver, isFinished, waitsFor) = (0, 0, false, "")
    }
}
