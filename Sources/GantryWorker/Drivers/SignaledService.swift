//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import Logging
package import ServiceLifecycle

/// Runs a service until it ends by itself or the process is asked to end: the first signal lets it finish, the second one ends
/// it: at once, or, where work can be stopped and given back, at the latest after `gracePeriod`, which one more signal cuts short.
package struct SignaledService {
    /// How long work that the second signal stops has to end, unless said otherwise: most takes milliseconds, and whoever waits at a terminal
    /// presses Ctrl-C again after a few seconds.
    package static let gracePeriod = Duration.seconds(2)
    /// The same for people.
    package static let gracePeriodText = "\(gracePeriod.components.seconds) s"

    private let service: any Service
    private let name: String
    private let cancelNotice: String?
    private let gracePeriod: Duration
    private let stopNotice: String
    private let notice: @Sendable (String) -> Void

    /// - Parameters:
    ///   - name: what people call the service.
    ///   - cancelNotice: what the second signal says it does, if the service's work can be cancelled.
    ///   - gracePeriod: how long work that was stopped may take to end.
    ///   - stopNotice: what the first signal lets the service do.
    ///   - notice: says a line to people; a process that `up` started says nothing.
    package init(
        service: any Service, name: String, cancelNotice: String? = nil, gracePeriod: Duration = Self.gracePeriod, stopNotice: String,
        notice: @escaping @Sendable (String) -> Void
    ) {
        (self.service, self.name, self.cancelNotice, self.gracePeriod) = (service, name, cancelNotice, gracePeriod)
        (self.stopNotice, self.notice) = (stopNotice, notice)
    }

    /// Cancelling the calling task cancels the service.
    /// - Throws: what the service throws, except that it was cancelled by a signal or with the calling task.
    package func run() async throws {
        let (taker, signals) = try SignalTaker.stream()
        defer { taker.leave() }
        try await run(by: signals) { ProcessControl.exitImmediately(code: $0) }
    }

    /// - Parameters:
    ///   - signals: those that come.
    ///   - exit: ends the process with a code.
    func run(by signals: AsyncStream<Signal>, exit: @escaping @Sendable (Int32) -> Void) async throws {
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
                        exit(signal.exitCode)
                    }
                    Task {
                        _ = await running.result
                        overdue.cancel()
                    }
                case .atOnce: exit(signal.exitCode)
                }
            }
        }
        defer { listening.cancel() }
        let result = await withTaskCancellationHandler {
            await running.result
        } onCancel: {
            running.cancel()
        }
        // A service that was cancelled has done what was asked.
        if case .failure(let error) = result, !(error is CancellationError && running.isCancelled) { throw error }
    }
}

/// What each further Ctrl-C or SIGTERM does to a process that runs until it is asked to end.
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
