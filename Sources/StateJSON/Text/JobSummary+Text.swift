//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
public import Model

extension JobSummary {
    /// What the job works on: a feed's operation, or the loader of a submitted job; for one that cannot be read only that it is a job.
    public var subject: String { feed.map { "\(operation?.name ?? "work") \($0)" } ?? (loader.isEmpty ? "job" : loader) }

    /// One line for people.
    public func line(progress: Progress? = nil) -> String {
        var parts = ["\(subject) \(state.name)"]
        if let tags = options.tagLine { parts.append(tags) }
        if let waitReason, state == .waiting { parts.append(waitReason.line) }
        if !worker.isEmpty { parts.append("at \(worker)") }
        if let progress { parts.append(progress.line) }
        if let cancel, state == .cancelling { parts.append("cancel asked by \(cancel.requestedBy)") }
        if let failure { parts.append(failure.line) }
        if let endedAt, let acceptedAt { parts.append("after \(Self.seconds(endedAt.duration(since: acceptedAt)))") }
        return parts.joined(separator: "; ")
    }

    /// An estimate in whole seconds, at least one, for example `about 5 s`: what is a guess has no hundredths.
    public static func roughly(_ length: Duration) -> String { "about \(max(1, Int64(min(length.inSeconds.rounded(.up), 1e15)))) s" }

    /// Seconds with two decimals, for example `0.12 s`.
    public static func seconds(_ length: Duration) -> String {
        let hundredths = Int64((max(0, length.inSeconds) * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
    }
}

extension JobExplanation {
    /// A line for the argument and one for the result, those of no bytes left out.
    public var byteLines: [String] {
        let argument = Self.line("argument", argument, byteCount: argumentByteCount)
        return [argument, Self.line("result", job.result, byteCount: UInt64(job.result.count))].compactMap { $0 }
    }

    /// Short text stands there as it is; of anything else only the size is told: it may be many lines, or what no terminal shows.
    private static func line(_ name: String, _ bytes: [UInt8], byteCount: UInt64) -> String? {
        guard byteCount > 0 else { return nil }
        let text = bytes.count > 200 ? nil : String(validating: bytes, as: UTF8.self)
        guard let text, !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            return "  \(name): \(counted(byteCount, "byte"))"
        }
        return "  \(name): \(text)"
    }
}

extension JobCounts {
    /// One line for people.
    public var line: String { words { _ in true }.joined(separator: ", ") }

    /// The same without states that no job is in.
    public var shortLine: String {
        let some = words { $0 > 0 }
        return some.isEmpty ? "no jobs yet" : some.joined(separator: ", ")
    }

    private func words(where isShown: (UInt64) -> Bool) -> [String] {
        Self.shown.compactMap { shown in
            let count = shown.count(self)
            return isShown(count) ? "\(count) \(shown.word)" : nil
        }
    }
}
