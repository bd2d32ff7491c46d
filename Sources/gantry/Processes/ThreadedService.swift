//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import GantryWorker
import ServiceLifecycle

/// A service whose loop takes a thread of its own, ended by SIGTERM or Ctrl-C.
struct ThreadedService: Service {
    let name: String
    /// Runs until `stop`, calling its argument once it serves.
    let body: @Sendable (_ ready: @escaping @Sendable (ReadyLine) -> Void) throws -> Void
    let stop: @Sendable () -> Void
    private var onReady: @Sendable (ReadyLine) -> Void = { _ in }

    init(
        name: String, body: @escaping @Sendable (_ ready: @escaping @Sendable (ReadyLine) -> Void) throws -> Void,
        stop: @escaping @Sendable () -> Void
    ) {
        (self.name, self.body, self.stop) = (name, body, stop)
    }

    func run() async throws {
        let (body, onReady, name) = (body, onReady, name)
        try await withGracefulShutdownHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                do {
                    _ = try startThread(name: name, stackSize: 8 << 20) {
                        continuation.resume(with: Result { try body(onReady) })
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onGracefulShutdown: {
            stop()
        }
    }

    /// Runs it until it ends by itself or the process is told to end; a second signal ends it at once.
    func runUntilSignaled(
        notice: @escaping @Sendable (String) -> Void, ready: @escaping @Sendable (ReadyLine) -> Void
    ) async throws {
        var service = self
        service.onReady = ready
        try await SignaledService(
            service: service, name: name, stopNotice: "ending after the turn under way; Ctrl-C again ends it at once", notice: notice
        ).run()
    }
}
