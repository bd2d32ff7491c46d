//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import Logging
import ServiceLifecycle

/// Runs a service until it ends by itself or the process is told to end: the first signal lets it finish, the second one ends
/// it: at once, or, where work can be stopped and given back, at the latest after `gracePeriod`, which one more signal cuts short.
struct SignalledService {
    let service: any Service
    let name: String
    /// What the second signal says it does, if the service's work can be cancelled.
    var cancelNotice: String?
    /// How long work that was stopped may take to end.
    var gracePeriod = Duration.seconds(2)
    /// What the first signal lets the service do.
    let stopNotice: String
    /// Says a line to people; a process that `up` started says nothing.
    let notice: @Sendable (String) -> Void

    /// - Throws: what the service throws, except that it was cancelled by a signal.
    func run() async throws {
        let signals = SignalStream()
        defer { signals.finish() }
        try await run(by: signals.stream) { ProcessControl.exitImmediately(code: $0) }
    }

    /// - Parameters:
    ///   - signals: the numbers of those that come.
    ///   - exit: ends the process with a code.
    func run(by signals: AsyncStream<Int32>, exit: @escaping @Sendable (Int32) -> Void) async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: Logger(label: "gantry.\(name)")))
        let running = Task { try await group.run() }
        let listening = Task {
            var stages = StopStages(canCancel: cancelNotice != nil)
            for await signal in signals {
                switch stages.next() {
                case .gracefully:
                    notice("\(name): \(stopNotice)")
                    await group.triggerGracefulShutdown()
                case .cancelling:
                    notice("\(name): \(cancelNotice ?? "")")
                    running.cancel()
                    // Work that does not let itself be stopped is left to the kernel; what has ended meanwhile says its own code.
                    let overdue = Task {
                        try await Task.sleep(for: gracePeriod)
                        exit(128 + signal)
                    }
                    Task {
                        _ = await running.result
                        overdue.cancel()
                    }
                case .atOnce: exit(128 + signal)
                }
            }
        }
        defer { listening.cancel() }
        let result = await running.result
        // A service that a signal has cancelled has done as it was told.
        if case .failure(let error) = result, !(error is CancellationError && running.isCancelled) { throw error }
    }
}

/// What each further Ctrl-C or SIGTERM does to a process that runs until it is told to end.
struct StopStages {
    /// What a signal asks for.
    enum Stage: Hashable {
        /// End after what is under way.
        case gracefully
        /// Stop what is under way, then end.
        case cancelling
        /// End now, whatever is under way.
        case atOnce
    }

    private var left: [Stage]

    /// - Parameter canCancel: whether there is something between ending after the work and ending at once.
    init(canCancel: Bool) {
        left = canCancel ? [.gracefully, .cancelling] : [.gracefully]
    }

    /// The next signal's stage.
    mutating func next() -> Stage { left.isEmpty ? .atOnce : left.removeFirst() }
}

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
    func runUntilSignalled(
        notice: @escaping @Sendable (String) -> Void, ready: @escaping @Sendable (ReadyLine) -> Void
    ) async throws {
        var service = self
        service.onReady = ready
        try await SignalledService(
            service: service, name: name, stopNotice: "ending after the turn under way; Ctrl-C again ends it at once", notice: notice
        ).run()
    }
}
