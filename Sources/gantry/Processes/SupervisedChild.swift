//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryAuditRecord
import GantryModel
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
    private let process: ReadyProcess
    private let stopSignal: EventSignal

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
        process = try ReadyProcess()
        stopSignal = try EventSignal()
    }

    /// Starts the thread that keeps the process running. The thread lives as long as the process: the kernel ends the child with it.
    func start() throws {
        _ = try startThread(name: plan.name) { [self] in
            let final = keepRunning()
            process.noteEnd()
            onEvent(.ended(final: final))
        }
    }

    /// Sends a signal; the process is not started again.
    func stop(with signal: Signal) {
        process.stop(with: signal)
        stopSignal.signal()
    }

    /// Whether the process became ready within half a minute.
    func waitUntilReady() async -> Bool { await process.waitUntilReady() }

    /// Returns when the process has ended; after the grace it is killed.
    func waitUntilEnded(grace: Duration) async { await process.waitUntilEnded(grace: grace) }

    /// Waits on the calling thread until the process has ended.
    func blockUntilEnded(upTo limit: Duration) { process.blockUntilEnded(upTo: limit) }

    /// Runs the process again and again; the code that ends `up`, or nil when it was asked to end, by `up` or by somebody else.
    private func keepRunning() -> Int32? {
        var rule = RestartRule(drains: plan.stage == .workers)
        while !process.isStopping {
            let (text, exit, decision) = runOnce(&rule)
            guard !process.isStopping else { break }
            switch decision {
            case .final(let code): return code
            case .drained:
                let end = exit == .exited(code: 0) ? "has drained" : "\(text) while it drained"
                report("\(plan.name): \(end) and is not started again; for another one: gantry worker run, or start up again")
                return nil
            case .again(let pause):
                report("\(plan.name): \(text); started again in \(pause)\(hint(for: exit))")
                _ = try? NumberedDescriptor.waitReadable(stopSignal.fileDescriptor, upTo: pause)
            }
        }
        return nil
    }

    /// Runs the process once: how it ended, and what follows.
    private func runOnce(_ rule: inout RestartRule) -> (text: String, exit: ProcessExit?, decision: RestartRule.Decision) {
        var readyAt: Int64?
        var isAskedToDrain = false
        do {
            let exit = try process.run(
                spawn: { try calls.spawn(request($0)) }, watch: calls.exitDescriptor,
                becameReady: { process, line in
                    readyAt = SystemClock.monotonicNanoseconds()
                    sampleOriginPort.note(readyLine: line)
                    report("\(plan.name): ready (process \(process))")
                    onEvent(.ready)
                },
                hasEnded: { process, written in
                    isAskedToDrain = ReadyLine.isDraining(written)
                    let (boot, wall) = (SystemClock.bootNanoseconds(), WallTime(milliseconds: SystemClock.wallMilliseconds()))
                    guard let ends = plan.ends, let identity = EndRecorder.identity(of: process) else { return }
                    ends.note(identity, how: "reaped by up", boot: boot, wall: wall)
                })
            let age = readyAt.map { Duration.nanoseconds(SystemClock.monotonicNanoseconds() - $0) }
            return (Self.text(exit), exit, rule.ended(exit, age: age, isAskedToDrain: isAskedToDrain))
        } catch {
            return ("could not be started: \(error)", nil, rule.ended(nil, age: nil))
        }
    }

    private func request(_ readyDescriptor: InheritedDescriptor) -> SpawnRequest {
        var request = SpawnRequest(
            ofThisProgramWith: plan.arguments(sampleOriginPort.value)
                + ["--ready-fd", String(ReadyProcess.readyNumber), "--parent", String(ProcessControl.currentID)],
            environment: ProcessInfo.processInfo.environment)
        if request.environment["SWIFT_BACKTRACE"] == nil { request.environment["SWIFT_BACKTRACE"] = Self.backtrace }
        request.leadsOwnGroup = true
        request.inherited = [readyDescriptor]
        plan.configuration?.pass(to: &request)
        return request
    }

    /// A crashed process is only gone, and started again, once its backtrace is written, for which the runtime waits seconds for each thread
    /// that takes no signals, as sockets' threads do: 49 s were seen of a front. Who looks for a crash sets the variable.
    private static let backtrace = "enable=no"

    /// What an end may mean that nobody here has asked for; empty: nothing is known.
    private func hint(for exit: ProcessExit?) -> String {
        guard exit == .signaled(.kill) else { return "" }
        let cause = plan.stage == .workers ? "its lease ran out, or memory did" : "memory ran out"
        return "; if you did not kill it: \(cause) (see dmesg)"
    }

    private static func text(_ exit: ProcessExit?) -> String {
        switch exit {
        case .exited(let code)?: "ended with code \(code)"
        case .signaled(let signal)?: "ended by signal \(signal.rawValue)"
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
    /// Where the end of the process is written down; nil: nowhere, because no jobs run in it.
    let ends: EndRecorder?

    init(
        name: String, stage: PartStage, configuration: SharedConfiguration? = nil, ends: EndRecorder? = nil,
        arguments: @escaping @Sendable (_ sampleOriginPort: Int) -> [String]
    ) {
        (self.name, self.stage, self.configuration, self.ends, self.arguments) = (name, stage, configuration, ends, arguments)
    }
}

/// The calls of the system that start a part's process and tell of its end; tests let them fail.
struct ChildCalls: Sendable {
    var spawn: @Sendable (SpawnRequest) throws -> ProcessID = { try $0.spawn() }
    var exitDescriptor: @Sendable (ProcessID) throws -> OwnedDescriptor = { try ProcessControl.exitDescriptor(of: $0) }
}

/// When a part of `up` that has ended is started again.
///
/// A crash or a signal is always followed by another start: jobs and observers wait for the part, and whoever runs `up` may not look. But not of a
/// worker that somebody has asked to drain: the kernel ends one whose work does not stop.
struct RestartRule {
    /// What follows a part's end.
    enum Decision: Equatable {
        /// It is started again after the pause.
        case again(after: Duration)
        /// Another start would end the same way; `up` ends with the code.
        case final(code: Int32)
        /// It has drained, or has ended while it did, as somebody asked: another start would undo that.
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
    ///   - isAskedToDrain: whether it had said that it drains because somebody asked.
    mutating func ended(_ exit: ProcessExit?, age: Duration?, isAskedToDrain: Bool = false) -> Decision {
        if isAskedToDrain { return .drained }
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
