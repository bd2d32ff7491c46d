//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
package import GantryModel

extension JobRun {
    /// One run of a job.
    static let shape = JSONShape<JobRun>(
        "run", "One run of a job at a worker that has ended.",
        [
            .always("attempt", .count, "Which attempt it was; a run that counts as none has the number of the one that follows it.") {
                UInt64($0.attempt)
            },
            .sometimes("worker", .text, "The name of its worker.") { $0.worker.isEmpty ? nil : $0.worker },
            .always("startedAt", .time, "When the front granted it.") { $0.startedAt },
            .always("endedAt", .time, "When the front took its end.") { $0.endedAt },
            .always("ranSeconds", .number, "How long it took: from its grant to its end.") { $0.length.inSeconds },
            .always("end", .word(RunEnd.allCases) { $0.name }, "How it ended.") { $0.end },
            .sometimes("code", .text, "The code of what it failed with, or of why it was given back.") { $0.code?.rawValue },
            .sometimes("text", .text, "The sentence to that, its first 256 bytes.") { $0.text.isEmpty ? nil : $0.text },
        ])
}

extension LogLine {
    /// A line that a job has written.
    static let shape = JSONShape<LogLine>(
        "logLine", "A line that a job's loader has written.",
        [
            .always("attempt", .count, "The attempt that wrote it.") { UInt64($0.attempt) },
            .always("at", .time, "When, by its worker's clock.") { $0.at },
            .always("text", .text, "Its first 1,024 bytes, without control characters.") { $0.text },
        ])
}

extension JobExplanation {
    /// The lines that its runs have written, or how many there are and how to see them; none where there are none.
    package func logLines(areShown: Bool) -> [String] {
        guard log.omitted > 0 || !log.lines.isEmpty else { return areShown ? unwrittenLines : [] }
        guard areShown else { return ["  log: \(counted(UInt64(log.lines.count), "line")), see `gantry job show \(job.id) --log`"] }
        let more = log.omitted == 0 ? [] : ["  \(counted(log.omitted, "line")) more before"]
        return more + log.lines.map { "  \($0.at.rfc3339) run \($0.attempt): \($0.text)" }
    }

    /// That no run has written a line, for who asks for the lines; and of a job that has ended in its first run, of which nothing else is kept.
    private var unwrittenLines: [String] {
        guard job.attempts > 0 else { return ["  no run yet, and no line"] }
        let isSingle = runs.isEmpty && job.state == .succeeded && job.attempts == 1
        return [isSingle ? "  one run, whose worker is not kept; it wrote nothing" : "  log: nothing was written"]
    }

    /// When it was accepted and has ended; of a job that has ended in its first run nothing else tells.
    package var timeLines: [String] {
        let times = [job.acceptedAt.map { "accepted at \($0.rfc3339)" }, job.endedAt.map { "ended at \($0.rfc3339)" }].compactMap { $0 }
        return times.isEmpty ? [] : ["  " + times.joined(separator: ", ")]
    }

    /// The runs that have ended and the one that goes on, a line each; none for a job that has ended in its first one.
    package var runLines: [String] { runs.lines.map { "  \($0)" } + currentRunLines }

    /// The run that goes on.
    package var currentRunLines: [String] {
        guard !job.worker.isEmpty, let startedAt = job.startedAt else { return [] }
        return ["  run \(job.attempts) at \(job.worker) since \(startedAt.rfc3339)\(usedAttempts)"]
    }

    /// How many attempts the runs before the one that goes on have used up, where that differs from their number: one whose worker was lost uses up
    /// none.
    private var usedAttempts: String {
        let used = job.failure?.attempts ?? 0
        guard job.attempts > used + 1 else { return "" }
        return " (\(used) of \(counted(UInt64(job.options.retry.attempts ?? RetryRule.usualAttempts), "attempt")) used)"
    }
}
