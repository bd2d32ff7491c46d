//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
package import GantryModel

extension JobSummary {
    /// The shape `job`; a running job's progress joins it, and what it works on where that is known.
    package func json(progress: JobProgress? = nil, of explanation: JobExplanation? = nil) -> JSONValue {
        ShownJob.shape.json(ShownJob(job: self, progress: progress, explanation: explanation))
    }
}

/// A job, with what is known beside its summary.
struct ShownJob: Sendable {
    let job: JobSummary
    var progress: JobProgress?
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
            .always("state", .word(JobState.allCases) { $0.name }, "Its state.") { $0.job.state },
            .sometimes("feed", .text, "The key of the feed that it works for.") { $0.job.feed?.text },
            .sometimes("operation", .word(FeedOperation.allCases) { $0.name }, "What it does for the feed.") { $0.job.operation },
            .sometimes("askedBy", .text, "The label of the session that asked for it.") { $0.job.askedBy.isEmpty ? nil : $0.job.askedBy },
            .always("priority", .count(to: UInt64(JobPriority.highest)), "9 most urgent.") { $0.job.options.priority },
            .sometimes("tags", .list(of: .text), "Labels to find it by.") { $0.job.options.tags.isEmpty ? nil : $0.job.options.tags },
            .sometimes("retry", .shape(RetryRule.shape), "How often it is tried, where it or the configuration of its loader says so.") {
                $0.job.options.retry == RetryRule() ? nil : $0.job.options.retry
            },
            .sometimes("attemptTimeoutSeconds", .number, "How long one attempt may run.") { $0.job.options.attemptTimeout?.inSeconds },
            .sometimes("totalTimeoutSeconds", .number, "How long it may take in all.") { $0.job.options.totalTimeout?.inSeconds },
            .sometimes("expiresAt", .time, "When it ends if it has never started.") { $0.job.options.expiresAt },
            .sometimes("limits", .list(of: .shape(LimitKey.shape)), "The limits that it counts in.") {
                $0.job.options.limitKeys.isEmpty ? nil : $0.job.options.limitKeys
            },
            .sometimes("unique", .shape(UniqueKey.shape), "The unique key that it was submitted with.") { $0.job.options.uniqueKey },
            .sometimes("retryOf", .id, "The ended job that it repeats.") { $0.job.options.retryOf },
            .sometimes("acceptedAt", .time, "When it was accepted, unless what is stored of the job cannot be read.") { $0.job.acceptedAt },
            .sometimes("startedAt", .time, "When it was granted last.") { $0.job.startedAt },
            .sometimes("endedAt", .time, "When it ended.") { $0.job.endedAt },
            .always(
                "attempts", .count,
                "How often it was granted. A run whose worker was lost counts here, and uses up none of the attempts that it has."
            ) { $0.job.attempts },
            .sometimes("repeatedBy", .id, "The newest job that repeats it after its end.") { $0.job.repeatedBy },
            .sometimes("snoozeCount", .count, "How often its loader has asked to be run again later; no attempt is counted for that.") {
                $0.job.snoozeCount == 0 ? nil : UInt64($0.job.snoozeCount)
            },
            .always("crashCount", .count, "How many crashes of workers count against it.") { $0.job.crashCount },
            .sometimes("dueAt", .time, "When its time comes, while it is scheduled.") { $0.job.dueAt },
            .sometimes("endsBy", .time, "When it has had its total time, unless its own time has not come.") { $0.job.endsBy },
            .sometimes("waitReason", .shape(WaitReason.shape), "Why it waits.") { $0.job.waitReason },
            .sometimes("worker", .text, "The name of the worker that holds it.") { $0.job.worker.isEmpty ? nil : $0.job.worker },
            .sometimes("cancel", .shape(CancelReceipt.shape), "How far a cancel has come, or the stopping of a run whose time is over.") {
                $0.job.cancel
            },
            .sometimes("progress", .shape(JobProgress.shape), "How far it is, while it runs.") { $0.progress },
            .sometimes("failure", .shape(Failure.shape), "Why it failed, or its last attempt while it is tried again.") {
                $0.job.failure
            },
            .sometimes("argument", .text, "What it works on, where that is text; left out of lists.") {
                $0.job.options.hasSecretArgument ? nil : $0.explanation.flatMap { ShownJob.text($0.argument) }
            },
            .sometimes("argumentBase64", .text, "What it works on in Base64, where that is no text; left out of lists.") {
                $0.job.options.hasSecretArgument ? nil : $0.explanation.flatMap { ShownBytes.base64($0.argument) }
            },
            .sometimes("argumentBytes", .count, "The size of its argument, unless that is secret; left out of lists.") {
                $0.job.options.hasSecretArgument ? nil : $0.explanation?.argumentByteCount
            },
            .sometimes("secretArgument", .bool, "That its argument is shown to nobody.") { $0.job.options.hasSecretArgument ? true : nil },
            .sometimes("runs", .list(of: .shape(JobRun.shape)), "Its runs that have ended, oldest first; left out of lists.") {
                ($0.explanation?.runs.newest).flatMap { $0.isEmpty ? nil : $0 }
            },
            .sometimes("omittedRuns", .count, "How many runs more have ended than are listed.") {
                ($0.explanation?.runs.omitted).flatMap { $0 == 0 ? nil : UInt64($0) }
            },
            .sometimes(
                "log", .list(of: .shape(LogLine.shape)), "The newest lines that its runs have written, oldest first; left out of lists."
            ) {
                ($0.explanation?.log.lines).flatMap { $0.isEmpty ? nil : $0 }
            },
            .sometimes("omittedLines", .count, "How many lines more they have written than are listed.") {
                ($0.explanation?.log.omitted).flatMap { $0 == 0 ? nil : $0 }
            },
            .sometimes("result", .text, "Its result, where that is text.") { ShownJob.text($0.job.result) },
            .sometimes("resultBase64", .text, "Its result in Base64, where that is no text.") { ShownBytes.base64($0.job.result) },
            .always("resultBytes", .count, "The size of its result.") { UInt64($0.job.result.count) },
        ])

    static let list = ShownList<ShownJob>.shape(
        "jobs", "A list of jobs; on the topic `jobs` with counts.", of: .shape(shape),
        [
            .sometimes("counts", .shape(JobCounts.shape), "All jobs by state.") { $0.counts },
            .sometimes("retention", .shape(JobRetention.shape), "At the end of the list: for how long others were known.") { $0.retention },
        ])
}

