//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import GantryWire
import GantryZMQ
public import Logging
public import ServiceLifecycle

/// A worker process: takes jobs from a front and runs loaders.
///
/// ```swift
/// let configuration = try WorkerConfiguration(ofFront: folder, name: "greeter", slots: 2)
/// let loaders: [any Loader] = [Greeter(), wordCounter, Copier(folder: "/tmp")]
/// try await Worker(configuration, loaders: loaders, bulkLoaders: [Shout()]).runUntilSignal()
/// ```
///
/// Its loop has a thread of its own, so that loaders cannot keep it from renewing its leases. ``runUntilSignal()`` drains it on SIGINT and
/// SIGTERM. In a program with services of its own it is one of a `ServiceGroup` of swift-service-lifecycle, whose graceful shutdown drains it: it
/// gives new jobs back, stops those that still run when ``WorkerConfiguration/grace`` is over, and returns when its last outcome is durable.
/// Cancelling the task of `run` stops its work at once.
///
/// While a job runs, the kernel kills the process shortly after the end of its leases unless they are renewed: run one worker in a process
/// that may be killed.
public struct Worker: Service {
    private let configuration: WorkerConfiguration
    private let loaders: [any Loader]
    private let bulkLoaders: [any BulkLoader]
    private let logger: Logger
    private let onRegistered: @Sendable () -> Void
    /// Called when it drains because somebody asked, on a thread where it may block.
    package var onDrain: @Sendable () -> Void = {}

    /// Checks names and endpoint; nothing is opened before `run`.
    ///
    /// - Parameters:
    ///   - loaders: what runs in slots.
    ///   - bulkLoaders: what runs in batches between turns.
    ///   - onRegistered: called each time the front has taken the worker, on a thread where it may block: neither the loop nor other tasks wait for
    ///     it.
    /// - Throws: `badLoaderName`, `forbiddenEndpoint`.
    public init(
        _ configuration: WorkerConfiguration, loaders: [any Loader] = [], bulkLoaders: [any BulkLoader] = [],
        logger: Logger = Logger(label: "gantry.worker"), onRegistered: @escaping @Sendable () -> Void = {}
    ) throws(WorkerError) {
        var names: Set<String> = []
        for name in loaders.map(\.name) + bulkLoaders.map(\.name) {
            guard PlainName.isName(name), names.insert(name).inserted else {
                throw WorkerError(
                    code: .badLoaderName,
                    context: "two loaders are called \"\(name)\", or that names none: \(PlainName.rule)", nextStep: "choose another name")
            }
        }
        if let reason = LocalAddress.refusal(of: configuration.endpoint) { throw WorkerError(code: .forbiddenEndpoint, context: reason) }
        (self.configuration, self.loaders, self.bulkLoaders) = (configuration, loaders, bulkLoaders)
        (self.logger, self.onRegistered) = (logger, onRegistered)
    }

    /// The same as ``run()``, and ends by itself on SIGINT (Ctrl-C) and SIGTERM: the first lets it take no new jobs, stop those that still run when
    /// ``WorkerConfiguration/grace`` is over, and end with the last one. The second stops them at once, and they have up to 2 s for that; whoever
    /// does not wait so long sends a third, which ends the process with 128 and the signal's number. Jobs that were stopped go back to the queue,
    /// uncounted; those of a loader that is not asked twice end with `outcomeUnknown`.
    ///
    /// It takes both signals for the whole process until it returns; then they do what they did before. Several workers of one program may run
    /// so at once, and each signal is for all of them. Where something else in the program takes signals, such as a `ServiceGroup`, call
    /// ``run()`` there.
    /// - Throws: as `run` does.
    public func runUntilSignal() async throws {
        let logger = logger
        try await SignaledService(
            service: self, name: "worker", cancelNotice: Self.cancelNotice,
            stopNotice: Self.stopNotice(grace: configuration.usedGrace), notice: { logger.notice("\($0)") }
        ).run()
    }

    /// What the first signal does to a worker, for people.
    /// - Parameter grace: how long running jobs have.
    package static func stopNotice(grace: Duration) -> String {
        "draining: it takes no new jobs, and running ones have \(grace.line) to end; then \(stoppedJobs); Ctrl-C again stops them now"
    }
    /// What the second signal does.
    package static let cancelNotice =
        "ending: the running jobs have \(SignaledService.gracePeriodText) to stop; \(stoppedJobs); Ctrl-C again does not wait for that"
    /// What becomes of running jobs that a worker stops.
    package static let stoppedJobs = "those that may run again go back to the queue, and of the others the outcome is unknown"

    /// Lets the loaders prepare, works until it is shut down, and lets them shut down. No signal shuts it down by itself: see ``runUntilSignal()``.
    /// - Throws: `loaderNotPrepared` when a loader cannot begin, `refused` when the front does not take the worker, `systemFailed` when socket, timer or
    ///   thread cannot be had.
    public func run() async throws {
        guard !FirstProcess.isThisOne else {
            throw WorkerError(
                code: .firstProcess,
                context:
                    "as process 1 of its namespace the worker could not be ended by the kernel: call Worker.leaveFirstProcess() first thing in "
                    + "main, or start the container with an init")
        }
        try await withPreparedLoaders(serve)
    }

