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

    /// What asks a process to end: Ctrl-C, and what supervisors and containers send.
    package static let requestsToEnd: [Signal] = [.interrupt, .terminate]

    /// What a process ends with that ends because of the signal, as shells say it.
    package var exitCode: Int32 { 128 + rawValue }

    /// Leaves the signal to the system in this process, whatever handled it.
    /// - Throws: `invalidArgument` for a number that is no signal or cannot be handled.
    package func reset() throws(SystemError) { try checked(gantry_signal_reset(rawValue), "leaving signal \(rawValue) to the system") }
}