extension JobRetention {
    static let shape = JSONShape<JobRetention>(
        "retention", "For how long a front knows ended jobs, and how many of them.",
        [
            .always("ended", .shape(Rule.shape), "Those that succeeded.") { $0[.succeeded] },
            .always("cancelled", .shape(Rule.shape), "Those that were cancelled or expired.") { $0[.cancelled] },
            .always("failed", .shape(Rule.shape), "Those that failed or are quarantined.") { $0[.failed] },
        ])
}

extension JobRetention.Rule {
    static let shape = JSONShape<JobRetention.Rule>(
        "retentionRule", "For how long a front knows ended jobs of one kind, and how many.",
        [
            .always("seconds", .number, "How long after its end a job is known.") { $0.age.inSeconds },
            .always("count", .count, "How many are known at most.") { UInt64($0.count) },
        ])
}

extension RetryRule {
    static let shape = JSONShape<RetryRule>(
        "retry", "How often a job is tried, and how long it waits between two attempts.",
        [
            .sometimes("attempts", .count, "Attempts in all, where a number was asked for.") { $0.attempts },
            .always("backOffSeconds", .number, "The longest pause after the first attempt; it doubles with each.") {
                $0.backOff.firstPause.inSeconds
            },
            .always("longestBackOffSeconds", .number, "The longest pause after any attempt.") { $0.backOff.longestPause.inSeconds },
            .always("jitter", .bool, "Whether each pause is drawn between none and that.") { $0.backOff.isDrawn },
            .sometimes("codes", .list(of: .shape(CodeRetryRule.shape)), "What holds after failures with some codes instead.") {
                $0.codes.isEmpty ? nil : $0.codes
            },
        ])
}

