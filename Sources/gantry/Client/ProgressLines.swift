//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import StateFormatting
import Synchronization

/// Progress on standard error, as `ProgressRule` says.
final class ProgressLines: Sendable {
    private let printing: OutputOptions
    private let rule: Mutex<ProgressRule>

    /// - Parameter pause: How long nothing is printed at first: what ends before that needs no progress.
    init(_ printing: OutputOptions, after pause: Duration = .zero) {
        self.printing = printing
        let start = pause == .zero ? .zero : Duration.nanoseconds(SystemClock.monotonicNanoseconds()) + pause
        rule = Mutex(ProgressRule(isTerminal: ProgressLine.shared.columns != nil, start: start))
    }

    /// Prints the line unless it has nothing new.
    func show(_ line: String) { show(line, state: line) }

    /// Prints how a job goes on.
    /// - Parameter word: what it was asked for by; nil: what it does.
    func show(_ job: JobSummary, _ progress: JobProgress?, prefix: String = "", as word: String? = nil) {
        show(prefix + job.line(progress: progress, as: word), state: prefix + job.line())
    }

    private func show(_ line: String, state: String) {
        let now = Duration.nanoseconds(SystemClock.monotonicNanoseconds())
        if rule.withLock({ $0.shows(line, state: state, at: now) }) { printing.progress(line) }
    }
}

/// Which lines about work under way are printed: a person at a terminal sees each, in one place; a file or a pipe gets changes of the state
/// and, between them, progress now and then.
struct ProgressRule {
    /// How long a line of mere progress waits after the line before it, where nobody looks on.
    static let pause: Duration = .seconds(10)
    /// How long a line of another state waits there: a thousand short jobs would fill a log.
    static let shortPause: Duration = .seconds(1)

    private let isTerminal: Bool
    /// Nothing is shown before.
    private let start: Duration
    private var line: String?
    private var state: String?
    private var shownAt = Duration.zero

    init(isTerminal: Bool, start: Duration = .zero) { (self.isTerminal, self.start) = (isTerminal, start) }

    /// Whether to print a line.
    /// - Parameters:
    ///   - state: what the line says without its progress.
    ///   - now: any clock that only goes on.
    mutating func shows(_ line: String, state: String, at now: Duration) -> Bool {
        guard line != self.line, now >= start else { return false }
        let pause = state == self.state ? Self.pause : Self.shortPause
        guard isTerminal || self.line == nil || now - shownAt >= pause else { return false }
        (self.line, self.state, shownAt) = (line, state, now)
        return true
    }
}
