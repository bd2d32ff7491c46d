//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A signal that arrived, with who sent it.
public struct ReceivedSignal: Hashable, Sendable {
    /// Which signal.
    public let signal: Signal
    /// The process that sent it; 0 for the kernel.
    public let processID: Int32
    /// The user of that process.
    public let userID: UInt32
}