    /// Runs `body` between the loaders' `prepare` and `shutdown`; not at all when the task is cancelled before all are prepared.
    private func withPreparedLoaders(_ body: () async throws -> Void) async throws {
        var prepared: [any NamedLoader] = []
        let result: Result<Void, any Error>
        do {
            for loader in loaders as [any NamedLoader] + bulkLoaders where !Task.isCancelled {
                try await prepare(loader)
                prepared.append(loader)
            }
            if !Task.isCancelled { try await body() }
            result = .success(())
        } catch is CancellationError where Task.isCancelled {
            result = .success(())
        } catch {
            result = .failure(error)
        }
        // A task of its own: what closes files and connections is not to be cancelled with the worker.
        await Task { [prepared] in
            for loader in prepared.reversed() { await loader.shutdown() }
        }.value
        try result.get()
    }

    private func prepare(_ loader: any NamedLoader) async throws {
        do {
            try await loader.prepare()
        } catch let error as CancellationError where Task.isCancelled {
            throw error
        } catch {
            throw WorkerError(
                code: .loaderNotPrepared, context: "loader \(loader.name) of worker \(configuration.name) cannot begin",
                nextStep: "mend that, then start the worker again", cause: ErrorCause(error))
        }
    }

    private func serve() async throws {
        let inbox = try WorkerError.wrapping { try WorkerInbox() }
        let notes = try WorkerError.wrapping { try WorkerNotes() }
        let body = WorkerThread(
            configuration: configuration, loaders: loaders, bulkLoaders: bulkLoaders, inbox: inbox, logger: logger,
            note: { notes.add($0) })
        async let notified: Void = notify(notes)
        defer { notes.finish() }
        try await turn(body, inbox)
        notes.finish()
        try await notified
    }

    /// For the beginning of `main`, before any other thread exists: process 1 of a PID namespace, as in a container without an init, runs the
    /// program again as a child, which the kernel can end, passes signals on, reaps orphans and ends with the child's code. Any other process goes
    /// on.
    ///
    /// - Parameters:
    ///   - environment: the child's.
    ///   - descriptors: those beside 0, 1 and 2 that the child gets.
    /// - Throws: `systemFailed` when the child cannot be started.
    public static func leaveFirstProcess(environment: [String: String], descriptors: [Int32] = []) throws(WorkerError) {
        guard FirstProcess.isThisOne else { return }
        let arguments = Array(CommandLine.arguments.dropFirst())
        let code = try WorkerError.wrapping {
            try FirstProcess.runAgainAsChild(arguments: arguments, environment: environment, descriptors: descriptors)
        }
        ProcessControl.exitImmediately(code: code)
    }

    private func notify(_ notes: WorkerNotes) async throws {
        try await onThread("gantry-notes") {
            notes.deliver(to: log)
            return .success(())
        }
    }

    private func log(_ note: WorkerNote) {
        switch note {
        // A worker may be started before its front; a person who forgot to start the front must see why nothing happens.
        case .waiting: logger.info("waits for a front at \(configuration.endpoint)")
        case .registered(let worker, let epoch):
            logger.info("registered", metadata: ["worker": "\(worker)", "epoch": "\(epoch)"])
            onRegistered()
        case .refused(let worker, let refused):
            let wait = "\(refused.retryAfter.millisecondsRoundedUp) ms"
            logger.warning(
                "the front does not take the worker now, the next try is in \(wait): \(refused.reason)", metadata: ["worker": "\(worker)"])
        case .draining(let worker, let outlook):
            onDrain()
            logger.notice("\(outlook.text)", metadata: ["worker": "\(worker)"])
        case .cannotStop(let worker, let job):
            logger.error(
                "job \(job) does not stop: the worker takes no jobs any more, and the kernel ends it once the jobs beside it have ended, at most a minute from now",
                metadata: ["worker": "\(worker)"])
        case .unrecorded(let worker, let reason?):
            logger.warning("gives jobs with limits back, such as one of which \(reason)", metadata: ["worker": "\(worker)"])
        case .unrecorded(let worker, nil): logger.notice("records the starts of jobs with limits again", metadata: ["worker": "\(worker)"])
        case .ended(let worker): logger.info("ended", metadata: ["worker": "\(worker)"])
        }
    }

    /// Runs something that may block on a thread of its own.
    private func onThread(_ name: String, _ body: @escaping @Sendable () -> Result<Void, WorkerError>) async throws {
        try await withCheckedThrowingContinuation { continuation in
            do {
                _ = try startThread(name: name) { continuation.resume(with: body()) }
            } catch {
                continuation.resume(throwing: WorkerError.systemFailed(error))
            }
        }
    }

    private func turn(_ body: WorkerThread, _ inbox: WorkerInbox) async throws {
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await onThread("gantry-worker") { body.run() }
            } onGracefulShutdown: {
                inbox.ask(.drain)
            }
        } onCancel: {
            inbox.ask(.stop)
        }
    }
}
