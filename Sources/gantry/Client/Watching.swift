//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Loading
import Model
import Platform
import StateJSON
import Synchronization

/// Prints the changes of topics until a goal, a count, a time or Ctrl-C.
struct Watching: Sendable {
    let options: FrontOptions
    let goal: WatchGoal?
    let count: Int?
    var resyncs = true

    /// Sums that differ in a row after which the difference counts as lasting.
    private static let differenceLimit = 5

    /// Watches; returns when the goal or the count is reached, when nobody reads what it prints, or after the time of `--timeout` where neither was
    /// given.
    /// - Throws: `CommandFailure` with 5 when the time is over before the goal.
    func run(_ client: GantryClient, _ topics: [Topic]) async throws {
        let printed = PrintedLines()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for topic in topics { group.addTask { try await follow(client, topic, printed) } }
            group.addTask { await OutputReader.hasGone() }
            if let timeout = options.timeout {
                group.addTask {
                    try await Task.sleep(for: timeout.duration)
                    guard goal != nil || count != nil else { return true }
                    throw CommandFailure(
                        .timedOut, code: .timedOut, message: "timed out after \(timeout.text) before the condition was met",
                        isRetryable: true)
                }
            }
            defer { group.cancelAll() }
            while let isDone = try await group.next() { if isDone { return } }
            try Task.checkCancellation()
        }
    }

    private func follow(_ client: GantryClient, _ topic: Topic, _ printed: PrintedLines) async throws -> Bool {
        for await state in client.observe(topic, limit: 4_096) {
            if let failure = state.failure { throw failure }
            // Named twice, in two ways, it would be printed twice.
            if state.isLoaded, printed.isTaken(state.resolved, by: topic) { return false }
            // A snapshot is shown when it is verified; until then the next line will tell.
            if state.event == .snapshot, !state.isVerified { continue }
            if try show(state, printed) { return true }
            if state.event == .checksumDiffers, !resyncs || state.differences >= Self.differenceLimit {
                throw CommandFailure(
                    .conflict, code: .checksumDiffers, message: "the replica of \(state.resolved) keeps differing from the front",
                    nextStep: "report this with the output of:", thenDoctor: true)
            }
            if state.isVerified, let goal, goal.isReached(by: state) { return true }
        }
        return false
    }

    /// A line that a terminal need not break: the proof is whole, the topic has at most a third, the state is cut. Below it the reason of a
    /// failure, whole.
    private func line(_ state: TopicState, _ now: WallTime) -> String {
        guard let columns = options.printing.columns else { return state.line(at: now) }
        let parts = state.shortLine(at: now)
        let line = TextFit.cut("\(parts.verification) \(TextFit.cut(parts.topic, columns: columns / 3)) \(parts.state)", columns: columns)
        return state.feed?.failure.map { "\(line)\n  \(LineFitting.clean($0.text))" } ?? line
    }

    private func show(_ state: TopicState, _ printed: PrintedLines) throws -> Bool {
        let now = WallTime(milliseconds: SystemClock.wallMilliseconds())
        return try printed.count.withLock { lines in
            guard count.map({ lines < $0 }) ?? true else { return true }
            try options.show(state.json(at: now).text, line(state, now))
            lines += 1
            return lines == count
        }
    }
}
