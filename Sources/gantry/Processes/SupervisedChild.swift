//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Synchronization

/// One process of `up`, started again when it dies, as `RestartRule` says.
final class SupervisedChild: Sendable {
    /// What its owner learns.
    enum Event: Equatable, Sendable {
        /// The process is ready, for the first time or again.
        case ready
        /// The process has ended and is not started again: it was asked to end, has drained, or (with a code) another start would end the same way.
        case ended(final: Int32?)
    }

    let plan: ChildPlan
    private let sampleOriginPort: SampleOriginPort
    private let report: @Sendable (String) -> Void
    private let onEvent: @Sendable (Event) -> Void
    private let calls: ChildCalls
    private let state = Mutex(State())
    private let readySignal: EventSignal
    private let endedSignal: EventSignal
    private let stopSignal: EventSignal

    private struct State {
        var process: ProcessID?
        /// The signal that it was asked to end with; nil: it may run.
        var stopping: Signal?
        var isReady = false
    }

    init(
        _ plan: ChildPlan, sampleOriginPort: SampleOriginPort, report: @escaping @Sendable (String) -> Void,
        calls: ChildCalls = ChildCalls(),
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws {
        self.plan = plan
        self.sampleOriginPort = sampleOriginPort
        self.report = report
        self.calls = calls
        self.onEvent = onEvent
        readySignal = try EventSignal()
        endedSignal = try EventSignal()
        stopSignal = try EventSignal()
    }

    /// The process's number; nil while it does not run.
    var processNumber: Int32? { state.withLock { $0.process?.rawValue } }

    /// Starts the thread that keeps the process running. The thread lives as long as the process: the kernel ends the child with it.
    func start() throws {
        _ = try startThread(name: plan.name) { [self] in
            let final = keepRunning()
            endedSignal.signal()
            readySignal.signal()
            onEvent(.ended(final: final))
        }
    }

    /// Sends a signal; the process is not started again.
    func stop(with signal: Signal) {
        let process = state.withLock { state in
            state.stopping = signal
            return state.process
        }
        stopSignal.signal()
        // A process that has just ended needs no signal.
        if let process { try? ProcessControl.send(signal, to: process) }
    }

    /// Whether the process became ready within half a minute.
    func waitUntilReady() async -> Bool {
        await Self.wait(for: readySignal, upTo: .seconds(30))
        return state.withLock { $0.isReady }
    }

    /// Returns when the process has ended; after the grace it is killed.
    func waitUntilEnded(grace: Duration) async {
        if await Self.wait(for: endedSignal, upTo: grace) { return }
        stop(with: .kill)
        await Self.wait(for: endedSignal, upTo: .seconds(2))
    }

    /// Waits on the calling thread until the process has ended.
    func blockUntilEnded(upTo limit: Duration) {
        _ = try? NumberedDescriptor.waitReadable(endedSignal.fileDescriptor, upTo: limit)
    }

    @discardableResult
    private static func wait(for signal: EventSignal, upTo limit: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let isSet = (try? NumberedDescriptor.waitReadable(signal.fileDescriptor, upTo: limit)) ?? false
                continuation.resume(returning: isSet)
            }
        }
    }

    private var isStopping: Bool { state.withLock { $0.stopping != nil } }

    /// Runs the process again and again; the code that ends `up`, or nil when it was asked to end, by `up` or by somebody else.
    private func keepRunning() -> Int32? {
        var rule = RestartRule(drains: plan.stage == .workers)
        while !isStopping {
            let (text, decision) = runOnce(&rule)
            guard !isStopping else { break }
            switch decision {
            case .final(let code): return code
            case .drained:
                report("\(plan.name): has drained and is not started again")
                return nil
            case .again(let pause):
                report("\(plan.name): \(text); started again in \(pause)")
                _ = try? NumberedDescriptor.waitReadable(stopSignal.fileDescriptor, upTo: pause)
            }
        }
        return nil
    }

    /// Runs the process once: how it ended, and what follows.
    private func runOnce(_ rule: inout RestartRule) -> (text: String, decision: RestartRule.Decision) {
        do {
            let (exit, readyAt) = try spawnAndWait()
            let age = readyAt.map { Duration.nanoseconds(SystemClock.monotonicNanoseconds() - $0) }
            return (Self.text(exit), rule.ended(exit, age: age))
        } catch {
            return ("could not be started: \(error)", rule.ended(nil, age: nil))
        }
    }

    /// How it ended, and when it had become ready on the monotonic clock.
    private func spawnAndWait() throws -> (exit: ProcessExit?, readyAt: Int64?) {
        var pipe = try PipePair()
        let reader = pipe.takeReader()
        let writer = pipe.takeWriter()
        let process = try calls.spawn(request(writer.rawValue))
        let asked = state.withLock { state in
            state.process = process
            return state.stopping
        }
        defer { state.withLock { $0.process = nil } }
        do {
            try writer.close()
            if let asked { try ProcessControl.send(asked, to: process) }
            return try follow(process, reader)
        } catch {
            // Another one is started next, and two of a part must not run beside each other.
            try? ProcessControl.end(process)
            throw error
        }
    }

    /// Waits until the process is ready, then for its end.
    private func follow(_ process: ProcessID, _ reader: consuming OwnedDescriptor) throws -> (exit: ProcessExit?, readyAt: Int64?) {
        var line: [UInt8] = []
        var readyAt: Int64?
        // End of file means that the process has ended before it was ready.
        if try reader.read(into: &line, count: 4_096) > 0 {
            readyAt = SystemClock.monotonicNanoseconds()
            sampleOriginPort.note(readyLine: line)
            state.withLock { $0.isReady = true }
            report("\(plan.name): ready (process \(process))")
            readySignal.signal()
            onEvent(.ready)
        }
        // Closed now: what a process writes later fails at once instead of filling a pipe that nobody reads.
        try reader.close()
        let exit = try calls.exitDescriptor(process)
        while try !exit.waitReadable(upTo: .seconds(3_600)) {}
        return (try ProcessControl.reap(process), readyAt)
    }

    private func request(_ readyDescriptor: Int32) -> SpawnRequest {
        var request = SpawnRequest(
            ofThisProgramWith: plan.arguments(sampleOriginPort.value)
                + ["--ready-fd", String(Self.readyNumber), "--parent", String(ProcessControl.currentID)],
            environment: ProcessInfo.processInfo.environment)
        if request.environment["SWIFT_BACKTRACE"] == nil { request.environment["SWIFT_BACKTRACE"] = Self.backtrace }
        request.leadsOwnGroup = true
        request.inherited = [InheritedDescriptor(parentNumber: readyDescriptor, childNumber: Self.readyNumber)]
        plan.configuration?.pass(to: &request)
        return request
    }

    /// The first number behind the standard streams; the next one is that of `SharedConfiguration`.
    private static let readyNumber: Int32 = 3

    /// A crashed process is only gone, and started again, once its backtrace is written, for which the runtime waits seconds for each thread
    /// that takes no signals, as sockets' threads do: 49 s were seen of a front. Who looks for a crash sets the variable.
    private static let backtrace = "enable=no"

    private static func text(_ exit: ProcessExit?) -> String {
        switch exit {
        case .exited(let code)?: "ended with code \(code)"
        case .signalled(let signal)?: "ended by signal \(signal.rawValue)"
        case nil: "ended"
        }
    }
}

