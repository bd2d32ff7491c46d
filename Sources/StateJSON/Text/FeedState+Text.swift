//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
public import Model

extension FeedState {
    /// One line for people: what went wrong, what there is, what is in progress.
    public func line(progress: Progress? = nil) -> String { line(failure.map { "failed: \($0.line)" }, progress) }

    /// The same for a terminal, which cuts its end: what went wrong is only named, its sentence is a line of its own.
    public func shortLine(progress: Progress? = nil) -> String { line(failure.map { "failed: \($0.code)" }, progress) }

    private func line(_ failed: String?, _ progress: Progress?) -> String {
        var parts = failed.map { [$0] } ?? []
        parts.append(content.map { failure == nil ? $0.line : $0.datedLine } ?? "nothing yet")
        switch activity {
        case .idle: break
        case .waiting(let job, let reason): parts.append("job \(job) waits: \(reason.line)")
        case .loading(let job, _, _): parts.append("loading (job \(job))" + (progress.map { " " + $0.line } ?? ""))
        }
        return parts.joined(separator: "; ")
    }
}

extension FeedContent {
    /// One phrase for people, for example `6 items (network)`.
    public var line: String { line(nil) }

    /// The same beside a failure, after which nobody knows whether the content is up to date: says when it came.
    var datedLine: String { line("of \(storedAt.minute)") }

    private func line(_ age: String?) -> String {
        let notes = [origin, age, isPersistent ? "saved on disk" : nil].compactMap(\.self)
        return "\(counted(object.itemCount, "item")) (\(notes.joined(separator: ", ")))"
    }

    /// Where it comes from, in a word or two for people.
    public var origin: String { source == .manual ? "edited locally" : source.rawValue }
}

extension Failure {
    /// The code and the sentence.
    public var line: String { "\(code): \(text)" }
}

extension Progress {
    /// One phrase for people, for example `40 % (4 of 10 items) reading`.
    public var line: String {
        var parts: [String] = []
        if let percent { parts.append("\(percent) %") }
        if !unit.isEmpty { parts.append(total.map { "(\(completed) of \($0) \(unit))" } ?? "(\(completed) \(unit))") }
        if !message.isEmpty { parts.append(message) }
        return parts.joined(separator: " ")
    }
}
