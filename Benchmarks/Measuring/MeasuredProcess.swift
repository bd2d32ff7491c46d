//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
package import GantryPlatform
import Synchronization

/// One process of a measurement.
///
/// It is started once: figures of two processes, one after the other, would say nothing of either, so the measurement ends with one that ends
/// by itself.
package final class MeasuredProcess: Sendable {
    /// The name of the process, for people.
    package let name: String
    private let request: SpawnRequest
    private let onEarlyEnd: @Sendable (MeasuringError) -> Void
    private let state = Mutex(State())
    private let readySignal: EventSignal
    private let endedSignal: EventSignal

    private struct State {
        var process: ProcessID?
        /// The signal that it was asked to end with; nil: it is to run.
        var stopping: Signal?
        var isReady = false
    }

    /// The descriptor to which the process writes a line when it is ready: the first number behind the standard streams.
    package static let readyNumber: Int32 = 3
    /// How long a process may need to be ready.
    private static let readyLimit = Duration.seconds(30)
    /// How long the kernel may need to end a process that it kills.
    static let killLimit = Duration.seconds(2)

    /// A process that is not started yet.
    /// - Parameters:
    ///   - request: how it is started; the descriptor `readyNumber` is added.
    ///   - onEarlyEnd: called once, on a thread of its own, when the process ends that nobody has stopped, or cannot be started.
    /// - Throws: `SystemError` when there are no descriptors left.
    package init(_ name: String, _ request: SpawnRequest, onEarlyEnd: @escaping @Sendable (MeasuringError) -> Void) throws {
        (self.name, self.request, self.onEarlyEnd) = (name, request, onEarlyEnd)
        readySignal = try EventSignal()
        endedSignal = try EventSignal()
    }

    /// The process's number; nil while it does not run.
    var processNumber: Int32? { state.withLock { $0.process?.rawValue } }

    /// Starts the process from a thread that lives as long: the kernel ends the child with the thread that spawned it.
    /// - Throws: `SystemError` when there is no room for the thread.
    package func start() throws {
        _ = try startThread(name: name) { [self] in
            let end = Result { try spawnAndWait() }
            let (isStopping, isReady) = state.withLock { ($0.stopping != nil, $0.isReady) }
            if !isStopping { onEarlyEnd(earlyEnd(end, isReady: isReady)) }
            endedSignal.signal()
            readySignal.signal()
        }
    }

    /// Sends a signal that ends the process; its end is none of the early ones then.
    package func stop(with signal: Signal) {
        let process = state.withLock { state in
            state.stopping = signal
            return state.process
        }
        // A process that has just ended needs no signal.
        if let process { try? ProcessControl.send(signal, to: process) }
    }

    /// Whether the process became ready in time.
    package func waitUntilReady() async -> Bool {
        await Self.wait(for: readySignal, upTo: Self.readyLimit)
        return state.withLock { $0.isReady }
    }

    /// Returns when the process has ended; after the grace it is killed.
    package func waitUntilEnded(grace: Duration) async {
        if await Self.wait(for: endedSignal, upTo: grace) { return }
        stop(with: .kill)
        await Self.wait(for: endedSignal, upTo: Self.killLimit)
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

    private func spawnAndWait() throws -> ProcessExit? {
        var pipe = try PipePair()
        let reader = pipe.takeReader()
        let writer = pipe.takeWriter()
        var request = request
        request.inherited.append(InheritedDescriptor(parentNumber: writer.rawValue, childNumber: Self.readyNumber))
        let process = try request.spawn()
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
            // Nobody would end it any more.
            try? ProcessControl.end(process)
            throw error
        }
    }

    /// Waits until the process is ready, then for its end.
    private func follow(_ process: ProcessID, _ reader: consuming OwnedDescriptor) throws -> ProcessExit? {
        var line: [UInt8] = []
        // End of file means that the process has ended before it was ready.
        if try reader.read(into: &line, count: 4_096) > 0 {
            state.withLock { $0.isReady = true }
            readySignal.signal()
        }
        try reader.close()
        let exit = try ProcessControl.exitDescriptor(of: process)
        while try !exit.waitReadable(upTo: .seconds(3_600)) {}
        return try ProcessControl.reap(process)
    }

    private func earlyEnd(_ end: Result<ProcessExit?, any Error>, isReady: Bool) -> MeasuringError {
        let text =
            switch end {
            case .success(.exited(let code)?): "ended with code \(code)"
            case .success(.signalled(let signal)?): "was ended by signal \(signal.rawValue)"
            case .success(nil): "ended"
            case .failure(let error): "was lost: \(error)"
            }
        return isReady
            ? MeasuringError(.processEnded, "\(name) \(text) while it was measured, so there are no figures", nextStep: "measure again, or")
            : MeasuringError(.notStarted, "\(name) did not start: it \(text)")
    }
}