/// A part that `up` runs as a process of its own.
struct ChildPlan: Sendable {
    /// The part's name, for people.
    let name: String
    /// When it is started and stopped.
    let stage: PartStage
    /// The arguments of `gantry`, given the sample origin's port: 0 until an origin that chooses one is ready.
    let arguments: @Sendable (_ sampleOriginPort: Int) -> [String]
    /// What the part need not read itself; nil: it reads the file that its arguments name, if it needs one.
    let configuration: SharedConfiguration?

    init(
        name: String, stage: PartStage, configuration: SharedConfiguration? = nil,
        arguments: @escaping @Sendable (_ sampleOriginPort: Int) -> [String]
    ) {
        (self.name, self.stage, self.configuration, self.arguments) = (name, stage, configuration, arguments)
    }
}

/// The calls of the system that start a part's process and tell of its end; tests let them fail.
struct ChildCalls: Sendable {
    var spawn: @Sendable (SpawnRequest) throws -> ProcessID = { try $0.spawn() }
    var exitDescriptor: @Sendable (ProcessID) throws -> OwnedDescriptor = { try ProcessControl.exitDescriptor(of: $0) }
}

/// When a part of `up` that has ended is started again.
///
/// A crash or a signal is always followed by another start: jobs and observers wait for the part, and whoever runs `up` may not look.
struct RestartRule {
    /// What follows a part's end.
    enum Decision: Equatable {
        /// It is started again after the pause.
        case again(after: Duration)
        /// Another start would end the same way; `up` ends with the code.
        case final(code: Int32)
        /// It has drained, as somebody asked: another start would undo that.
        case drained
    }

    /// A front may be away for 2 s before leases suffer, so the first pause is far below.
    static let shortestPause = Duration.milliseconds(100)
    /// So that a part that cannot start costs little, and is back soon after it can.
    static let longestPause = Duration.seconds(5)
    /// A part that lives so long after it was ready has started well: its end is no sign that the next start fails.
    static let youngAge = Duration.seconds(1)
    /// In use, wrong arguments, a folder that cannot be written, a wrong configuration: nothing of it changes by trying again, also for a part
    /// that has served, since it is started with the same configuration each time.
    static let finalStatuses: [ExitStatus] = [.conflict, .usage, .cannotWrite, .configuration]

    private var pause = shortestPause
    /// Whether a part that ends with code 0 has drained.
    private let drains: Bool

    /// - Parameter drains: whether the part is a worker, which ends with code 0 once it has drained.
    init(drains: Bool = false) { self.drains = drains }

    /// A part has ended.
    /// - Parameters:
    ///   - exit: how; nil: unknown.
    ///   - age: for how long it had been ready; nil: it never was.
    mutating func ended(_ exit: ProcessExit?, age: Duration?) -> Decision {
        if case .exited(let code)? = exit, Self.finalStatuses.contains(where: { $0.rawValue == code }) { return .final(code: code) }
        if drains, exit == .exited(code: 0) { return .drained }
        guard age.map({ $0 <= Self.youngAge }) ?? true else {
            pause = Self.shortestPause
            return .again(after: pause)
        }
        defer { pause = min(pause * 2, Self.longestPause) }
        return .again(after: pause)
    }
}

/// Where the sample origin of `up` listens: what was asked for, then what the origin chose and keeps over its restarts.
final class SampleOriginPort: Sendable {
    private let port: Mutex<Int>

    init(_ port: Int) { self.port = Mutex(port) }

    /// The port; 0: not chosen yet.
    var value: Int { port.withLock { $0 } }

    /// Takes the port from what a process says when it is ready, if that names one.
    func note(readyLine: [UInt8]) {
        struct Line: Decodable { var port: Int? }
        guard let chosen = (try? JSONDecoder().decode(Line.self, from: Data(readyLine)))?.port else { return }
        port.withLock { $0 = chosen }
    }
}
