//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a worker process is told.
public struct WorkerConfiguration: Hashable, Sendable {
    /// The front's endpoint for workers: `ipc://PATH`, or `tcp://` on the loopback.
    public var endpoint: String
    /// The worker's label, for people.
    public var name: String
    /// How many jobs run at once, 1 to 64; others are brought into the range.
    public var slots: Int
    /// How many jobs of bulk loaders are taken ahead, 0 to 4,096; others are brought into the range.
    public var prefetch: Int
    /// What a front that listens on TCP asks for: the content of `DATA/run/token`; empty for one on sockets.
    public var token: [UInt8] = []

    /// A worker's configuration; 4 slots and 1,024 bulk jobs ahead unless said otherwise.
    public init(endpoint: String, name: String, slots: Int = 4, prefetch: Int = 1_024) {
        self.endpoint = endpoint
        self.name = name
        self.slots = slots
        self.prefetch = prefetch
    }
}
