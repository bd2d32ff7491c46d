//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryAuditRecord
import GantryModel
import StateFormatting

/// An audit as it is shown: what it found, and of what records.
struct ShownAudit: Sendable {
    let audit: LimitAudit
    let runs: RecordedRuns
    /// Labels of registered workers without a record here.
    let unrecorded: [String]

    /// What a limit counts, for whoever is given the result.
    static let counts =
        "The audit counts permits from before a loader begins until it has returned or its process has gone, "
        + "as many as the job's weight. A run that nobody saw end counts until 500 ms after its lease. An attempt takes one "
        + "token at its grant, whatever its weight."

    /// Writers that ran jobs.
    private var workers: [RecordedRuns.Writer] { runs.writers.filter { $0.head.writer.role == .worker } }

    /// From when on the records of all workers are whole: what was before has been removed at their bound.
    private var wholeSince: WallTime? { runs.writers.filter(\.isCut).map(\.since.wall).max() }

    /// For people, line by line.
    func lines(columns: Int?) -> [String] {
        var table = TextTable(["limit", "runs", "most permits", "allowed", "attempts", "most in a period", "rate", "result"])
        for value in audit.values {
            table.add([
                value.key.text, String(value.runCount), value.mostPermits, value.allowed, String(value.attemptCount),
                value.rate.map { String($0.mostInPeriod) } ?? "-", value.rate?.refill.line ?? "-", value.state.rawValue,
            ])
        }
        let times = "\(WallTime(nanoseconds: audit.from).rfc3339) to \(WallTime(nanoseconds: audit.to).rfc3339)"
        var lines = ["\(times): records of \(counted(workers.count, "worker"))"]
        if audit.values.isEmpty { return lines + ["no job with limits has begun in that time"] + notes }
        // A table whose cells are cut says too little: in a narrow terminal each value has a line, which is folded.
        let width = table.text(columns: nil).split(separator: "\n").map { TextFit.width(of: $0) }.max() ?? 0
        lines += columns.map { width > $0 } ?? false ? audit.values.map(\.line) : [table.text(columns: columns)]
        for value in audit.values { lines += value.findings(audit) }
        return lines + notes + [Self.counts]
    }

    /// What else somebody should know who relies on it.
    private var notes: [String] {
        var notes: [String] = []
        if let wholeSince { notes.append("whole since \(wholeSince.rfc3339): older lines were removed, for records are bounded") }
        for run in audit.unclosed {
            let end = WallTime(nanoseconds: run.end).rfc3339
            notes.append("nobody has seen the end of \(run.text): it counts as running until \(end), 500 ms after its lease")
        }
        for torn in runs.torn { notes.append("\(torn.file): the last line was torn off, \(counted(torn.byteCount, "byte"))") }
        for file in runs.missing { notes.append("missing: \(file), which another worker has seen and nobody has removed at the bound") }
        if !unrecorded.isEmpty {
            notes.append(
                "registered, and without a record here: \(unrecorded.joined(separator: ", ")); "
                    + "no job with limits has begun there, or it records elsewhere")
        }
        return notes
    }

    /// What the command ends with; nil: with 0.
    var failure: CommandFailure? {
        guard let value = audit.values.max(by: { $0.state < $1.state }), value.state != .held else { return nil }
        let findings = value.findings(audit).first ?? ""
        guard value.state == .passed else {
            return CommandFailure(
                .invalidData, code: .recordUnclear, message: "whether the limit \(value.key.text) held cannot be known: \(findings)",
                nextStep: "run workers under gantry up, or beside a front that runs on, so that somebody sees their ends")
        }
        return CommandFailure(
            .failed, code: .limitPassed, message: findings, nextStep: "gantry limit audit \(value.key.limit) --output json",
            context: ["limit": value.key.limit])
    }
}

extension AuditedValue {
    /// The most permits that were taken at once; a limit that has only a rate has none.
    fileprivate var mostPermits: String { capacities == nil ? "-" : String(most.running) }

    /// The capacities of its grants, as a number or a range.
    fileprivate var allowed: String {
        guard let capacities else { return "-" }
        let (low, high) = (capacities.lowerBound, capacities.upperBound)
        return low == high ? String(low) : "\(low) to \(high)"
    }

    /// What the row of a table says, as a sentence.
    fileprivate var line: String {
        let permits = capacities == nil ? "" : ", \(most.running) of \(allowed) permits at once"
        let attempts = counted(UInt64(attemptCount), "attempt")
        let tokens = rate.map { ", at most \($0.mostInPeriod) in a period of \($0.refill.line)" } ?? ""
        let runs = "\(counted(UInt64(runCount), "run"))\(permits)"
        return "\(key.text): \(state.rawValue); \(runs); \(attempts)\(tokens)"
    }

