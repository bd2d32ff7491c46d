//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Platform
import Synchronization

/// One process of `up`, started again when it dies: after 0.2 s doubling to 5 s, given up after 5 deaths in a minute.
final class SupervisedChild: Sendable {
    let plan: ChildPlan
    private let originPort: OriginPort
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let readySignal: EventSignal
    private let endedSignal: EventSignal
    private let stopSignal: EventSignal

    private struct State {
        var process: ProcessID?
        var isStopping = false
        var isReady = false
        var lastCode: Int32?
        var deaths: [Int64] = []
    }

    init(_ plan: ChildPlan, originPort: OriginPort, report: @escaping @Sendable (String) -> Void) throws {
        self.plan = plan
        self.originPort = originPort
        self.report = report
        readySignal = try EventSignal()
        endedSignal = try EventSignal()
        stopSignal = try EventSignal()
    }

    /// The process's number; nil while it does not run.
    var processNumber: Int32? { state.withLock { $0.process?.rawValue } }

    /// The code that the process ended with last; nil while none has ended by itself.
    var lastCode: Int32? { state.withLock { $0.lastCode } }

    /// Starts the thread that keeps the process running. The thread lives as long as the process: the kernel ends the child with it.
    func start() throws {
        _ = try startThread(name: plan.name) { [self] in
            keepRunning()
            endedSignal.signal()
            readySignal.signal()
        }
    }

    /// Sends a signal; the process is not started again.
    func stop(with signal: Signal) {
        let process = state.withLock { state in
            state.isStopping = true
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

    @discardableResult
    private static func wait(for signal: EventSignal, upTo limit: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let isSet = (try? NumberedDescriptor.waitReadable(signal.fileDescriptor, upTo: limit)) ?? false
                continuation.resume(returning: isSet)
            }
        }
    }

    private func keepRunning() {
        var pause = Duration.milliseconds(200)
        while !state.withLock({ $0.isStopping }) {
            let end: String
            do {
                end = try runOnce()
            } catch {
                end = "could not be started: \(error)"
            }
            guard !state.withLock({ $0.isStopping }) else { return }
            let now = SystemClock.monotonicNanoseconds() / 1_000_000_000
            let deaths = state.withLock { state in
                state.deaths = state.deaths.filter { $0 > now - 60 } + [now]
                return state.deaths.count
            }
            guard deaths < 5 else { return report("\(plan.name): \(end); given up after 5 deaths in a minute") }
            report("\(plan.name): \(end); started again in \(pause)")
            _ = try? NumberedDescriptor.waitReadable(stopSignal.fileDescriptor, upTo: pause)
            pause = min(pause * 2, .seconds(5))
        }
    }

    /// Runs the process once; how it ended.
    private func runOnce() throws -> String {
        var pipe = try PipePair()
        let reader = pipe.takeReader()
        let writer = pipe.takeWriter()
        var request = SpawnRequest(
            executable: "/proc/self/exe",
            arguments: plan.arguments(originPort.value) + ["--ready-fd", "3", "--parent", String(ProcessControl.currentID)],
            environment: ProcessInfo.processInfo.environment)
        request.leadsOwnGroup = true
        request.inherited = [InheritedDescriptor(parentNumber: writer.rawValue, childNumber: 3)]
        let process = try request.spawn()
        try writer.close()
        state.withLock { $0.process = process }
        defer { state.withLock { $0.process = nil } }
        if state.withLock({ $0.isStopping }) { try ProcessControl.send(.terminate, to: process) }
        var line: [UInt8] = []
        // End of file means that the process has ended before it was ready.
        if try reader.read(into: &line, count: 4_096) > 0 {
            originPort.note(readyLine: line)
            state.withLock { $0.isReady = true }
            readySignal.signal()
            report("\(plan.name): ready (process \(process))")
        }
        let exit = try ProcessControl.exitDescriptor(of: process)
        while try !exit.waitReadable(upTo: .seconds(3_600)) {}
        switch try ProcessControl.reap(process) {
        case .exited(let code):
            state.withLock { $0.lastCode = code }
            return "ended with code \(code)"
        case .signalled(let signal): return "ended by signal \(signal.rawValue)"
        case nil: return "ended"
        }
    }
}
