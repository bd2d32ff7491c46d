//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How a process ended.
public enum ProcessExit: Hashable, Sendable {
    /// By itself, with a code of 0 to 255.
    case exited(code: Int32)
    /// Through a signal.
    case signalled(Signal)
}