    /// One sentence for each time that it was passed, ten at most.
    fileprivate func findings(_ audit: LimitAudit) -> [String] {
        let over = excesses.prefix(10).map { excess in
            let names = excess.runs.prefix(8).map { audit.all[$0].text }.joined(separator: ", ")
            let length = Duration.nanoseconds(excess.to - excess.from).line
            let sure = excess.isSure ? "" : " (perhaps: nobody has seen the end of some)"
            return "limit \(key.text): \(counted(excess.running, "permit")) taken at once and \(excess.capacity) allowed\(sure), "
                + "from \(WallTime(nanoseconds: excess.from).rfc3339) for \(length): \(names)"
        }
        let early = (rate?.early ?? []).prefix(10).map { early in
            "limit \(key.text): job \(early.job) began at \(WallTime(nanoseconds: early.start).rfc3339), "
                + "and there was no token by \(early.refill.line)"
        }
        return over + early
    }
}

extension AuditedRun {
    /// Its jobs and its worker.
    fileprivate var text: String {
        let jobs = starts.count == 1 ? "job \(starts[0].job)" : "jobs \(starts[0].job) to \(starts[starts.count - 1].job)"
        return "\(jobs) at \(label.isEmpty ? writer.text : label)"
    }
}

extension WallTime {
    init(nanoseconds: Int64) { self.init(milliseconds: nanoseconds / 1_000_000) }
}

extension ShownAudit {
    /// The shape `audit`.
    static let shape = JSONShape<ShownAudit>(
        "audit", "What the records of workers say of limits.",
        [
            .always("state", .word, "Whether all limits held, one was passed, or that cannot be known.") { $0.audit.state },
            .always("from", .time, "From when on it looks.") { WallTime(nanoseconds: $0.audit.from) },
            .always("to", .time, "Until when.") { WallTime(nanoseconds: $0.audit.to) },
            .always("counts", .text, "What a limit counts.") { _ in Self.counts },
            .always("limits", .list(of: .inline(ShownAuditedValue.shape)), "Each limit with each of its values.") { shown in
                shown.audit.values.map { ShownAuditedValue(value: $0, audit: shown.audit) }
            },
            .always("unclosed", .list(of: .inline(AuditedRun.shape)), "Runs that nobody has seen end.") { $0.audit.unclosed },
            .always("records", .list(of: .inline(RecordedRuns.Writer.shape)), "What was read, each file checked to its last line.") {
                $0.runs.writers
            },
            .always("missing", .list(of: .text), "Files that were there, and that nobody has removed at the bound.") { $0.runs.missing },
            .always("torn", .list(of: .text), "Files whose last line was torn off.") { $0.runs.torn.map(\.file) },
            .always("unrecorded", .list(of: .text), "Labels of registered workers without a record here.") { $0.unrecorded },
        ])
}

/// A value of a limit with the runs that its findings name.
struct ShownAuditedValue: Sendable {
    let value: AuditedValue
    let audit: LimitAudit

    static let shape = JSONShape<ShownAuditedValue>(
        "auditedValue", "A limit with one of its values.",
        [
            .always("limit", .text, "Its name.") { $0.value.key.limit },
            .sometimes("value", .text, "For what of it.") { $0.value.key.value.isEmpty ? nil : $0.value.key.value },
            .always("state", .word, "Whether it held.") { $0.value.state },
            .always("runs", .count, "Runs in that time.") { UInt64($0.value.runCount) },
            .always("attempts", .count, "Attempts that began in that time.") { UInt64($0.value.attemptCount) },
            .always("mostRunning", .count, "The most permits that runs had at once; of a limit with only a rate, what they would have had.")
            { UInt64($0.value.most.running) },
            .sometimes("mostAt", .time, "When that was first.") {
                $0.value.most.running == 0 ? nil : WallTime(nanoseconds: $0.value.most.at)
            },
            .sometimes("capacityThen", .count, "What was allowed then.") { $0.value.most.capacity.map { UInt64($0) } },
            .sometimes("leastCapacity", .count, "The least capacity of its grants.") { $0.value.capacities.map { UInt64($0.lowerBound) } },
            .sometimes("greatestCapacity", .count, "The greatest one.") { $0.value.capacities.map { UInt64($0.upperBound) } },
            .sometimes("rate", .text, "The rate of its last attempt.") { $0.value.rate?.refill.rate },
            .sometimes("burst", .count, "The burst of that.") { ($0.value.rate?.refill.burst).map { UInt64($0) } },
            .sometimes("mostInPeriod", .count, "The most attempts that took tokens within a period of the rate.") {
                ($0.value.rate?.mostInPeriod).map { UInt64($0) }
            },
            .always("excesses", .list(of: .inline(ShownExcess.shape)), "When more ran than might.") { shown in
                shown.value.excesses.map { ShownExcess(excess: $0, audit: shown.audit) }
            },
            .always("earlyCount", .count, "Attempts for which there was no token.") { UInt64($0.value.rate?.earlyCount ?? 0) },
            .always("early", .list(of: .inline(AuditedRate.Early.shape)), "The first of them.") { $0.value.rate?.early ?? [] },
        ])
}

