//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Synchronization

/// The processes of one measurement and their folder, which goes with them.
final class MeasuredProcesses: Sendable {
    let folder: String
    private let configuration: String
    private let state = Mutex(State())

    private struct State {
        /// The fronts, one after the other.
        var fronts: [MeasuredProcess] = []
        var workers: [MeasuredProcess] = []
        /// What came first; its measurement is over.
        var earlyEnd: MeasuringError?
        /// Ends the measurement.
        var cancel: (@Sendable () -> Void)?
    }

    /// How long a process may need to end by itself.
    private static let grace = Duration.seconds(5)
    /// A crashed process is only gone once its backtrace is written, for which the runtime waits seconds for each thread that takes no signals,
    /// as sockets' threads do. Who looks for a crash sets the variable.
    private static let backtrace = "enable=no"

    /// A new folder below `parent` with the configuration that all processes use.
    private init(in parent: String, configuration text: String) throws {
        folder = "\(parent)/gantry-bench-\(ProcessControl.currentID)"
        configuration = "\(folder)/gantry.yaml"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: configuration, atomically: false, encoding: .utf8)
    }

    /// Where the front takes requests.
    var requests: String { "ipc://\(folder)/run/requests" }

    /// Starts a front and waits until it serves.
    func startFront(_ durability: MeasuredDurability) async throws -> MeasuredProcess {
        let front = try make("front", ["front", "--durability", durability.rawValue])
        state.withLock { $0.fronts.append(front) }
        return try await start(front)
    }

    /// Starts a worker and waits until it is attached, unless told otherwise.
    func startWorker(_ number: Int, waits: Bool = true) async throws -> MeasuredProcess {
        let worker = try make("worker-\(number)", ["worker", "--name", "worker-\(number)"])
        state.withLock { $0.workers.append(worker) }
        return try await start(worker, waits: waits)
    }

    private func make(_ name: String, _ arguments: [String]) throws -> MeasuredProcess {
        let all =
            arguments + ["--data", folder, "--config", configuration]
            + ["--ready-fd", String(ReadyProcess.readyNumber), "--parent", String(ProcessControl.currentID)]
        var request = SpawnRequest(ofThisProgramWith: all, environment: ProcessInfo.processInfo.environment)
        if request.environment["SWIFT_BACKTRACE"] == nil { request.environment["SWIFT_BACKTRACE"] = Self.backtrace }
        request.leadsOwnGroup = true
        return try MeasuredProcess(name, request) { [self] in end(with: $0) }
    }

    private func start(_ process: MeasuredProcess, waits: Bool = true) async throws -> MeasuredProcess {
        try process.start()
        guard waits else { return process }
        guard await process.waitUntilReady() else { throw earlyEnd ?? MeasuringError(.notStarted, "\(process.name) did not start in time") }
        return process
    }

    private var earlyEnd: MeasuringError? { state.withLock { $0.earlyEnd } }

    /// Ends the measurement, for one of its processes has ended.
    private func end(with error: MeasuringError) {
        let cancel = state.withLock { state in
            if state.earlyEnd == nil { state.earlyEnd = error }
            return state.cancel
        }
        cancel?()
    }

    /// Ends the processes, workers first, for they take their leave of the front; removes the folder.
    private func stop() async {
        let (workers, fronts) = state.withLock { ($0.workers, $0.fronts) }
        for stage in [workers, fronts] {
            for process in stage { process.stop(with: .terminate) }
            for process in stage { await process.waitUntilEnded(grace: Self.grace) }
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Ends the processes at once, for nobody wants what they do any more, removes the folder, and ends this process.
    ///
    /// The lock is never given back: whoever would start another one, or tell that these have ended, stands still until the process ends under it.
    private func abandon(_ signal: Signal) -> Never {
        state.withLock { state in
            let all = state.workers + state.fronts
            for process in all { process.stop(with: .kill) }
            for process in all { process.blockUntilEnded(upTo: ReadyProcess.killLimit) }
            try? FileManager.default.removeItem(atPath: folder)
            ProcessControl.exitImmediately(code: signal.exitCode)
        }
    }

    /// Runs a measurement and ends the processes whatever comes of it, Ctrl-C too.
    /// - Throws: `MeasuringError` when one of the processes ends before the measurement does, which is cancelled then.
    static func with<Value: Sendable>(
        in parent: String, configuration: String = "version: 1\n", _ body: @escaping @Sendable (MeasuredProcesses) async throws -> Value
    ) async throws -> Value {
        let processes = try MeasuredProcesses(in: parent, configuration: configuration)
        // A measurement may hold every thread that tasks run on: the process ends under it.
        let signals = try SignalTaker { processes.abandon($0) }
        defer { signals.leave() }
        let measurement = Task { try await body(processes) }
        processes.state.withLock { $0.cancel = { measurement.cancel() } }
        // One that ended before the line above has cancelled nothing.
        if processes.earlyEnd != nil { measurement.cancel() }
        let outcome = await withTaskCancellationHandler {
            await measurement.result
        } onCancel: {
            measurement.cancel()
        }
        let earlyEnd = processes.earlyEnd
        await processes.stop()
        if let earlyEnd { throw earlyEnd }
        return try outcome.get()
    }
}
