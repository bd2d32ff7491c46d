//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform

/// Ctrl-C of a command that only looks on or waits.
enum Interruption {
    /// Runs work until it ends or Ctrl-C comes; then the work's task is cancelled and the command ends as `leaving` says, or as the work
    /// itself says of its leaving. A second Ctrl-C ends the process at once.
    /// - Parameter isJSON: whether a program reads why the command ended.
    static func detaching(_ leaving: CommandFailure, isJSON: Bool, _ work: @escaping @Sendable () async throws -> Void) async throws {
        let (pressed, input) = AsyncStream.makeStream(of: Void.self)
        let wasPressed = FirstTime()
        let signals = try SignalTaker { _ in
            guard wasPressed.isFirst() else { endAtOnce(isJSON: isJSON) }
            input.yield()
        }
        // Begun when signals are taken, so that none that comes because of it is lost.
        let task = Task { try await work() }
        let canceller = Task { for await _ in pressed { task.cancel() } }
        defer {
            canceller.cancel()
            signals.leave()
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

    private static func endAtOnce(isJSON: Bool) -> Never {
        let failure = CommandFailure.stoppedAtOnce
        // Queued, for an end at once does not wait for a reader of standard error that stands still.
        ErrorLines.shared.append(ProgressLine.shared.clearing + ErrorReport.forStandardError(failure, isJSON: isJSON))
        ErrorLines.shared.flush(upTo: .milliseconds(100))
        ProcessControl.exitImmediately(code: failure.status.rawValue)
    }
}
