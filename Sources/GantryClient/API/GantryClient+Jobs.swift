//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel
import GantryPackedColumns

extension GantryClient {
    /// Submits one job and gives its id once it is durable.
    ///
    /// With a unique key no second job is made while another has the key: the same work joins that job, which then stands for it, and `acceptance`
    /// says so.
    ///
    /// - Parameters:
    ///   - loader: the loader that is to run it.
    ///   - argument: opaque to the front, at most 65,536 bytes.
    ///   - options: how it is to be run.
    ///   - anyLoader: whether a loader is taken, too, that no worker has offered within 30 days and the front's configuration does not name.
    /// - Throws: `unknownLoader` for such a loader without that; the text names the nearest one that is known. `conflict` where another job has its unique key with another argument or other options; the text names that job.
    public func submit(
        loader: String, argument: [UInt8] = [], options: JobOptions = JobOptions(), anyLoader: Bool = false, timeout: Duration? = nil
    ) async throws(ClientError) -> SubmittedJob {
        var batch = JobBatch(loader: loader, options: JobOptionsColumn(options), [argument])
        batch.takesAnyLoader = anyLoader
        return try await submit(batch, timeout: timeout)
    }

    /// Submits jobs of one loader, all or none of each thousand; calls made at the same time are sent together. A job with a unique key is
    /// submitted alone: more than one are refused with `invalidInput`.
    ///
    /// When it throws, those that were submitted before are accepted all the same: only `onAccepted` names them. Cancelling the calling
    /// task sends no further part; the answer to one that is on its way is waited for, up to two seconds, so that its ids are known too.
    /// - Parameters:
    ///   - anyLoader: as for a single job.
    ///   - onAccepted: the ids of each part once they are durable, in order.
    /// - Throws: after a cancellation that left parts unsent `cancelled`, or `outcomeUnknown` when the last one that was sent was not answered.
    public func submit(
        loader: String, arguments: [[UInt8]], options jobOptions: JobOptions = JobOptions(), anyLoader: Bool = false,
        timeout: Duration? = nil, onAccepted: (@Sendable ([JobID]) -> Void)? = nil
    ) async throws(ClientError) -> [JobID] {
        var jobs: [JobID] = []
        var start = 0
        while start < arguments.count {
            var (end, byteCount) = (start, 0)
            while end < arguments.count, end - start < JobBatch.partCount,
                end == start || byteCount + arguments[end].count <= JobBatch.partByteCount
            {
                byteCount += arguments[end].count
                end += 1
            }
            var batch = JobBatch(loader: loader, options: JobOptionsColumn(jobOptions), PackedBytes(arguments[start..<end]))
            batch.takesAnyLoader = anyLoader
            let accepted = try await ask(.submit(batch), timeout, grace: Self.graceOfSubmit).ids
            jobs += accepted
            onAccepted?(accepted)
            start = end
        }
        return jobs
    }

    /// Submits a batch that one message holds, without unique keys.
    package func submitPart(_ batch: JobBatch, timeout: Duration? = nil) async throws(ClientError) -> [JobID] {
        try await ask(.submit(batch), timeout, grace: Self.graceOfSubmit).ids
    }

    /// How long the answer to jobs that were submitted is waited for after a cancellation.
    private static let graceOfSubmit = Duration.seconds(2)

    /// Submits one job and waits for its end; where its unique key is that of a job with the same work, for the end of that one.
    /// - Parameters:
    ///   - anyLoader: as for a job that is not waited for.
    ///   - timeout: how long to wait in all; nil waits for ever.
    public func submitAndWait(
        loader: String, argument: [UInt8] = [], options jobOptions: JobOptions = JobOptions(), anyLoader: Bool = false,
        timeout: Duration? = nil
    ) async throws(ClientError) -> JobOutcome {
        var batch = JobBatch(loader: loader, options: JobOptionsColumn(jobOptions), reportsOutcomes: true, [argument])
        batch.takesAnyLoader = anyLoader
        return try await ask(.outcome(of: batch), timeout)
    }

    /// Waits until a job has ended, whoever submitted it, and gives its last state. `onChange` sees each state on the way.
    /// - Throws: `notFound` for a job that the front does not know, `timedOut`, `cancelled`.
    public func wait(
        for job: JobID, timeout: Duration? = nil, onChange: (@Sendable (TopicState) -> Void)? = nil
    ) async throws(ClientError) -> JobSummary {
        try await withLimit(
            timeout, awaiting: "the end of job \(job)", nextStep: "it goes on; see it with `gantry job show \(job)`, or wait longer"
        ) { client throws(ClientError) in
            for await state in client.observe(.job(job), limit: 64) {
                if let failure = state.failure { throw failure }
                onChange?(state)
                if let summary = state.job, summary.state.isFinal { return summary }
                guard state.isVerified, state.job == nil else { continue }
                let known = try await client.known(job)
                if known.state.isFinal { return known }
            }
            throw Task.isCancelled ? ClientCalls.cancelled : SessionMachine.isClosed
        }
    }

