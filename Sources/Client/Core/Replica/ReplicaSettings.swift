//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Times and bounds of replicas.
public struct ReplicaSettings: Hashable, Sendable {
    /// First pause before a topic without proof is asked for again.
    public var firstAsk: Duration = .milliseconds(250)
    /// Longest pause before it is asked for again.
    public var longestAsk: Duration = .seconds(5)
    /// How long a topic may be without a bookmark; the front sends one every ten seconds at the latest.
    public var silence: Duration = .seconds(25)
    /// After how many questions without proof the subscription itself is renewed.
    public var asksBeforeRenewal = 4
    /// Changes kept while a snapshot is on its way; beyond it they are dropped and the topic is asked for again.
    public var waitingChangeLimit = 4_096
    /// Bytes of items of one topic; beyond it the topic is not kept.
    public var byteLimit = 64 << 20
    /// Bytes of items up to which the whole checksum is made anew for each change, not only for each bookmark.
    public var fullChecksumByteLimit = 64 << 10
    /// Whether a topic whose checksum differs is asked for again. Only tests and the search for faults switch it off.
    public var resyncs = true

    /// The defaults.
    public init() {}
}
