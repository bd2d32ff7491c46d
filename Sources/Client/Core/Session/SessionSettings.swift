//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Times and bounds of a session.
public struct SessionSettings: Hashable, Sendable {
    /// A name for people, at most 64 bytes.
    public var label: String
    /// What the session's chance follows from: the numbers of its hellos and the spread of its repeats. Draw it from the system, another one
    /// for each client: two clients with the same seed would take each other's session.
    public var seed: UInt64
    /// What a front that listens on TCP asks for; empty where it listens in a folder.
    public var token: [UInt8] = []
    /// First pause before an unanswered request or hello is repeated.
    public var firstRepeat: Duration = .milliseconds(250)
    /// Longest pause before a repeat.
    public var longestRepeat: Duration = .seconds(5)
    /// First pause before a missing outcome is asked for.
    public var firstOutcome: Duration = .seconds(1)
    /// Longest pause before a missing outcome is asked for again.
    public var longestOutcome: Duration = .seconds(32)
    /// Requests and batches that may wait for a number; beyond it calls fail with `busy`.
    public var queueLimit = 65_536
    /// Bytes of arguments, items and texts that may wait for a number; beyond it calls fail with `busy`.
    public var queueByteLimit = 64 << 20
    /// Jobs in one submit message.
    public var batchLimit = 4_096
    /// Bytes of arguments in one submit message; lowered to half of the front's largest frame.
    public var batchByteLimit = 256 << 10
    /// Jobs whose outcomes may be awaited at once; beyond it calls fail with `busy`.
    public var outcomeLimit = 1_000_000

    /// The defaults under a name for people, with a seed that no other client has.
    public init(label: String, seed: UInt64) { (self.label, self.seed) = (label, seed) }
}