    /// A job as its explanation has it. Of one whose stored part is damaged a list still says how it ended.
    private func known(_ job: JobID) async throws(ClientError) -> JobSummary {
        do throws(ClientError) {
            return try await explain(job).job
        } catch {
            guard error.code == ClientErrorCode(.storageFailed),
                let listed = try await listJobs(JobQuery(limit: 1, before: job.advanced(by: 1))).jobs.first, listed.id == job
            else { throw error }
            return listed
        }
    }

    /// Ends a job for everybody.
    /// - Returns: whether the cancel was accepted, or how the job had ended before.
    public func cancel(_ job: JobID, timeout: Duration? = nil) async throws(ClientError) -> CancelAnswer {
        try await ask(.cancel(job), timeout)
    }

    /// Gives a waiting job another priority: it stands in line as if it had been submitted with that.
    /// - Parameter priority: 0 to 9, 9 most urgent.
    /// - Throws: `unknownItem` for a job that the front does not know, `conflict` for one that does not wait.
    public func reprioritize(_ job: JobID, to priority: UInt8, timeout: Duration? = nil) async throws(ClientError) {
        try await ask(.changed(.reprioritize(job, priority: priority)), timeout)
    }

    /// Moves a job that waits, or is scheduled, to another time: its place in line counts from then.
    /// - Throws: `unknownItem` for a job that the front does not know, `conflict` for one that neither waits nor is scheduled, `invalidData`
    ///   for a time more than 365 days ahead.
    public func delay(_ job: JobID, to start: JobStart, timeout: Duration? = nil) async throws(ClientError) {
        try await ask(.changed(.delay(job, start)), timeout)
    }

    /// Makes a scheduled job due now; one that waits already goes on waiting.
    /// - Throws: `unknownItem` for a job that the front does not know, `conflict` for one that neither waits nor is scheduled.
    public func promote(_ job: JobID, timeout: Duration? = nil) async throws(ClientError) {
        try await ask(.changed(.promote(job)), timeout)
    }

    /// Counts no crash of a worker against a waiting job any more: it may run beside others, and none before ends it in quarantine.
    /// - Throws: `unknownItem` for a job that the front does not know, `conflict` for one that neither waits nor is scheduled.
    package func forgive(_ job: JobID, timeout: Duration? = nil) async throws(ClientError) {
        try await ask(.changed(.forgive(job)), timeout)
    }

    /// Does something with all jobs of a selection that do not change before their turn comes. It goes on at the front, also over its restarts;
    /// `JobCounts.bulkActions` of the topic `jobs` tells how far it has come. `.retry` is for jobs that have ended, all others for those that have not.
    /// - Parameter selection: which jobs; its `limit` and `before` count for nothing.
    /// - Returns: the action's number.
    /// - Throws: `invalidData` for a state that the action is not for, or a time or priority that cannot be; `busy` for too many at once.
    package func bulk(_ action: BulkAction, of selection: JobQuery, timeout: Duration? = nil) async throws(ClientError) -> UInt64 {
        var whole = selection
        (whole.before, whole.limit) = (nil, JobQuery().limit)
        return try await ask(.selected(BulkRequest(action, whole)), timeout).bulk
    }

    /// How many jobs an action would be done with now.
    /// - Throws: as `bulk`.
    package func count(of selection: JobQuery, for action: BulkAction, timeout: Duration? = nil) async throws(ClientError) -> UInt64 {
        var (part, count) = (selection, UInt64(0))
        part.before = nil
        repeat {
            let selected = try await ask(.selected(BulkRequest(action, part, isDry: true)), timeout)
            count += selected.jobs
            part.before = selected.next
        } while part.before != nil
        return count
    }

    /// Submits once more what an ended job worked on, as a new job with the same options but for when it expires: what is final stays
    /// final.
    ///
    /// A quarantined job gives its unique key over to the new one; any other takes its key as a submit does, and may join a job that has it.
    /// - Parameter again: whether it is done though another job repeats that one already, as somebody else may have asked at the same time.
    /// - Returns: the new job; its `options.retryOf` names the old one.
    /// - Throws: `notFound` for a job that the front does not know, `conflict` for one that has not ended, has succeeded or works for a feed,
    ///   that another job repeats already, and where another job has its unique key; `tooLarge` for one whose argument this client cannot take.
    public func retry(_ job: JobID, again: Bool = false, timeout: Duration? = nil) async throws(ClientError) -> SubmittedJob {
        try await submit(try await repetition(of: job, again: again, timeout: timeout), timeout: timeout)
    }

