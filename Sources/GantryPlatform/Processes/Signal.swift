//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform
internal import Glibc

/// A signal of the system.
package struct Signal: RawRepresentable, Hashable, Sendable {
    /// The system's number.
    package let rawValue: Int32

    /// Wraps a number.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// SIGTERM: please end.
    package static let terminate = Signal(rawValue: SIGTERM)
    /// SIGINT: Ctrl-C.
    package static let interrupt = Signal(rawValue: SIGINT)
    /// SIGHUP: the terminal is gone, or read the configuration again.
    package static let hangUp = Signal(rawValue: SIGHUP)
    /// SIGCHLD: a child ended or stopped.
    package static let child = Signal(rawValue: SIGCHLD)
    /// SIGKILL: end now; cannot be caught.
    package static let kill = Signal(rawValue: SIGKILL)
    /// SIGSTOP: stand still; cannot be caught.
    package static let stop = Signal(rawValue: SIGSTOP)
    /// SIGCONT: go on.
    package static let `continue` = Signal(rawValue: SIGCONT)
    /// SIGQUIT: Ctrl-\.
    package static let quit = Signal(rawValue: SIGQUIT)
    /// SIGUSR1: free for use.
    package static let user1 = Signal(rawValue: SIGUSR1)
    /// SIGWINCH: the terminal has a new size.
    package static let windowChanged = Signal(rawValue: SIGWINCH)
}

/// A signal that arrived, with who sent it.
package struct ReceivedSignal: Hashable, Sendable {
    /// Which signal.
    package let signal: Signal
    /// The process that sent it; 0 for the kernel.
    package let processID: Int32
    /// The user of that process.
    package let userID: UInt32
}

/// Reads signals as data, so that no handler ever interrupts the program.
///
/// Make it first thing in `main`, before any other thread exists: threads inherit the blocked signals from the one that
/// starts them, and a thread without the block would still die of SIGTERM.
package struct SignalDescriptor: ~Copyable, Sendable {
    /// For a poller; readable while a signal waits. Open as long as this value lives.
    package let fileDescriptor: Int32

    /// Blocks the signals in the calling thread and in all threads it starts later, and opens a descriptor for them.
    /// - Throws: `invalidArgument` for a number that is no signal, `tooManyOpen`.
    package init(_ signals: [Signal] = [.terminate, .interrupt, .hangUp, .child]) throws(SystemError) {
        let numbers = signals.map(\.rawValue)
        try checked(unsafe gantry_signals_block(numbers, numbers.count), "blocking signals \(numbers)")
        fileDescriptor = try checked(
            unsafe gantry_signalfd(numbers, numbers.count), "opening a descriptor for signals \(numbers)")
    }

    deinit {
        gantry_close(fileDescriptor)
    }

    /// The next signal that waits, or nil. Several of one kind may have become one: reap all children on one `.child`.
    /// - Throws: the system's error; it has no cause of its own.
    package borrowing func next() throws(SystemError) -> ReceivedSignal? {
        var signal: Int32 = 0
        var process: Int32 = 0
        var user: UInt32 = 0
        var status: Int32 = 0
        let count = unsafe gantry_signalfd_next(fileDescriptor, &signal, &process, &user, &status)
        guard try checked(count, "reading a signal") > 0 else { return nil }
        return ReceivedSignal(signal: Signal(rawValue: signal), processID: process, userID: user)
    }
}
