//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The answer to a request.
package enum Reply: Hashable, Sendable {
    /// A job was accepted, or an earlier one joined; durable unless Welcome said `memory`.
    case accepted(JobID, joined: Bool)
    /// Jobs with consecutive ids were accepted; of one with a unique key how.
    case jobsAccepted(first: JobID, count: UInt32, dueNow: UInt32 = 0, JobAcceptance = .new)
    /// Done at once; the version of the target after it, 0 where it has none.
    case done(version: UInt64)
    /// The cancel was accepted; the receipt is in the job's topic.
    case cancelling(JobID)
    /// The job had ended before the cancel came.
    case alreadyEnded(JobID, JobState)
    /// Refused; nothing was changed. `retryAfter` is zero where waiting does not help.
    case refused(Failure, retryAfter: Duration)
    /// A page of jobs; `next` continues it. The last page says for how long others were known.
    case jobs([JobSummary], next: JobID?, retention: JobRetention? = nil)
    /// Why a job is where it is.
    case explanation(JobExplanation)
    /// Live feeds by key; `next`: more follow after that one.
    case feeds([FeedState], next: FeedKey?)
    /// An action with many jobs goes on under that number, 0: they were only counted; `next`: the count goes on there.
    case selected(bulk: UInt64, jobs: UInt64, next: JobID?)
}

/// Something that the front could not take: which, why, and when to try again.
package struct Refused: Hashable, Sendable {
    /// One sentence that names the next step.
    package var reason: String
    /// Why, as a machine reads it; nil where there is no word for it.
    package var code: FailureCode?
    /// The request that is refused; none: it was not a request.
    package var number: RequestNumber
    /// After which time to try again; zero where waiting does not help.
    package var retryAfter: Duration

    /// A refusal; by default of no request and for good.
    package init(reason: String, code: FailureCode? = nil, number: RequestNumber = .none, retryAfter: Duration = .zero) {
        self.reason = reason
        self.code = code
        self.number = number
        self.retryAfter = retryAfter
    }

    /// The refusal of something that could not be read.
    package init(_ error: CodecError) { self.init(reason: error.description, code: error.code) }
}

/// A reply that is kept for a repeat of its request.
package struct RetainedReply: Hashable, Sendable {
    /// The request's number in its session.
    package var number: RequestNumber
    /// What was replied.
    package var reply: Reply
    /// The feed that the request was about, with its defaults filled in; nil: none.
    package var feed: FeedKey?
    /// The fingerprint of what was asked: a repeat with another one is refused.
    package var fingerprint: UInt64

    package init(number: RequestNumber, reply: Reply, feed: FeedKey? = nil, fingerprint: UInt64) {
        self.number = number
        self.reply = reply
        self.feed = feed
        self.fingerprint = fingerprint
    }
}

/// One job's timeline, made when asked.
package struct JobExplanation: Hashable, Sendable {
    /// The job as observers see it.
    package var job: JobSummary
    /// What a submitted job works on, at most 64 KiB; empty: nothing, or it is left out because it is secret or the message would become too large.
    package var argument: [UInt8]
    /// Bytes of the argument, also where that is left out.
    package var argumentByteCount: UInt64
    /// How many jobs are granted before it; nil when it does not wait.
    package var placeInLine: UInt64?
    /// How long until it is granted, estimated from running and recently ended jobs; nil when unknown.
    package var estimate: Duration?
    /// Sentences, oldest first.
    package var timeline: [String]
    /// Its runs that have ended. Of a job that succeeded in its first one there is none.
    package var runs = JobRuns()
    /// The newest lines that its runs have written.
    package var log = JobLog()

    /// An explanation without an argument, which the caller adds where there is one.
    package init(job: JobSummary, placeInLine: UInt64? = nil, estimate: Duration? = nil, timeline: [String] = []) {
        self.job = job
        self.argument = []
        self.argumentByteCount = 0
        self.placeInLine = placeInLine
        self.estimate = estimate
        self.timeline = timeline
    }
}