    /// What submits an ended job once more.
    /// - Parameters:
    ///   - again: whether the front takes it though another job repeats that one already.
    ///   - onFound: sees the job first.
    package func repetition(
        of job: JobID, again: Bool, timeout: Duration? = nil, onFound: (JobSummary) -> Void = { _ in }
    ) async throws(ClientError) -> JobBatch {
        let explanation = try await wholeExplanation(of: job, timeout: timeout)
        onFound(explanation.job)
        if let reason = explanation.job.reasonAgainstRetry {
            throw ClientError(ClientErrorCode(.conflict), "job \(job) \(reason)", nextStep: "see it with `gantry job show \(job)`")
        }
        guard explanation.argument.count == explanation.argumentByteCount else {
            let count = explanation.argumentByteCount
            throw ClientError(
                ClientErrorCode(.tooLarge), "the argument of job \(job) has \(count) bytes, more than the front sends at once",
                nextStep: "submit it anew with its argument")
        }
        let options = explanation.job.options.repeating(job)
        var batch = JobBatch(loader: explanation.job.loader, options: JobOptionsColumn(options), [explanation.argument])
        // It was known when the job was submitted first.
        (batch.takesAnyLoader, batch.repeatsAgain) = (true, again)
        return batch
    }

    /// Submits the first job of a batch.
    package func submit(_ batch: JobBatch, timeout: Duration? = nil) async throws(ClientError) -> SubmittedJob {
        let accepted = try await ask(.submit(batch), timeout, grace: Self.graceOfSubmit)
        return SubmittedJob(accepted.first, accepted.acceptance)
    }

    /// A page of jobs, newest first, and where the next page begins.
    public func listJobs(_ query: JobQuery = JobQuery(), timeout: Duration? = nil) async throws(ClientError) -> JobPage {
        try await ask(.jobs(query), timeout)
    }

    /// Why a job is where it is. A secret argument is left out.
    /// - Throws: `notFound` for a job that the front does not know.
    package func explain(_ job: JobID, timeout: Duration? = nil) async throws(ClientError) -> JobExplanation {
        var explanation = try await wholeExplanation(of: job, timeout: timeout)
        if explanation.job.options.hasSecretArgument { (explanation.argument, explanation.argumentByteCount) = ([], 0) }
        return explanation
    }

    private func wholeExplanation(of job: JobID, timeout: Duration?) async throws(ClientError) -> JobExplanation {
        do throws(ClientError) {
            return try await ask(.explain(job), timeout)
        } catch {
            guard error.code == ClientErrorCode(.unknownItem) else { throw error }
            throw ClientError(.notFound, error.context, nextStep: "list jobs with `gantry job list`")
        }
    }
}

extension GantryClient {
    /// Asks that a worker take no new jobs and end with its last one; once it has ended, it is no longer in the topic `workers`.
    ///
    /// Returns as soon as that is durable: from then on the worker gets no job, also where the front starts again meanwhile or the worker is lost and
    /// comes back. It returns for a lost worker too that was asked before: so asking again tells whether one that is no longer in the topic may come
    /// back, or has ended.
    /// - Throws: `unknownItem` for a worker that is not registered, as one that has drained and ended.
    package func drainWorker(_ worker: WorkerID, timeout: Duration? = nil) async throws(ClientError) {
        try await ask(.drain(worker), timeout)
    }
}

extension GantryClient {
    /// Gives a limit its rule, be it a new one. It is durable, and holds from then on over all workers; below what is in use it stops nobody, and no
    /// job of it begins before there is room.
    /// - Throws: `invalidData` for a name or a rule that cannot be, `busy` for too many limits.
    package func setLimit(_ name: String, to rule: LimitRule, timeout: Duration? = nil) async throws(ClientError) {
        try await ask(.limit(.set(name, rule)), timeout)
    }

    /// Ends a limit.
    /// - Throws: `unknownItem` for one that is not there, `conflict` for one that jobs count in which have not ended.
    package func deleteLimit(_ name: String, timeout: Duration? = nil) async throws(ClientError) {
        try await ask(.limit(.delete(name)), timeout)
    }
}

