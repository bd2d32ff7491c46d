//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Platform
import Synchronization

/// The processes of one measurement and their folder, which goes with them.
final class BenchProcesses: Sendable {
    let folder: String
    private let configuration: String
    private let state = Mutex(State())

    private struct State {
        var children: [SupervisedChild] = []
        /// Whether Ctrl-C has ended the measurement: nothing is started any more.
        var isAbandoned = false
    }

    /// A new folder below `parent` with the configuration that all processes use.
    init(in parent: String, configuration text: String = "version: 1\n") throws {
        folder = "\(parent)/gantry-bench-\(ProcessControl.currentID)"
        configuration = "\(folder)/gantry.yaml"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: configuration, atomically: false, encoding: .utf8)
    }

    /// Where the front takes requests.
    var requests: String { "ipc://\(folder)/run/requests" }

    /// Starts a front and waits until it serves, unless told otherwise.
    func startFront(_ durability: FrontServiceCommand.DurabilityOption, waits: Bool = true) async throws -> SupervisedChild {
        try await start("front", .front, ["front", "--durability", durability.rawValue], waits: waits)
    }

    /// Starts a worker and waits until it is attached, unless told otherwise.
    func startWorker(_ number: Int, waits: Bool = true) async throws -> SupervisedChild {
        try await start("worker-\(number)", .workers, ["worker", "--name", "worker-\(number)"], waits: waits)
    }

    private func start(_ name: String, _ stage: PartStage, _ arguments: [String], waits: Bool) async throws -> SupervisedChild {
        let all = arguments + ["--data", folder, "--config", configuration]
        let child = try SupervisedChild(ChildPlan(name: name, stage: stage) { _ in all }, originPort: OriginPort(0), report: { _ in })
        let mayStart = state.withLock { state in
            if !state.isAbandoned { state.children.append(child) }
            return !state.isAbandoned
        }
        guard mayStart else { throw CancellationError() }
        try child.start()
        guard waits else { return child }
        guard await child.waitUntilReady() else {
            throw CommandFailure(
                .internalError, code: "notStarted", message: "\(name) did not start", thenDoctor: true)
        }
        return child
    }

    /// Ends the processes, workers first, for they take their leave of the front; removes the folder.
    func stop() async {
        // The process ends under it.
        guard !state.withLock({ $0.isAbandoned }) else { return await Self.never() }
        for stage in PartStage.allCases.reversed() {
            let members = state.withLock { $0.children.filter { $0.plan.stage == stage } }
            for child in members { child.stop(with: .terminate) }
            for child in members { await child.waitUntilEnded(grace: .seconds(5)) }
        }
        state.withLock { $0.children.removeAll() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func never() async {
        while true { try? await Task.sleep(for: .seconds(3_600)) }
    }

    /// Ends the processes at once, for nobody wants what they do any more, and removes the folder.
    private func abandon() {
        let members = state.withLock { state in
            state.isAbandoned = true
            return state.children
        }
        for child in members { child.stop(with: .kill) }
        for child in members { child.blockUntilEnded(upTo: .seconds(2)) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Runs a measurement and ends the processes whatever comes of it, Ctrl-C too.
    static func with<Result>(
        in parent: String, configuration: String = "version: 1\n", _ body: (BenchProcesses) async throws -> Result
    ) async throws -> Result {
        let processes = try BenchProcesses(in: parent, configuration: configuration)
        // A measurement looks at no cancellation, and may hold every thread that tasks run on: the process ends under it.
        let signals = SignalStream.sources { signal in
            processes.abandon()
            ProcessControl.exitImmediately(code: 128 + signal)
        }
        defer { for signal in signals { signal.cancel() } }
        do {
            let result = try await body(processes)
            await processes.stop()
            return result
        } catch {
            await processes.stop()
            throw error
        }
    }
}
