//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import Synchronization

/// Where running work leaves word for the loop: bounded by the slots, since a run has one newest progress, so many newest lines, and one end.
final class WorkerInbox: Sendable {
    private struct Run: Sendable {
        let token: WorkToken
        var progress: JobProgress?
        var windowEnd = MonotonicTime(nanoseconds: 0)
        var wakes = 0
        var log = JobLog()
        var logWindowEnd = MonotonicTime(nanoseconds: 0)
    }

    private struct State: Sendable {
        var runs: [Run] = []
        var reports: [WorkReport] = []
    }

    /// In which progress wakes the loop at most twice: once to send it, once to set the time for the last value.
    private static let window: Duration = .milliseconds(50)
    private static let wakesOfWindow = 2
    /// In which lines wake it at most once: those that follow wait for its next turn, which a renewal brings within a second.
    private static let logWindow: Duration = .milliseconds(250)

    /// Readable when something was left.
    let signal: EventSignal
    private let state = Mutex(State())

    init() throws(SystemError) { signal = try EventSignal() }

    /// A run that may report from now on.
    func begin(_ token: WorkToken) {
        state.withLock { $0.runs.append(Run(token: token)) }
    }

    /// The newest progress of a run; one that has ended or was never begun is ignored.
    func progress(_ token: WorkToken, _ progress: JobProgress) {
        let wakes = state.withLock { state in
            guard let index = state.runs.firstIndex(where: { $0.token == token }) else { return false }
            let now = MonotonicTime(nanoseconds: SystemClock.bootNanoseconds())
            if now >= state.runs[index].windowEnd {
                state.runs[index].windowEnd = now.advanced(by: Self.window)
                state.runs[index].wakes = 0
            }
            state.runs[index].progress = progress
            state.runs[index].wakes += 1
            return state.runs[index].wakes <= Self.wakesOfWindow
        }
        if wakes { signal.signal() }
    }

    /// Lines of a run, or what it has saved; one that has ended or was never begun is ignored.
    func log(_ token: WorkToken, _ log: JobLog) {
        let wakes = state.withLock { state in
            guard let index = state.runs.firstIndex(where: { $0.token == token }) else { return false }
            state.runs[index].log.append(log)
            let now = MonotonicTime(nanoseconds: SystemClock.bootNanoseconds())
            guard now >= state.runs[index].logWindowEnd else { return false }
            state.runs[index].logWindowEnd = now.advanced(by: Self.logWindow)
            return true
        }
        if wakes { signal.signal() }
    }

    /// The end of a run; nothing of it follows.
    func ended(_ token: WorkToken, _ end: WorkEnd) {
        state.withLock { state in
            for run in state.runs where run.token == token && !run.log.isEmpty { state.reports.append(.logged(token, run.log)) }
            state.runs.removeAll { $0.token == token }
            state.reports.append(.ended(token, end))
        }
        signal.signal()
    }

    /// A request of the process.
    func ask(_ report: WorkReport) {
        state.withLock { state in
            if !state.reports.contains(report) { state.reports.append(report) }
        }
        signal.signal()
    }

    /// Moves everything to the end of `reports`.
    func take(into reports: inout [WorkReport]) {
        state.withLock { state in
            for index in state.runs.indices {
                if !state.runs[index].log.isEmpty {
                    reports.append(.logged(state.runs[index].token, state.runs[index].log))
                    state.runs[index].log = JobLog()
                }
                guard let progress = state.runs[index].progress else { continue }
                reports.append(.progress(state.runs[index].token, progress))
                state.runs[index].progress = nil
            }
            reports.append(contentsOf: state.reports)
            state.reports.removeAll(keepingCapacity: true)
        }
    }
}