extension CodeRetryRule {
    static let shape = JSONShape<CodeRetryRule>(
        "retryCode", "How often a job is tried that fails with one code; what is left out is as after other codes.",
        [
            .always("code", .text, "The code.") { $0.code.rawValue },
            .sometimes("attempts", .count, "How many attempts have failed when such a failure ends the job; 1: it is never tried again.") {
                $0.attempts
            },
            .sometimes("backOffSeconds", .number, "The longest pause after the first attempt; it doubles with each.") {
                $0.backOff.first?.inSeconds
            },
            .sometimes("longestBackOffSeconds", .number, "The longest pause after any attempt.") { $0.backOff.longest?.inSeconds },
            .sometimes("jitter", .bool, "Whether each pause is drawn between none and that.") { $0.backOff.hasJitter },
        ])
}

extension UniqueKey {
    static let shape = JSONShape<UniqueKey>(
        "unique", "A key that one job of a loader at a time has.",
        [
            .always("key", .text, "The key.") { $0.text },
            .always("mode", .word(UniqueMode.allCases) { $0.name }, "Until when it is taken.") { $0.mode },
            .sometimes("afterEndSeconds", .number, "How much longer it stays taken after the job's end.") {
                $0.afterEnd == .zero ? nil : $0.afterEnd.inSeconds
            },
            .sometimes("quietSeconds", .number, "Of a debounced key: how long nobody may have submitted with it before its job starts.") {
                $0.debounce?.quiet.inSeconds
            },
            .sometimes("longestSeconds", .number, "Of a debounced key: how far from its acceptance the time of its job may be moved.") {
                $0.debounce?.longest.inSeconds
            },
        ])
}

extension CancelReceipt {
    /// The shape `cancel`.
    package var json: JSONValue { Self.shape.json(self) }

    static let shape = JSONShape<CancelReceipt>(
        "cancel", "How far a cancel has come.",
        [
            .always("requestedBy", .text, "The label of the session that asked; `a time-out` where no one did.") { $0.requestedBy },
            .always("requestedAt", .time, "When it was accepted.") { $0.requestedAt },
            .sometimes("deliveredAt", .time, "When the worker had it in hand.") { $0.deliveredAt },
            .sometimes("stoppingAt", .time, "When the loader's task was asked to stop.") { $0.stoppingAt },
            .sometimes("killedAt", .time, "When the process that the work runs in was killed.") { $0.killedAt },
            .sometimes("endingAt", .time, "When the worker began to end because of it.") { $0.endingAt },
            .sometimes("stoppedAt", .time, "When the work had really ended.") { $0.stoppedAt },
            .sometimes("stopSeconds", .number, "How long that took.") { receipt in
                receipt.stoppedAt.map { $0.duration(since: receipt.requestedAt).inSeconds }
            },
        ])
}

extension JobExplanation {
    /// The shape `explanation`.
    package var json: JSONValue { Self.shape.json(self) }

    /// The shape `job`, with what it works on.
    package var jobJSON: JSONValue { job.json(of: self) }

    static let shape = JSONShape<JobExplanation>(
        "explanation", "One job's timeline.",
        [
            .always("job", .shape(ShownJob.shape), "The job, with what it works on.") { ShownJob(job: $0.job, explanation: $0) },
            .sometimes("placeInLine", .count, "How many jobs are granted before it.") { $0.placeInLine },
            .sometimes("estimateSeconds", .number, "Until it is granted, estimated from running and recently ended jobs.") {
                $0.estimate?.inSeconds
            },
            .always("timeline", .list(of: .text), "Sentences, oldest first.") { $0.timeline },
        ])
}

