//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import Synchronization

/// Lines of a long-running process on their way to its standard error, written by a thread of their own: a terminal that is held with
/// Ctrl-S, or a pipe that nobody reads, must not stop the thread that decides, renews leases or listens to signals.
final class ErrorLines: Sendable {
    /// What waits at most, in bytes; lines beyond it are left out and counted.
    static let byteLimit = 256 << 10
    /// Those of this process.
    static let shared = ErrorLines(descriptor: 2)

    private struct State {
        var waiting: [UInt8] = []
        var omitted = 0
        /// Whether the thread holds bytes that are not written yet.
        var isWriting = false
        var hasThread = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    private let wake = try? EventSignal()
    private let written = try? EventSignal()

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Queues a line for people: a terminal need not break it.
    func append(folding line: String) {
        append(NumberedDescriptor.terminalSize(descriptor).map { TextFit.fold(line, columns: $0.columns) } ?? line)
    }

    /// Queues a line, without its end; never blocks.
    func append(_ line: String) {
        let needsThread = state.withLock { state in
            if state.waiting.count + line.utf8.count > Self.byteLimit {
                state.omitted += 1
            } else {
                if state.omitted > 0 {
                    state.waiting += Array("(\(state.omitted) lines are left out: nobody read them)\n".utf8)
                    state.omitted = 0
                }
                state.waiting += Array((line + "\n").utf8)
            }
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if needsThread { startWriting() }
        wake?.signal()
    }

    /// Waits until everything is written, or a while; for the end of the process.
    func flush(upTo limit: Duration = .seconds(1)) {
        written?.drain()
        let isDone = state.withLock { $0.waiting.isEmpty && !$0.isWriting }
        guard !isDone, let written else { return }
        _ = try? NumberedDescriptor.waitReadable(written.fileDescriptor, upTo: limit)
    }

    private func startWriting() {
        do {
            _ = try startThread(name: "error lines") { self.writeForEver() }
        } catch {
            // Without a thread nothing else would write them; the next line tries again to get one.
            state.withLock { $0.hasThread = false }
            write()
        }
    }

    private func writeForEver() {
        guard let wake else { return }
        while true {
            _ = try? NumberedDescriptor.waitReadable(wake.fileDescriptor, upTo: .seconds(3_600))
            wake.drain()
            write()
        }
    }

    /// Writes what waits, until nothing does.
    private func write() {
        while true {
            let bytes = state.withLock { state in
                defer { state.waiting = [] }
                state.isWriting = !state.waiting.isEmpty
                return state.waiting
            }
            guard !bytes.isEmpty else { break }
            // Nobody can be told that standard error is closed.
            try? NumberedDescriptor.write(bytes, to: descriptor)
        }
        written?.signal()
    }
}
