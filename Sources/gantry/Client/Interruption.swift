//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import GantryModel
import GantryPlatform
import Synchronization

/// Ctrl-C of a command that only looks on or waits.
enum Interruption {
    /// What the handlers of both signals share.
    private final class Presses: Sendable {
        let rule = Mutex(RepeatedInterrupt())
    }

    /// Runs work until it ends or Ctrl-C comes; then the work's task is cancelled and the command ends as `leaving` says, or as the work
    /// itself says of its leaving. A second Ctrl-C ends the process at once.
    /// - Parameter isJSON: whether a program reads why the command ended.
    static func detaching(_ leaving: CommandFailure, isJSON: Bool, _ work: @escaping @Sendable () async throws -> Void) async throws {
        let presses = Presses()
        let (pressed, feed) = AsyncStream.makeStream(of: Void.self)
        let sources = SignalStream.sources { _ in
            let isRepeated = presses.rule.withLock { $0.isRepeated(at: MonotonicTime(nanoseconds: SystemClock.monotonicNanoseconds())) }
            if isRepeated { endAtOnce(isJSON: isJSON) }
            feed.yield()
        }
        // Begun when signals are listened to, so that none that comes because of it is lost.
        let task = Task { try await work() }
        let canceller = Task { for await _ in pressed { task.cancel() } }
        defer {
            canceller.cancel()
            for source in sources { source.cancel() }
        }
        do {
            try await task.value
        } catch let failure as CommandFailure where failure.status == .detached {
            throw failure
        } catch {
            guard task.isCancelled else { throw error }
            throw leaving
        }
    }

    private static func endAtOnce(isJSON: Bool) {
        let failure = CommandFailure.stoppedAtOnce
        // Queued, for an end at once does not wait for a reader of standard error that stands still.
        ErrorLines.shared.append(ProgressLine.shared.clearing + ErrorReport.forStandardError(failure, isJSON: isJSON))
        ErrorLines.shared.flush(upTo: .milliseconds(100))
        ProcessControl.exitImmediately(code: failure.status.rawValue)
    }
}

/// Tells the second Ctrl-C of a person, who does not want to wait for the end, from a signal that came twice at once: `timeout` sends its
/// signal to the process and to the process's group.
struct RepeatedInterrupt {
    /// Signals closer together than this are one.
    static let pause = Duration.milliseconds(200)

    private var first: MonotonicTime?

    /// Notes a signal at an instant of the monotonic clock; true: the user has asked for the end before.
    mutating func isRepeated(at now: MonotonicTime) -> Bool {
        guard let first else {
            self.first = now
            return false
        }
        return now.duration(since: first) >= Self.pause
    }
}