extension JobCounts {
    /// The shape `counts`.
    package var json: JSONValue { Self.shape.json(self) }

    /// The shape `counts`.
    package static let shape = JSONShape<JobCounts>("counts", "Jobs by state.", counted + others)

    private static let counted: [JSONShape<JobCounts>.Field] = shown.map { .always($0.key, .count, $0.about, $0.count) }

    private static let others: [JSONShape<JobCounts>.Field] = [
        .sometimes("oldestWaitingAt", .time, "When the oldest waiting job was accepted.") { $0.oldestWaiting },
        .always("failures", .list(of: .inline(FailureCount.shape)), "Failed and quarantined jobs that are still known, most first.") {
            $0.failures
        },
        .always(
            "unoffered", .list(of: .inline(LoaderCount.shape)),
            "Waiting jobs whose loader no registered worker offers, by loader, most first; those that wait for another job of their key are left out."
        ) { $0.unoffered },
        .always("unofferedOthers", .count, "Such jobs of further loaders.") { $0.unofferedOthers },
        .sometimes(
            "bulkActions", .list(of: .shape(BulkSummary.shape)),
            "Actions with many jobs that are under way, and the last that have ended since the front began, oldest first."
        ) { $0.bulkActions.isEmpty ? nil : $0.bulkActions },
    ]
}

extension LoaderCount {
    /// How many jobs of one loader there are; it has no file of its own.
    package static let shape = JSONShape<LoaderCount>(
        "loaderCount", "How many jobs of one loader there are.",
        [.always("loader", .text, "The loader.") { $0.loader }, .always("count", .count, "How many jobs.") { $0.count }])
}

extension FailureCount {
    /// How many jobs failed in one way; it has no file of its own.
    package static let shape = JSONShape<FailureCount>(
        "failureCount", "How many jobs failed in one way.",
        [
            .always("code", .text, "The failure's code; `other` for the sum of the rarest.") { $0.code.rawValue },
            .always("count", .count, "How many jobs.") { $0.count },
        ])
}

extension JobSummary {
    /// What the job works on: a feed's operation, or the loader of a submitted job; for one that cannot be read only that it is a job.
    package var subject: String { subject() }

    /// The same to somebody who has asked for it by another word than the operation's: a filter is made by the job of a sort.
    package func subject(as word: String? = nil) -> String {
        feed.map { "\(word ?? operation?.name ?? "work") \($0)" } ?? (loader.isEmpty ? "job" : loader)
    }

    /// One line for people.
    /// - Parameters:
    ///   - word: what it was asked for by; nil: what it does.
    ///   - hasFailure: Whether its failure is named.
    package func line(progress: JobProgress? = nil, as word: String? = nil, hasFailure: Bool = true) -> String {
        var parts = ["\(subject(as: word)) \(state.name)"]
        if let tags = options.tagLine { parts.append(tags) }
        if let waitReason, !state.isFinal { parts.append(waitReason.line) }
        if !worker.isEmpty { parts.append("at \(worker)") }
        if let progress { parts.append(progress.line) }
        if snoozeCount > 0, !state.isFinal { parts.append("snoozed \(snoozeCount == 1 ? "once" : "\(snoozeCount) times")") }
        if let cancel, state == .cancelling { parts.append("cancel asked by \(cancel.requestedBy)") }
        if let cancel, state == .running { parts.append("\(cancel.requestedBy) has asked it to stop") }
        if let cancel, !state.isFinal, cancel.killedAt ?? cancel.endingAt != nil, let step = cancel.stepLine { parts.append(step) }
        if hasFailure, let failureLine { parts.append(state.isFinal || state == .scheduled ? failureLine : "last attempt: \(failureLine)") }
        if let repeatedBy { parts.append("job \(repeatedBy) repeats it") }
        if let endedAt, let acceptedAt { parts.append("ended \(Self.seconds(endedAt.duration(since: acceptedAt))) after it was accepted") }
        return parts.joined(separator: "; ")
    }

