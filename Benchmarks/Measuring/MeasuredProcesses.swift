//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
package import GantryPlatform
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
            // Nobody can be told that standard error is closed.
            try? NumberedDescriptor.write(Array("stopped: nothing was measured; the processes and their folder are gone\n".utf8), to: 2)
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

/// One process of a measurement.
///
/// It is started once: figures of two processes, one after the other, would say nothing of either, so the measurement ends with one that ends
/// by itself.
package final class MeasuredProcess: Sendable {
    /// The name of the process, for people.
    package let name: String
    private let request: SpawnRequest
    private let onEarlyEnd: @Sendable (MeasuringError) -> Void
    private let process: ReadyProcess

    /// A process that is not started yet.
    /// - Parameters:
    ///   - request: how it is started; the descriptor `ReadyProcess.readyNumber` is added.
    ///   - onEarlyEnd: called once, on a thread of its own, when the process ends that nobody has stopped, or cannot be started.
    /// - Throws: `SystemError` when there are no descriptors left.
    package init(_ name: String, _ request: SpawnRequest, onEarlyEnd: @escaping @Sendable (MeasuringError) -> Void) throws {
        (self.name, self.request, self.onEarlyEnd) = (name, request, onEarlyEnd)
        process = try ReadyProcess()
    }

    /// The process's number; nil while it does not run.
    var processNumber: Int32? { process.number }

    /// Starts the process from a thread that lives as long: the kernel ends the child with the thread that spawned it.
    /// - Throws: `SystemError` when there is no room for the thread.
    package func start() throws {
        _ = try startThread(name: name) { [self] in
            let end = Result {
                try process.run { descriptor in
                    var request = request
                    request.inherited.append(descriptor)
                    return try request.spawn()
                }
            }
            if !process.isStopping { onEarlyEnd(earlyEnd(end, isReady: process.isReady)) }
            process.noteEnd()
        }
    }

    /// Sends a signal that ends the process; its end is none of the early ones then.
    package func stop(with signal: Signal) { process.stop(with: signal) }

    /// Whether the process became ready in time.
    package func waitUntilReady() async -> Bool { await process.waitUntilReady() }

    /// Returns when the process has ended; after the grace it is killed.
    package func waitUntilEnded(grace: Duration) async { await process.waitUntilEnded(grace: grace) }

    /// Waits on the calling thread until the process has ended.
    func blockUntilEnded(upTo limit: Duration) { process.blockUntilEnded(upTo: limit) }

    private func earlyEnd(_ end: Result<ProcessExit?, any Error>, isReady: Bool) -> MeasuringError {
        let text =
            switch end {
            case .success(.exited(let code)?): "ended with code \(code)"
            case .success(.signaled(let signal)?): "was ended by signal \(signal.rawValue)"
            case .success(nil): "ended"
            case .failure(let error): "was lost: \(error)"
            }
        return isReady
            ? MeasuringError(.processEnded, "\(name) \(text) while it was measured, so there are no figures", nextStep: "measure again, or")
            : MeasuringError(.notStarted, "\(name) did not start: it \(text)")
    }
}

/// CPU time of user and system that the processes of a measurement have used, microseconds at a resolution of 10,000.
struct CPUUse {
    /// The kinds of processes that each job goes through.
    enum Stage: String, CaseIterable {
        case front, workers, client
    }

    private(set) var front: Double
    private(set) var workers: Double
    /// This process: the client, and the observers beside it.
    private(set) var client: Double
    /// Of each thread by its number; of this process the client's alone.
    private var threads: [Stage: [Int32: Double]]

    /// What they have used so far.
    init(_ front: MeasuredProcess, _ workers: [MeasuredProcess]) {
        self.front = front.cpuMicroseconds
        self.workers = workers.reduce(0) { $0 + $1.cpuMicroseconds }
        client = MeasuredProcess.cpuMicroseconds(ofProcess: ProcessControl.currentID)
        threads = [.front: Self.threads(of: [front]), .workers: Self.threads(of: workers)]
        threads[.client] = MeasuredProcess.threadMicroseconds(ofProcess: ProcessControl.currentID, besides: JobsObservers.threadName)
    }

    /// All of them together.
    var all: Double { front + workers + client }

    /// The most that one thread of a stage has used: what a stage can do at most is what its busiest thread can.
    func busiestThread(of stage: Stage) -> Double { threads[stage]?.values.max() ?? 0 }

    /// The stage with the busiest thread of all: the one that bounds a measurement, if any does.
    var slowest: Stage { Stage.allCases.reduce(.front) { busiestThread(of: $1) > busiestThread(of: $0) ? $1 : $0 } }

    func since(_ earlier: CPUUse) -> CPUUse {
        var rest = self
        (rest.front, rest.workers, rest.client) = (front - earlier.front, workers - earlier.workers, client - earlier.client)
        for (stage, used) in threads {
            let before = earlier.threads[stage] ?? [:]
            rest.threads[stage] = Dictionary(uniqueKeysWithValues: used.map { ($0.key, $0.value - (before[$0.key] ?? 0)) })
        }
        return rest
    }

    func perJob(_ jobs: Int) -> CPUUse {
        var share = self
        let count = Double(max(jobs, 1))
        (share.front, share.workers, share.client) = (front / count, workers / count, client / count)
        share.threads = threads.mapValues { $0.mapValues { $0 / count } }
        return share
    }

    private static func threads(of children: [MeasuredProcess]) -> [Int32: Double] {
        children.compactMap(\.processNumber).map { MeasuredProcess.threadMicroseconds(ofProcess: $0) }
            .reduce(into: [:]) { all, one in all.merge(one) { first, _ in first } }
    }
}

extension MeasuredProcess {
    /// What the process has in memory now and had at most, in bytes; 0 when it has ended.
    var memory: (resident: Int, peak: Int) {
        guard let number = processNumber, let text = try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8) else {
            return (0, 0)
        }
        func bytes(_ name: String) -> Int {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 } ?? 0
        }
        return (bytes("VmRSS:"), bytes("VmHWM:"))
    }

    /// Time that the process has spent on processors, in microseconds at a resolution of 10,000; 0 when it has ended.
    var cpuMicroseconds: Double { processNumber.map { Self.cpuMicroseconds(ofProcess: $0) } ?? 0 }

    /// The same for any process of this machine.
    static func cpuMicroseconds(ofProcess number: Int32) -> Double { statistics("/proc/\(number)/stat")?.microseconds ?? 0 }

    /// The same for each thread of a process, by its number.
    /// - Parameter name: of threads that are left out.
    static func threadMicroseconds(ofProcess number: Int32, besides name: String? = nil) -> [Int32: Double] {
        let folder = "/proc/\(number)/task"
        var threads: [Int32: Double] = [:]
        // A thread may end while the folder is read: it is missing then.
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let id = Int32(thread), let found = statistics("\(folder)/\(thread)/stat"), found.name != name else { continue }
            threads[id] = found.microseconds
        }
        return threads
    }

    /// Name and time of a process or thread, as proc(5) has them: the name stands in brackets and may have some itself.
    private static func statistics(_ path: String) -> (name: String, microseconds: Double)? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8), let start = text.firstIndex(of: "("),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        return (String(text[text.index(after: start)..<end]), (user + system) * 10_000)
    }
}
