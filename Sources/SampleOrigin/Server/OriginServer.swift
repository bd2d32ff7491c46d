//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
package import GantryModel
import Hummingbird
package import Logging
import NIOCore
import ServiceLifecycle

/// The sample origin: an HTTP server with generated items, products, todos and images, that does things wrong when asked to.
///
/// All content follows from the request alone: two origins answer alike. It has no access control and belongs on a loopback
/// address. Content: `/items?parameter=…&count=…`, `/products?category=…`, `/products/{id}`, `/todos`, `/todos/{id}`,
/// `/images/{id}`. Control: `/health`, `/faults` (GET, PUT, DELETE), `/counters`.
///
/// ```swift
/// let origin = OriginServer(.init(port: 0)) { port in print("http://127.0.0.1:\(port)/items?count=3") }
/// try await origin.run()
/// ```
///
/// `run()` ends with graceful shutdown or cancellation; answers that are then unfinished are cut.
package struct OriginServer: Service {
    private let configuration: OriginConfiguration
    private let onStarted: @Sendable (_ port: Int) async -> Void
    private let state = OriginState()

    /// - Parameter onStarted: called once, with the port, when connections are accepted.
    package init(_ configuration: OriginConfiguration, onStarted: @escaping @Sendable (_ port: Int) async -> Void = { _ in }) {
        self.configuration = configuration
        self.onStarted = onStarted
    }

    /// Counters of every path that was asked for, sorted by path.
    package var counters: [PathCounters] { state.counters }

    /// Puts a fault in force; it replaces the one of the same path.
    ///
    /// - Throws: `badFault` when a value of the fault is out of its range.
    package func set(_ fault: Fault) throws(OriginError) {
        if let complaint = fault.complaint { throw OriginError(code: .badFault, context: complaint) }
        state.set(fault)
    }

    /// The counters of `path` as soon as each of them is at least as large as asked for.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before, or the origin stops.
    package func counters(
        of path: String, requests: Int = 0, inFlight: Int = 0, finished: Int = 0, closedByClient: Int = 0
    ) async throws -> PathCounters {
        try await state.wait(
            for: CounterGoal(
                path: path, requests: requests, inFlight: inFlight, finished: finished, closedByClient: closedByClient))
    }

    /// Takes all faults away; held answers go on.
    package func removeFaults() {
        state.removeFaults(of: nil)
    }

    /// Listens and answers until shutdown. To be called once.
    ///
    /// - Throws: `OriginError` when the port is taken or the address cannot be listened at.
    package func run() async throws {
        let (configuration, onStarted, state) = (configuration, onStarted, state)
        let application = Application(
            responder: OriginResponder(state: state, address: "\(configuration.host):\(configuration.port)"),
            server: .http1(configuration: .init(additionalChannelHandlers: [ConnectionWatch(state: state)])),
            configuration: .init(address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { channel in await onStarted(channel.localAddress?.port ?? configuration.port) },
            logger: configuration.logger)
        do {
            try await withTaskCancellationHandler {
                try await withGracefulShutdownHandler {
                    try await application.run()
                } onGracefulShutdown: {
                    state.stop()
                }
            } onCancel: {
                state.stop()
            }
        } catch let error as IOError {
            throw failure(error)
        }
    }

    private func failure(_ error: IOError) -> OriginError {
        let context = "the origin cannot listen at \(configuration.host):\(configuration.port)"
        if error.errnoCode == POSIXErrorCode.EADDRINUSE.rawValue {
            return OriginError(
                code: .portTaken, context: context, nextStep: "choose another with --port, or --port 0 for a free one",
                cause: ErrorCause(code: "\(error.errnoCode)", text: "the port is taken"))
        }
        return OriginError(
            code: .cannotListen, context: context, nextStep: "choose another with --port",
            cause: ErrorCause(error, code: "\(error.errnoCode)"))
    }
}

/// Where an origin listens.
package struct OriginConfiguration: Sendable {
    /// Host name or address to listen at.
    package var host: String
    /// 0 to 65,535; 0 lets the system choose.
    package var port: Int
    /// Gets one line when the origin listens and one for each failure.
    package var logger: Logger

    /// The defaults are those of the sample: 127.0.0.1:7711.
    package init(host: String = "127.0.0.1", port: Int = 7711, logger: Logger = Logger(label: "gantry.sample-origin")) {
        self.host = host
        self.port = port
        self.logger = logger
    }
}

/// Why an origin did not start or refused a fault.
package struct OriginError: CodedError {
    /// Kinds of failure; more can come.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The word that programs read.
        package let description: String

        /// Somebody else listens at the port.
        package static let portTaken = Code(description: "portTaken")
        /// A value of a fault is out of its range.
        package static let badFault = Code(description: "badFault")
        /// The system refused to listen there.
        package static let cannotListen = Code(description: "cannotListen")
    }

    /// The kind.
    package let code: Code
    /// What was tried, and what is wrong with it.
    package let context: String
    /// What to do now; empty where the context says it.
    package var nextStep = ""
    /// What the system said.
    package var cause: ErrorCause?
}