extension GantryClient {
    /// Grants no job of a loader, of a group, or of all loaders, or to a worker, from now on. It is durable, and takes the place of an earlier pause of the same target; jobs
    /// that workers hold go on.
    /// - Parameters:
    ///   - reason: Why, for whoever looks at it: at most `Pause.reasonByteCount` bytes.
    ///   - length: How long, at most `Pause.longest`, also while no front runs; nil: until `resume`.
    /// - Throws: `invalidInput` for a name, a reason or a length that cannot be, `unknownItem` for a group that nothing of the configuration is in, `busy`
    ///   for too many pauses.
    package func pause(
        _ target: PauseTarget, reason: String = "", for length: Duration? = nil, timeout: Duration? = nil
    ) async throws(ClientError) {
        try await ask(try .pause(checked: .begin(target, reason: reason, length: length)), timeout)
    }

    /// Ends the pause of a loader, of a group, of a worker, or that of all loaders, which leaves those of single ones.
    /// - Throws: `unknownItem` where there is none.
    package func resume(_ target: PauseTarget, timeout: Duration? = nil) async throws(ClientError) {
        try await ask(try .pause(checked: .end(target)), timeout)
    }
}

extension TypedRequest where Value == Void {
    /// A pause is to begin or to end.
    /// - Throws: `invalidInput` for what cannot be: a loader without a name would be all of them.
    static func pause(checked request: PauseRequest) throws(ClientError) -> Self {
        if let fault = request.fault {
            throw ClientError(.invalidInput, fault, nextStep: "name a loader, or pause everything")
        }
        return Self(.pause(request)) { reply, _ in if case .done = reply { () } else { nil } }
    }

    /// A limit is to be changed.
    static func limit(_ request: LimitRequest) -> Self {
        Self(.limit(request)) { reply, _ in if case .done = reply { () } else { nil } }
    }

    /// A worker that is to drain.
    static func drain(_ worker: WorkerID) -> Self {
        Self(.drainWorker(worker)) { reply, _ in if case .done = reply { () } else { nil } }
    }

    /// A job that waits is to be run in another way, or at another time.
    static func changed(_ request: JobRequest) -> Self {
        Self(.job(request)) { reply, _ in if case .done = reply { () } else { nil } }
    }
}

extension JobSummary {
    /// Why it is not submitted once more; nil: it is.
    package var reasonAgainstRetry: String? {
        if feed != nil { return "works for a feed: ask its feed again" }
        switch state {
        case .failed, .cancelled, .expired, .quarantined: return loader.isEmpty ? "cannot be read: submit it anew" : nil
        case .succeeded: return "has succeeded: submit it anew if it is to run again"
        case .waiting, .scheduled, .running, .cancelling: return "has not ended: only a job that has is repeated"
        }
    }
}

/// Jobs with consecutive ids.
struct AcceptedJobs: Sendable {
    let first: JobID
    let count: UInt32
    let acceptance: JobAcceptance

    init(_ first: JobID, _ count: UInt32, _ acceptance: JobAcceptance) {
        (self.first, self.count, self.acceptance) = (first, count, acceptance)
    }

    /// The ids in order.
    var ids: [JobID] { (0..<UInt64(count)).map { first.advanced(by: $0) } }
}

/// A job that was submitted, and whether it is a new one.
public struct SubmittedJob: Hashable, Sendable {
    /// The job: where its unique key was taken, the one that has it.
    public var job: JobID
    /// Whether it is new, or was joined by its unique key.
    public var acceptance: JobAcceptance

    init(_ job: JobID, _ acceptance: JobAcceptance) { (self.job, self.acceptance) = (job, acceptance) }
}

/// How a job ended.
public struct JobOutcome: Hashable, Sendable {
    /// The job.
    public var job: JobID
    /// A final state. `explain` gives the reason of a failure.
    public var state: JobState
    /// Its result, at most 64 KiB.
    public var result: [UInt8]
}

/// What became of a cancel.
public enum CancelAnswer: Hashable, Sendable {
    /// Accepted; the receipt is in the job's topic.
    case requested(JobID)
    /// The job had ended before.
    case alreadyEnded(JobID, JobState)
}

/// A page of jobs.
public struct JobPage: Hashable, Sendable {
    /// The jobs, newest first.
    public var jobs: [JobSummary]
    /// Where the next page begins; nil at the end.
    public var next: JobID?
    /// At the end for how long the front knows ended jobs, if it tells: older ones were forgotten.
    package var retention: JobRetention?

    /// Some jobs, and where the next page begins.
    package init(jobs: [JobSummary], next: JobID?, retention: JobRetention? = nil) {
        (self.jobs, self.next, self.retention) = (jobs, next, retention)
    }
}
