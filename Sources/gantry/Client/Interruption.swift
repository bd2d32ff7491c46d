//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import Foundation

/// Ctrl-C of a command that only looks on or waits.
enum Interruption {
    /// Runs work until it ends or Ctrl-C comes; then the work's task is cancelled and the command ends as `leaving` says.
    static func detaching(_ leaving: CommandFailure, _ work: @escaping @Sendable () async throws -> Void) async throws {
        signal(SIGINT, SIG_IGN)
        signal(SIGTERM, SIG_IGN)
        let task = Task { try await work() }
        let sources = [SIGINT, SIGTERM].map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { task.cancel() }
            source.activate()
            return source
        }
        defer { for source in sources { source.cancel() } }
        do {
            try await task.value
        } catch {
            guard task.isCancelled else { throw error }
            throw leaving
        }
    }
}
