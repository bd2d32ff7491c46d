//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What is done to those who take part in a trial of limits.
package enum TrialFault: String, Sendable, CaseIterable {
    /// A frame was lost on its way.
    case frameLost
    /// A frame came late, and those behind it.
    case frameLate
    /// A frame came a second time, behind others.
    case frameRepeated
    /// Nothing went one way for a while.
    case linkBlocked
    /// A connection broke, and another was made.
    case linkBroken
    /// A worker was killed, and the front was told at once.
    case workerKilledAndSeen
    /// A worker was killed; its lease alone showed that.
    case workerKilled
    /// A worker stood still for less than its lease.
    case workerStopped
    /// A worker stood still for longer.
    case workerStoppedBeyondLease
    /// The kernel ended a worker whose lease was over.
    case killTimer
    /// A run went on for a while though it was asked to stop.
    case cancelIgnored
    /// The front was killed when rows were durable whose messages had not left.
    case frontKilledBeforeSending
    /// The front was killed when rows were not durable: they are lost.
    case frontKilledBeforeDurable
    /// The front was killed when nothing was under way.
    case frontKilledAtRest
    /// The front stood still.
    case frontStopped
    /// A commit took long.
    case slowCommit
    /// The wall clock was set.
    case wallStep
    /// A limit said something else.
    case limitChanged
    /// A limit was deleted, and set again.
    case limitDeleted
    /// A job was cancelled.
    case jobCancelled
    /// A loader, or everything, was paused.
    case pause
}

/// What came of one trial.
package struct TrialReport: Sendable {
    /// Its seed.
    package let seed: UInt64
    /// The first broken promise; nil: all were kept.
    package let violation: Violation?
    /// What was done.
    package let faults: KindCounts<TrialFault>
    /// What the front granted.
    package let grants: GrantCounts
    /// Runs that really began.
    package let runCount: UInt64
    /// Jobs that were accepted.
    package let acceptedCount: UInt64
    /// How often a front began.
    package let frontCount: UInt64
    /// How long it lasted, in its own milliseconds.
    package let simulatedMilliseconds: Int64
    /// What happened last, oldest first; empty unless asked for.
    package let trace: [String]
}

extension JournalEntry {
    /// What it says of what trials are about.
    var trialLine: String {
        switch self {
        case .granted(let granted):
            "\(granted.isReregistration ? "renews" : "grants") \(granted.jobs) as \(granted.leases) to \(granted.worker)"
        case .attemptsEnded(let ended): "\(ended.jobs.map(\.job.rawValue)) wait again (\(ended.cause))"
        case .ended(let ended): "\(ended.jobs) end as \(ended.states)"
        case .limitChanged(let changed): "\(changed.name) says \(changed.rule?.line ?? "nothing")"
        case .workerLost(let lost): "worker \(lost.worker) is lost"
        case .workerRegistered(let registered): "worker \(registered.worker) is \(registered.registrationNumber)"
        case .jobsAccepted(let accepted): "\(accepted.arguments.count) jobs from \(accepted.first) on"
        case .tokensChanged(let tokens): "tokens of \(tokens.levels.map { "\($0.key.text) \($0.level) at \($0.lengthTime)" })"
        default: String("\(self)".prefix(24))
        }
    }
}
