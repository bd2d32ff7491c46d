//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// Reads signals as data, so that no handler ever interrupts the program.
///
/// Make it first thing in `main`, before any other thread exists: threads inherit the blocked signals from the one that
/// starts them, and a thread without the block would still die of SIGTERM.
public struct SignalDescriptor: ~Copyable, Sendable {
    /// For a poller; readable while a signal waits. Open as long as this value lives.
    public let fileDescriptor: Int32

    /// Blocks the signals in the calling thread and in all threads it starts later, and opens a descriptor for them.
    /// - Throws: `invalidArgument` for a number that is no signal, `tooManyOpen`.
    public init(_ signals: [Signal] = [.terminate, .interrupt, .hangUp, .child]) throws(SystemError) {
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
    public borrowing func next() throws(SystemError) -> ReceivedSignal? {
        var signal: Int32 = 0
        var process: Int32 = 0
        var user: UInt32 = 0
        var status: Int32 = 0
        let count = unsafe gantry_signalfd_next(fileDescriptor, &signal, &process, &user, &status)
        guard try checked(count, "reading a signal") > 0 else { return nil }
        return ReceivedSignal(signal: Signal(rawValue: signal), processID: process, userID: user)
    }
}
