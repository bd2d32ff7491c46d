//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model
import StateJSON

extension CommandFailure {
    /// Ctrl-C of a command that waits for work.
    static let stoppedWaiting = CommandFailure(
        .detached, code: .detached, message: "stopped waiting; the work continues in the background", nextStep: "gantry watch")
    /// Ctrl-C of a command that waits for jobs.
    static func stoppedWaiting(for jobs: [JobID]) -> CommandFailure {
        var failure = stoppedWaiting
        failure.advise(jobs.count == 1 ? "gantry job wait \(jobs[0]), or gantry job cancel \(jobs[0])" : "gantry job list")
        return failure
    }
    /// Ctrl-C of a command that waits for a feed's load.
    static func stoppedWaiting(for feed: FeedKey) -> CommandFailure {
        var failure = stoppedWaiting
        failure.advise("gantry feed load \(feed.shellWord), or gantry feed cancel \(feed.shellWord)")
        return failure
    }
    /// Ctrl-C before any front has answered.
    static let stoppedConnecting = CommandFailure(
        .detached, code: .detached, message: "stopped before a front answered; nothing was asked of it", thenDoctor: true)
    /// Ctrl-C of a command that looks on.
    static let stoppedWatching = CommandFailure(.detached, code: .detached, message: "stopped watching")
    /// A second Ctrl-C: nothing is waited for, nor printed that had come.
    static let stoppedAtOnce = CommandFailure(
        .detached, code: .detached, message: "ended at once by a second signal; what the front has accepted goes on",
        nextStep: "gantry job list")

    /// Ctrl-C while jobs were being submitted: not all of them were.
    /// - Parameter isCertain: whether everything that was sent was answered.
    static func stoppedSubmitting(_ accepted: Int, of count: Int, isCertain: Bool) -> CommandFailure {
        let rest =
            isCertain
            ? "the others were not submitted"
            : "the front did not answer in time whether it took the last part, up to \(JobBatch.partCount) jobs, and the others were not submitted"
        let printed = accepted == 0 ? "" : " and \(accepted == 1 ? "its id is" : "their ids are") printed"
        return CommandFailure(
            .detached, code: .detached,
            message: "stopped: \(accepted) of \(counted(count, "job")) \(accepted == 1 ? "was" : "were") accepted\(printed); \(rest)",
            nextStep: isCertain && accepted == 0 ? "" : "gantry job list",
            context: ["accepted": String(accepted), "asked": String(count)])
    }
}
