//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How a client behaves towards its user.
public struct ClientOptions: Sendable {
    /// A name for people, at most 64 bytes.
    public var label: String
    /// How long opening may take before it fails with `notConnected`.
    public var connectTimeout: Duration = .seconds(5)
    /// How long a call may take unless it says otherwise, before it fails with `timedOut`. A lost front is waited for that long.
    public var requestTimeout: Duration = .seconds(30)
    /// What a front that listens on TCP asks for: the content of `DATA/run/token`. ``GantryClient/init(options:)`` reads it by itself.
    public var token: [UInt8] = []
    /// Whether a replica whose sum differs is asked for again. Only the search for faults switches it off.
    public var resyncs = true

    /// The defaults under a name for people.
    public init(label: String = "client") { self.label = label }
}
