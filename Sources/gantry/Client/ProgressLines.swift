//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Platform
import StateJSON
import Synchronization

/// Progress on standard error, as `ProgressRule` says.
final class ProgressLines: Sendable {
    private let printing: OutputOptions
    private let rule = Mutex(ProgressRule(isTerminal: NumberedDescriptor.isTerminal(2)))

    init(_ printing: OutputOptions) { self.printing = printing }

    /// Prints the line unless it has nothing new.
    func show(_ line: String) { show(line, state: line) }

    /// Prints how a job goes on.
    func show(_ job: JobSummary, _ progress: Progress?, prefix: String = "") {
        show(prefix + job.line(progress: progress), state: job.line())
    }

    private func show(_ line: String, state: String) {
        let now = Duration.nanoseconds(SystemClock.monotonicNanoseconds())
        if rule.withLock({ $0.shows(line, state: state, at: now) }) { printing.notice(line) }
    }
}