    /// What it failed with, without a code that only repeats the state: `quarantined quarantined` says no more.
    package var failureLine: String? { failure.map { $0.code.rawValue == state.name ? $0.text : $0.line } }

    /// The line, and below it the result.
    package var lineWithResult: String { lines(hasFailure: true) }

    /// The same without the failure, for whoever is told of that in a sentence of its own.
    package var lineWithoutFailure: String { lines(hasFailure: false) }

    private func lines(hasFailure: Bool) -> String {
        let shown = ShownBytes.line("result", result, byteCount: UInt64(result.count))
        return [line(hasFailure: hasFailure), shown].compactMap { $0 }.joined(separator: "\n")
    }

    /// An estimate in whole seconds, at least one, for example `about 5 s`: what is a guess has no hundredths.
    package static func roughly(_ length: Duration) -> String { "about \(max(1, Int64(min(length.inSeconds.rounded(.up), 1e15)))) s" }

    /// Seconds with two decimals, for example `0.12 s`.
    package static func seconds(_ length: Duration) -> String {
        let hundredths = Int64((max(0, length.inSeconds) * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
    }
}

extension JobExplanation {
    /// A line for the argument and one for the result, those of no bytes left out.
    package var byteLines: [String] {
        let argument =
            job.options.hasSecretArgument ? "  argument: (secret)" : ShownBytes.line("argument", argument, byteCount: argumentByteCount)
        return [argument, ShownBytes.line("result", job.result, byteCount: UInt64(job.result.count))].compactMap { $0 }
    }
}

extension JobCounts {
    /// One line for people.
    package var line: String { words { _ in true }.joined(separator: ", ") }

    /// The same without states that no job is in.
    package var shortLine: String { phrases.joined(separator: ", ") }

    /// The phrases of that line.
    var phrases: [String] {
        let some = words { $0 > 0 }
        return some.isEmpty ? ["no jobs yet"] : some
    }

    private func words(where isShown: (UInt64) -> Bool) -> [String] {
        Self.shown.compactMap { shown in
            let count = shown.count(self)
            return isShown(count) ? "\(count) \(shown.word)" : nil
        }
    }
}

extension BulkSummary {
    /// The shape `bulk`.
    package var json: JSONValue { Self.shape.json(self) }

    /// For people: how far it has come.
    package var line: String {
        let passed = passedOver > 0 ? ", \(counted(passedOver, "job")) passed over" : ""
        let waits = waitsFor.isEmpty ? "" : "; \(waitsFor)"
        return "\(action): \(counted(done, "job")) \(BulkAction.participle(of: action))\(passed)\(isFinished ? "" : " so far")\(waits)"
    }

    /// For people: what would be done if it were meant.
    /// - Parameter command: What does it.
    package static func line(ofDry action: BulkAction, with count: UInt64, command: String) -> String {
        guard count > 0 else { return "\(action.word): no job would be \(action.participle)" }
        return "\(action.word): \(counted(count, "job")) would be \(action.participle), nothing is done yet; to do it: \(command) --yes"
    }

    package static let shape = JSONShape<BulkSummary>(
        "bulk", "An action with many jobs.",
        [
            .always("number", .count, "Its number.") { $0.number },
            .always("action", .text, "What is done with each job, as the word of its command.") { $0.action },
            .sometimes("by", .text, "The label of the client that asked for it.") { $0.by.isEmpty ? nil : $0.by },
            .always("since", .time, "When it was asked for.") { $0.since },
            .always("done", .count, "Jobs with which it was done.") { $0.done },
            .always("passedOver", .count, "Jobs that were chosen, and had changed since or could not take it.") { $0.passedOver },
            .always("finished", .bool, "Whether nothing is left to do.") { $0.isFinished },
            .sometimes("waitsFor", .text, "What it waits for at the moment.") { $0.waitsFor.isEmpty ? nil : $0.waitsFor },
        ])
}
