//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension JobSummary {
    /// The shape `job`; a running job's progress joins it, and what it works on where that is known.
    public func json(progress: Progress? = nil, of explanation: JobExplanation? = nil) -> JSONValue {
        ShownJob.shape.json(ShownJob(job: self, progress: progress, explanation: explanation))
    }
}

/// A job, with what is known beside its summary.
struct ShownJob: Sendable {
    let job: JobSummary
    var progress: Progress?
    var explanation: JobExplanation?

    /// An argument or a result as text, where it is text.
    private static func text(_ bytes: [UInt8]) -> String? { bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self) }

    static let shape = JSONShape<ShownJob>(
        "job", "What observers see of a job.",
        [
            .always("id", .id, "The job.") { $0.job.id },
            .sometimes("loader", .text, "The loader that runs it, unless what is stored of the job cannot be read.") {
                $0.job.loader.isEmpty ? nil : $0.job.loader
            },
            .always("state", .word(JobState.allCases) { $0.name }, "Where it is in its life.") { $0.job.state },
            .sometimes("feed", .text, "The key of the feed that it works for.") { $0.job.feed?.text },
            .sometimes("operation", .word(FeedOperation.allCases) { $0.name }, "What it does for the feed.") { $0.job.operation },
            .sometimes("askedBy", .text, "The label of the session that asked for it.") { $0.job.askedBy.isEmpty ? nil : $0.job.askedBy },
            .always("priority", .count(to: UInt64(JobPriority.highest)), "9 most urgent.") { $0.job.options.priority },
            .sometimes("tags", .list(of: .text), "Labels to find it by.") { $0.job.options.tags.isEmpty ? nil : $0.job.options.tags },
            .sometimes("acceptedAt", .time, "When it was accepted, unless what is stored of the job cannot be read.") { $0.job.acceptedAt },
            .sometimes("startedAt", .time, "When it was granted last.") { $0.job.startedAt },
            .sometimes("endedAt", .time, "When it ended.") { $0.job.endedAt },
            .always("attempts", .count, "How often it was granted.") { $0.job.attempts },
            .always("crashCount", .count, "How many crashes of workers count against it.") { $0.job.crashCount },
            .sometimes("waitReason", .shape(WaitReason.shape), "Why it waits.") { $0.job.waitReason },
            .sometimes("worker", .text, "The name of the worker that holds it.") { $0.job.worker.isEmpty ? nil : $0.job.worker },
            .sometimes("cancel", .shape(CancelReceipt.shape), "How far a cancel has come.") { $0.job.cancel },
            .sometimes("progress", .shape(Progress.shape), "How far it is, while it runs.") { $0.progress },
            .sometimes("failure", .shape(Failure.shape), "Why it failed.") { $0.job.failure },
            .sometimes("argument", .text, "What it works on, where that is text; left out of lists.") {
                $0.explanation.flatMap { ShownJob.text($0.argument) }
            },
            .sometimes("argumentBytes", .count, "The size of its argument; left out of lists.") { $0.explanation?.argumentByteCount },
            .sometimes("result", .text, "Its result, where that is text.") { ShownJob.text($0.job.result) },
            .always("resultBytes", .count, "The size of its result.") { UInt64($0.job.result.count) },
        ])

    static let list = ShownList<ShownJob>.shape(
        "jobs", "A list of jobs; on the topic `jobs` with counts.", of: .shape(shape),
        [.sometimes("counts", .shape(JobCounts.shape), "All jobs by state.") { $0.counts }])
}

extension CancelReceipt {
    /// The shape `cancel`.
    public var json: JSONValue { Self.shape.json(self) }

    static let shape = JSONShape<CancelReceipt>(
        "cancel", "How far a cancel has come.",
        [
            .always("requestedBy", .text, "The label of the session that asked.") { $0.requestedBy },
            .always("requestedAt", .time, "When it was accepted.") { $0.requestedAt },
            .sometimes("deliveredAt", .time, "When the worker had it in hand.") { $0.deliveredAt },
            .sometimes("stoppingAt", .time, "When the loader's task was told to stop.") { $0.stoppingAt },
            .sometimes("stoppedAt", .time, "When the work had really ended.") { $0.stoppedAt },
            .sometimes("stopSeconds", .number, "How long that took.") { receipt in
                receipt.stoppedAt.map { $0.duration(since: receipt.requestedAt).inSeconds }
            },
        ])
}

extension JobExplanation {
    /// The shape `explanation`.
    public var json: JSONValue { Self.shape.json(self) }

    /// The shape `job`, with what it works on.
    public var jobJSON: JSONValue { job.json(of: self) }

    static let shape = JSONShape<JobExplanation>(
        "explanation", "One job's timeline.",
        [
            .always("job", .shape(ShownJob.shape), "The job, with what it works on.") { ShownJob(job: $0.job, explanation: $0) },
            .sometimes("placeInLine", .count, "How many jobs are granted before it.") { $0.placeInLine },
            .sometimes("estimateSeconds", .number, "Until it is granted, as far as the jobs that run and the ends of the last minute tell.")
            { $0.estimate?.inSeconds },
            .always("timeline", .list(of: .text), "Sentences, oldest first.") { $0.timeline },
        ])
}
