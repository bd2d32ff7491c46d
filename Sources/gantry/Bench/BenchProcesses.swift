//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform
import SampleOrigin
import Synchronization

/// The processes of one measurement and their folder, which goes with them.
final class BenchProcesses: Sendable {
    let folder: String
    private let configuration: String
    private let children = Mutex<[SupervisedChild]>([])

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
        let child = try SupervisedChild(
            ChildPlan(name: name, stage: stage) { _ in all }, sampleOriginPort: SampleOriginPort(0), report: { _ in })
        children.withLock { $0.append(child) }
        try child.start()
        guard waits else { return child }
        guard await child.waitUntilReady() else {
            throw CommandFailure(
                .internalError, code: .notStarted, message: "\(name) did not start", thenDoctor: true)
        }
        return child
    }

    /// Ends the processes, workers first, for they take their leave of the front; removes the folder.
    func stop() async {
        for stage in PartStage.allCases.reversed() {
            let members = children.withLock { $0.filter { $0.plan.stage == stage } }
            for child in members { child.stop(with: .terminate) }
            for child in members { await child.waitUntilEnded(grace: .seconds(5)) }
        }
        children.withLock { $0.removeAll() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Ends the processes at once, for nobody wants what they do any more, removes the folder, and ends this process.
    ///
    /// The lock is never given back: whoever would start another one, or tell that these have ended, stands still until the process ends under it.
    private func abandon(_ signal: Int32) -> Never {
        children.withLock { children in
            for child in children { child.stop(with: .kill) }
            for child in children { child.blockUntilEnded(upTo: .seconds(2)) }
            try? FileManager.default.removeItem(atPath: folder)
            ProcessControl.exitImmediately(code: 128 + signal)
        }
    }

    /// Runs a measurement and ends the processes whatever comes of it, Ctrl-C too.
    static func with<Result>(
        in parent: String, configuration: String = "version: 1\n", _ body: (BenchProcesses) async throws -> Result
    ) async throws -> Result {
        let processes = try BenchProcesses(in: parent, configuration: configuration)
        // A measurement looks at no cancellation, and may hold every thread that tasks run on: the process ends under it.
        let signals = SignalStream.sources { processes.abandon($0) }
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

/// The feed `items` of a measurement's configuration.
let benchFeed: FeedKey = {
    guard let key = FeedKey(name: "items") else { preconditionFailure("items is a feed's name") }
    return key
}()

/// Runs `body` while the sample origin serves in this process, at a port that the system chooses.
func withBenchOrigin<Result: Sendable>(_ body: @escaping @Sendable (_ port: Int) async throws -> Result) async throws -> Result {
    let (ports, sink) = AsyncStream.makeStream(of: Int.self)
    let server = OriginServer(OriginConfiguration(port: 0)) { port in
        sink.yield(port)
        sink.finish()
    }
    return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
            try await server.run()
            return nil
        }
        group.addTask {
            for await port in ports { return try await body(port) }
            return nil
        }
        defer { group.cancelAll() }
        while let result = try await group.next() { if let result { return result } }
        throw CommandFailure(.internalError, code: .notStarted, message: "the origin ended before the measurement")
    }
}