/// A time in which more ran than might, with the runs.
struct ShownExcess: Sendable {
    let excess: AuditedValue.Excess
    let audit: LimitAudit

    static let shape = JSONShape<ShownExcess>(
        "excess", "A time in which more ran than might.",
        [
            .always("from", .time, "When it began.") { WallTime(nanoseconds: $0.excess.from) },
            .always("seconds", .number, "How long it lasted.") { Double($0.excess.to - $0.excess.from) / 1e9 },
            .always("running", .count, "The most permits that were taken.") { UInt64($0.excess.running) },
            .always("capacity", .count, "How many were allowed.") { UInt64($0.excess.capacity) },
            .always("isSure", .bool, "Whether it is sure, though nobody may have seen the end of some.") { $0.excess.isSure },
            .always("runs", .list(of: .inline(AuditedRun.shape)), "What ran, at most 64.") { shown in
                shown.excess.runs.map { shown.audit.all[$0] }
            },
        ])
}

extension AuditedRate.Early {
    static let shape = JSONShape<AuditedRate.Early>(
        "early", "An attempt for which there was no token.",
        [
            .always("job", .id, "The job.") { $0.job },
            .always("attempt", .count, "How often it was granted.") { $0.attempt },
            .always("at", .time, "When it began.") { WallTime(nanoseconds: $0.start) },
            .always("tokens", .number, "How many tokens there were.") { $0.tokens },
            .always("rate", .text, "The rate.") { $0.refill.line },
        ])
}

extension AuditedRun {
    static let shape = JSONShape<AuditedRun>(
        "auditedRun", "A run: a job, or several of a bulk loader one after another.",
        [
            .always("jobs", .list(of: .id), "Its jobs, at most 128.") { $0.starts.map(\.job) },
            .always("attempts", .list(of: .count), "How often each was granted.") { $0.starts.map(\.attempt) },
            .always("leases", .list(of: .id), "The lease of each.") { $0.starts.map(\.limited.lease) },
            .always("worker", .text, "The label of the worker.") { $0.label },
            .always("writer", .text, "The name of its record.") { $0.writer.text },
            .always("process", .count, "The number of its process.") { $0.process.number },
            .always("boot", .text, "The boot of its machine and its namespace.") { $0.process.namespace },
            .always("from", .time, "When it began.") { WallTime(nanoseconds: $0.start) },
            .always("to", .time, "When it ended, or until when it counts.") { WallTime(nanoseconds: $0.end) },
            .always("seconds", .number, "How long that is.") { Double($0.end - $0.start) / 1e9 },
            .always("ending", .word(of: ["stopped", "closed", "running", "unclosed"]), "How its end is known.") { $0.ending.word },
            .sometimes("seen", .text, "Who has seen its process gone.") { if case .closed(let how) = $0.ending { how } else { nil } },
        ])
}

extension AuditedRun.Ending {
    fileprivate var word: String {
        switch self {
        case .stopped: "stopped"
        case .closed: "closed"
        case .running: "running"
        case .unclosed: "unclosed"
        }
    }
}

extension RecordedRuns.Writer {
    static let shape = JSONShape<RecordedRuns.Writer>(
        "record", "A record that was read.",
        [
            .always("writer", .text, "Its name.") { $0.head.writer.text },
            .always("label", .text, "The label of the worker.") { $0.head.label },
            .always("host", .text, "The name of its machine.") { $0.head.host },
            .always("boot", .text, "The boot of its machine and its namespace.") { $0.head.process.namespace },
            .always("process", .count, "The number of its process.") { $0.head.process.number },
            .always("files", .list(of: .text), "Its files, oldest first.") { $0.files },
            .always("from", .time, "From when on its lines are there.") { $0.since.wall },
            .always("to", .time, "When its last line was written.") { $0.last.wall },
            .always("isCut", .bool, "Whether older lines were removed.") { $0.isCut },
            .always("lines", .count, "How many lines it has written.") { UInt64($0.lineCount) },
            .always("lastHash", .text, "The hash of the last one: who keeps it can show that none was changed since.") { $0.lastHash },
        ])
}
