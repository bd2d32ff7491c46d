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
        "Counted are the permits of runs at workers, not of leases: as many as a job's weight, from the moment before its loader begins until that "
        + "has returned, or its process was seen to be gone. A run that nobody saw end counts until 500 ms after its lease. An attempt takes one "
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
