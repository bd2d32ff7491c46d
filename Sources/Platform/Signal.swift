//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import Glibc

/// A signal of the system.
public struct Signal: RawRepresentable, Hashable, Sendable {
    /// The system's number.
    public let rawValue: Int32

    /// Wraps a number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// SIGTERM: please end.
    public static let terminate = Signal(rawValue: SIGTERM)
    /// SIGINT: Ctrl-C.
    public static let interrupt = Signal(rawValue: SIGINT)
    /// SIGHUP: the terminal is gone, or read the configuration again.
    public static let hangUp = Signal(rawValue: SIGHUP)
    /// SIGCHLD: a child ended or stopped.
    public static let child = Signal(rawValue: SIGCHLD)
    /// SIGKILL: end now; cannot be caught.
    public static let kill = Signal(rawValue: SIGKILL)
    /// SIGSTOP: stand still; cannot be caught.
    public static let stop = Signal(rawValue: SIGSTOP)
    /// SIGCONT: go on.
    public static let `continue` = Signal(rawValue: SIGCONT)
    /// SIGQUIT: Ctrl-\.
    public static let quit = Signal(rawValue: SIGQUIT)
    /// SIGUSR1: free for use.
    public static let user1 = Signal(rawValue: SIGUSR1)
    /// SIGWINCH: the terminal has a new size.
    public static let windowChanged = Signal(rawValue: SIGWINCH)
}
