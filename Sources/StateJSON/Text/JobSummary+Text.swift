//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
public import Model

extension JobSummary {
    /// What the job works on: a feed's operation, or the loader of a submitted job.
    public var subject: String { feed.map { "\(operation?.name ?? "work") \($0)" } ?? loader }

    /// One line for people.
    public func line(progress: Progress? = nil) -> String {
        var parts = ["\(subject) \(state.name)"]
        if let tags = options.tagLine { parts.append(tags) }
        if let waitReason, state == .waiting { parts.append(waitReason.line) }
        if !worker.isEmpty { parts.append("at \(worker)") }
        if let progress { parts.append(progress.line) }
        if let cancel, state == .cancelling { parts.append("cancel asked by \(cancel.requestedBy)") }
        if let failure { parts.append(failure.line) }
        if let endedAt { parts.append("after \(Self.seconds(endedAt.seconds(since: acceptedAt)))") }
        return parts.joined(separator: "; ")
    }

    /// An estimate in whole seconds, at least one, for example `about 5 s`: what is a guess has no hundredths.
    public static func roughly(_ seconds: Double) -> String { "about \(Int64(min(max(1, seconds.rounded(.up)), 1e15))) s" }

    /// Seconds with two decimals, for example `0.12 s`.
    public static func seconds(_ seconds: Double) -> String {
        let hundredths = Int64((max(0, seconds) * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
    }
}

extension JobCounts {
    /// One line for people.
    public var line: String { shown.map { "\($0.count) \($0.word)" }.joined(separator: ", ") }

    /// The same without states that no job is in.
    public var shortLine: String {
        let some = shown.filter { $0.count > 0 }.map { "\($0.count) \($0.word)" }
        return some.isEmpty ? "no jobs yet" : some.joined(separator: ", ")
    }
}
