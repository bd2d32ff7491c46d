//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryPlatform

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
