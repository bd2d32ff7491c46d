//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import Synchronization

/// A process that writes a line to a pipe when it is ready, and may write another one later, followed to its end by the thread that spawned it: the kernel ends a child with that
/// thread. It may be run again after its end.
package final class ReadyProcess: Sendable {
    private struct State {
        var process: ProcessID?
        /// The signal that it was asked to end with; nil: it may run.
        var stopping: Signal?
        var isReady = false
    }

    /// The descriptor to which the process writes: the first number behind the standard streams.
    package static let readyNumber: Int32 = 3
    /// How long a process may need to be ready: a front has read its whole journal by then.
    private static let readyLimit = Duration.seconds(30)
    /// So much is read of what it writes after its first line: a few more.
    private static let laterByteCount = 4_096
    /// How long the kernel may need to end a process that it kills.
    package static let killLimit = Duration.seconds(2)

    private let state = Mutex(State())
    private let readySignal: EventSignal
    private let endedSignal: EventSignal

    /// A process that does not run yet.
    /// - Throws: when there are no descriptors left.
    package init() throws(SystemError) {
        readySignal = try EventSignal()
        endedSignal = try EventSignal()
    }

    /// The process's number; nil while it does not run.
    package var number: Int32? { state.withLock { $0.process?.rawValue } }

    /// Whether it was asked to end.
    package var isStopping: Bool { state.withLock { $0.stopping != nil } }

    /// Whether it has been ready, now or in an earlier run.
    package var isReady: Bool { state.withLock { $0.isReady } }

    /// Sends a signal that ends the process; one that is about to be spawned gets it then.
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
        return isReady
    }

    /// Returns after `noteEnd`; after the grace the process is killed.
    package func waitUntilEnded(grace: Duration) async {
        if await Self.wait(for: endedSignal, upTo: grace) { return }
        stop(with: .kill)
        await Self.wait(for: endedSignal, upTo: Self.killLimit)
    }

    /// Waits on the calling thread for `noteEnd`.
    package func blockUntilEnded(upTo limit: Duration) {
        _ = try? NumberedDescriptor.waitReadable(endedSignal.fileDescriptor, upTo: limit)
    }

    /// Lets everybody go on who waits: the process is not run any more.
    package func noteEnd() {
        endedSignal.signal()
        readySignal.signal()
    }

    /// Runs the process on the calling thread until it has ended.
    ///
    /// - Parameters:
    ///   - spawn: spawns it with this descriptor among those that it inherits.
    ///   - watch: opens a descriptor that tells of its end.
    ///   - becameReady: gets the line that it wrote.
    ///   - hasEnded: called when it has ended and its number is still its own, with all that it has written, its first line too.
    /// - Returns: how it ended; nil: somebody else has reaped it.
    /// - Throws: what spawning or following it throws; then it has been ended.
    package func run(
        spawn: (InheritedDescriptor) throws -> ProcessID,
        watch: (ProcessID) throws -> OwnedDescriptor = { try ProcessControl.exitDescriptor(of: $0) },
        becameReady: (ProcessID, _ line: [UInt8]) -> Void = { _, _ in },
        hasEnded: (ProcessID, _ written: [UInt8]) -> Void = { _, _ in }
    ) throws -> ProcessExit? {
        var pipe = try PipePair()
        let reader = pipe.takeReader()
        let writer = pipe.takeWriter()
        let process = try spawn(InheritedDescriptor(parentNumber: writer.rawValue, childNumber: Self.readyNumber))
        let asked = state.withLock { state in
            state.process = process
            return state.stopping
        }
        defer { state.withLock { $0.process = nil } }
        do {
            try writer.close()
            if let asked { try ProcessControl.send(asked, to: process) }
            var line: [UInt8] = []
            // End of file means that the process has ended before it was ready.
            if try reader.read(into: &line, count: 4_096) > 0 {
                state.withLock { $0.isReady = true }
                becameReady(process, line)
                readySignal.signal()
            }
            let exit = try watch(process)
            while try !exit.waitReadable(upTo: NumberedDescriptor.longestWait) {}
            // What it said later, a line or two, has waited in the pipe. Only what is there: what it has started may hold the other end open.
            var written = line
            var later: [UInt8] = []
            if (try? reader.waitReadable(upTo: .zero)) == true { _ = try? reader.read(into: &later, count: Self.laterByteCount) }
            written += later
            hasEnded(process, written)
            return try ProcessControl.reap(process)
        } catch {
            // Nobody would end it any more, and two must not run beside each other.
            try? ProcessControl.end(process)
            throw error
        }
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
}
