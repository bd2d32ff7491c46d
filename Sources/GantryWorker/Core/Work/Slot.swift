//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// One place of a worker that a job occupies until its work has really ended.
struct Slot: Hashable, Sendable {
    /// What is to become of the work.
    enum State: Hashable, Sendable {
        /// It runs. Moves to cancelled, interrupted, timedOut, abandoned, or ends with its own outcome.
        case running
        /// The front wants it stopped. Moves to abandoned, or ends as cancelled.
        case cancelled
        /// It was asked to stop because the lease runs out, or because the worker ends and its grace is over. Moves to cancelled, abandoned, or
        /// ends as cancelled, as success if it was done before.
        case interrupted
        /// It was asked to stop because the attempt has taken its time. Moves to cancelled, abandoned, or ends as failed, as success if it was done
        /// before.
        case timedOut
        /// Its lease is over; the kernel ends the process at `killAt` if the work has not ended by then. Ends without a report.
        case abandoned(killAt: MonotonicTime)
    }

    /// What was done to stop it beyond that it was asked.
    enum StopStep: Hashable, Sendable {
        /// Nothing. Moves to killed, ending.
        case asked
        /// The process that it runs in was killed. Moves to ending.
        case killed
        /// The worker ends because of it. Final.
        case ending
    }

    /// Names the run.
    let token: WorkToken
    /// The job.
    let job: JobID
    /// How often it was granted.
    let attempt: UInt32
    /// How long the attempt may run, nil: as long as it does; and when that is over, or the job's total time.
    let timeout: Duration?
    let timesOutAt: MonotonicTime
    /// Whether it is the job's total time that is over then.
    let isLast: Bool
    /// How long it may take to stop once it is asked.
    let stopTime: Duration
    /// Whether the loader may be asked twice.
    let isRepeatable: Bool
    /// The authority to report on it.
    var lease: LeaseID
    /// What is to become of it.
    var state: State = .running
    /// What was done to stop it, and when the next step is due.
    var stopStep = StopStep.asked
    var stopBy = MonotonicTime.distantFuture
    /// The newest progress that was not yet sent.
    var progress: JobProgress?
    /// When the next progress may be sent.
    var progressDue: MonotonicTime
    /// Lines that it has written and that were not yet sent.
    var log = JobLog()
    /// What it has saved last, also when that was sent: nothing says that the front has it.
    var saved: [UInt8]?
    /// When the next ones may be sent while it runs.
    var logDue = MonotonicTime(nanoseconds: 0)
}

extension Slot {
    /// Whether it was asked to stop for good, and not merely because the lease runs out or the worker ends: then the front follows the steps.
    var isStopping: Bool {
        switch state {
        case .cancelled, .timedOut: true
        case .running, .interrupted, .abandoned: false
        }
    }

    /// What an attempt failed with that has taken its time. Of one that must not run twice nobody knows what it has done.
    var timeoutFailure: Failure {
        let length = isLast ? nil : timeout
        let took =
            length.map { "the attempt took longer than its time-out of \($0.line)" } ?? "the job was not done within its total time-out"
        guard isRepeatable else {
            return Failure(code: .outcomeUnknown, text: "\(took) and was stopped: look at what it has done before you submit it again")
        }
        return Failure(code: .timedOut, text: "\(took): give it more time, or make its loader faster", retryable: !isLast)
    }
}

/// What a runner needs to begin a job in a slot.
package struct WorkStart: Hashable, Sendable {
    /// Names the run in reports.
    package var token: WorkToken
    /// The job.
    package var job: JobID
    /// How often it was granted, this time included.
    package var attempt: UInt32
    /// Index of its loader in the worker's declarations.
    package var loader: Int
    /// The front's wall clock when it granted the job.
    package var wall: WallTime
    /// Opaque argument bytes.
    package var argument: [UInt8]
    /// The work of a feed's job.
    package var feedWork: FeedWork?
    /// What its loader saved in an earlier attempt; empty: nothing.
    package var resumeState: [UInt8] = []
    /// What is written down of it before it runs; nil: it counts in no limit.
    package var limited: LimitedRun?
}

extension Slot {
    /// What goes with the end of a run that another one may follow.
    var lastLog: JobLog {
        var log = self.log
        if let saved { log.save(saved) }
        return log
    }
}

/// Names one run of one job inside a worker process, so that a report of an earlier run cannot be taken for one of a later run.
package struct WorkToken: Hashable, Sendable {
    /// Counts the runs from 1.
    package let number: UInt64

    /// Wraps a count.
    package init(_ number: UInt64) { self.number = number }
}

/// What running work says to the loop.
package enum WorkReport: Hashable, Sendable {
    /// How far it is; only the newest of a run matters.
    case progress(WorkToken, JobProgress)
    /// Lines that it has written since the last such report.
    case logged(WorkToken, JobLog)
    /// It has really ended; nothing of that run follows.
    case ended(WorkToken, WorkEnd)
    /// The process is asked to take no new jobs and to end after its last.
    case drain
    /// The process is asked to end as soon as its work can be stopped.
    case stop
}

/// How a run really ended, as the runner saw it.
package enum WorkEnd: Hashable, Sendable {
    /// With a result, and for a feed's job with what it made.
    case succeeded([UInt8], FeedResult?)
    /// With a failure; id and attempts are filled in by the machine.
    case failed(Failure)
    /// Its task noticed its cancellation.
    case cancelled
    /// It is to be run again after so long.
    case snoozed(Duration)
    /// It has not begun: its start could not be written down.
    case unstarted(Failure)
}
